package runner

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// stampede lets many goroutines ask a lease for a call at once and returns how many got one.
func stampede(l *lease, n int, tokens int64) int64 {
	var granted atomic.Int64
	var all sync.WaitGroup
	start := make(chan struct{})
	for range n {
		all.Go(func() {
			<-start
			h, lim := l.reserve("m", tokens, true)
			if lim != nil {
				return
			}
			granted.Add(1)
			l.settle(h, "m", trajectory.Usage{Prompt: tokens}, time.Millisecond)
		})
	}
	close(start)
	all.Wait()
	return granted.Load()
}

func TestLeaseIsExactUnderConcurrency(t *testing.T) {
	l := newLease(Budgets{SubCalls: 500}, nil, 0)
	for range 499 {
		_, lim := l.reserve("m", 1, true)
		require.Nil(t, lim)
	}
	require.EqualValues(t, 1, stampede(l, 1000, 1), "one call was left")
	require.Equal(t, termination.SubCallLimit, l.exceeded().status)

	l = newLease(Budgets{Tokens: 1005}, nil, 0)
	require.EqualValues(t, 100, stampede(l, 1000, 10), "what is under way counts")
	require.EqualValues(t, 1000, l.tokens)
	require.Equal(t, termination.TokenLimit, l.exceeded().status)
}

func TestLeaseKnowsCosts(t *testing.T) {
	prices := llm.Prices{"m": {Input: 1_000_000, Output: 2_000_000}} // $1 and $2 a token
	l := newLease(Budgets{Cost: 10}, prices, 0)
	h, lim := l.reserve("m", 4, false)
	require.Nil(t, lim)
	_, lim = l.reserve("m", 7, false)
	require.NotNil(t, lim, "4 are held, 7 do not fit into 10")
	require.Equal(t, termination.CostLimit, lim.status)
	require.Contains(t, lim.Error(), "$4")

	u := priced(prices, "m", llm.Response{Usage: llm.Usage{Prompt: 4, Completion: 1}})
	require.Equal(t, "table", u.CostFrom)
	l.settle(h, "m", u, 0)
	require.InDelta(t, 6, l.cost, 1e-9)

	reported := 0.5
	u = priced(prices, "m", llm.Response{Usage: llm.Usage{Prompt: 4}, Cost: &reported})
	require.Equal(t, "endpoint", u.CostFrom)
	require.InDelta(t, 0.5, *u.Cost, 1e-9)

	u = priced(prices, "other", llm.Response{Usage: llm.Usage{Prompt: 4}})
	require.Nil(t, u.Cost, "an unknown price is never 0")
	require.True(t, l.settle(hold{}, "other", u, 0), "it is said once")
	require.False(t, l.settle(hold{}, "other", u, 0))
	cost, known := knownCost(l.usage)
	require.True(t, known)
	require.InDelta(t, 6, cost, 1e-9)
}

func TestLeaseKeepsTime(t *testing.T) {
	l := newLease(Budgets{Time: time.Hour}, nil, 59*time.Minute)
	require.Nil(t, l.exceeded())
	l = newLease(Budgets{Time: time.Hour}, nil, 61*time.Minute)
	require.Equal(t, termination.TimeLimit, l.exceeded().status, "the time before an interruption counts")
}

func TestBudgetDefaults(t *testing.T) {
	b := Budgets{}.bounds()
	require.Equal(t, Budgets{Iterations: 30, SubCalls: 1000, Tokens: 10_000_000, Cost: 10, Time: time.Hour, Depth: 1}, b)
	none := Budgets{Iterations: -1, SubCalls: -1, Tokens: -1, Cost: -1, Time: -1, Depth: -1}.bounds()
	require.Equal(t, Budgets{}, none, "negative: no bound")
}
