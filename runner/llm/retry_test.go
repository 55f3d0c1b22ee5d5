package llm_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

func TestRetryAfterIsKept(t *testing.T) {
	for name, header := range map[string]map[string]string{
		"seconds":      {"Retry-After": "0.2"},
		"milliseconds": {"Retry-After-Ms": "200"},
	} {
		t.Run(name, func(t *testing.T) {
			slow := fakeapi.Failing(429, "slow down")
			slow.Header = header
			s := fakeapi.Start(fakeapi.Rule{Reply: slow}, fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
			inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
				_, g := generate(t, newClient(t, s, over), ask("hi"))
				calls := s.Requests()
				require.GreaterOrEqual(t, calls[1].Time.Sub(calls[0].Time), 190*time.Millisecond)
				require.Equal(t, []llm.Retry{{Reason: "HTTP 429", Attempt: 2, Tries: 5, Wait: 200 * time.Millisecond}},
					g.retries)
			})
		})
	}
}

// When one call is told to retry later, all calls of the model wait.
func TestRetryAfterHoldsAllCalls(t *testing.T) {
	slow := fakeapi.Failing(429, "slow down")
	slow.Header = map[string]string{"Retry-After": "3"}
	s := fakeapi.Start(fakeapi.Rule{Match: "first", Reply: slow},
		fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "ok"}})
	inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
		c := newClient(t, s, over)
		first := make(chan error)
		go func() {
			_, err := c.Generate(context.Background(), ask("first"), nil)
			first <- err
		}()
		require.Eventually(t, func() bool { return len(s.Requests()) == 1 }, time.Minute, time.Millisecond)
		second := &gather{}
		require.Eventually(t, func() bool { // until the first call has received the request to wait
			_, err := c.Generate(t.Context(), ask("second"), second.on)
			require.NoError(t, err)
			return len(second.retries) > 0
		}, time.Minute, time.Millisecond, "who is held is told")
		calls := s.Requests()
		require.GreaterOrEqual(t, calls[len(calls)-1].Time.Sub(calls[0].Time), 2900*time.Millisecond)
		require.NoError(t, <-first)
		require.Len(t, second.retries, 1)
		require.Equal(t, "the endpoint asked all calls to wait", second.retries[0].Reason)
		require.Equal(t, 1, second.retries[0].Attempt)
		require.Greater(t, second.retries[0].Wait, 100*time.Millisecond)
	})
}

// Every wait is reported in order, without any text of the endpoint, which may repeat the key.
func TestEachRetryIsTold(t *testing.T) {
	echo := fakeapi.Failing(500, "bad header: Authorization: Bearer "+testKey)
	echo.Header = map[string]string{"X-Echo": testKey}
	s := fakeapi.Start(
		fakeapi.Rule{Reply: echo},
		fakeapi.Rule{Reply: fakeapi.Reply{Content: strings.Repeat("half ", 40), Fault: fakeapi.Drop, Pieces: 5}},
		fakeapi.Rule{Reply: fakeapi.Reply{Fault: fakeapi.Drop}},
		fakeapi.Rule{Reply: fakeapi.Reply{Content: "good"}},
	)
	resp, g := generate(t, client(t, s), ask("hi"))
	require.Equal(t, 4, resp.Attempts)
	var told []string
	for _, r := range g.retries {
		told = append(told, fmt.Sprintf("%s (%d of %d)", r.Reason, r.Attempt, r.Tries))
		require.LessOrEqual(t, r.Wait, 5*time.Millisecond)
	}
	require.Equal(t, []string{"HTTP 500 (2 of 5)", "the stream broke off (3 of 5)", "the connection broke (4 of 5)"},
		told)
	require.NotContains(t, fmt.Sprintf("%+v", g.retries), testKey)
}

// The pieces of a broken reply come before the notice that it broke, so that the notice is the latest while the
// call waits.
func TestARetryIsTheLastWord(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{
		Content: strings.Repeat("half ", 40), Fault: fakeapi.Drop,
		Pieces: 10, PieceDelay: 2 * time.Millisecond,
	}}, fakeapi.Rule{Reply: fakeapi.Reply{Content: "good"}})
	inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
		_, g := generate(t, newClient(t, s, over, func(cfg *llm.Config) {
			cfg.BackoffMin, cfg.BackoffMax = 200*time.Millisecond, 200*time.Millisecond
		}), ask("hi"))
		i := slices.IndexFunc(g.deltas, func(d llm.Delta) bool { return d.Retry != nil })
		require.Positive(t, i)
		require.True(t, g.deltas[i+1].Restart, "%+v", g.deltas)
	})
}
