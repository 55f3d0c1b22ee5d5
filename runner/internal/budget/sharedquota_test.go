package budget

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/internal/hostopt"
	"github.com/gorlm/rlm/termination"
)

// purse is a quota that grants what it is told to, and keeps what it was asked for.
type purse struct {
	grant    func(hostopt.Reservation) (hostopt.Reservation, error)
	asked    []hostopt.Reservation
	released []hostopt.Reservation
	paid     []float64
}

func (p *purse) Acquire(_ context.Context, call hostopt.Reservation) (hostopt.Reservation, error) {
	p.asked = append(p.asked, call)
	return p.grant(call)
}

func (p *purse) Release(call hostopt.Reservation, cost float64) {
	p.released, p.paid = append(p.released, call), append(p.paid, cost)
}

func all(call hostopt.Reservation) (hostopt.Reservation, error) { return call, nil }

func TestACallDrawsOnTheQuotaToo(t *testing.T) {
	for name, c := range map[string]struct {
		prompt, reply int64
		granted       float64 // for the reply, in dollars; 2 a token
		tokens        int64   // what the reply may then have
	}{
		"all":               {10, 40, 80, 40},
		"more than asked":   {10, 40, 100, 40},
		"a reply less long": {10, 40, 30, 15},
		"nothing for it":    {10, 40, 0, 1},
		"without a bound":   {10, 0, 0, 0},
		"an empty prompt":   {0, 40, 80, 40},
	} {
		t.Run(name, func(t *testing.T) {
			granted := hostopt.Reservation{Prompt: float64(c.prompt), Reply: c.granted}
			p := &purse{grant: func(hostopt.Reservation) (hostopt.Reservation, error) { return granted, nil }}
			l := NewLease(Bounds{Tokens: 1000, Cost: 1000}, dollars, 0)
			l.Share(p)
			other := l.HoldTurn("m", 1)
			h, err := l.Reserve(context.Background(), "m", c.prompt, c.reply, true)
			require.NoError(t, err)
			require.Equal(t, []hostopt.Reservation{{Prompt: float64(c.prompt), Reply: float64(2 * c.reply)}}, p.asked)
			require.Equal(t, c.tokens, h.Reply)
			require.InDelta(t, min(c.granted, float64(2*c.reply)), l.held.replyCost, 1e-9)

			l.Settle(h, Call{Model: "m", Usage: priced(c.prompt, 3)})
			require.Equal(t, []hostopt.Reservation{granted}, p.released)
			require.Equal(t, []float64{float64(c.prompt + 6)}, p.paid)
			l.Settle(other, Call{Turn: true})
			require.Equal(t, []float64{float64(c.prompt + 6), 0}, p.paid, "a cost that is not known")
			require.Equal(t, Hold{}, l.held, "all is given back")
		})
	}
}

// A quota that refuses a call, or that grants nonsense, ends the run.
func TestAQuotaRefuses(t *testing.T) {
	empty := errors.New("the month's money is spent")
	for name, c := range map[string]struct {
		grant hostopt.Reservation
		err   error
		says  string
	}{
		"refused":         {hostopt.Reservation{}, empty, empty.Error()},
		"a negative sum":  {hostopt.Reservation{Reply: -1}, nil, "reserved 0 USD for the prompt and -1 for the reply"},
		"a negative part": {hostopt.Reservation{Prompt: -1, Reply: 80}, nil, "the quota reserved -1 USD"},
		"no number":       {hostopt.Reservation{Prompt: math.NaN(), Reply: 80}, nil, "the quota reserved NaN USD"},
	} {
		t.Run(name, func(t *testing.T) {
			l := NewLease(Bounds{SubCalls: 5}, dollars, 0)
			l.Share(&purse{grant: func(hostopt.Reservation) (hostopt.Reservation, error) { return c.grant, c.err }})
			_, err := l.Reserve(context.Background(), "m", 10, 40, true)
			require.ErrorContains(t, err, c.says)
			var limit *Limit
			require.ErrorAs(t, err, &limit)
			require.Equal(t, termination.CostLimit, limit.Status)
			calls, _, _, _ := l.Spent()
			require.Zero(t, calls, "the call was not made")
			require.Equal(t, Hold{}, l.held)
			require.False(t, l.Grants())

			_, err = l.ReserveTurn(context.Background(), "m", 1, true)
			require.Equal(t, limit, err, "nor is there money for a last turn")
			calls, _, _, _ = l.Spent()
			require.Zero(t, calls, "a turn of the root is no sub-call")
		})
	}
}

func TestTurnsDrawOnTheQuota(t *testing.T) {
	p := &purse{grant: all}
	l := NewLease(Bounds{Tokens: 10}, dollars, 0)
	l.Share(p)
	h, err := l.ReserveTurn(context.Background(), "m", 10, false)
	require.NoError(t, err)
	require.Equal(t, []hostopt.Reservation{{Prompt: 10}}, p.asked)
	l.Settle(h, Call{Model: "m", Turn: true, Usage: priced(10, 0)})

	_, err = l.ReserveTurn(context.Background(), "m", 5, true)
	require.NoError(t, err)
	require.Len(t, p.asked, 1, "the last turn is made without a limit, too")
	require.NotNil(t, l.Exceeded("m", 1, true))
	_, err = l.ReserveTurn(context.Background(), "m", 5, true)
	require.NoError(t, err)
	require.Len(t, p.asked, 1, "the last turn is beyond the run's own limits")
}

func TestACallIsCancelledWhileTheQuotaThinks(t *testing.T) {
	stopped := errors.New("the person stopped it")
	ctx, cancel := context.WithCancelCause(context.Background())
	l := NewLease(Bounds{}, dollars, 0)
	l.Share(&purse{grant: func(hostopt.Reservation) (hostopt.Reservation, error) {
		cancel(stopped)
		return hostopt.Reservation{}, ctx.Err()
	}})
	_, err := l.Reserve(ctx, "m", 1, 0, true)
	require.Equal(t, stopped, err)
	require.True(t, l.Grants(), "it sets no limit")
}
