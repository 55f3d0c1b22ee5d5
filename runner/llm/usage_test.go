package llm_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
)

// Reported numbers count up to and including the bounds of plausibility.
func TestUsageUpToItsBounds(t *testing.T) {
	type costs struct {
		llm.Usage
		cost *float64
	}
	dollars := func(n float64) *float64 { return &n }
	usage := func(prompt, completion, reasoning, cached, written int64) llm.Usage {
		return llm.Usage{
			Prompt: prompt, Completion: completion, Reasoning: reasoning, Cached: cached,
			CacheWritten: written,
		}
	}
	for _, c := range []struct {
		provider, told string
		want           costs
	}{
		{"openai", `{"prompt_tokens":3,"completion_tokens":0}`, costs{usage(3, 0, 0, 0, 0), nil}},
		{"openai", `{"prompt_tokens":0,"completion_tokens":4}`, costs{usage(0, 4, 0, 0, 0), nil}},
		{"openai", `{"prompt_tokens":3,"completion_tokens":10000000}`, costs{usage(3, 10_000_000, 0, 0, 0), nil}},
		{"openai", `{"prompt_tokens":3,"completion_tokens":4,"cost":0}`, costs{usage(3, 4, 0, 0, 0), dollars(0)}},
		{
			"openai", `{"prompt_tokens":3,"completion_tokens":4,"cost":10000}`,
			costs{usage(3, 4, 0, 0, 0), dollars(10_000)},
		},
		{"openai", `{"prompt_tokens":3,"completion_tokens":4,"cost":10000.5}`, costs{usage(3, 4, 0, 0, 0), nil}},
		{"openai", `{"prompt_tokens":3,"completion_tokens":4,"total_tokens":50}`, costs{usage(3, 4, 0, 0, 0), nil}},
		{"gemini", `{"prompt_tokens":3,"completion_tokens":4,"total_tokens":50}`, costs{usage(3, 47, 43, 0, 0), nil}},
		{"gemini", `{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7,"completion_tokens_details":{"reasoning_tokens":2}}`, costs{usage(3, 4, 2, 0, 0), nil}},
		{
			"openai", `{"prompt_tokens":9,"completion_tokens":4,"prompt_cache_hit_tokens":5}`,
			costs{usage(9, 4, 0, 5, 0), nil},
		},
		{"openai", `{"prompt_tokens":9,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":7,"cache_write_tokens":5}}`, costs{usage(9, 4, 0, 7, 2), nil}},
		{
			"openai", `{"prompt_tokens":9,"completion_tokens":4,"completion_tokens_details":{"reasoning_tokens":5}}`,
			costs{usage(9, 4, 4, 0, 0), nil},
		},
	} {
		s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok", Usage: c.told}})
		resp, _ := generate(t, client(t, s, func(cfg *llm.Config) { cfg.Provider = c.provider }), ask("hi"))
		require.Equal(t, c.want, costs{resp.Usage, resp.Cost}, c.told)
	}
	s := fakeapi.Start(fakeapi.Rule{
		Reply: fakeapi.Reply{Content: "ok", Usage: `{"prompt_tokens":0,"completion_tokens":0}`},
	})
	resp, _ := generate(t, client(t, s), ask("hi"))
	require.True(t, resp.Usage.Estimated, "a call without any token was not counted")

	// A prompt has at most four tokens per byte, besides those that the endpoint adds.
	for told, believed := range map[string]bool{
		`{"prompt_tokens":500000,"completion_tokens":1}`: true,
		`{"prompt_tokens":500100,"completion_tokens":1}`: false,
	} {
		s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok", Usage: told}})
		resp, _ := generate(t, client(t, s),
			llm.Request{Messages: []llm.Message{{Role: llm.User, Content: strings.Repeat("x", 100_000)}}})
		require.Equal(t, believed, !resp.Usage.Estimated, told)
	}
}

// A missing number of a usage is taken from its total, from an earlier one, or from an estimate: it is never 0.
func TestUsageThatLeavesOut(t *testing.T) {
	first := func(usage string) string {
		return `{"choices":[{"delta":{"content":"a reply"}}],"usage":` + usage + `}`
	}
	last := func(usage string) string {
		return `{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":` + usage + `}`
	}
	for _, c := range []struct {
		events []string
		want   llm.Usage
	}{
		{[]string{first(`null`), last(`{"prompt_tokens":30,"total_tokens":35}`)}, llm.Usage{Prompt: 30, Completion: 5}},
		{
			[]string{first(`null`), last(`{"completion_tokens":5,"total_tokens":35}`)},
			llm.Usage{Prompt: 30, Completion: 5},
		},
		{
			[]string{first(`null`), last(`{"prompt_tokens":30}`)},
			llm.Usage{Prompt: 30, Completion: llm.EstimateTokens("a reply"), Estimated: true},
		},
		{
			[]string{first(`{"input_tokens":30,"cached_tokens":20,"output_tokens":1}`), last(`{"output_tokens":5}`)},
			llm.Usage{Prompt: 30, Completion: 5, Cached: 20},
		},
		{[]string{
			first(`{"prompt_tokens":30,"completion_tokens":1}`),
			last(`{"prompt_tokens":0,"completion_tokens":5}`),
		}, llm.Usage{Prompt: 30, Completion: 5}},
		{[]string{
			first(`{"prompt_tokens":30,"completion_tokens":5}`),
			last(`{"prompt_tokens":31,"completion_tokens":0}`),
		}, llm.Usage{Prompt: 31, Completion: 5}},
		{[]string{first(`null`), last(`{"prompt_tokens":30,"input_tokens":30,"completion_tokens":5}`)}, llm.Usage{
			Prompt: 30, Completion: 5,
		}},
	} {
		resp, _ := generate(t, client(t, fakeapi.Start(fakeapi.Rule{Reply: events(c.events...)})), ask("hi"))
		require.Equal(t, c.want, resp.Usage, c.events)
	}
}

// Finish reasons are translated to OpenAI's words, and a maker's own are kept.
func TestFinishReasons(t *testing.T) {
	for told, want := range map[string]string{
		"content_filter: SAFETY": "content_filter", "SAFETY": "content_filter", "refusal": "content_filter",
		"MAX_TOKENS": "length", "model_length": "length",
		"eos": "stop", "end_turn": "stop", "STOP": "stop", "because": "because",
	} {
		s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok", Finish: told}})
		resp, _ := generate(t, client(t, s), ask("hi"))
		require.Equal(t, want, resp.FinishReason, told)
	}
	for told, want := range map[string]string{"stop": "refusal", "length": "length"} {
		s := fakeapi.Start(fakeapi.Rule{
			Reply: events(`{"choices":[{"delta":{"refusal":"I cannot"},"finish_reason":"` + told + `"}]}`),
		})
		resp, _ := generate(t, client(t, s), ask("hi"))
		require.Equal(t, want, resp.FinishReason)
		require.Equal(t, "I cannot", resp.Content)
	}
	s := fakeapi.Start(fakeapi.Rule{Reply: events(
		`{"choices":[{"delta":{"content":"It is"}}]}`, `{"choices":[{"delta":{"content":" 7","refusal":"I"}}]}`,
		`{"choices":[{"delta":{"refusal":" cannot"},"finish_reason":"stop"}]}`)})
	resp, _ := generate(t, client(t, s), ask("hi"))
	require.Equal(t, "It is 7\n\nI cannot", resp.Content, "a refusal does not go on with the text before it")
}
