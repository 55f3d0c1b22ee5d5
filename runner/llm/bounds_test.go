package llm_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
)

// A refused request is reworded only if it contains what was refused, and only once.
func TestRefusalsThatStay(t *testing.T) {
	limited := func(n int) func(*llm.Request) { return func(r *llm.Request) { r.MaxTokens = n } }
	thinking := func(effort string) func(*llm.Request) { return func(r *llm.Request) { r.ReasoningEffort = effort } }
	for _, c := range []struct {
		provider, says string
		set            func(*llm.Request)
		requests       int
	}{
		{"openai", "unsupported: max_tokens", limited(0), 1},
		{"openai", "unsupported: max_tokens", limited(1), 2},
		{"openai", "stream_options: not permitted", limited(0), 2},
		{"openai", "stream_options: not permitted", func(r *llm.Request) { r.NoStream = true }, 1},
		{"anthropic", "thinking.type: not permitted", thinking(""), 1},
		{"anthropic", "thinking.type: not permitted", thinking("none"), 1},
		{"anthropic", "thinking.type: not permitted", thinking("low"), 2},
		{"anthropic", "max_tokens: 9000 > 8192, which is the maximum", limited(9000), 1},
		{"anthropic", "max_tokens: 9000 > 8192, which is the maximum", limited(0), 2},
		{"openai", "response_format is unavailable", func(r *llm.Request) { *r = jsonRequest(looseSchema) }, 3},
		{"openai", "response_format is unavailable", limited(0), 1},
	} {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Failing(400, c.says)})
		req := ask("hi")
		c.set(&req)
		e := failure(t, client(t, s, func(cfg *llm.Config) { cfg.Provider, cfg.Model = c.provider, "m" }), req)
		require.Equal(t, llm.ErrBadRequest, e.Kind)
		require.Len(t, s.Requests(), c.requests, "%s %+v", c.says, req)
	}
}

// By default, a call may take a quarter of an hour, a try a third of that, and a silence ninety seconds; the waits
// grow from half a second to half a minute.
func TestDefaults(t *testing.T) {
	plain := func(cfg *llm.Config) { cfg.BackoffMin, cfg.BackoffMax, cfg.Timeout, cfg.Tries = 0, 0, 0, 0 }
	hang := fakeapi.Reply{Fault: fakeapi.Hang, Content: strings.Repeat("x", 400), Pieces: 2}
	s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Failing(500, "oops")}, fakeapi.Rule{Reply: hang},
		fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
	inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
		resp, g := generate(t, newClient(t, s, plain, over), ask("hi"))
		require.Len(t, g.retries, 2)
		require.LessOrEqual(t, g.retries[0].Wait, 500*time.Millisecond)
		require.GreaterOrEqual(t, g.retries[0].Wait, 250*time.Millisecond)
		require.InDelta(t, 90*time.Second, resp.Duration, float64(5*time.Second))
	})
	s = fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Failing(500, "oops")})
	inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
		g := &gather{}
		_, err := newClient(t, s, plain, over, func(cfg *llm.Config) { cfg.Tries = 15 }).Generate(
			t.Context(), ask("hi"), g.on)
		require.Error(t, err)
		require.Len(t, g.retries, 14)
		require.LessOrEqual(t, g.retries[13].Wait, 30*time.Second)
		require.GreaterOrEqual(t, g.retries[13].Wait, 15*time.Second)
	})
	s = fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Fault: fakeapi.HangHeader}})
	inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
		g := &gather{}
		_, err := newClient(t, s, plain, over).Generate(t.Context(), ask("hi"), g.on)
		require.ErrorContains(t, err, "no complete reply within 15m0s (3 tries)")
		require.Len(t, g.retries, 2)
	})
	for _, tries := range []int{-1, 0} {
		s = fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Failing(500, "oops")})
		failure(t, client(t, s, func(cfg *llm.Config) { cfg.Tries, cfg.BackoffMin, cfg.BackoffMax = tries, 1, 1 }),
			ask("hi"))
		require.Len(t, s.Requests(), 5)
	}
}

// pacer is a RateLimiter that records its calls.
type pacer struct {
	mu                sync.Mutex
	admitted, settled []int64
}

func (p *pacer) Admit(_ context.Context, tokens int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.admitted = append(p.admitted, tokens)
	return nil
}

func (p *pacer) Settle(tokens int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settled = append(p.settled, tokens)
}

// A RateLimiter gets the estimate of a call's tokens, and afterwards the number of tokens used beyond it.
func TestAPacerOfOnesOwn(t *testing.T) {
	reckoned := llm.EstimateMessages(ask("hi").Messages) + 7
	for used, settled := range map[int64][]int64{reckoned - 1: nil, reckoned: nil, reckoned + 1: {1}} {
		p := &pacer{}
		s := fakeapi.Start(fakeapi.Rule{
			Reply: fakeapi.Reply{Content: "ok", PromptTokens: int(used) - 3, CompletionTokens: 3},
		})
		req := ask("hi")
		req.MaxTokens, req.Kept = 7, new(llm.MessageCache)
		generate(t, client(t, s, func(cfg *llm.Config) { cfg.Pace = p }), req)
		require.Equal(t, []int64{reckoned}, p.admitted)
		require.Equal(t, settled, p.settled)
	}
}

// A pause that the endpoint asks for delays all other calls by the same time, and up to a tenth more.
func TestAPauseIsKept(t *testing.T) {
	slow := fakeapi.Failing(429, "slow down")
	slow.Header = map[string]string{"Retry-After": "100"}
	s := fakeapi.Start(fakeapi.Rule{Reply: slow}, fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "ok"}})
	inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
		c := newClient(t, s, over)
		first := make(chan error)
		go func() {
			_, err := c.Generate(context.Background(), ask("first"), nil)
			first <- err
		}()
		time.Sleep(50 * time.Second)
		_, g := generate(t, c, ask("second"))
		require.NoError(t, <-first)
		require.Len(t, g.retries, 1)
		require.GreaterOrEqual(t, g.retries[0].Wait, 50*time.Second)
		require.LessOrEqual(t, g.retries[0].Wait, 56*time.Second)
	})
}

// Edge cases of how statuses and words of an error are classified.
func TestBoundsOfFailures(t *testing.T) {
	for _, c := range []struct {
		status int
		says   string
		kind   llm.ErrorKind
		text   string
	}{
		{499, "flagged", llm.ErrContentFilter, "content filter"},
		{500, "flagged", llm.ErrUnavailable, "not available"},
		{403, "flagged", llm.ErrContentFilter, "content filter"},
		{402, "flagged", llm.ErrQuota, "no quota"},
		{400, "plain", llm.ErrBadRequest, "refused the request for model m (HTTP 400): plain"},
		{400, "insufficient_quota", llm.ErrBadRequest, "refused"},
		{400, "API key not valid", llm.ErrAuth, "refused the API key"},
		{404, "API key not valid", llm.ErrBadRequest, "refused the request"},
		{404, "your credit balance is low", llm.ErrBadRequest, "refused the request"},
		{401, "prompt is too long", llm.ErrAuth, "refused the API key"},
		{500, "prompt is too long", llm.ErrContextTooLong, "too long"},
		{413, "no", llm.ErrContextTooLong, "too long"},
	} {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Failing(c.status, c.says)})
		e := failure(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 1 }), ask("hi"))
		require.Equal(t, c.kind, e.Kind, "%+v", c)
		require.Contains(t, e.Message, c.text)
		require.NotContains(t, e.Message, "after")
	}
	s := fakeapi.Start()
	c := client(t, s, func(cfg *llm.Config) { cfg.Tries, cfg.APIKey = 1, llm.Secret{} })
	s.Close()
	require.NotContains(t, failure(t, c, ask("hi")).Message, "()")
	_, err := c.List(t.Context())
	require.ErrorContains(t, err, "is not available: connection refused")
	s = fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Failing(401, "")})
	require.Contains(t, failure(t, client(t, s, func(cfg *llm.Config) { cfg.APIKey = llm.Secret{} }),
		ask("hi")).Message, "needs an API key, but none is set (HTTP 401)")
}

// Redirects are followed five times, to the same scheme, host and method.
func TestRedirectionsAreCounted(t *testing.T) {
	moved := func(status int, to string) fakeapi.Rule {
		return fakeapi.Rule{
			Times: 5,
			Reply: fakeapi.Reply{Status: status, Body: "moved", Header: map[string]string{"Location": to}},
		}
	}
	s := fakeapi.Start(moved(307, "/v1/chat/completions"), fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
	resp, _ := generate(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 1 }), ask("hi"))
	require.Equal(t, "ok", resp.Content)
	s = fakeapi.Start(fakeapi.Rule{Reply: moved(307, "/v1/chat/completions").Reply},
		fakeapi.Rule{Reply: fakeapi.Failing(500, "oops")}, fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
	_, g := generate(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 2 }), ask("hi"))
	require.Len(t, g.retries, 1)
	require.Equal(t, []int{3, 3}, []int{g.retries[0].Attempt, g.retries[0].Tries})
	s = fakeapi.Start(fakeapi.Rule{Times: -1, Reply: moved(307, "/v1/chat/completions").Reply})
	e := failure(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 2 }), ask("hi"))
	require.Contains(t, e.Message, "redirects too many times")
	require.Len(t, s.Requests(), 2*6)
	for _, scheme := range []string{"https", "http"} {
		s = fakeapi.Start()
		to := strings.Replace(s.URL(), "http", scheme, 1) + "/chat/completions"
		s.Close()
		s = fakeapi.Start(moved(map[string]int{"https": 307, "http": 303}[scheme], to))
		e := failure(t, client(t, s), ask("hi"))
		require.Contains(t, e.Message, "redirects requests (HTTP 30")
		require.Len(t, s.Requests(), 1)
	}
	s = fakeapi.Start(moved(303, "/v1/chat/completions"))
	require.Contains(t, failure(t, client(t, s), ask("hi")).Message, "redirects requests (HTTP 303)",
		"which would be another method")
	_, err := client(t, fakeapi.Start(), func(cfg *llm.Config) {
		cfg.HTTPClient = &http.Client{Transport: redirecting{}}
	}).List(t.Context())
	require.ErrorContains(t, err, "redirects requests (HTTP 300)")
}

// redirecting is a transport that responds with status 300, but without an address.
type redirecting struct{}

func (redirecting) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusMultipleChoices, Header: http.Header{}, Body: http.NoBody, Request: r},
		nil
}

// Scripted replies arrive in at most two pieces, cut between characters, after their thoughts.
func TestPiecesOfAScript(t *testing.T) {
	for text, want := range map[string][]string{
		"": nil, "a": {"a"}, "ab": {"a", "b"}, "aäb": {"aä", "b"}, "ä": {"ä"}, "äö": {"ä", "ö"},
	} {
		m := llm.ScriptedFunc("m", func(context.Context, llm.Request, int) (llm.Response, error) {
			return llm.Response{
				Content: text, Reasoning: strings.Repeat("r", len(text)), Attempts: 2,
				FinishReason: "length", Model: "other", Duration: time.Hour,
			}, nil
		})
		resp, g := generate(t, m, ask("hi"))
		var pieces []string
		for _, d := range g.deltas {
			if d.Content != "" {
				pieces = append(pieces, d.Content)
			}
		}
		require.Equal(t, want, pieces)
		if text != "" {
			require.Equal(t, llm.Delta{Reasoning: resp.Reasoning}, g.deltas[0])
		}
		require.Equal(t, llm.Usage{
			Prompt:     llm.EstimateMessages(ask("hi").Messages),
			Completion: llm.EstimateTokens(text) + llm.EstimateTokens(resp.Reasoning),
			Reasoning:  llm.EstimateTokens(resp.Reasoning), Estimated: true,
		}, resp.Usage)
		resp.Usage = llm.Usage{}
		require.Equal(t, llm.Response{
			Content: text, Reasoning: resp.Reasoning, Attempts: 2, FinishReason: "length",
			Model: "other", Duration: time.Hour,
		}, resp)
	}
	require.Equal(t, 8+llm.EstimateTokens("be brief")+llm.EstimateTokens("hi"),
		llm.EstimateMessages(ask("hi").Messages))
}

// The error for a call that was not recorded names where in the run the call was.
func TestWhatIsNotRecorded(t *testing.T) {
	for text, key := range map[string]llm.Key{
		"a turn of the run is not in":                    {},
		"a turn of the run of child run 1/2 is not in":   {Path: "1/2"},
		"a sub-call of cell 1 is not in":                 {Cell: 1},
		"a sub-call of cell 1 of child run 1/2 is not i": {Path: "1/2", Cell: 1},
	} {
		req := ask("hi")
		req.Key = key
		require.Contains(t, failure(t, llm.NewRecorded("m", nil, nil), req).Message, text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := llm.NewRecorded("m", map[llm.Key]llm.Response{{}: {Content: "ok"}}, nil).Generate(ctx, ask("hi"), nil)
	require.ErrorIs(t, err, context.Canceled)
}

// The address of Azure's API contains the version only if it is a date.
func TestVersionsOfAzure(t *testing.T) {
	for version, path := range map[string]string{
		"": "/openai/v1/chat/completions", "v1": "/openai/v1/chat/completions",
		"preview": "/openai/v1/chat/completions", "2024-10-21": "/openai/deployments/m/chat/completions",
	} {
		s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
		generate(t, client(t, s, func(c *llm.Config) {
			c.Provider, c.APIVersion, c.BaseURL = "azure", version, strings.TrimSuffix(s.URL(), "/v1")
		}), ask("hi"))
		require.Equal(t, path, s.Requests()[0].Path)
	}
	for ttl, fits := range map[string]bool{"": true, "5m": true, "1h": true, "2h": false} {
		_, err := llm.New(llm.Config{Model: "m", CacheTTL: ttl})
		require.Equal(t, fits, err == nil, ttl)
	}
}

// A model that accepts no reasoning effort is called without one.
func TestAModelWithoutEffort(t *testing.T) {
	s := fakeapi.Start(fakeapi.Says("ok")...)
	c := client(t, s, func(cfg *llm.Config) { cfg.Facts.Missing = []string{"effort"} })
	generate(t, c, ask("hi"))
	req := ask("hi")
	req.ReasoningEffort = "low"
	require.Contains(t, failure(t, c, req).Message, "does not accept a reasoning effort")
	require.Len(t, s.Requests(), 1)
}

// The usage of a broken reply is what the endpoint had reported, else an estimate from the received part.
func TestWhatABrokenReplyUsed(t *testing.T) {
	stream := func(events ...string) fakeapi.Reply {
		return fakeapi.Reply{
			Body:   "data: " + strings.Join(events, "\n\ndata: ") + "\n\n",
			Header: map[string]string{"Content-Type": "text/event-stream"},
		}
	}
	for provider, half := range map[string]fakeapi.Reply{
		"anthropic": stream(`{"type":"message_start","message":{"model":"m","usage":{"input_tokens":9,"output_tokens":4}}}`),
		"openai":    stream(`{"choices":[{"delta":{"content":"some words","reasoning_content":"and as many thoughts"}}]}`),
	} {
		want := map[string]int64{
			"anthropic": 9 + 4,
			"openai": llm.EstimateMessages(ask("hi").Messages) + llm.EstimateTokens("some words") +
				llm.EstimateTokens("and as many thoughts"),
		}[provider]
		s := fakeapi.Start(fakeapi.Rule{Reply: half}, fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
		resp, _ := generate(t, client(t, s, func(cfg *llm.Config) { cfg.Provider = provider }), ask("hi"))
		require.Equal(t, want, resp.Usage.Wasted, provider)
	}
}

// An endpoint may ask for an immediate retry.
func TestAWaitOfNothing(t *testing.T) {
	slow := fakeapi.Failing(429, "slow down")
	slow.Header = map[string]string{"Retry-After": "0"}
	s := fakeapi.Start(fakeapi.Rule{Reply: slow}, fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
	inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
		_, g := generate(t, newClient(
			t, s, over, func(cfg *llm.Config) { cfg.BackoffMin, cfg.BackoffMax = time.Minute, time.Minute }), ask("hi"))
		require.Len(t, g.retries, 1)
		require.Zero(t, g.retries[0].Wait)
	})
}

// A long thought is streamed unchanged, and is part of the estimate if the endpoint reports implausible numbers.
func TestALongThought(t *testing.T) {
	thought := strings.Repeat("two and two ", 30)
	s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{
		Content: "<think>" + thought + "</think>four", PieceSize: 50,
		Usage: `{"prompt_tokens":1,"completion_tokens":1e18}`,
	}})
	resp, _ := generate(t, client(t, s), ask("2+2"))
	require.Equal(t, thought, resp.Reasoning)
	require.Equal(t, "four", resp.Content)
	require.Equal(t, llm.Usage{
		Prompt: 1, Completion: llm.EstimateTokens(thought) + llm.EstimateTokens("four"), Estimated: true,
	}, resp.Usage)
}
