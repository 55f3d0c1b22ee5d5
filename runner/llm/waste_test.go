package llm_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
)

// If the caller cancels a call that was sent, the endpoint charges for the prompt, and for the reply so far.
func TestCallsThatAreEnded(t *testing.T) {
	t.Parallel()
	half := strings.Repeat("some words ", 40)
	slow := fakeapi.Failing(429, "slow down")
	slow.Header = map[string]string{"Retry-After": "600"}
	prompt := strings.Repeat("a question ", 50)
	least := llm.EstimateTokens(prompt)
	for name, c := range map[string]struct {
		replies []fakeapi.Reply
		prompts int64 // number of prompts that are charged
		came    bool
		until   func(llm.Delta) bool // the caller leaves when it is true; if nil, when the request arrives
	}{
		"before its reply begins": {replies: []fakeapi.Reply{{Content: "x", Delay: time.Hour}}, prompts: 1},
		"in its reply": {
			[]fakeapi.Reply{{Content: half, Fault: fakeapi.Hang, Pieces: 5}},
			1, true,
			func(d llm.Delta) bool { return d.Content != "" },
		},
		"between two tries": {[]fakeapi.Reply{slow}, 0, false, func(d llm.Delta) bool { return d.Retry != nil }},
		"in its second try": {[]fakeapi.Reply{
			{Content: half, Fault: fakeapi.Drop, Pieces: 5},
			{Content: half, Fault: fakeapi.Hang, Pieces: 5},
		}, 2, true, func(d llm.Delta) bool { return d.Restart }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s := fakeapi.StartFunc(func(req fakeapi.Request) fakeapi.Reply {
				if c.until == nil {
					cancel()
				}
				return c.replies[min(req.N, len(c.replies)-1)]
			})
			var retried llm.Usage
			_, err := client(t, s, func(cfg *llm.Config) { cfg.Timeout = time.Hour }).Generate(
				ctx, ask(prompt), func(d llm.Delta) {
					retried.Prompt += d.Waste.Usage.Prompt
					retried.Completion += d.Waste.Usage.Completion
					if c.until != nil && c.until(d) {
						cancel()
					}
				})
			var e *llm.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, llm.ErrCancelled, e.Kind)
			require.GreaterOrEqual(t, e.Waste.Usage.Prompt+retried.Prompt, c.prompts*least)
			require.Less(t, e.Waste.Usage.Prompt+retried.Prompt, (c.prompts+1)*least)
			require.Equal(t, c.came, e.Waste.Usage.Completion+retried.Completion > 0)
			require.Equal(t, c.prompts > 0, e.Waste.Usage.Estimated)
		})
	}
}

// A request that the client abandons because nothing arrives is still answered by the endpoint, so it counts. A
// request that was not delivered costs nothing.
func TestRequestsThatAreGivenUp(t *testing.T) {
	t.Parallel()
	s := fakeapi.StartFunc(func(req fakeapi.Request) fakeapi.Reply {
		if req.N == 0 {
			return fakeapi.Reply{Content: "x", Delay: time.Hour}
		}
		return fakeapi.Reply{Content: "good"}
	})
	inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
		c := newClient(t, s, over, func(cfg *llm.Config) { cfg.HeaderTimeout = 2 * time.Second })
		resp, err := c.Generate(t.Context(), ask("hi"), nil)
		require.NoError(t, err)
		require.Equal(t, 2, resp.Attempts)
		require.Positive(t, resp.Usage.Wasted)
		require.Equal(t, resp.Usage.Wasted, resp.Waste.Usage.Prompt, "nobody hears of retries")
	})

	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	c, err := llm.New(llm.Config{Model: "m", BaseURL: gone.URL, Tries: 1})
	require.NoError(t, err)
	_, err = c.Generate(t.Context(), ask("hi"), nil)
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Zero(t, e.Waste)
}
