package session

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/host"
)

// TestADaysBudget: the cost of runs counts while they run, after their end and after the server was killed,
// until the end of the day.
func TestADaysBudget(t *testing.T) {
	file := filepath.Join(t.TempDir(), "spent")
	at := time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)
	open := func() *Ledger {
		b, err := OpenLedger(file, func() time.Time { return at })
		require.NoError(t, err)
		return b
	}
	b := open()
	limits := Limits{CostPerDay: 5}
	g, err := b.Begin("ann", limits)
	require.NoError(t, err)
	require.Equal(t, 5.0, g.Left())
	pay(t, g, 2)
	require.True(t, g.Spent())
	other, err := b.Begin("ann", limits)
	require.NoError(t, err)
	require.Equal(t, 3.0, other.Left())
	pay(t, g, 0.5)
	g.End()
	g.End()
	require.Equal(t, 2.5, other.Left())
	pay(t, other, 2.5)
	require.False(t, other.Spent(), "together they have spent it")

	b = open() // open again, as after a kill
	var exceeded *Error
	_, err = b.Begin("ann", limits)
	require.ErrorAs(t, err, &exceeded)
	require.True(t, exceeded.Day)
	require.Equal(t, 2*time.Hour, exceeded.After)
	_, err = b.Begin("bob", limits)
	require.NoError(t, err, "each has a budget of his own")
	at = at.Add(2 * time.Hour)
	g, err = b.Begin("ann", limits)
	require.NoError(t, err)
	require.Equal(t, 5.0, g.Left())
}

// pay makes a call that costs this much.
func pay(t *testing.T, g *Grant, cost float64) {
	call, err := g.Acquire(t.Context(), host.Reservation{})
	require.NoError(t, err)
	g.Release(call, cost)
}

// TestCallsUnderWayAreReserved: the possible cost of calls is reserved in the day's budget until their real
// cost is known.
func TestCallsUnderWayAreReserved(t *testing.T) {
	b, err := OpenLedger(filepath.Join(t.TempDir(), "spent"), time.Now)
	require.NoError(t, err)
	limits := Limits{CostPerDay: 1}
	first, err := b.Begin("ann", limits)
	require.NoError(t, err)
	second, err := b.Begin("ann", limits)
	require.NoError(t, err)
	var exceeded *Error

	held, err := first.Acquire(t.Context(), host.Reservation{Prompt: 0.6})
	require.NoError(t, err)
	_, err = second.Acquire(t.Context(), host.Reservation{Prompt: 0.6})
	require.ErrorAs(t, err, &exceeded)
	require.False(t, exceeded.Day, "the call may cost less, and there is room again")
	require.Same(t, exceeded, second.Refusal())
	require.True(t, first.Refusal().Day)
	first.Release(held, 0.1)
	held, err = second.Acquire(t.Context(), host.Reservation{Prompt: 0.6, Reply: 0.2})
	require.NoError(t, err)

	late := make(chan host.Reservation)
	go func() {
		got, err := first.Acquire(t.Context(), host.Reservation{Prompt: 0.05, Reply: 0.5})
		assert.NoError(t, err)
		late <- got
	}()
	second.Release(held, 0.3) // the other call may already be waiting, or come later
	require.Equal(t, host.Reservation{Prompt: 0.05, Reply: 0.5}, <-late)
	first.Release(host.Reservation{Prompt: 0.05, Reply: 0.5}, 0)

	held, err = first.Acquire(t.Context(), host.Reservation{Prompt: 0.1, Reply: 9})
	require.NoError(t, err)
	require.InDelta(t, 0.5, held.Reply, 1e-9, "a reply gets what is left")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = second.Acquire(ctx, host.Reservation{Reply: 0.1})
	require.ErrorIs(t, err, context.Canceled)
	first.End()
	first.Release(held, 0.7)
	_, err = second.Acquire(t.Context(), host.Reservation{})
	require.ErrorAs(t, err, &exceeded)
	require.True(t, exceeded.Day, "a call that outlives its run counts")
}

// TestCallsUnderWayCountAfterAKill: they were sent, so the endpoint charges for them.
func TestCallsUnderWayCountAfterAKill(t *testing.T) {
	file := filepath.Join(t.TempDir(), "spent")
	open := func() *Ledger {
		b, err := OpenLedger(file, time.Now)
		require.NoError(t, err)
		return b
	}
	limits := Limits{CostPerDay: 10}
	begin := func(b *Ledger, costs ...host.Reservation) (g *Grant) {
		g, err := b.Begin("ann", limits)
		require.NoError(t, err)
		for _, c := range costs {
			_, err = g.Acquire(t.Context(), c)
			require.NoError(t, err)
		}
		return g
	}
	left := func(b *Ledger) float64 { return begin(b).Left() }
	g := begin(open(), host.Reservation{Prompt: 1, Reply: 4}, host.Reservation{Prompt: 1, Reply: 0.5})
	require.InDelta(t, 10-2-2, left(open()), 0.101, "two prompts, and replies as dear as they")
	g.Release(host.Reservation{Prompt: 1, Reply: 4}, 1.25)
	g.Release(host.Reservation{Prompt: 1, Reply: 0.5}, 1.25)
	g.End()
	require.Equal(t, 7.5, left(open()), "what was answered counts as what it cost")
	b := open()
	g = begin(b)
	pay(t, g, 0.5)
	_, err := g.Acquire(t.Context(), host.Reservation{Prompt: 1, Reply: 4})
	require.NoError(t, err)
	require.InDelta(t, 7.5-0.5-1.5, left(open()), 0.101, "a reply like that before")
}

func TestRunsAtOnce(t *testing.T) {
	b, err := OpenLedger(filepath.Join(t.TempDir(), "spent"), time.Now)
	require.NoError(t, err)
	g, err := b.Begin("ann", Limits{Runs: 1})
	require.NoError(t, err)
	require.Negative(t, g.Left())
	pay(t, g, 1e6)
	require.True(t, g.Spent())
	var exceeded *Error
	_, err = b.Begin("ann", Limits{Runs: 1})
	require.ErrorAs(t, err, &exceeded)
	require.False(t, exceeded.Day)
	g.End()
	_, err = b.Begin("ann", Limits{Runs: 1})
	require.NoError(t, err)
}
