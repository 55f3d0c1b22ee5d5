package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorlm/rlm/internal/front/terminal/setup"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/stretchr/testify/require"
)

// Without any setup, rlm alone gets a user to a first answer, with four key presses besides the API key and the
// question.
func TestTheFirstMinute(t *testing.T) {
	t.Parallel()
	s := fakeapi.Start(
		fakeapi.Rule{Match: "word ok", Reply: fakeapi.Reply{Content: "ok"}},
		fakeapi.Rule{Reply: fakeapi.Reply{Content: goCell(`FINAL("six times seven is 42")`)}},
	)
	defer s.Close()
	dir := t.TempDir()
	env := []string{
		"HOME=" + dir, "XDG_CONFIG_HOME=" + dir + "/config", "RLM_DATA_DIR=" + dir + "/data", "TERM=tmux-256color",
		"LANG=C.UTF-8",
		"ANTHROPIC_BASE_URL=" + s.URL(), "OLLAMA_HOST=127.0.0.1:1", "NO_PROXY=127.0.0.1", "PATH=" + os.Getenv("PATH"),
	}
	term := startTerminal(t, env, dir)
	term.sees("Which one should answer questions?")
	term.keys("2", "Enter")
	term.sees("key of Anthropic")
	term.line(canary)
	term.sees("model (Enter: anthropic/fake:latest")
	term.keys("Enter")
	term.sees("anthropic/fake:latest answers")
	term.sees("sandbox ")
	term.line("what is 6 times 7?")
	term.sees("six times seven is 42")
	require.NotContains(t, term.all(), canary)
	config, err := os.ReadFile(filepath.Join(dir, "config/rlm/config.toml"))
	require.NoError(t, err)
	require.Equal(t, "model = 'anthropic/fake:latest'\n", string(config))
	kept, err := os.Stat(filepath.Join(dir, "config/rlm/keys.toml"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), kept.Mode().Perm())

	// The next session knows the model; if the user declines to choose one, the session starts immediately.
	term = startTerminal(t, env, dir)
	term.sees("anthropic/fake:latest")
	require.NotContains(t, term.all(), "Which one should answer")
	env[1] = "XDG_CONFIG_HOME=" + dir + "/other"
	term = startTerminal(t, env, dir)
	term.sees("1–6:")
	term.keys("Enter")
	term.sees("no model: cells still run")
}

// Without any setup, rlm models lists the models of a local Ollama, which a run would use. The test listens on
// Ollama's own port, which other tests rely on to be free, so it runs only with RLM_LONG=1.
func TestModelsOfALocalOllama(t *testing.T) {
	if os.Getenv("RLM_LONG") == "" {
		t.Skip("it listens on Ollama's own port: set RLM_LONG=1 to run it")
	}
	l, err := net.Listen("tcp", "127.0.0.1:11434")
	if err != nil {
		t.Skipf("Ollama's port is in use: %v", err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/tags":
			_, _ = io.WriteString(w, `{"models": [{"name": "qwen3:8b"}]}`)
		case "/v1/models":
			_, _ = io.WriteString(w, `{"object": "list", "data": [{"id": "qwen3:8b", "object": "model"}]}`)
		default:
			http.NotFound(w, r)
		}
	})}
	go s.Serve(l)
	defer s.Close()
	dir := t.TempDir()
	cmd := exec.Command("rlm", "models")
	cmd.Env = []string{"HOME=" + dir, "NO_PROXY=127.0.0.1", "PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "ollama/qwen3:8b ")
}

// A choice is written at the top of a configuration file, outside of any table; the rest is unchanged.
func TestAChoiceIsKeptAboveTables(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("HOME", dir)
	path, err := configFile()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	const before = "\xef\xbb\xbfmax_cost = 1.5\n\n[prices.m]\ninput = 1\noutput = 2\n"
	require.NoError(t, os.WriteFile(path, []byte(before), 0o600))
	s := loadSettings()
	_, err = s.keep(setup.Choice{BaseURL: "http://localhost:8000/v1", Model: "served"})
	require.NoError(t, err)
	again := loadSettings()
	require.NoError(t, again.broken)
	require.Equal(t, "served", again.Model)
	require.Equal(t, "http://localhost:8000/v1", again.BaseURL)
	require.InDelta(t, 1.5, again.MaxCost, 0)
}

// The owner of a server without a model chooses one in the page: it is tested and stored, and the server
// continues with it at the same address. Nobody else may choose, and only a provider's own address is allowed.
func TestTheFirstModelInThePage(t *testing.T) {
	t.Parallel()
	s := fakeapi.Start(
		fakeapi.Rule{Match: "word ok", Reply: fakeapi.Failing(401, "no such key "+canary)},
		fakeapi.Rule{Match: "word ok", Reply: fakeapi.Reply{Content: "ok"}},
	)
	defer s.Close()
	dir := t.TempDir()
	cmd := exec.Command("rlm", "serve", "--json", "--no-open", "--listen", "127.0.0.1:0")
	cmd.Dir = dir
	cmd.Env = []string{
		"HOME=" + dir, "XDG_CONFIG_HOME=" + dir + "/config", "RLM_DATA_DIR=" + dir + "/data",
		"ANTHROPIC_BASE_URL=" + s.URL(), "OLLAMA_HOST=127.0.0.1:1", "NO_PROXY=127.0.0.1", "PATH=" + os.Getenv("PATH"),
	}
	at := startServing(t, cmd)
	call := func(method, path, body string) (int, string, error) {
		req, err := http.NewRequest(method, at.URL+"api/v1/"+path, strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+at.Token)
		req.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, "", err
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		return answer.StatusCode, string(text), err
	}
	refused := func(body, why string) {
		status, text, err := call("POST", "setup", body)
		require.NoError(t, err)
		require.GreaterOrEqual(t, status, 400)
		require.Contains(t, text, why)
		require.NotContains(t, text, canary)
	}
	_, about, err := call("GET", "about", "")
	require.NoError(t, err)
	require.Contains(t, about, `"provider":"anthropic"`)
	refused(`{"provider":"vllm","model":"m"}`, "one of the providers")
	asked := `{"provider":"anthropic","model":"claude-sonnet-5-5","key":"` + canary + `"}`
	refused(asked, "no such key")
	status, _, err := call("POST", "setup", asked)
	require.NoError(t, err)
	require.Less(t, status, 300)
	require.Eventually(t, func() bool {
		status, about, err = call("GET", "about", "")
		return err == nil && status == 200 && !strings.Contains(about, "no_model") // the old server may still answer
	}, time.Minute, 20*time.Millisecond)
	require.Contains(t, about, `"model":"anthropic/claude-sonnet-5-5"`)
	refused(asked, "no model can be set up here")
	config, err := os.ReadFile(filepath.Join(dir, "config/rlm/config.toml"))
	require.NoError(t, err)
	require.Equal(t, "model = 'anthropic/claude-sonnet-5-5'\n", string(config))
}
