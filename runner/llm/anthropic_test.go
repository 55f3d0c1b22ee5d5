package llm_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

// claude returns a client of the Messages API.
func claude(t testing.TB, s *fakeapi.Server, change ...func(*llm.Config)) *llm.Client {
	return client(t, s, append([]func(*llm.Config){
		func(c *llm.Config) { c.Provider, c.Model = "anthropic", "claude-sonnet-4-5" },
	}, change...)...)
}

func TestAMessageIsReadWhole(t *testing.T) {
	for _, whole := range []bool{false, true} {
		s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{
			Content: strings.Repeat("héllo wörld ", 50), Reasoning: "let me see", PromptTokens: 100,
			CompletionTokens: 40, CachedTokens: 60, WrittenTokens: 30,
		}})
		req := ask("hi")
		req.NoStream = whole
		resp, _ := generate(t, claude(t, s), req)
		require.Equal(t, strings.Repeat("héllo wörld ", 50), resp.Content)
		require.Equal(t, "let me see", resp.Reasoning)
		require.Equal(t, llm.Usage{Prompt: 100, Completion: 40, Cached: 60, CacheWritten: 30}, resp.Usage)
		require.Equal(t, "stop", resp.FinishReason)
		require.Len(t, resp.Parts, 1, "the thought is kept with its signature")
		require.NotEmpty(t, resp.Parts[0].Data)

		sent := s.Requests()[0]
		require.Equal(t, testKey, sent.Header.Get("X-Api-Key"))
		require.Empty(t, sent.Header.Get("Authorization"))
		require.Equal(t, "2023-06-01", sent.Header.Get("Anthropic-Version"))
		require.Equal(t, "/v1/messages", sent.Path)
		require.Equal(t, []any{map[string]any{"type": "text", "text": "be brief"}}, sent.Field("system"))
	}
}

// While the model is asked to think, a thought is sent back unchanged: the endpoint checks its signature.
func TestThoughtsGoBack(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "one", Reasoning: "let me see"}})
	c := claude(t, s)
	req := ask("first")
	req.ReasoningEffort = "low"
	resp, _ := generate(t, c, req)
	req.Messages = append(req.Messages, llm.Message{
		Role: llm.Assistant, Content: resp.Content, Parts: append(resp.Parts, llm.Part{Kind: "image", Data: "x"}),
	},
		llm.Message{Role: llm.User, Content: "second"})
	generate(t, c, req)
	sent := s.Requests()[1]
	require.Equal(t, map[string]any{"type": "enabled", "budget_tokens": 2048.0}, sent.Field("thinking"))
	blocks := sent.Field("messages").([]any)[1].(map[string]any)["content"].([]any)
	require.Len(t, blocks, 2)
	require.Equal(t, "thinking", blocks[0].(map[string]any)["type"])
	req.ReasoningEffort = ""
	generate(t, c, req)
	require.Len(t, s.Requests()[2].Field("messages").([]any)[1].(map[string]any)["content"], 1)
	require.Nil(t, s.Requests()[2].Field("thinking"))
}

func TestStopReasonsOfMessages(t *testing.T) {
	for said, want := range map[string]string{
		"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "model_context_window_exceeded": "length",
		"refusal": "content_filter", "pause_turn": "pause_turn",
	} {
		resp, _ := generate(t, claude(
			t, fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok", Finish: said}})), ask("hi"))
		require.Equal(t, want, resp.FinishReason)
	}
	resp, _ := generate(t, claude(t, fakeapi.Start(fakeapi.Rule{})), ask("hi"))
	require.Empty(t, resp.Content, "a turn that ends without a block is an empty text")
	e := failure(t, claude(t, fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Fault: fakeapi.ToolCalls}})), ask("hi"))
	require.Equal(t, llm.ErrToolCalls, e.Kind)
}

// Each documented error is recognised, as a status and in a stream that began with status 200.
func TestErrorsOfMessages(t *testing.T) {
	for _, c := range []struct {
		status        int
		kind, message string
		want          llm.ErrorKind
		tries         int
	}{
		{400, "invalid_request_error", "bad", llm.ErrBadRequest, 1},
		{400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API", llm.ErrQuota, 1},
		{400, "invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum", llm.ErrContextTooLong, 1},
		{
			400, "invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000",
			llm.ErrContextTooLong, 1,
		},
		{401, "authentication_error", "invalid x-api-key", llm.ErrAuth, 1},
		{402, "billing_error", "there is an issue with your billing", llm.ErrQuota, 1},
		{403, "permission_error", "no", llm.ErrAuth, 1},
		{404, "not_found_error", "model: nope", llm.ErrBadRequest, 1},
		{413, "request_too_large", "Request exceeds the maximum size", llm.ErrContextTooLong, 1},
		{
			429, "rate_limit_error", "Number of request tokens has exceeded your per-minute rate limit", llm.ErrRateLimit,
			3,
		},
		{500, "api_error", "Internal server error", llm.ErrUnavailable, 3},
		{504, "timeout_error", "timed out", llm.ErrUnavailable, 3},
		{529, "overloaded_error", "Overloaded", llm.ErrUnavailable, 3},
	} {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.AnthropicError(c.status, c.kind, c.message)})
		e := failure(t, claude(t, s, func(cfg *llm.Config) { cfg.Tries = 3 }), ask("hi"))
		require.Equal(t, c.want, e.Kind, c.message)
		require.Equal(t, c.status, e.Status)
		require.Len(t, s.Requests(), c.tries, c.message)
		if c.status == 400 && c.want == llm.ErrQuota {
			continue // recognised by its words only, so not tested in a stream
		}
		event := "event: error\ndata: " + fakeapi.AnthropicError(c.status, c.kind, c.message).Body + "\n\n"
		s = fakeapi.Start(fakeapi.Rule{
			Times: -1, Reply: fakeapi.Reply{
				Header: map[string]string{"Content-Type": "text/event-stream"},
				Body:   "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"m\",\"usage\":{\"input_tokens\":9}}}\n\n" + event,
			},
		})
		e = failure(t, claude(t, s, func(cfg *llm.Config) { cfg.Tries = 3 }), ask("hi"))
		require.Equal(t, c.want == llm.ErrUnavailable || c.want == llm.ErrRateLimit, len(s.Requests()) == 3, c.message)
		if c.kind != "invalid_request_error" {
			require.Equal(t, c.want, e.Kind, c.message)
		}
	}
	s := fakeapi.Start(fakeapi.Rule{
		Times: -1, Reply: fakeapi.Reply{Status: 529, Body: "{}", Header: map[string]string{"X-Should-Retry": "false"}},
	})
	failure(t, claude(t, s), ask("hi"))
	require.Len(t, s.Requests(), 1, "the endpoint knows better than the status")
}

// Requests obey the documented rules, which the fake endpoint checks.
func TestRequestsOfMessagesKeepTheRules(t *testing.T) {
	hot := 0.3
	for name, c := range map[string]struct {
		change func(*llm.Config)
		req    func(*llm.Request)
		field  string
		want   any
	}{
		"the longest reply that the model can write": {nil, func(*llm.Request) {}, "max_tokens", 64_000.0},
		"a reply in one piece": {
			nil, func(r *llm.Request) { r.NoStream = true }, "max_tokens", 16_000.0,
		},
		"what the user set": {
			nil, func(r *llm.Request) { r.MaxTokens = 500 }, "max_tokens", 500.0,
		},
		"a model that nobody knows": {
			func(c *llm.Config) { c.Model = "claude-9" }, func(*llm.Request) {}, "max_tokens", 32_000.0,
		},
		"little room in the window": {
			func(c *llm.Config) { c.Facts.Window = 10_000 },
			func(r *llm.Request) { r.Messages[1].Content = strings.Repeat("word ", 6000) }, "max_tokens", nil,
		},
		"a temperature": {
			nil, func(r *llm.Request) { r.Temperature = &hot }, "temperature", 0.3,
		},
		"an adaptive thinker": {
			func(c *llm.Config) { c.Model = "claude-opus-4-6" },
			func(r *llm.Request) { r.ReasoningEffort = "high" }, "output_config",
			map[string]any{"effort": "high"},
		},
		"a schema": {
			nil, func(r *llm.Request) {
				r.Format = &llm.Format{Name: "x", Schema: json.RawMessage(`{"type":"object"}`)}
			}, "output_config",
			map[string]any{"format": map[string]any{
				"type": "json_schema", "schema": map[string]any{"type": "object"},
			}},
		},
		"an old model has no schema": {
			func(c *llm.Config) { c.Model = "claude-3-7-sonnet-latest" }, func(
				r *llm.Request,
			) {
				r.Format = &llm.Format{Name: "x", Schema: json.RawMessage(`{"type":"object"}`)}
			},
			"output_config", nil,
		},
		"a message without text": {
			nil, func(r *llm.Request) { r.Messages[1].Content = " \n" }, "stream", true,
		},
		"nothing but the system": {
			nil, func(r *llm.Request) { r.Messages = r.Messages[:1] }, "stream", true,
		},
		"more of the body": {func(c *llm.Config) {
			c.ExtraBody = map[string]any{"service_tier": "auto"}
		}, func(*llm.Request) {}, "service_tier", "auto"},
	} {
		t.Run(name, func(t *testing.T) {
			s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
			change := c.change
			if change == nil {
				change = func(*llm.Config) {}
			}
			req := ask("hi")
			c.req(&req)
			generate(t, claude(t, s, change), req)
			got := s.Requests()[0].Field(c.field)
			if name == "little room in the window" {
				require.Less(t, got.(float64), 5000.0)
				require.GreaterOrEqual(t, got.(float64), 1024.0)
				return
			}
			require.Equal(t, c.want, got)
		})
	}
	s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "ok"}})
	heated := llm.Request{Messages: ask("hi").Messages, Temperature: &hot}
	for _, url := range []string{"", s.URL()} { // elsewhere the name proves little
		for provider, model := range map[string]string{"anthropic": "claude-opus-4-8", "openai": "gpt-5"} {
			c, err := llm.New(llm.Config{Provider: provider, Model: model, BaseURL: url, APIKey: llm.NewSecret("k")})
			require.NoError(t, err)
			if url != "" {
				_, _ = c.Generate(t.Context(), heated, nil) // the model may refuse it
				continue
			}
			require.Contains(t, failure(t, c, heated).Message, "does not accept a temperature")
			require.Empty(t, s.Requests(), "a setting that would be refused costs no call")
		}
	}
	require.Len(t, s.Requests(), 2)
}

// A refused setting is replaced by its equivalent, also in all later requests.
func TestMessagesAreReworded(t *testing.T) {
	for _, c := range []struct {
		refusal, field string
		want           any
	}{
		{
			"max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude-9", "max_tokens",
			8192.0,
		},
		{
			"adaptive thinking is not supported on this model", "thinking",
			map[string]any{"type": "enabled", "budget_tokens": 8192.0},
		},
	} {
		s := fakeapi.Start(
			fakeapi.Rule{Reply: fakeapi.AnthropicError(http.StatusBadRequest, "invalid_request_error", c.refusal)},
			fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "ok"}},
		)
		m := claude(t, s, func(cfg *llm.Config) { cfg.Model = "claude-9" })
		req := ask("hi")
		req.ReasoningEffort = "medium"
		generate(t, m, req)
		generate(t, m, req)
		require.Len(t, s.Requests(), 3)
		require.Equal(t, c.want, s.Requests()[2].Field(c.field))
	}
}

// Only the model that signed a thought accepts it, so it is not sent to a model that takes over.
func TestThoughtsAreNotSentToAnotherModel(t *testing.T) {
	s := fakeapi.Start(
		fakeapi.Rule{Model: "claude-opus-4-5", Reply: fakeapi.Reply{Content: "one", Reasoning: "let me see"}},
		fakeapi.Rule{
			Model: "claude-opus-4-5", Times: -1,
			Reply: fakeapi.AnthropicError(402, "billing_error", "no credit"),
		},
		fakeapi.Rule{Model: "claude-sonnet-4-5", Times: -1, Reply: fakeapi.Reply{Content: "two", Reasoning: "hm"}},
	)
	named := func(name string) func(*llm.Config) { return func(c *llm.Config) { c.Model = name } }
	m := llm.NewFallback(claude(t, s, named("claude-opus-4-5")), claude(t, s, named("claude-sonnet-4-5")))
	req := ask("first")
	req.ReasoningEffort = "low"
	for turn := range 3 {
		resp, _ := generate(t, m, req)
		require.NotEmpty(t, resp.Parts)
		req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, Content: resp.Content, Parts: resp.Parts},
			llm.Message{Role: llm.User, Content: fmt.Sprint("turn ", turn)})
	}
	require.Equal(t, "two", req.Messages[6].Content)
	all := s.Requests()
	last := all[len(all)-1].Field("messages").([]any)
	require.Len(t, last[1].(map[string]any)["content"], 1, "the thought of the other model is left out")
	require.Len(t, last[3].(map[string]any)["content"], 2, "its own goes back")
}

// Newer models think unasked: their thoughts are shown and sent back, and only the user can turn them off.
func TestModelsThatThinkUnasked(t *testing.T) {
	for _, model := range []string{
		"claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5", "claude-fable-5-1",
		"claude-opus-5", "claude-sonnet-5",
	} {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "one", Reasoning: "let me see"}})
		c := claude(t, s, func(c *llm.Config) { c.Model = model })
		req := ask("first")
		resp, _ := generate(t, c, req)
		require.Equal(t, "let me see", resp.Reasoning, model)
		require.Equal(t, map[string]any{"type": "adaptive", "display": "summarized"}, s.Requests()[0].Field("thinking"))
		require.Nil(t, s.Requests()[0].Field("output_config"), "the effort is the model's own")
		require.Equal(t, 128_000.0, s.Requests()[0].Field("max_tokens"))
		req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, Content: resp.Content, Parts: resp.Parts},
			llm.Message{Role: llm.User, Content: "second"})
		req.ReasoningEffort = "xhigh"
		generate(t, c, req)
		require.Len(t, s.Requests()[1].Field("messages").([]any)[1].(map[string]any)["content"], 2)
		require.Equal(t, map[string]any{"effort": "xhigh"}, s.Requests()[1].Field("output_config"))

		req.ReasoningEffort = "none"
		if strings.HasPrefix(model, "claude-opus-5-5") || strings.HasPrefix(model, "claude-fable") {
			e := failure(t, c, req)
			require.Equal(t, llm.ErrBadRequest, e.Kind)
			require.Contains(t, e.Message, "thinking.type.disabled")
			req.ReasoningEffort = "low"
			generate(t, c, req)
			continue
		}
		generate(t, c, req)
		require.Equal(t, map[string]any{"type": "disabled"}, s.Requests()[2].Field("thinking"))
		require.Len(t, s.Requests()[2].Field("messages").([]any)[1].(map[string]any)["content"], 1)
	}
	for _, model := range []string{"claude-opus-4-8", "claude-sonnet-4-5"} {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "one"}})
		generate(t, claude(t, s, func(c *llm.Config) { c.Model = model }), ask("hi"))
		require.Nil(t, s.Requests()[0].Field("thinking"), "%s is not asked to think", model)
	}
}

// OpenRouter caches the prompts of Anthropic's models if they are marked, and reports the cost.
func TestOpenRouterMarksForAnthropic(t *testing.T) {
	cost := 0.01
	s := fakeapi.Start(fakeapi.Rule{
		Times: -1, Reply: fakeapi.Reply{
			Content: "ok", Cost: &cost,
			Usage: `{"prompt_tokens":100,"completion_tokens":5,"cost":0.01,"prompt_tokens_details":{"cached_tokens":40,"cache_write_tokens":50}}`,
		},
	})
	long := llm.Request{Messages: []llm.Message{
		{Role: llm.System, Content: strings.Repeat("word ", 3000)}, {Role: llm.User, Content: "hi"},
	}}
	for model, marked := range map[string]bool{"anthropic/claude-sonnet-4.5": true, "qwen/qwen3": false} {
		c := client(t, s, func(cfg *llm.Config) { cfg.Provider, cfg.Model = "openrouter", model })
		resp, _ := generate(t, c, long)
		require.Equal(t, llm.Usage{Prompt: 100, Completion: 5, Cached: 40, CacheWritten: 50}, resp.Usage)
		require.Equal(t, &cost, resp.Cost)
		all := s.Requests()
		sent := all[len(all)-1]
		require.Equal(t, map[string]any{"include": true}, sent.Field("usage"))
		require.Equal(t, marked, strings.Contains(string(sent.Body), "cache_control"))
		require.Equal(t, long.Messages[0].Content, sent.Messages[0].Content)
	}
}

// Costs equal sums made by hand, to the cent.
func TestCostsByHand(t *testing.T) {
	million := int64(1_000_000)
	prices := llm.KnownPrices()
	for _, c := range []struct {
		model string
		usage llm.Usage
		want  float64
	}{
		{"claude-sonnet-4-5", llm.Usage{Prompt: million}, 3},
		{"anthropic/claude-sonnet-4-5-20250929", llm.Usage{Prompt: million, Cached: million}, 0.30},
		{"claude-sonnet-4-5", llm.Usage{Prompt: million, CacheWritten: million}, 3.75},
		{"claude-sonnet-4-5", llm.Usage{
			Prompt: 1000 + 20_000 + 5000, Cached: 20_000, CacheWritten: 5000,
			Completion: 2000,
		}, 0.003 + 0.006 + 0.01875 + 0.03},
		{"claude-opus-4-1", llm.Usage{Prompt: 100_000, CacheWritten: 100_000, Completion: 10_000}, 1.875 + 0.75},
		{"claude-sonnet-4-5", llm.Usage{Prompt: 1000, Cached: 400, CacheWritten: 800}, 0.00012 + 0.00225},
		{"claude-haiku-4-5", llm.Usage{Prompt: 10_000, Wasted: 10_000, Completion: 1000}, 0.02 + 0.005},
		{"gpt-5", llm.Usage{Prompt: 100_000, Cached: 40_000, Completion: 10_000}, 0.075 + 0.005 + 0.1},
		{"gemini-2.5-pro", llm.Usage{Prompt: 200_000, Completion: 1000}, 0.25 + 0.01},
		{"gemini-2.5-pro", llm.Usage{Prompt: 200_001, Cached: 1, Completion: 1000}, 0.5 + 0.00000025 + 0.015},
		{"gpt-5.4", llm.Usage{Prompt: 300_000, Cached: 100_000, Completion: 1000}, 1 + 0.05 + 0.0225},
		{
			"claude-opus-5-5",
			llm.Usage{Prompt: 100_000, Cached: 80_000, CacheWritten: 15_000, Completion: 10_000},
			0.02 + 0.016 + 0.075 + 0.2,
		},
		{"claude-opus-5-5", llm.Usage{Prompt: 100_000, CacheWritten: 100_000, CacheWrittenHour: 100_000}, 0.8},
		{"claude-opus-5-5", llm.Usage{Prompt: 100_000, CacheWritten: 100_000, CacheWrittenHour: 40_000}, 0.3 + 0.32},
		{"claude-opus-5-5", llm.Usage{Prompt: 1000, CacheWritten: 5000, CacheWrittenHour: 9000}, 0.008},
		{"claude-fable-5-1", llm.Usage{Prompt: million, Cached: million, Completion: 1000}, 0.25 + 0.05},
		{"claude-haiku-5-5", llm.Usage{Prompt: 100_000, Cached: 50_000, Completion: 10_000}, 0.005 + 0.0005 + 0.005},
		{"claude-haiku-5-5", llm.Usage{
			Prompt: 100_001, Cached: 50_001, CacheWritten: 50_000, CacheWrittenHour: 50_000,
			Completion: 10_000,
		}, 0.00250005 + 0.05 + 0.025},
		{
			"gpt-6.1-sol",
			llm.Usage{Prompt: 200_000, Cached: 100_000, CacheWritten: 100_000, Completion: 1000},
			0.01 + 0.25 + 0.01,
		},
		{"gpt-6.1-sol", llm.Usage{Prompt: 272_000}, 0.544},
		{"gpt-6.1-sol", llm.Usage{Prompt: 272_001, Completion: 1000}, 1.088004 + 0.015},
		{
			"gemini-3.8-flash",
			llm.Usage{Prompt: million, Cached: 500_000, Completion: 100_000, Reasoning: 90_000},
			0.375 + 0.0375 + 0.375,
		},
	} {
		got := prices.Cost(c.model, c.usage)
		require.NotNil(t, got, c.model)
		require.InDelta(t, c.want, *got, 1e-9, "%s %+v", c.model, c.usage)
	}
	require.Nil(t, prices.Cost("claude-9", llm.Usage{Prompt: 1}), "what is unknown stays unknown")
	_, err := time.Parse(time.DateOnly, llm.FactsDate())
	require.NoError(t, err)
}
