package llm_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/llm/internal/llmtest"
	"github.com/stretchr/testify/require"
)

// Every provider works with a server that behaves as documented and refuses whatever the real service would refuse.
func TestProvidersConform(t *testing.T) {
	t.Parallel()
	t.Run("anthropic", func(t *testing.T) {
		t.Parallel()
		conforms(t, newDirected(fakeapi.StartFunc, anthropicFailure), "anthropic", "claude-sonnet-4-5", "")
	})
	for _, service := range fakeapi.Services() {
		t.Run(service.Name, func(t *testing.T) {
			t.Parallel()
			start := func(answer func(fakeapi.Request) fakeapi.Reply) *fakeapi.Server {
				return fakeapi.StartService(service, answer)
			}
			conforms(t, newDirected(start, service.Failure), service.Name, service.Model, versionOf(service),
				tellsNot[service.Name]...)
		})
	}
	require.Len(t, fakeapi.Services(), len(llm.Providers())-1, "each provider has a service")
}

// tellsNot lists what a provider does not report in chat completions.
var tellsNot = map[string][]llmtest.Option{
	"openai": {llmtest.WithoutReasoning()},
	"azure":  {llmtest.WithoutReasoning()},
	"ollama": {llmtest.WithoutCacheCount()},
}

// versionOf returns the version of Azure's interface used in the tests.
func versionOf(service fakeapi.Service) string {
	if service.Name == "azure" {
		return "2024-10-21"
	}
	return ""
}

func conforms(t *testing.T, s *directed, provider, model, version string, options ...llmtest.Option) {
	t.Cleanup(s.Close)
	require.Equal(t, testKey, fakeapi.ServiceKey)
	c, err := llm.New(llm.Config{
		Provider: provider, Model: model, APIVersion: version, BaseURL: s.URL(), APIKey: llm.NewSecret(testKey),
		Tries:      3,
		BackoffMin: time.Millisecond, BackoffMax: 2 * time.Millisecond, Stall: time.Second, Timeout: time.Minute,
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	llmtest.Run(t, c, s, append(options, llmtest.WithKey(testKey), llmtest.WithTries(3))...)
	for _, req := range s.Requests() {
		require.False(t, req.Refused, "%s %s", req.Path, req.Body)
	}
}

// directed is a fake endpoint that llmtest controls.
type directed struct {
	*fakeapi.Server
	failure func(kind string, seconds float64) fakeapi.Reply

	mu      sync.Mutex
	replies []llmtest.Reply
	bodies  []string
}

func newDirected(
	start func(func(fakeapi.Request) fakeapi.Reply) *fakeapi.Server,
	failure func(string, float64) fakeapi.Reply,
) *directed {
	d := &directed{failure: failure}
	d.Server = start(d.answer)
	return d
}

func (d *directed) Answer(replies ...llmtest.Reply) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.replies, d.bodies = replies, nil
}

func (d *directed) Calls() int { return len(d.Bodies()) }

func (d *directed) Bodies() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.bodies...)
}

func (d *directed) answer(req fakeapi.Request) fakeapi.Reply {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bodies = append(d.bodies, string(req.Body))
	r := d.replies[0]
	if len(d.replies) > 1 {
		d.replies = d.replies[1:]
	}
	if r.Failure != "" {
		return d.failure(string(r.Failure), r.RetryAfter.Seconds())
	}
	out := fakeapi.Reply{
		Content: r.Content, Reasoning: r.Reasoning, Fault: fakeapi.Fault(r.Fault), PieceSize: 40,
		PromptTokens: int(r.Usage.Prompt), CompletionTokens: int(r.Usage.Completion), CachedTokens: int(r.Usage.Cached),
	}
	if r.Fault != "" {
		out.Pieces = 1
	}
	if r.Cut {
		out.Finish = "length"
	}
	return out
}

// anthropicFailure returns an error of Anthropic's, as documented.
func anthropicFailure(kind string, seconds float64) fakeapi.Reply {
	shape := anthropicErrors[llm.ErrorKind(kind)]
	shape.Header = map[string]string{}
	if seconds > 0 {
		shape.Header["Retry-After"] = fmt.Sprint(seconds)
	}
	return shape
}

var anthropicErrors = map[llm.ErrorKind]fakeapi.Reply{
	llm.ErrRateLimit: fakeapi.AnthropicError(
		429, "rate_limit_error", "This request would exceed your organization's rate limit"),
	llm.ErrUnavailable: fakeapi.AnthropicError(529, "overloaded_error", "Overloaded"),
	llm.ErrAuth:        fakeapi.AnthropicError(401, "authentication_error", "invalid x-api-key "+testKey),
	llm.ErrQuota: fakeapi.AnthropicError(
		400, "invalid_request_error",
		"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."),
	llm.ErrContextTooLong: fakeapi.AnthropicError(
		400, "invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum"),
	llm.ErrBadRequest: fakeapi.AnthropicError(404, "not_found_error", "model: m"),
	llm.ErrContentFilter: fakeapi.AnthropicError(
		400, "invalid_request_error", "Output blocked by content filtering policy"),
}

// Gemini counts thoughts only in the total; they are paid for as part of the reply.
func TestGeminiCountsThoughtsApart(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{
		Reply: fakeapi.Reply{Content: "ok", Usage: `{"prompt_tokens":10,"completion_tokens":5,"total_tokens":45}`},
	})
	resp, _ := generate(t, client(t, s, func(c *llm.Config) { c.Provider = "gemini" }), ask("hi"))
	require.Equal(t, llm.Usage{Prompt: 10, Completion: 35, Reasoning: 30}, resp.Usage)
}

// With a dated version of Azure's interface, the address contains deployment and version.
func TestAzureWithAVersion(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
	c := client(t, s, func(c *llm.Config) {
		c.Provider, c.Model, c.APIVersion, c.BaseURL = "azure", "my deployment", "2024-10-21",
			strings.TrimSuffix(s.URL(), "/v1")
	})
	generate(t, c, ask("hi"))
	require.Equal(t, "/openai/deployments/my deployment/chat/completions", s.Requests()[0].Path)
	require.Equal(t, testKey, s.Requests()[0].Header.Get("Api-Key"))
}

// Fields that a user adds to the body are sent with each request, and cannot turn it into another.
func TestExtraBody(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
	generate(t, client(t, s, func(c *llm.Config) {
		c.ExtraBody = map[string]any{"top_k": 5, "chat_template_kwargs": map[string]any{"x": true}}
	}), ask("hi"))
	require.Equal(t, 5.0, s.Requests()[0].Field("top_k"))
	for _, name := range []string{"model", "messages", "stream", "system"} {
		_, err := llm.New(llm.Config{Model: "m", ExtraBody: map[string]any{name: 1}})
		require.ErrorContains(t, err, name)
	}
	_, err := llm.New(llm.Config{Model: "m", Provider: "nobody"})
	require.ErrorContains(t, err, "no provider")
}

// A model without a system role gets the system prompt in the first message.
func TestWithoutASystemRole(t *testing.T) {
	s := fakeapi.Start(fakeapi.Says("ok", "ok", "ok")...)
	c := client(t, s, func(c *llm.Config) { c.Model = "o1-mini" })
	generate(t, c, ask("hi"))
	require.Equal(t, []fakeapi.Message{{Role: "user", Content: "be brief\n\nhi"}}, s.Requests()[0].Messages)
	generate(t, c, llm.Request{Messages: ask("hi").Messages[:1]})
	require.Equal(t, []fakeapi.Message{{Role: "user", Content: "be brief"}}, s.Requests()[1].Messages)
	generate(t, c, llm.Request{Messages: append(ask("hi").Messages, llm.Message{Role: llm.Assistant, Content: "so"},
		llm.Message{Role: llm.User, Content: "and"})})
	require.Equal(t, []fakeapi.Message{
		{Role: "user", Content: "be brief\n\nhi"},
		{Role: "assistant", Content: "so"},
		{Role: "user", Content: "and"},
	}, s.Requests()[2].Messages)
}
