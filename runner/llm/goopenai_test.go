package llm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"

	openai "github.com/sashabaranov/go-openai"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
)

// callers records which functions of go-openai use a transport.
type callers struct {
	mu   sync.Mutex
	seen map[string]bool
}

func (c *callers) note() {
	at := make([]uintptr, 100)
	frames := runtime.CallersFrames(at[:runtime.Callers(2, at)])
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		frame, more := frames.Next()
		if name, ok := strings.CutPrefix(frame.Function, "github.com/sashabaranov/go-openai."); ok {
			c.seen[name] = true
		}
		if !more {
			return
		}
	}
}

// RoundTrip returns one line of the reply at each read.
func (c *callers) RoundTrip(r *http.Request) (*http.Response, error) {
	c.note()
	body := []string{
		"data: {\"choices\":[{\"delta\":{\"content\":\"o\"}}]}\n", "\n",
		"data: {\"choices\":[{\"delta\":{\"content\":\"k\"},\"finish_reason\":\"stop\"}]}\n", "data: [DONE]\n",
	}
	if r.Method == http.MethodGet {
		body = []string{`{"data":[{"id":"m"}]}`}
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: &lines{c, body}, Request: r}, nil
}

type lines struct {
	callers *callers
	left    []string
}

func (l *lines) Read(p []byte) (int, error) {
	l.callers.note()
	if len(l.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p, l.left[0])
	l.left = l.left[1:]
	return n, nil
}

func (*lines) Close() error { return nil }

// Requests, replies and lists pass through go-openai, for every provider that speaks chat completions.
func TestGoOpenAITalksToEndpoints(t *testing.T) {
	for _, p := range llm.Providers() {
		seen := &callers{seen: map[string]bool{}}
		c, err := llm.New(llm.Config{
			Model: "m", Provider: p.Name, BaseURL: "http://endpoint.test", HTTPClient: &http.Client{Transport: seen},
		})
		require.NoError(t, err)
		names, err := c.Models(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"m"}, names)
		require.True(t, seen.seen["(*Client).ListModels"], "%s: %v", p.Name, seen.seen)
		if p.Name == "anthropic" {
			continue
		}
		for _, whole := range []bool{false, true} {
			clear(seen.seen)
			req := ask("hi")
			req.NoStream = whole
			resp, _ := generate(t, c, req)
			require.Equal(t, "ok", resp.Content)
			require.True(t, seen.seen["(*Client).CreateChatCompletionStream"], "%s: %v", p.Name, seen.seen)
			require.True(t, seen.seen["(*streamReader[...]).Recv"], "%s: %v", p.Name, seen.seen)
		}
	}
}

// plainReply returns what plain go-openai makes of a reply.
func plainReply(t *testing.T, s *fakeapi.Server) (text string) {
	t.Helper()
	cfg := openai.DefaultConfig("key")
	cfg.BaseURL = s.URL()
	stream, err := openai.NewClientWithConfig(cfg).CreateChatCompletionStream(
		t.Context(), openai.ChatCompletionRequest{Model: "m"})
	require.NoError(t, err)
	defer stream.Close()
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return text
		}
		if err != nil {
			return text + " (" + err.Error() + ")"
		}
		for _, c := range chunk.Choices {
			text += c.Delta.Content
		}
	}
}

// Mistakes of go-openai are corrected below it. Once it handles a case correctly, the workaround can be removed.
func TestTrapsOfGoOpenAI(t *testing.T) {
	const unexpected, cannot = " (unexpected end of JSON input)", " (json: cannot unmarshal "
	sse := func(events ...string) fakeapi.Reply {
		return fakeapi.Reply{
			Body:   "data: " + strings.Join(events, "\n\ndata: ") + "\n\n",
			Header: map[string]string{"Content-Type": "text/event-stream"},
		}
	}
	const stop = `{"choices":[{"delta":{},"finish_reason":"stop"}]}`
	for name, c := range map[string]struct {
		reply fakeapi.Reply
		plain string // go-openai's text, and its error in parentheses; or a part of the error
		want  string // the content; or a blank and the kind of error
	}{
		"cut and looks whole": {fakeapi.Reply{
			Content: "half a text", Fault: fakeapi.CutClean, PieceSize: 4, Pieces: 1,
		}, "half", " unavailable"},
		"[DONE] and no finish reason": {fakeapi.Reply{Content: "text", Fault: fakeapi.NoFinish}, "text", "text"},
		"a last line without its end": {fakeapi.Reply{Content: "text", Fault: fakeapi.NoNewline}, "text", "text!"},
		"an error with status 200": {
			fakeapi.Reply{Body: `{"error":{"message":"slow down","code":429}}`}, "", " rate_limit",
		},
		"an error as an event": {fakeapi.Reply{Fault: fakeapi.ErrorEvent}, "", " unavailable"},
		"an error beside choices": {
			sse(`{"choices":[{"delta":{"content":"a"}}],"error":{"message":"quota","code":"insufficient_quota"}}`,
				"[DONE]"), "a", " quota",
		},
		"an error that is a text":   {sse(`{"error":"overloaded"}`, "[DONE]"), unexpected, " unavailable"},
		"an error and nothing else": {sse(`{"message":"slow down","code":429}`, "[DONE]"), "", " rate_limit"},
		"many comments": {
			fakeapi.Reply{Content: "text", Fault: fakeapi.KeepAlives},
			" (stream has sent too many empty messages)", "text",
		},
		"null for the content": {fakeapi.Reply{Fault: fakeapi.NullContent}, "", " no_reply"},
		"content in parts": {
			sse(`{"choices":[{"delta":{"content":[{"type":"thinking"},{"type":"text","text":"text"}]}}]}`, stop),
			cannot, "text",
		},
		"a name that is a number": {sse(`{"id":7,"choices":[{"delta":{"content":"text"}}]}`, stop), cannot, "text"},
		"a usage with points": {
			sse(`{"choices":[{"delta":{"content":"text"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3.0,"completion_tokens":1.0}}`), cannot, "text",
		},
		"a reply in one piece": {fakeapi.Reply{Content: "text", Fault: fakeapi.Whole}, "", "text"},
		"a delta and all so far": {
			sse(`{"choices":[{"message":{"content":"te"},"delta":{"content":"te"}}]}`,
				`{"choices":[{"message":{"content":"text"},"delta":{"content":"xt"},"finish_reason":"stop"}]}`), "text",
			"text",
		},
		"an event that is no JSON": {sse(`{"choices":[{"delta":{"content":"te`, stop), unexpected, " unavailable"},
		"choices that are none":    {sse(`{"choices":["text"]}`, stop), cannot, " unavailable"},
		"an event that is a list":  {sse(`["text"]`, stop), cannot, " unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: c.reply})
			got := client(t, s, func(cfg *llm.Config) { cfg.Tries = 1 })
			if plain := plainReply(t, s); c.plain == cannot {
				assert.Contains(t, plain, cannot)
			} else {
				assert.Equal(t, c.plain, plain)
			}
			if kind, fails := strings.CutPrefix(c.want, " "); fails {
				require.EqualValues(t, kind, failure(t, got, ask("hi")).Kind)
				return
			}
			resp, _ := generate(t, got, ask("hi"))
			require.Equal(t, c.want, resp.Content)
			require.Equal(t, "stop", resp.FinishReason)
		})
	}
}

// Thoughts and refusals are read even if they arrive in parts or under another name; the endpoint's name of the
// model is read too.
func TestPiecesThatGoOpenAIDoesNotDecode(t *testing.T) {
	for _, reasoning := range []string{
		`"reasoning":"hm"`, `"reasoning": "hm"`, `"reasoning":"hm","reasoning_content":null`,
		`"reasoning_content":"hm","reasoning":null`, `"reasoning":"hm","reasoning_content":"hm"`,
		`"reasoning_content":[{"type":"text","text":"h"},{"type":"other","text":"x"},{"type":"output_text","text":"m"}]`,
	} {
		body := `{"model":"served","choices":[{"message":{"refusal":[{"type":"text","text":"no"}],` + reasoning +
			`},"finish_reason":"stop"}]}`
		s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Body: body}})
		resp, _ := generate(t, client(t, s), ask("hi"))
		require.Equal(t, "no", resp.Content)
		require.Equal(t, "hm", resp.Reasoning, reasoning)
		require.Equal(t, "served", resp.Model)
	}
}

// Parts of a request that go-openai omits, refuses or loses are sent.
func TestRequestsThatGoOpenAICannotWrite(t *testing.T) {
	written, err := json.Marshal(openai.ChatCompletionRequest{
		Model: "m", Temperature: 0, Messages: []openai.ChatCompletionMessage{{Role: "user"}},
	})
	require.NoError(t, err)
	assert.JSONEq(t, `{"model":"m","messages":[{"role":"user"}],"stream":false}`, string(written))
	assert.Error(t, openai.NewReasoningValidator().Validate(
		openai.ChatCompletionRequest{Model: "gpt-5-local", Temperature: 0.5}))

	s := fakeapi.Start(fakeapi.Says("ok", "ok")...)
	zero, exact := 0.0, 0.123456789012
	req := llm.Request{Messages: []llm.Message{{Role: llm.User}}, Temperature: &zero, MaxTokens: 7}
	c := client(t, s, func(cfg *llm.Config) {
		cfg.Model, cfg.ExtraBody = "gpt-5-local", map[string]any{"top_k": 3, "reasoning_effort": "low"}
	})
	generate(t, c, req)
	require.JSONEq(t, `{"model":"gpt-5-local","messages":[{"role":"user","content":""}],"stream":true,"stream_options":{"include_usage":true},
		"temperature":0,"max_tokens":7,"top_k":3,"reasoning_effort":"low"}`, string(s.Requests()[0].Body))
	req.Temperature, req.NoStream, req.ReasoningEffort = &exact, true, "high"
	generate(t, c, req)
	require.JSONEq(t, `{"model":"gpt-5-local","messages":[{"role":"user","content":""}],"stream":false,
		"temperature":0.123456789012,"max_tokens":7,"top_k":3,"reasoning_effort":"low"}`, string(s.Requests()[1].Body))
	require.Equal(t, "application/json", s.Requests()[1].Header.Get("Accept"))
}

// An error names the request by the endpoint's id from a header, which go-openai's errors omit.
func TestAnErrorNamesItsRequest(t *testing.T) {
	for _, c := range []struct {
		header map[string]string
		says   string
	}{
		{map[string]string{"X-Request-Id": "req_1"}, "(HTTP 500, request req_1) after 2 attempts: oops"},
		{map[string]string{"Request-Id": "req_2"}, "(HTTP 500, request req_2)"},
		{map[string]string{"Apim-Request-Id": "req_3"}, "(HTTP 500, request req_3)"},
		{map[string]string{"X-Request-Id": testKey}, "(HTTP 500, request [key])"},
		{map[string]string{"X-Request-Id": strings.Repeat("x", 101)}, "(HTTP 500) after"},
		{map[string]string{"X-Request-Id": strings.Repeat("x", 100)}, "request xxx"},
	} {
		reply := fakeapi.Failing(500, "oops")
		reply.Header = c.header
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: reply})
		e := failure(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 2 }), ask("hi"))
		require.Contains(t, e.Message, c.says)
	}
	half := fakeapi.Reply{
		Content: "half", Fault: fakeapi.CutClean, Pieces: 1,
		Header: map[string]string{"X-Request-Id": "req_4"},
	}
	s := fakeapi.Start(fakeapi.Rule{Reply: half}, fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Fault: fakeapi.Drop}})
	c := client(t, s, func(cfg *llm.Config) { cfg.Tries = 1 })
	require.Contains(t, failure(t, c, ask("hi")).Message, "is not available (request req_4): the stream ended")
	require.NotContains(t, failure(t, c, ask("hi")).Message, "request", "there was no answer")
}

// A list is read even if its models have other fields, or the list has another form.
func TestListsInEverySpelling(t *testing.T) {
	for body, want := range map[string][]llm.ModelInfo{
		`{"data":[{"id":"a","created":1.5,"max_model_len":4096},{"id":"b","max_model_len":"many"}]}`:                                                                     {{Name: "a", Facts: llm.Facts{Window: 4096}}, {Name: "b"}},
		`{"data":[{"id":"a","permission":"none","context_length":8192.0}]}`:                                                                                              {{Name: "a"}},
		`{"data":[{"id":"a","context_length":100000000},{"id":"b","context_length":100000001},{"id":"c","context_length":-1}]}`:                                          {{Name: "a", Facts: llm.Facts{Window: 100_000_000}}, {Name: "b"}, {Name: "c"}},
		`{"data":[{"id":"a","pricing":{"prompt":"0.1"}},{"id":"b","pricing":{"prompt":"1","completion":"0.1"}},{"id":"c","pricing":{"prompt":"0","completion":"0.5"}}]}`: {{Name: "a"}, {Name: "b"}, {Name: "c", Facts: llm.Facts{Price: &llm.Price{Output: 500_000}}}},
		`{"data":[]}{"data":[{"id":"a"}]}`: {},
		`{"data":[{"id":"b"}]} and more`:   {{Name: "b"}},
		`{"data":[{"id":5}]}`:              nil,
		`{"data":[5]}`:                     nil,
		`{"data":"none"}`:                  nil,
		`[{"id":"a"}]`:                     nil,
		``:                                 nil,
	} {
		c, err := llm.New(llm.Config{
			Model: "m", BaseURL: "http://endpoint.test", HTTPClient: &http.Client{Transport: answering(body)},
		})
		require.NoError(t, err)
		list, err := c.List(t.Context())
		require.Equal(t, want, list, body)
		require.Equal(t, want == nil, err != nil, fmt.Sprint(body, err))
	}
}

// Anthropic's list is read whole, and not in pages of twenty.
func TestAnthropicsListIsWhole(t *testing.T) {
	sent := &transport{}
	s := fakeapi.Start()
	_, err := client(t, s, func(cfg *llm.Config) {
		cfg.Provider, cfg.HTTPClient = "anthropic", &http.Client{Transport: sent}
	}).Models(t.Context())
	require.NoError(t, err)
	require.Equal(t, "/v1/models?limit=1000", sent.sent[0].URL.RequestURI())
	require.Equal(t, testKey, sent.sent[0].Header.Get("X-Api-Key"))
	require.NotEmpty(t, sent.sent[0].Header.Get("Anthropic-Version"))
}

// answering is a transport that responds to everything with one body.
type answering string

func (body answering) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{},
		Body: io.NopCloser(strings.NewReader(string(body))), Request: r,
	}, nil
}
