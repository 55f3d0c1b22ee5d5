package fleet_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/fleet"
	"github.com/gorlm/rlm/runner/llm"
)

var _ llm.Pacer = (*fleet.Rate)(nil)

// admitted lets each of the rates admit so many calls, several at once, and returns when they were.
func admitted(t *testing.T, rates []*fleet.Rate, calls int, tokens int64) []time.Time {
	t.Helper()
	var mu sync.Mutex
	var times []time.Time
	var all sync.WaitGroup
	for _, r := range rates {
		for range 4 {
			all.Go(func() {
				for range calls / 4 {
					if err := r.Admit(t.Context(), tokens); err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					times = append(times, time.Now())
					mu.Unlock()
				}
			})
		}
	}
	all.Wait()
	slices.SortFunc(times, time.Time.Compare)
	return times
}

// All nodes together keep to the requests and to the tokens a minute of a model, and each gets some.
func TestNodesShareTheRateOfAModel(t *testing.T) {
	hub, err := fleet.StartHub(fleet.HubConfig{Listen: "127.0.0.1:0", Dir: t.TempDir(), Nodes: []string{"node"}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = hub.Close() })
	var requests, tokens []*fleet.Rate
	for range 3 {
		q := connect(t, hub.URL("node"))
		requests = append(requests, q.Rate("many requests", 1200, 0)) // 20 a second, 20 at once
		tokens = append(tokens, q.Rate("many tokens", 0, 60_000))     // 1 000 a second, 60 000 at once
	}
	times := admitted(t, requests, 20, 1000)
	require.Len(t, times, 60)
	require.GreaterOrEqual(t, times[59].Sub(times[0]), 1900*time.Millisecond)

	times = admitted(t, tokens, 8, 2600)
	require.Len(t, times, 24)
	require.GreaterOrEqual(t, times[23].Sub(times[0]), 2*time.Second, "62 400 tokens")
}

// What a call used beyond what was reckoned counts for all nodes, and a call that has no room before its deadline takes none.
func TestTheRateCountsWhatWasUsed(t *testing.T) {
	hub, err := fleet.StartHub(fleet.HubConfig{Listen: "127.0.0.1:0", Dir: t.TempDir(), Nodes: []string{"node"}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = hub.Close() })
	one, two := connect(t, hub.URL("node")).Rate("m", 0, 60_000), connect(t, hub.URL("node")).Rate("m", 0, 60_000)
	require.NoError(t, one.Admit(t.Context(), 100))
	one.Settle(60_000)
	short, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	require.Eventually(t, func() bool { return two.Admit(short, 60_000) != nil }, time.Minute, 10*time.Millisecond, "the debt comes to the queue")
	require.NoError(t, short.Err(), "nobody waits for what cannot come in time")
	require.NoError(t, two.Admit(t.Context(), 1), "what could not be used was put back")
}
