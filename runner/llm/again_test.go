package llm_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
)

// A refused request is sent again only in other words, and these run out.
func TestARefusalEndsACall(t *testing.T) {
	user := llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "hi"}}}
	for _, c := range []struct {
		says     string
		req      llm.Request
		requests int
	}{
		{"no", ask("hi"), 1},
		{"response_format is unavailable", jsonRequest(looseSchema), 3},
		{"unsupported role: system", ask("hi"), 2},
		{"unsupported role: system", user, 1},
	} {
		s := fakeapi.Start(fakeapi.Rule{Times: 9, Reply: fakeapi.Failing(400, c.says)},
			fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "at last"}})
		_, err := client(t, s).Generate(t.Context(), c.req, nil)
		require.Error(t, err, c.says)
		require.Len(t, s.Requests(), c.requests, c.says)
	}
}

// A retry waits as long as the endpoint asks in any of its headers, else a part of a backoff that doubles, and four
// times as long where a limit per minute is met.
func TestHowLongARetryWaits(t *testing.T) {
	const asked = 7 * time.Second
	for _, c := range []struct {
		status      int
		header      map[string]string
		least, most time.Duration
	}{
		{500, nil, 500 * time.Millisecond, time.Second},
		{429, nil, 2 * time.Second, 4 * time.Second},
		{503, map[string]string{"Retry-After": "7"}, asked, asked},
		{503, map[string]string{"Retry-After": "7s"}, asked, asked},
		{503, map[string]string{"Retry-After": "1m 7s"}, 67 * time.Second, 67 * time.Second},
		{503, map[string]string{"Retry-After-Ms": "7000", "Retry-After": "9"}, asked, asked},
		{429, map[string]string{"X-Ratelimit-Reset": "7"}, asked, asked},
		{503, map[string]string{"X-Ratelimit-Reset": "7"}, 500 * time.Millisecond, time.Second},
		{429, map[string]string{"X-Ratelimit-Reset": "7", "X-Ratelimit-Remaining": "1"}, asked / 4, 4 * time.Second},
		{429, map[string]string{"X-Ratelimit-Reset": "7", "X-Ratelimit-Remaining": "0"}, asked, asked},
		{429, map[string]string{
			"X-Ratelimit-Reset-Requests": "9s", "X-Ratelimit-Remaining-Requests": "1",
			"X-Ratelimit-Reset-Tokens": "7s", "X-Ratelimit-Remaining-Tokens": "0",
		}, asked, asked},
		{429, map[string]string{"Ratelimit": `"a";r=0;t=5, "b";r=0;t=7, "c";r=1;t=9`}, asked, asked},
	} {
		refused := fakeapi.Failing(c.status, "no")
		refused.Header = c.header
		s := fakeapi.Start(fakeapi.Rule{Reply: refused}, fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
		inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
			_, g := generate(t, newClient(t, s, over, func(cfg *llm.Config) {
				cfg.BackoffMin, cfg.BackoffMax = time.Second, time.Hour
			}), ask("hi"))
			require.Len(t, g.retries, 1)
			require.GreaterOrEqual(t, g.retries[0].Wait, c.least, "%+v", c)
			require.LessOrEqual(t, g.retries[0].Wait, c.most, "%+v", c)
		})
	}
	broken := fakeapi.Reply{Content: "half", Fault: fakeapi.Drop}
	s := fakeapi.Start(fakeapi.Rule{Times: 4, Reply: broken}, fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
	inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
		_, g := generate(t, newClient(t, s, over, func(cfg *llm.Config) {
			cfg.BackoffMin, cfg.BackoffMax, cfg.Tries = time.Second, 4*time.Second, 5
		}), ask("hi"))
		require.Len(t, g.retries, 4)
		for n, most := range []time.Duration{1, 2, 4, 4} {
			require.LessOrEqual(t, g.retries[n].Wait, most*time.Second)
			require.GreaterOrEqual(t, g.retries[n].Wait, most*time.Second/2)
		}
	})
}
