package fleet_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/runner/llm"
)

var _ llm.RateLimiter = (*fleet.RateLimiter)(nil)

// admitted makes each of the rates admit calls, from four goroutines each, and returns how long that took.
func admitted(t *testing.T, rates []*fleet.RateLimiter, calls int, tokens int64) time.Duration {
	t.Helper()
	start := time.Now()
	var all sync.WaitGroup
	for _, r := range rates {
		for range 4 {
			all.Go(func() {
				for range calls / 4 {
					if !assert.NoError(t, r.Admit(t.Context(), tokens)) {
						return
					}
				}
			})
		}
	}
	all.Wait()
	return time.Since(start)
}

// All nodes together keep to a model's limits of requests and tokens a minute, and each gets a share.
func TestNodesShareTheRateOfAModel(t *testing.T) {
	t.Parallel()
	hub, err := fleet.StartHub(fleet.HubConfig{Listen: "127.0.0.1:0", Dir: t.TempDir(), Nodes: []string{"node"}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = hub.Close() })
	var requests, tokens []*fleet.RateLimiter
	for range 3 {
		q := connect(t, hub.URL("node"))
		requests = append(requests, q.Rate("many requests", 1200, 0)) // 20 a second, burst 20
		tokens = append(tokens, q.Rate("many tokens", 0, 60_000))     // 1 000 a second, burst 60 000
	}
	require.GreaterOrEqual(t, admitted(t, requests, 12, 1000), 700*time.Millisecond, "36 requests")
	require.GreaterOrEqual(t, admitted(t, tokens, 8, 2540), 900*time.Millisecond, "60 960 tokens")
}

// Usage beyond the estimate counts for all nodes, and a call that cannot fit before its deadline takes nothing.
func TestTheRateCountsWhatWasUsed(t *testing.T) {
	t.Parallel()
	hub, err := fleet.StartHub(fleet.HubConfig{Listen: "127.0.0.1:0", Dir: t.TempDir(), Nodes: []string{"node"}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = hub.Close() })
	one, two := connect(t, hub.URL("node")).Rate("m", 0, 60_000), connect(t, hub.URL("node")).Rate("m", 0, 60_000)
	require.NoError(t, one.Admit(t.Context(), 100))
	one.Settle(60_000)
	short, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	require.Eventually(t, func() bool {
		return two.Admit(short, 60_000) != nil
	}, time.Minute, 10*time.Millisecond, "the debt comes to the queue")
	require.NoError(t, short.Err(), "nobody waits for what cannot come in time")
	require.NoError(t, two.Admit(t.Context(), 1), "what could not be used was put back")
}
