package llm_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
)

// events returns a stream of these events.
func events(lines ...string) fakeapi.Reply {
	return fakeapi.Reply{
		Body:   "data: " + strings.Join(append(lines, "[DONE]"), "\n\ndata: ") + "\n\n",
		Header: map[string]string{"Content-Type": "text/event-stream"},
	}
}

const stopped = `{"choices":[{"delta":{},"finish_reason":"stop"}]}`

// A reply that its endpoint reports as broken off is requested again, and its usage is counted.
func TestRepliesThatTheEndpointBreaksOff(t *testing.T) {
	for _, said := range []string{
		"network_error", "abort", "error", "timeout", "MALFORMED_FUNCTION_CALL",
		"FinishReason.OTHER", "insufficient_system_resource",
	} {
		s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "half of", Finish: said}},
			fakeapi.Rule{Reply: fakeapi.Reply{Content: "whole"}})
		resp, g := generate(t, client(t, s), ask("hi"))
		require.Equal(t, "whole", resp.Content, said)
		require.Positive(t, resp.Usage.Wasted, said)
		require.Len(t, g.retries, 1, said)
	}
	s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "half of", Finish: "network_error"}})
	e := failure(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 1 }), ask("hi"))
	require.Contains(t, e.Message, "broke off the reply (finish_reason network_error)")
	require.Positive(t, e.Waste.Usage.Prompt)
}

// Errors in the forms of various makers have the right kinds, and the causes that the makers give.
func TestFormsOfErrors(t *testing.T) {
	for _, c := range []struct {
		from   string
		status int
		body   string
		kind   llm.ErrorKind
		says   string
	}{
		{"Groq", 429, `{"error":{"message":"Rate limit reached on tokens per minute. Upgrade at https://console.groq.com/settings/billing","type":"tokens","code":"rate_limit_exceeded"}}`, llm.ErrRateLimit, "tokens per minute"},
		{"OpenAI", 429, `{"error":{"message":"You exceeded your current quota, check your billing details","type":"insufficient_quota","code":"insufficient_quota"}}`, llm.ErrQuota, "current quota"},
		{"OpenRouter", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"enable region EU\"}}"}}}`, llm.ErrBadRequest, "enable region EU"},
		{"OpenRouter", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"prompt is too long\"}}"}}}`, llm.ErrContextTooLong, "prompt is too long"},
		{
			"xAI", 400, `{"error":"This model's maximum prompt length is 131072 but the request contains 137812 tokens."}`,
			llm.ErrContextTooLong, "137812",
		},
		{"Kimi", 400, `{"error":{"message":"Your request exceeded model token limit: 8192","type":"invalid_request_error"}}`, llm.ErrContextTooLong, "8192"},
		{"Bedrock", 400, `{"message":"Input is too long for requested model."}`, llm.ErrContextTooLong, "too long"},
	} {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Status: c.status, Body: c.body}})
		e := failure(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 1 }), ask("hi"))
		require.Equal(t, c.kind, e.Kind, "%s: %s", c.from, c.body)
		require.Contains(t, e.Message, c.says, c.from)
	}
}

// The text of a reply is read from forms other than OpenAI's, too.
func TestFormsOfReplies(t *testing.T) {
	for name, c := range map[string]struct {
		reply         fakeapi.Reply
		said, thought string
	}{
		"the whole once more": {
			events(`{"choices":[{"delta":{"content":"hello "}}]}`, `{"choices":[{"delta":{"content":"world"}}]}`,
				`{"object":"chat.completion","choices":[{"message":{"content":"hello world"},"finish_reason":"stop"}]}`), "hello world", "",
		},
		"thoughts of MiniMax": {
			fakeapi.Reply{Content: "<mm:think>no? or yes.</mm:think>yes"}, "yes", "no? or yes.",
		},
		"thoughts in other words": {fakeapi.Reply{Content: "<thinking>maybe 1</thinking>2"}, "2", "maybe 1"},
		"one part": {events(
			`{"choices":[{"delta":{"content":{"type":"text","text":"yes"}},"finish_reason":"stop"}]}`), "yes", ""},
		"texts": {
			events(`{"choices":[{"delta":{"content":["ye",{"text":"s"}]},"finish_reason":"stop"}]}`), "yes", "",
		},
		"thoughts of Mistral": {
			events(`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"no? or "}]}]}}]}`, `{"choices":[{"delta":{"content":[{"type":"thinking","thinking":"yes."},{"type":"text","text":"yes"}]},"finish_reason":"stop"}]}`), "yes", "no? or yes.",
		},
		"an error that is none": {
			events(`{"choices":[{"delta":{"content":"yes"},"finish_reason":"stop"}],"error":{"message":"","type":"","code":0,"param":null}}`), "yes", "",
		},
		"a character in halves": {events(`{"choices":[{"delta":{"content":"\ud83d"}}]}`,
			`{"choices":[{"delta":{"content":"\ude00"}}]}`, stopped), "😀", ""},
	} {
		resp, _ := generate(t, client(t, fakeapi.Start(fakeapi.Rule{Reply: c.reply})), ask("hi"))
		require.Equal(t, c.said, resp.Content, name)
		require.Equal(t, c.thought, resp.Reasoning, name)
	}
	channels := "<|channel|>analysis<|message|>a draft<|end|><|start|>assistant<|channel|>final<|message|>42<|return|>"
	resp, _ := generate(t, client(t, fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: channels}})), ask("hi"))
	require.Equal(t, "42", resp.Content)
	require.Contains(t, resp.Reasoning, "a draft")
}

// A reply in an unknown form is an error that quotes the endpoint.
func TestTheEndpointsOwnWords(t *testing.T) {
	for body, c := range map[string]struct {
		kind llm.ErrorKind
		says string
	}{
		"upstream is gone":                   {llm.ErrUnavailable, "upstream is gone"},
		"error: upstream is gone\n":          {llm.ErrUnavailable, "error: upstream is gone"},
		"Too many requests, slow down":       {llm.ErrRateLimit, "slow down"},
		"event: error\ndata: it is gone\n\n": {llm.ErrUnavailable, ": it is gone"},
		`"text"`:                             {llm.ErrUnavailable, `"text"`},
		`data: {"choices":[{"delta":{"content":7},"finish_reason":"stop"}]}` +
			"\n\n": {llm.ErrUnavailable, `{"content":7}`},
		`data: {"choices":[{"delta":{"content":[{"a":1}]},"finish_reason":"stop"}]}` +
			"\n\n": {llm.ErrUnavailable, `[{"a":1}]`},
		`data: {"choices":[{"delta":{"content":"par"},"finish_reason":{"why":"x"}}]}` +
			"\n\n": {llm.ErrUnavailable, `{"why":"x"}`},
		`data: {"choices":[{"delta":{"content":"par"}}]}` + "\n\n" +
			`data: {"error":{"message":""}}`: {llm.ErrUnavailable, `{"error":{"message":""}}`},
		`data: {"choices":[{"delta":{"content":[{"type":"thinking","thinking":"hm"}]},"finish_reason":"stop"}]}`: {
			llm.ErrThoughtsOnly, "thoughts but no text",
		},
	} {
		s := fakeapi.Start(fakeapi.Rule{
			Times: -1,
			Reply: fakeapi.Reply{Body: body, Header: map[string]string{"Content-Type": "text/event-stream"}},
		})
		e := failure(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 1 }), ask("hi"))
		require.Equal(t, c.kind, e.Kind, body)
		require.Contains(t, e.Message, c.says, body)
	}
}

// A wait counts wherever it is in an error's body.
func TestAWaitBesideAnError(t *testing.T) {
	for _, body := range []string{
		`{"error":"rate limited","retry_after":7}`, `{"error":{"message":"rate limited"},"retry_after":"7"}`,
		`{"error":{"message":"rate limited","retry_after":7}}`,
	} {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Status: 429, Body: body}})
		require.Equal(t, 7*time.Second,
			failure(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 1 }), ask("hi")).Wait, body)
	}
}

// A wait is also read from headers in the forms of the IETF drafts, and from a reset time without a remaining
// amount.
func TestAWaitInHeaders(t *testing.T) {
	for _, c := range []struct {
		headers map[string]string
		want    time.Duration
	}{
		{map[string]string{
			"RateLimit": `"burst";r=9;t=600, "default";r=0;t=7`, "RateLimit-Policy": `"default";q=100;w=60`,
		}, 7 * time.Second},
		{map[string]string{"RateLimit": "limit=100, remaining=0, reset=7"}, 7 * time.Second},
		{map[string]string{"X-RateLimit-Reset": "7"}, 7 * time.Second},
		{map[string]string{"X-RateLimit-Reset": "1000000000"}, 24 * time.Hour},   // seconds, not a time
		{map[string]string{"X-RateLimit-Reset": "100000000000"}, 24 * time.Hour}, // a time in seconds, not milliseconds
		{map[string]string{"Retry-After": "0.5 days"}, 12 * time.Hour},
	} {
		s := fakeapi.Start(fakeapi.Rule{
			Times: -1, Reply: fakeapi.Reply{Status: 429, Body: `{"error":{"message":"slow down"}}`, Header: c.headers},
		})
		require.Equal(t, c.want,
			failure(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 1 }), ask("hi")).Wait, c.headers)
	}
}

// With the user's own provider key at OpenRouter, the cost is the provider's price plus the fee.
func TestThePriceOfTheProvider(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{
		Reply: fakeapi.Reply{
			Content: "ok",
			Usage:   `{"prompt_tokens":9,"completion_tokens":1,"cost":0.5,"is_byok":true,"cost_details":{"upstream_inference_cost":4.0}}`,
		},
	})
	resp, _ := generate(t, client(t, s), ask("hi"))
	require.NotNil(t, resp.Cost)
	require.InDelta(t, 4.5, *resp.Cost, 1e-9)
}
