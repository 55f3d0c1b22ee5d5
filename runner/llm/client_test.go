package llm_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

const testKey = "sk-test-0123456789abcdef"

// client returns a client of a fake endpoint with short waits between tries.
func client(t testing.TB, s *fakeapi.Server, change ...func(*llm.Config)) *llm.Client {
	t.Helper()
	t.Cleanup(s.Close)
	return newClient(t, s, change...)
}

// newClient is client for an endpoint that outlives the test.
func newClient(t testing.TB, s *fakeapi.Server, change ...func(*llm.Config)) *llm.Client {
	t.Helper()
	cfg := llm.Config{
		Model: "m", BaseURL: s.URL(), APIKey: llm.NewSecret(testKey), BackoffMin: time.Millisecond,
		BackoffMax: 5 * time.Millisecond, Timeout: 5 * time.Minute,
	}
	for _, f := range change {
		f(&cfg)
	}
	c, err := llm.New(cfg)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func ask(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{
		{Role: llm.System, Content: "be brief"}, {Role: llm.User, Content: text},
	}}
}

// gather records the deltas of a call and puts the reply together.
type gather struct {
	deltas   []llm.Delta
	content  string
	reason   string
	restarts int
	retries  []llm.Retry
}

func (g *gather) on(d llm.Delta) {
	g.deltas = append(g.deltas, d)
	if d.Retry != nil {
		g.retries = append(g.retries, *d.Retry)
	}
	if d.Restart {
		g.content, g.reason = "", ""
		g.restarts++
	}
	g.content += d.Content
	g.reason += d.Reasoning
}

func generate(t *testing.T, c llm.Model, req llm.Request) (llm.Response, *gather) {
	t.Helper()
	g := &gather{}
	resp, err := c.Generate(t.Context(), req, g.on)
	require.NoError(t, err)
	require.Equal(t, resp.Content, g.content, "the pieces make up the reply")
	require.Equal(t, resp.Reasoning, g.reason)
	return resp, g
}

func failure(t *testing.T, c llm.Model, req llm.Request) *llm.Error {
	t.Helper()
	_, err := c.Generate(t.Context(), req, nil)
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, err), testKey)
	require.NotContains(t, e.Message, "\n")
	return e
}

func TestAReplyIsReadWhole(t *testing.T) {
	cost := 0.0125
	s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{
		Content: strings.Repeat("héllo wörld ", 50), Reasoning: "let me see", Cost: &cost,
		PromptTokens: 100, CompletionTokens: 40, CachedTokens: 60, ReasoningTokens: 7,
	}})
	resp, _ := generate(t, client(t, s), ask("hi"))
	require.Equal(t, strings.Repeat("héllo wörld ", 50), resp.Content)
	require.Equal(t, "let me see", resp.Reasoning)
	require.Equal(t, llm.Usage{Prompt: 100, Completion: 40, Cached: 60, Reasoning: 7}, resp.Usage)
	require.Equal(t, &cost, resp.Cost)
	require.Equal(t, "stop", resp.FinishReason)
	require.Equal(t, "m", resp.Model)
	require.Equal(t, 1, resp.Attempts)
	require.Positive(t, resp.Duration)

	sent := s.Requests()[0]
	require.Equal(t, "Bearer "+testKey, sent.Header.Get("Authorization"))
	require.Equal(t, "/v1/chat/completions", sent.Path)
	require.Equal(t, map[string]any{"include_usage": true}, sent.Field("stream_options"))
}

// Streams are read in every form, and with every ending, that real servers use.
func TestStreamsInEverySpelling(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]fakeapi.Reply{
		"300 keep-alives and more":  {Content: "ok", Fault: fakeapi.KeepAlives},
		"no [DONE]":                 {Content: "ok", Fault: fakeapi.NoDone},
		"no finish reason":          {Content: "ok", Fault: fakeapi.NoFinish},
		"neither [DONE] nor an end": {Content: "ok", Fault: fakeapi.Linger},
		"one JSON object":           {Content: "ok", Fault: fakeapi.Whole},
		"last line without line end": {
			Content: "o", Fault: fakeapi.CutClean, Pieces: 9, Status: 200,
			Header: map[string]string{"Content-Type": "text/event-stream"},
			Body:   "data: {\"choices\":[{\"delta\":{\"content\":\"o\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"k\"},\"finish_reason\":\"stop\"}]}",
		},
		"CRLF and no blank": {
			Body: "data:{\"choices\":[{\"delta\":{\"content\":\"ok\"}}]}\r\n\r\ndata:[DONE]\r\n\r\n",
		},
		"blanks before JSON": {
			Body: "\n \n\n{\n\"choices\":[{\"message\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}",
		},
		"more blanks before JSON": {
			Body: "\ufeff\r\n\t {\"choices\":[{\"message\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}",
		},
		"content in parts": {
			Body: `{"choices":[{"message":{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"ok"}]},"finish_reason":"stop"}]}`,
		},
		"usage as floats": {
			Body: `{"choices":[{"message":{"content":"ok"},"finish_reason":"eos"}],"usage":{"prompt_tokens":3.0,"completion_tokens":1.0}}`,
		},
		"null error": {
			Body: "data: {\"error\":null,\"choices\":[{\"delta\":{\"content\":\"ok\"}}]}\n\ndata: [DONE]\n\n",
		},
		"ids, events and comments": {
			Body: "id: 1\nevent: message\n: hi\nretry: 5\ndata: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\n",
		},
		"second choice": {
			Body: `{"choices":[{"index":1,"message":{"content":"no"}},{"index":0,"message":{"content":"ok"},"finish_reason":"stop"}]}`,
		},
		"null content": {
			Body: "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":null}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"ok\"}}]}\n\ndata: [DONE]\n\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fakeapi.Start(fakeapi.Rule{Reply: reply})
			resp, _ := generate(t, client(t, s), ask("hi"))
			require.Equal(t, "ok", resp.Content)
			require.Equal(t, "stop", resp.FinishReason)
			require.Equal(t, 1, resp.Attempts)
			require.Positive(t, resp.Usage.Prompt)
		})
	}
}

func TestReasoningIsKeptApart(t *testing.T) {
	for name, reply := range map[string]fakeapi.Reply{
		"reasoning_content": {Content: "four", Reasoning: "two and two"},
		"reasoning":         {Content: "four", Reasoning: "two and two", ReasoningField: "reasoning"},
		"a leading tag":     {Content: "\n<think>two and two</think>\n\nfour"},
		"a tag in pieces":   {Content: "<think>two and two</think>four", PieceSize: 1},
		"in one piece":      {Content: "<think>two and two</think>four", Fault: fakeapi.Whole},
	} {
		t.Run(name, func(t *testing.T) {
			resp, g := generate(t, client(t, fakeapi.Start(fakeapi.Rule{Reply: reply})), ask("2+2"))
			require.Equal(t, "four", resp.Content)
			require.Equal(t, "two and two", resp.Reasoning)
			require.Zero(t, g.restarts)
		})
	}
	for _, text := range []string{"<thin", "the tag <think>x</think> stays", "<thinking>", "<", "</think>"} {
		resp, g := generate(t, client(
			t, fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: text, PieceSize: 1}})), ask("?"))
		require.Equal(t, text, resp.Content)
		require.Zero(t, g.restarts)
	}
	// A tag that the prompt speaks of may be part of the answer, unless the answer is JSON.
	for _, c := range []struct {
		role   llm.Role
		format *llm.Format
		said   string
	}{
		{llm.User, nil, "<thinking>two</thinking>four"},
		{llm.Assistant, nil, "four"},
		{llm.User, jsonRequest(looseSchema).Format, "four"},
	} {
		s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "<thinking>two</thinking>four"}})
		req := ask("2+2")
		req.Messages = append(req.Messages, llm.Message{Role: c.role, Content: "in <thinking>"}, req.Messages[1])
		req.Format = c.format
		resp, _ := generate(t, client(t, s), req)
		require.Equal(t, c.said, resp.Content, c)
	}
	s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "<think>two and </th", Finish: "length"}})
	resp, g := generate(t, client(t, s), ask("2+2"))
	require.Equal(t, []string{"", "two and </th"}, []string{resp.Content, resp.Reasoning})
	require.Zero(t, g.restarts)
}

// A fault first, then a good reply: the call succeeds, the reader sees the whole reply, and the wasted usage is
// reported.
func TestFaultsThatPass(t *testing.T) {
	t.Parallel()
	half := strings.Repeat("x", 400)
	slow := fakeapi.Failing(429, "slow down")
	slow.Header = map[string]string{"Retry-After": "0"}
	for name, tc := range map[string]struct {
		reply   fakeapi.Reply
		restart bool
		reason  string
	}{
		"429":                   {reply: slow, reason: "HTTP 429"},
		"408":                   {reply: fakeapi.Failing(408, "time-out"), reason: "HTTP 408"},
		"409":                   {reply: fakeapi.Failing(409, "conflict"), reason: "HTTP 409"},
		"500":                   {reply: fakeapi.Failing(500, "oops"), reason: "HTTP 500"},
		"503 with a page":       {reply: fakeapi.Reply{Status: 503, Body: "<html>down</html>"}, reason: "HTTP 503"},
		"529":                   {reply: fakeapi.Failing(529, "overloaded"), reason: "HTTP 529"},
		"dropped before a byte": {reply: fakeapi.Reply{Fault: fakeapi.Drop}, reason: "the connection broke"},
		"dropped half-way": {
			reply: fakeapi.Reply{Content: half, Fault: fakeapi.Drop, Pieces: 5}, restart: true,
			reason: "the stream broke off",
		},
		"ended half-way, cleanly": {
			reply:   fakeapi.Reply{Content: half, Fault: fakeapi.CutClean, Pieces: 5},
			restart: true, reason: "the stream broke off",
		},
		"malformed event": {
			reply:   fakeapi.Reply{Content: half, Fault: fakeapi.Malformed, Pieces: 5},
			restart: true, reason: "the stream broke off",
		},
		"error event": {
			reply:   fakeapi.Reply{Content: half, Fault: fakeapi.ErrorEvent, Pieces: 5},
			restart: true, reason: "an error in the stream",
		},
		"error as a string": {
			reply: fakeapi.Reply{Body: "data: {\"choices\":[{\"delta\":{\"content\":\"abc\"}}]}\n\ndata: {\"error\":\"overloaded\"}\n\ndata: [DONE]\n\n"}, restart: true, reason: "an error in the stream",
		},
		"error in OpenAI's form": {
			reply: fakeapi.Reply{Body: "data: {\"choices\":[{\"delta\":{\"content\":\"abc\"}}]}\n\ndata: {\"error\":{\"message\":\"server error\",\"code\":503}}\n\n"}, restart: true, reason: "HTTP 503",
		},
		"JSON error inside a 200": {
			reply: fakeapi.Reply{Body: `{"error":{"message":"Rate limit exceeded","code":429}}`}, reason: "HTTP 429",
		},
		"empty body": {reply: fakeapi.Reply{
			Status: 200,
			Header: map[string]string{"Content-Type": "text/event-stream"},
		}, reason: "the stream broke off"},
		"half a JSON object": {
			reply: fakeapi.Reply{Body: `{"choices":[{"message":{"content":"o`}, reason: "the connection broke",
		},
		"only keep-alives, cut": {
			reply: fakeapi.Reply{Body: ": hello\n\n: hello\n\n"}, reason: "the stream broke off",
		},
		"finish_reason error": {
			reply: fakeapi.Reply{Content: half, Finish: "error"}, restart: true, reason: "an error in the stream",
		},
		"stalled": {
			reply: fakeapi.Reply{Content: half, Fault: fakeapi.Hang, Pieces: 5}, restart: true,
			reason: "the stream stalled",
		},
		"an array with the error": {reply: fakeapi.Reply{
			Status: 503,
			Body:   `[{"error":{"message":"overloaded","code":503,"status":"UNAVAILABLE"}}]`,
		}, reason: "HTTP 503"},
		"error before any content": {
			reply: fakeapi.Reply{Content: half, Fault: fakeapi.ErrorEvent}, reason: "an error in the stream",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fakeapi.Start(fakeapi.Rule{Reply: tc.reply}, fakeapi.Rule{Reply: fakeapi.Reply{Content: "good"}})
			resp, g := generate(t, client(t, s, func(cfg *llm.Config) { cfg.Stall = 2 * time.Second }), ask("hi"))
			require.Equal(t, "good", resp.Content)
			require.Equal(t, 2, resp.Attempts)
			require.Len(t, s.Requests(), 2)
			require.Equal(t, string(s.Requests()[0].Body), string(s.Requests()[1].Body),
				"the same request is sent again")
			require.Len(t, g.retries, 1)
			again := g.retries[0]
			require.Equal(t, llm.Retry{Reason: tc.reason, Attempt: 2, Tries: 5, Wait: again.Wait}, again)
			if tc.restart {
				require.Equal(t, 1, g.restarts)
				require.Positive(t, resp.Usage.Wasted)
			} else {
				require.Zero(t, g.restarts)
				require.Zero(t, resp.Usage.Wasted)
			}
		})
	}
}

func TestFaultsThatStay(t *testing.T) {
	for name, tc := range map[string]struct {
		reply fakeapi.Reply
		kind  llm.ErrorKind
		tries int
		says  string
	}{
		"401": {
			fakeapi.Failing(401, "Incorrect API key provided: "+testKey), llm.ErrAuth, 1,
			"refused the API key",
		},
		"403": {
			fakeapi.Failing(403, "no access; Authorization: Bearer "+testKey), llm.ErrAuth, 1,
			"HTTP 403",
		},
		"402": {fakeapi.Failing(402, "add credits"), llm.ErrQuota, 1, "no quota"},
		"429 quota": {
			fakeapi.Reply{
				Status: 429, Body: `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`,
			},
			llm.ErrQuota, 1, "no quota",
		},
		"429 for ever": {fakeapi.Failing(429, "slow down"), llm.ErrRateLimit, 5, "after 5 attempts: slow down"},
		"500 for ever": {fakeapi.Failing(500, "oops"), llm.ErrUnavailable, 5, "(HTTP 500) after 5 attempts: oops"},
		"half-way for ever": {
			fakeapi.Reply{Content: strings.Repeat("x", 200), Fault: fakeapi.CutClean, Pieces: 2},
			llm.ErrUnavailable, 5, "before the reply was complete",
		},
		"dropped for ever": {fakeapi.Reply{Fault: fakeapi.Drop}, llm.ErrUnavailable, 5, "the connection broke"},
		"too long, OpenAI": {fakeapi.Reply{
			Status: 400, Body: `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce max_tokens, it is not supported","code":"context_length_exceeded"}}`,
		}, llm.ErrContextTooLong, 1, "too long"},
		"too long, llama": {fakeapi.Reply{
			Status: 400, Body: `{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size (4096 tokens)","type":"exceed_context_size_error"}}`,
		}, llm.ErrContextTooLong, 1, "9000 tokens"},
		"too long, Claude": {
			fakeapi.Failing(400, "prompt is too long: 210000 tokens > 200000 maximum"),
			llm.ErrContextTooLong, 1, "too long",
		},
		"content filter": {fakeapi.Reply{
			Status: 400, Body: `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","code":"content_filter"}}`,
		}, llm.ErrContentFilter, 1, "content filter"},
		"withheld reply": {fakeapi.Reply{Finish: "content_filter"}, llm.ErrContentFilter, 1, "withheld"},
		"unknown model": {
			fakeapi.Failing(404, "The model `m` does not exist"), llm.ErrBadRequest, 1,
			"does not exist",
		},
		"bad request": {
			fakeapi.Failing(400, "Unsupported value: 'temperature' does not support 0.2"),
			llm.ErrBadRequest, 1, "temperature",
		},
		"error by detail": {
			fakeapi.Reply{Status: 422, Body: `{"detail":[{"loc":["body"],"msg":"field required"}]}`},
			llm.ErrBadRequest, 1, "field required",
		},
		"a web page": {fakeapi.Reply{
			Body:   "<!doctype html><title>hello</title>",
			Header: map[string]string{"Content-Type": "text/html"},
		}, llm.ErrBadRequest, 1, "base URL"},
		"Retry-After: 1 h": {fakeapi.Reply{
			Status: 429, Body: `{"error":{"message":"later"}}`,
			Header: map[string]string{"Retry-After": "3600"},
		}, llm.ErrRateLimit, 1, "asks to wait 1h"},
		"not implemented": {fakeapi.Failing(501, "no such thing"), llm.ErrUnavailable, 1, "no such thing"},
		"a long message": {
			fakeapi.Failing(400, "line one\nline two "+strings.Repeat("x", 5000)), llm.ErrBadRequest,
			1, "line one line two",
		},
		"redirect nowhere": {fakeapi.Reply{Status: 304}, llm.ErrUnavailable, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: tc.reply})
			e := failure(t, client(t, s), ask("hi"))
			require.Equal(t, tc.kind, e.Kind, e.Message)
			require.Contains(t, e.Message, tc.says)
			require.Len(t, s.Requests(), tc.tries)
			require.Less(t, len(e.Message), 700)
		})
	}
}

func TestNobodyIsRefusedByTheLookOfAName(t *testing.T) {
	zero, some := 0.0, 0.3
	for _, model := range []string{"o1x", "gpt-5-local", "o3-mini", "gpt-6-astra", "text-davinci-003", "m"} {
		for _, temperature := range []*float64{&zero, &some, nil} {
			s := fakeapi.Start(fakeapi.Says("ok")...)
			req := ask("hi")
			req.Temperature, req.MaxTokens, req.ReasoningEffort = temperature, 77, "none"
			c := client(t, s, func(cfg *llm.Config) { cfg.Model = model })
			generate(t, c, req)
			sent := s.Requests()[0]
			require.Equal(t, model, sent.Field("model"))
			require.EqualValues(t, 77, sent.Field("max_tokens"))
			require.Equal(t, "none", sent.Field("reasoning_effort"))
			if temperature == nil {
				require.Nil(t, sent.Field("temperature"))
			} else {
				require.EqualValues(t, *temperature, sent.Field("temperature"))
			}
		}
	}
}

func TestAnEmptyMessageIsSentAsEmpty(t *testing.T) {
	s := fakeapi.Start(fakeapi.Says("ok")...)
	req := ask("hi")
	req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant}, llm.Message{Role: llm.User, Content: "again"})
	generate(t, client(t, s), req)
	messages := s.Requests()[0].Field("messages").([]any)
	require.Equal(t, map[string]any{"role": "assistant", "content": ""}, messages[2])
}

func TestWithoutStreaming(t *testing.T) {
	s := fakeapi.Start(fakeapi.Says("ok")...)
	req := ask("hi")
	req.NoStream = true
	resp, _ := generate(t, client(t, s), req)
	require.Equal(t, "ok", resp.Content)
	require.False(t, resp.Usage.Estimated)
	require.Equal(t, false, s.Requests()[0].Field("stream"))
	require.Nil(t, s.Requests()[0].Field("stream_options"))
}

func TestFinishReasonLengthAndNoUsage(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "cut he", Finish: "length", NoUsage: true}})
	resp, _ := generate(t, client(t, s), ask("hi"))
	require.Equal(t, "length", resp.FinishReason)
	require.True(t, resp.Usage.Estimated)
	require.Positive(t, resp.Usage.Completion)
	require.Nil(t, resp.Cost)
}

// Implausible numbers are not counted.
func TestUsageWithinReason(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{
		Reply: fakeapi.Reply{Body: `{"choices":[{"message":{"content":"ok"}}],"usage":{"prompt_tokens":1e300,"completion_tokens":-5,"cost":-1}}`},
	})
	resp, _ := generate(t, client(t, s), ask("hi"))
	require.Positive(t, resp.Usage.Prompt)
	require.Zero(t, resp.Usage.Completion)
	require.Nil(t, resp.Cost)
}
