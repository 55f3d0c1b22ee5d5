package setup_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/front/terminal/setup"
	"github.com/gorlm/rlm/internal/names"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

// asked answers with typed lines, including keys, and returns the choice and the output.
func asked(t *testing.T, model string, env map[string]string, typed ...string) (setup.Choice, string, error) {
	t.Helper()
	var shown bytes.Buffer
	next := func(context.Context) (string, error) {
		if len(typed) == 0 {
			return "", io.EOF
		}
		line := typed[0]
		typed = typed[1:]
		return line, nil
	}
	c, err := setup.Ask(t.Context(), setup.Options{
		Out: screen.NewOutput(&shown), Line: next, Model: model,
		Key: func(ctx context.Context, ask func()) (llm.Secret, error) {
			ask()
			line, err := next(ctx)
			return llm.NewSecret(line), err
		},
		Names: names.Config{
			Getenv: func(name string) string { return env[name] }, Tries: 1, BaseURL: env["OPENAI_BASE_URL"],
		},
	})
	if err == nil {
		require.Empty(t, typed, shown.String())
	}
	return c, shown.String(), err
}

const key = "sk-test-canary"

func TestAProviderAndItsKey(t *testing.T) {
	t.Parallel()
	s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "ok"}})
	defer s.Close()
	env := map[string]string{"ANTHROPIC_BASE_URL": s.URL(), "NO_PROXY": "127.0.0.1"}
	c, shown, err := asked(t, "", env, "2", key, "")
	require.NoError(t, err)
	require.Equal(t, "anthropic", c.Provider)
	require.Equal(t, "anthropic/fake:latest", c.Model)
	require.Equal(t, key, c.Key.Reveal())
	require.Contains(t, shown, "anthropic/fake:latest answers")
	require.NotContains(t, shown, key)

	c, shown, err = asked(t, "", env, "2", key, "?", "anthropic/fake:latets", "other")
	require.NoError(t, err)
	require.Equal(t, "anthropic/other", c.Model, "a name that is far from all is tried")
	require.Contains(t, shown, "did you mean anthropic/fake:latest?")
}

func TestAnEndpoint(t *testing.T) {
	t.Parallel()
	s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "ok"}})
	defer s.Close()
	env := map[string]string{"OPENAI_API_KEY": "sk-of-the-environment", "NO_PROXY": "127.0.0.1"}
	want := setup.Choice{Provider: "openai", BaseURL: s.URL(), Model: "fake:latest"}
	c, _, err := asked(t, "", env, "7", "6", "", "6", s.URL(), "", "")
	require.NoError(t, err)
	require.Equal(t, want, setup.Choice{Provider: c.Provider, BaseURL: c.BaseURL, Model: c.Model})
	env["OPENAI_BASE_URL"] = s.URL()
	c, shown, err := asked(t, "", env, "6", "", "", "")
	require.NoError(t, err)
	require.Equal(t, want, setup.Choice{Provider: c.Provider, BaseURL: c.BaseURL, Model: c.Model})
	require.Contains(t, shown, "its URL (Enter: "+s.URL()+")")
	delete(env, "OPENAI_BASE_URL")
	require.True(t, c.Key.Empty(), "the key of the environment is OpenAI's")

	c, _, err = asked(t, "mine", env, "6", s.URL(), key, "")
	require.NoError(t, err)
	require.Equal(t, "mine", c.Model, "the configuration's is offered")
}

func TestWhatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Failing(401, "bad key "+key)})
	defer s.Close()
	env := map[string]string{"ANTHROPIC_BASE_URL": s.URL(), "OLLAMA_HOST": "127.0.0.1:1", "NO_PROXY": "127.0.0.1"}
	_, shown, err := asked(t, "", env, "2", key, "")
	require.ErrorIs(t, err, io.EOF, "it asks again")
	require.Contains(t, shown, "no answer: ")
	require.NotContains(t, shown, key)

	c, shown, err := asked(t, "", env, "5", "")
	require.NoError(t, err)
	require.Zero(t, c)
	require.Contains(t, shown, "that does not work")
	require.Equal(t, 2, strings.Count(shown, "Which one should answer"))
}

func TestTry(t *testing.T) {
	t.Parallel()
	s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}},
		fakeapi.Rule{Times: -1, Reply: fakeapi.Failing(401, "bad key "+key)})
	defer s.Close()
	env := map[string]string{"ANTHROPIC_BASE_URL": s.URL(), "NO_PROXY": "127.0.0.1"}
	cfg := names.Config{Getenv: func(name string) string { return env[name] }, Tries: 1}
	asked := setup.Choice{Provider: "anthropic", Key: llm.NewSecret(key), Model: "m"}
	c, err := setup.Try(t.Context(), cfg, asked)
	require.NoError(t, err)
	require.Equal(t, "anthropic/m", c.Model)
	_, err = setup.Try(t.Context(), cfg, asked)
	require.Error(t, err)
	require.NotContains(t, err.Error(), key)
	for _, wrong := range []setup.Choice{{}, {Provider: "nobody", Model: "m"}, {Provider: "anthropic"}} {
		_, err = setup.Try(t.Context(), cfg, wrong)
		require.ErrorContains(t, err, "choose a provider and a model")
	}
}

func TestNobody(t *testing.T) {
	t.Parallel()
	c, _, err := asked(t, "", nil, "")
	require.NoError(t, err)
	require.Zero(t, c)
	broken := errors.New("the terminal is gone")
	_, err = setup.Ask(t.Context(), setup.Options{
		Out: screen.NewOutput(io.Discard), Line: func(context.Context) (string, error) { return "", broken },
	})
	require.ErrorIs(t, err, broken)
}

// The suggested models are known, at a price that a first question can afford.
func TestTheUsualModelsAreKnown(t *testing.T) {
	t.Parallel()
	for _, c := range setup.Usual() {
		name := c.Model
		if strings.HasPrefix(name, "openrouter/") {
			continue // OpenRouter chooses a model itself
		}
		price := llm.Known(name).Price
		require.NotNil(t, price, name)
		require.LessOrEqual(t, price.Input, 3.0, name)
	}
}
