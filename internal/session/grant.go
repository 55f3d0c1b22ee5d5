package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/host"
)

// Acquire reserves the possible cost of a call in the day's budget, so that concurrent runs do not all spend the
// same remainder. It waits while the calls in progress reserve that remainder. The error has the code Limit, or is
// that of ctx.
func (g *Grant) Acquire(ctx context.Context, call host.Reservation) (host.Reservation, error) {
	if g == nil || g.limit.CostPerDay <= 0 {
		return call, nil
	}
	for {
		granted, settled, err := g.tryAcquire(call)
		if settled == nil {
			return granted, err
		}
		select {
		case <-settled:
		case <-ctx.Done():
			return host.Reservation{}, context.Cause(ctx)
		}
	}
}

// tryAcquire grants or refuses a call, or returns a channel that is closed when the caller should try again.
func (g *Grant) tryAcquire(call host.Reservation) (granted host.Reservation, settled chan struct{}, err error) {
	b := g.ledger
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn()
	if err := b.exceeded(g.name, g.limit, call.Prompt); err != nil {
		g.why, _ = errors.AsType[*Error](err)
		return host.Reservation{}, nil, err
	}
	held := b.held(g.name)
	free := g.limit.CostPerDay - b.spent(g.name) - held.Prompt - call.Prompt
	switch {
	case call.Reply <= free-held.Reply:
	case held.Reply > 0:
		return host.Reservation{}, b.settled, nil
	default:
		call.Reply = free
	}
	g.hold(call, 1)
	if sum := b.spent(g.name) + b.underWayOf(g.name); sum > b.saved[g.name] {
		_ = b.save() // after an error the cost still counts in memory
	}
	return call, nil, nil
}

// meanCost is the total cost and number of some calls.
type meanCost struct {
	sum   float64
	calls int
}

// underWay estimates the cost of a run's calls in progress: their prompts, plus replies that cost as much as the
// user's earlier ones or, if there are none, as much as the prompts. The caller holds mu.
func (b *Ledger) underWay(g *Grant) float64 {
	replies := g.held.Prompt
	if m := b.replies[g.name]; m.calls > 0 {
		replies = m.sum / float64(m.calls) * float64(g.calls)
	}
	return g.held.Prompt + min(replies, g.held.Reply)
}

// underWayOf is underWay for all runs of a user. The caller holds mu.
func (b *Ledger) underWayOf(name string) (sum float64) {
	for g := range b.live {
		if g.name == name {
			sum += b.underWay(g)
		}
	}
	return sum
}

// limitOf returns the largest daily budget among a user's active runs. The caller holds mu.
func (b *Ledger) limitOf(name string) (most float64) {
	for g := range b.live {
		if g.name == name {
			most = max(most, g.limit.CostPerDay)
		}
	}
	return most
}

// Release releases the reservation of a call and records its cost.
func (g *Grant) Release(call host.Reservation, cost float64) {
	if g == nil {
		return
	}
	b := g.ledger
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn()
	if g.limit.CostPerDay > 0 {
		g.hold(call, -1)
		m := b.replies[g.name]
		b.replies[g.name] = meanCost{m.sum + max(0, cost-call.Prompt), m.calls + 1}
	}
	if b.live[g] {
		g.cost += cost
	} else {
		b.past[g.name] += cost // the call outlived its run
		_ = b.save()           // after an error the cost still counts in memory, and the next run saves it
	}
	close(b.settled)
	b.settled = make(chan struct{})
}

// hold adds a call to the reservation of the run, or removes it if sign is -1. The caller holds mu.
func (g *Grant) hold(call host.Reservation, sign float64) {
	g.held.Prompt = max(0, g.held.Prompt+sign*call.Prompt) // sums of floats leave tiny remainders
	g.held.Reply += sign * call.Reply
	g.calls += int(sign)
	if g.held.Reply < 1e-12 {
		g.held.Reply = 0
	}
}

// held returns the possible cost of all of a user's calls in progress. The caller holds mu.
func (b *Ledger) held(name string) (sum host.Reservation) {
	for g := range b.live {
		if g.name == name {
			sum.Prompt += g.held.Prompt
			sum.Reply += g.held.Reply
		}
	}
	return sum
}

// exceeded returns an error if a call with a prompt of this cost may not start. The caller holds mu.
func (b *Ledger) exceeded(name string, l Limits, prompt float64) error {
	spent := b.spent(name)
	switch {
	case l.CostPerDay <= 0:
		return nil
	case spent >= l.CostPerDay:
		return &Error{
			Code: Limit,
			Message: fmt.Sprintf("your budget of %s per day is used up; the next day begins at midnight UTC",
				units.Dollars(l.CostPerDay)),
			After: b.untilTomorrow(), Day: true,
		}
	case spent+prompt > l.CostPerDay:
		return &Error{
			Code: Limit,
			Message: fmt.Sprintf("your budget of %s per day has %s left, and the next prompt alone takes about %s; the next day begins at midnight UTC",
				units.Dollars(l.CostPerDay), units.Dollars(l.CostPerDay-spent), units.Dollars(prompt)),
			After: b.untilTomorrow(), Day: true,
		}
	}
	if held := b.held(name).Prompt; held > 0 && spent+held+prompt > l.CostPerDay {
		return &Error{
			Code:    Limit,
			Message: fmt.Sprintf("the rest of your budget of %s per day is reserved for calls in progress: ask again when they have finished", units.Dollars(l.CostPerDay)),
			After:   5 * time.Second,
		}
	}
	return nil
}

// Refusal returns why the rest of the day's budget allowed no call, and when to retry; nil without a limit. A
// budget reserved for calls in progress may soon be free again.
func (g *Grant) Refusal() *Error {
	if g == nil || g.limit.CostPerDay <= 0 {
		return nil
	}
	b := g.ledger
	b.mu.Lock()
	defer b.mu.Unlock()
	if g.why != nil {
		return g.why
	}
	b.turn()
	return &Error{
		Code: Limit,
		Message: fmt.Sprintf("your budget of %s per day has %s left, which is less than the next call may cost; the next day begins at midnight UTC",
			units.Dollars(g.limit.CostPerDay), units.Dollars(max(0, g.limit.CostPerDay-b.spent(g.name)))),
		After: b.untilTomorrow(), Day: true,
	}
}

func (b *Ledger) untilTomorrow() time.Duration {
	return b.now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(b.now())
}
