package budget

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// atOnce returns the context of a call that should not wait. It is cancelled, so that the call fails if it waits.
func atOnce() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// stampede makes n goroutines reserve a call from a lease concurrently and returns how many succeeded.
func stampede(l *Lease, n int, tokens int64) int64 {
	var granted atomic.Int64
	var all sync.WaitGroup
	start := make(chan struct{})
	for range n {
		all.Go(func() {
			<-start
			h, lim := l.Reserve(atOnce(), "m", tokens, 0, true)
			if lim != nil {
				return
			}
			granted.Add(1)
			l.Settle(h, Call{Model: "m", Usage: trajectory.Usage{Prompt: tokens}})
		})
	}
	close(start)
	all.Wait()
	return granted.Load()
}

func TestLeaseIsExactUnderConcurrency(t *testing.T) {
	l := NewLease(Bounds{SubCalls: 500}, nil, 0)
	for range 499 {
		_, lim := l.Reserve(atOnce(), "m", 1, 0, true)
		require.Nil(t, lim)
	}
	require.EqualValues(t, 1, stampede(l, 1000, 1), "one call was left")
	require.Equal(t, termination.SubCallLimit, l.Exceeded("m", 0, false).Status)

	l = NewLease(Bounds{Tokens: 1005}, nil, 0)
	require.EqualValues(t, 100, stampede(l, 1000, 10), "what is under way counts")
	require.EqualValues(t, 1000, l.tokens)
	require.Equal(t, termination.TokenLimit, l.Exceeded("m", 0, false).Status)
}

func TestLeaseKnowsCosts(t *testing.T) {
	prices := llm.Prices{"m": {Input: 1_000_000, Output: 2_000_000}} // $1 and $2 per token
	l := NewLease(Bounds{Cost: 10}, prices, 0)
	h, lim := l.Reserve(atOnce(), "m", 4, 0, false)
	require.Nil(t, lim)
	_, lim = l.Reserve(atOnce(), "m", 7, 0, false)
	var limit *Limit
	require.ErrorAs(t, lim, &limit, "4 are held, 7 do not fit into 10")
	require.Equal(t, termination.CostLimit, limit.Status)
	require.ErrorContains(t, lim, "$4.00 of $10.00, and the prompt alone takes about $7.00")

	u := Priced(prices, "m", llm.Response{Usage: llm.Usage{Prompt: 4, Completion: 1}})
	require.Equal(t, "table", u.CostFrom)
	l.Settle(h, Call{Model: "m", Usage: u})
	require.InDelta(t, 6, l.cost, 1e-9)

	reported := 0.5
	u = Priced(prices, "m", llm.Response{Usage: llm.Usage{Prompt: 4}, Cost: &reported})
	require.Equal(t, "endpoint", u.CostFrom)
	require.InDelta(t, 0.5, *u.Cost, 1e-9)

	u = Priced(prices, "other", llm.Response{Usage: llm.Usage{Prompt: 4}})
	require.Nil(t, u.Cost, "an unknown price is never 0")
	require.True(t, l.Settle(Hold{}, Call{Model: "other", Usage: u}), "it is said once")
	require.False(t, l.Settle(Hold{}, Call{Model: "other", Usage: u}))
	cost := l.Tally("").Cost
	require.NotNil(t, cost)
	require.InDelta(t, 6, *cost, 1e-9)
}

func TestLeaseKeepsTime(t *testing.T) {
	l := NewLease(Bounds{Time: time.Hour}, nil, 59*time.Minute)
	require.Nil(t, l.Exceeded("m", 0, false))
	l = NewLease(Bounds{Time: time.Hour}, nil, 61*time.Minute)
	require.Equal(t, termination.TimeLimit, l.Exceeded("m", 0, false).Status, "the time before an interruption counts")
}
