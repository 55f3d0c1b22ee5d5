package llm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
)

// The kind of a failure is recognised by code and header first and by words last, in nested errors, in choices,
// with status 200 and in streams.
func TestKindsOfErrors(t *testing.T) {
	type b struct {
		status int
		body   string
		kind   llm.ErrorKind
		h      map[string]string
	}
	for _, c := range []b{
		{429, `{"error":{"message":"Rate limit reached for gpt-5 on requests per day. See billing: https://x","type":"requests","param":null,"code":"rate_limit_exceeded"}}`, llm.ErrRateLimit, nil},
		{429, `{"error":{"message":"You have hit the limit, upgrade your billing plan"}}`, llm.ErrQuota, nil},
		{
			429, `{"error":{"message":"You have hit the limit, upgrade your billing plan"}}`, llm.ErrRateLimit,
			map[string]string{"Retry-After": "1"},
		},
		{429, `{"error":{"message":"Too many requests. Add billing for more"}}`, llm.ErrRateLimit, nil},
		{400, `{"__type":"com.amazon.coral#ThrottlingException","message":"Too many requests"}`, llm.ErrRateLimit, nil},
		{400, `{"error":{"code":"1261","message":"Prompt exceeds max length"}}`, llm.ErrContextTooLong, nil},
		{400, `{"error":{"message":"litellm.BadRequestError: OpenAIException - {\"error\":{\"message\":\"boo\",\"code\":\"context_length_exceeded\"}}"}}`, llm.ErrContextTooLong, nil},
		{
			400, `{"error":{"message":"Range of input length should be [1, 30720]","code":"InvalidParameter"}}`,
			llm.ErrContextTooLong, nil,
		},
		{400, `{"error":{"message":"Provider returned error","metadata":{"raw":"ValidationException: The model returned: Input is too long"}}}`, llm.ErrContextTooLong, nil},
		{429, `{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"m is temporarily rate-limited upstream. Please retry shortly, or add your own key: https://openrouter.ai/settings/integrations"}}}`, llm.ErrRateLimit, nil},
		{200, `{"error":{"message":"slow","code":"rate_limit_exceeded"}}`, llm.ErrRateLimit, nil},
		{
			200, `{"base_resp":{"status_code":1008,"status_msg":"insufficient balance"},"choices":null}`, llm.ErrQuota,
			nil,
		},
		{200, `{"base_resp":{"status_code":1002,"status_msg":"rate limit"}}`, llm.ErrRateLimit, nil},
		{200, `{"success":false,"errors":[{"code":7009,"message":"upstream down"}]}`, llm.ErrUnavailable, nil},
		{200, `{"choices":[{"error":{"code":429,"message":"too fast"},"finish_reason":"error","message":{"content":""}}]}`, llm.ErrRateLimit, nil},
		{200, `{"id":"x","choices":[{"error":{"code":400,"message":"This model's maximum context length is 5"},"finish_reason":"error","message":{"content":"par"}}]}`, llm.ErrContextTooLong, nil},
		{200, `data: {"id":"x","choices":[{"index":0,"delta":{"content":"par"},"finish_reason":"error","error":{"code":403,"message":"flagged by moderation"}}]}` + "\n\ndata: [DONE]\n\n", llm.ErrContentFilter, nil},
		{
			401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`, llm.ErrAuth,
			nil,
		},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.ErrUnavailable, nil},
		{
			429, `{"error":{"type":"engine_overloaded_error","message":"The engine is currently overloaded"}}`,
			llm.ErrUnavailable, nil,
		},
		{429, `{"error":{"type":"exceeded_current_quota_error","message":"suspended"}}`, llm.ErrQuota, nil},
		{403, `{"error":"Your team has used all available credits"}`, llm.ErrQuota, nil},
		{
			400, `{"error":{"message":"Output data may contain inappropriate content.","code":"data_inspection_failed"}}`,
			llm.ErrContentFilter, nil,
		},
		{413, `{"error":{"message":"Request too large for model on tokens per minute (TPM): Limit 6000","type":"tokens","code":"rate_limit_exceeded"}}`, llm.ErrContextTooLong, nil},
		{400, `{"error":{"message":"max_tokens is too large: 99999. This model supports at most 16384 completion tokens","param":"max_tokens"}}`, llm.ErrBadRequest, nil},
		{404, `{"error":{"message":"The model m does not exist","code":"model_not_found"}}`, llm.ErrBadRequest, nil},
		{500, `{"error":{"message":"internal: retry after billing sync"}}`, llm.ErrUnavailable, nil},
		{
			500, `{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}`,
			llm.ErrContextTooLong, nil,
		},
		{502, `{"error":{"message":"Bad gateway: retry after a while"}}`, llm.ErrUnavailable, nil},
		{200, `{"choices":[],"error":{"message":"rate limit"}}`, llm.ErrRateLimit, nil},
		{200, `{"error":{"message":"insufficient credits"}}`, llm.ErrQuota, nil},
		{200, `{"code":1113,"msg":"Your account is in arrears","success":false}`, llm.ErrQuota, nil},
		{
			200, `{"error":{"message":"Your request was blocked","type":"content_policy"},"choices":[]}`,
			llm.ErrContentFilter, nil,
		},
		{200, `{"error":"Invalid API key"}`, llm.ErrAuth, nil},
		{200, `data: {"error":"Invalid API key"}` + "\n\n", llm.ErrAuth, nil},
		{
			403, `{"code":"AllocationQuota.FreeTierOnly","message":"The free tier of the model has been exhausted."}`,
			llm.ErrQuota, nil,
		},
		{400, `{"error":{"code":"1301","message":"System detected potentially unsafe or sensitive content in input or generation."}}`, llm.ErrContentFilter, nil},
	} {
		h := map[string]string{}
		if c.status == 200 && c.body[0] == 'd' {
			h["Content-Type"] = "text/event-stream"
		}
		for k, v := range c.h {
			h[k] = v
		}
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Status: c.status, Body: c.body, Header: h}})
		e := failure(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 1 }), ask("hi"))
		require.Equal(t, c.kind, e.Kind, "%s: %s", c.body, e.Message)
	}
}

// Pieces may repeat earlier ones, arrive with a whole message, split a character, or span several lines.
func TestPiecesOfStreams(t *testing.T) {
	d := func(text string) string { return `{"choices":[{"delta":{"content":"` + text + `"}}]}` }
	for name, c := range map[string]struct {
		r    fakeapi.Reply
		want string
	}{
		"cumulative": {events(
			d("The"), d("The answer"), d("The answer is"), d("The answer is yes"), stopped), "The answer is yes"},
		"cumulative+whole": {
			events(d("The"), d("The answer"), d("The answer is"), d("The answer is yes"),
				`{"object":"chat.completion","choices":[{"message":{"content":"The answer is yes"},"finish_reason":"stop"}]}`), "The answer is yes",
		},
		"repeats": {
			events(d("ha"), d("ha"), d("ha"), d("ha"), d("haha"), d("hahaha"), stopped), strings.Repeat("ha", 9),
		},
		"last delta whole": {events(d("hello "), d("wor"), d("ld"),
			`{"choices":[{"delta":{"content":"hello world"},"finish_reason":"stop"}]}`), "hello world"},
		"both": {events(`{"choices":[{"delta":{"content":"hello "},"message":{"content":"hello "}}]}`,
			`{"choices":[{"delta":{"content":"world"},"message":{"content":"world"}}]}`, stopped), "hello world"},
		"both cum": {events(`{"choices":[{"delta":{"content":"hello "},"message":{"content":"hello "}}]}`,
			`{"choices":[{"delta":{"content":"world"},"message":{"content":"hello world"}}]}`, stopped), "hello world"},
		"message pieces": {events(`{"choices":[{"message":{"content":"hello "}}]}`,
			`{"choices":[{"message":{"content":"world"}}]}`, stopped), "hello world"},
		"empty delta and whole": {events(d("hello "), d("world"),
			`{"choices":[{"delta":{},"message":{"content":"hello world"},"finish_reason":"stop"}]}`), "hello world"},
		"only beside": {events(
			`{"choices":[{"delta":{},"message":{"content":"hello world"},"finish_reason":"stop"}]}`), "hello world"},
		"bytes": {
			fakeapi.Reply{
				Header: map[string]string{"Content-Type": "text/event-stream"},
				Body:   "data: {\"choices\":[{\"delta\":{\"content\":\"a\xf0\x9f\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"\x98\x80b\"}}]}\n\ndata: " + stopped + "\n\ndata: [DONE]\n\n",
			}, "a😀b",
		},
		"cumulative in three": {
			events(d("The answer"), d("The answer is"), d("The answer is yes"), stopped), "The answer is yes",
		},
		"cumulative up to ten bytes": {events(d("ab"), d("abc"), d("abcdefghij"), stopped), "abcdefghij"},
		"cumulative, one piece twice": {
			events(d("The"), d("The"), d("The answer"), d("The answer is"), stopped), "The answer is",
		},
		"one that begins like the one before": {
			events(d("one two three "), d("one two three four"), stopped), "one two three one two three four",
		},
		"one twice after its beginning": {
			events(d("a"), d("ab cdefghij"), d("ab cdefghij"), stopped), "aab cdefghijab cdefghij",
		},
		"the same twice": {
			events(d("ha"), `{"choices":[{"delta":{"content":"ha"},"finish_reason":"stop"}]}`), "haha",
		},
		"a byte that is no character": {
			events("{\"choices\":[{\"delta\":{\"content\":\"a\xffb\"},\"finish_reason\":\"stop\"}]}"), "a\uFFFDb",
		},
		"a half without the other": {events(d(`a\ud83d`), d("b"), stopped), "a\uFFFDb"},
		"second halves":            {events(d(`x\udc00`), d(`\ude00y`), stopped), "x\uFFFD\uFFFDy"},
		"the first pair":           {events(d(`\ud800`), d(`\udc00`), stopped), "\U00010000"},
		"private characters":       {events(d("\U0010FE90\U0010E800"), stopped), "\U0010FE90\U0010E800"},
		"lone":                     {events(`{"choices":[{"delta":{"content":"x\ud83d"}}]}`, stopped), "x\uFFFD"},
		"pair": {
			events(`{"choices":[{"delta":{"content":"x\ud83d\ude00 \\ud83d"}}]}`, stopped), "x😀 \\ud83d",
		},
		"folded": {
			fakeapi.Reply{
				Header: map[string]string{"Content-Type": "text/event-stream"},
				Body:   "data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"hello\"},\ndata: \"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
			}, "hello",
		},
	} {
		resp, _ := generate(t, client(t, fakeapi.Start(fakeapi.Rule{Reply: c.r})), ask("hi"))
		require.Equal(t, c.want, resp.Content, name)
	}
}

// Events may span several lines, with blanks, comments and fields between them; unreadable ones are reported as
// such.
func TestEventsOverSeveralLines(t *testing.T) {
	stream := func(body string) fakeapi.Reply {
		return fakeapi.Reply{Header: map[string]string{"Content-Type": "text/event-stream"}, Body: body}
	}
	for name, body := range map[string]string{
		"a field a line":       "data: {\ndata: \"choices\":\ndata: [{\"delta\":\ndata: {\"content\":\"hello\"},\ndata: \"finish_reason\":\"stop\"}]\ndata: }\n\ndata: [DONE]\n\n",
		"comments between":     "event: x\ndata: {\"choices\":\n: still here\nid: 1\ndata: [{\"delta\":{\"content\":\"hello\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
		"a line that is JSON":  "data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"hello\"},\"finish_reason\":\"stop\"}]\ndata: }\n\ndata: [DONE]\n\n",
		"CRLF":                 "data: {\"choices\":\r\ndata: [{\"delta\":{\"content\":\"hello\"},\"finish_reason\":\"stop\"}]}\r\n\r\ndata: [DONE]\r\n\r\n",
		"the end without DONE": "data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"hello\"},\"finish_reason\":\"stop\"}]}",
		"DONE at once":         "data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"hello\"},\"finish_reason\":\"stop\"}]}\ndata: [DONE]\n\n",
	} {
		s := fakeapi.Start(fakeapi.Rule{Reply: stream(body)})
		resp, _ := generate(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 1 }), ask("hi"))
		require.Equal(t, "hello", resp.Content, name)
	}
	for _, body := range []string{
		"data: {\"choices\":\ndata: [{\"delta\":\n\ndata: [DONE]\n\n", "data: {\"choices\":\ndata:",
	} {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: stream(body)})
		e := failure(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 1 }), ask("hi"))
		require.Contains(t, e.Message, "an event of the stream is malformed")
	}
}

// Unexpected tool calls are an error that quotes them, in both of OpenAI's forms, up to a useful length.
func TestCallsOfTools(t *testing.T) {
	const stop = `{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`
	for name, pieces := range map[string][]string{
		"tool_calls": {`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"look","arguments":"{\"q"}}]}}]}`, `{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\":1}"}}]}}]}`},
		"function_call": {
			`{"choices":[{"delta":{"function_call":{"name":"look","arguments":"{\"q"}}}]}`,
			`{"choices":[{"delta":{"function_call":{"arguments":"\":1}"}}}]}`,
		},
	} {
		e := failure(t, client(t, fakeapi.Start(fakeapi.Rule{Reply: events(append(pieces, stop)...)})), ask("hi"))
		require.Equal(t, llm.ErrToolCalls, e.Kind, name)
		require.Equal(t, `look {"q":1}`, e.Calls, name)
	}
	rat := `{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\ud83d\udc00 \\ud83d"}}]}}]}`
	e := failure(t, client(t, fakeapi.Start(fakeapi.Rule{Reply: events(rat, stop)})), ask("hi"))
	require.Equal(t, "\U0001F400 \\ud83d", e.Calls)
	long := fmt.Sprintf(`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":%q}}]}}]}`,
		strings.Repeat("x", 1<<10))
	e = failure(t, client(t,
		fakeapi.Start(fakeapi.Rule{Reply: events(append(slices.Repeat([]string{long}, 20), stop)...)})), ask("hi"))
	require.Len(t, e.Calls, 16<<10)
}

// Costs are as reported; an unreported cost is not 0.
func TestFormsOfCosts(t *testing.T) {
	for u, want := range map[string]float64{
		`{"prompt_tokens":9,"completion_tokens":1,"cost":0,"cost_details":{"upstream_inference_cost":4.0}}`:                                                                   4,
		`{"prompt_tokens":9,"completion_tokens":1,"cost":1,"cost_details":{"upstream_inference_cost":1.0}}`:                                                                   1,
		`{"prompt_tokens":9,"completion_tokens":1,"cost":0.2,"is_byok":true,"cost_details":{"upstream_inference_prompt_cost":1.0,"upstream_inference_completions_cost":3.0}}`: 4.2,
		`{"prompt_tokens":9,"completion_tokens":1,"cost":"0.5"}`:                                                                                                              0.5,
		`{"prompt_tokens":9,"completion_tokens":1,"cost":{"total_cost":0.5}}`:                                                                                                 0.5,
		`{"prompt_tokens":9,"completion_tokens":1,"cost_in_usd_ticks":5000000000}`:                                                                                            0.5,
		`{"prompt_tokens":9,"completion_tokens":1,"estimated_cost":0.5}`:                                                                                                      0.5,
		`{"prompt_tokens":9,"completion_tokens":1,"cost":0,"is_byok":true}`:                                                                                                   -1,
		`{"prompt_tokens":9,"completion_tokens":1,"cost":0,"is_byok":true,"cost_details":{"upstream_inference_cost":null}}`:                                                   -1,
	} {
		resp, _ := generate(t, client(t, fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok", Usage: u}})),
			ask("hi"))
		require.EqualValues(t, 9, resp.Usage.Prompt, u)
		if want < 0 {
			require.Nil(t, resp.Cost, u)
		} else {
			require.Equal(t, want, *resp.Cost, u)
		}
	}
}
