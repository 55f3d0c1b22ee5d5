// Package budget limits and counts what one question and everything below it spend. A [Lease] is shared by a whole
// tree of runs.
package budget

import (
	"context"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/kit/callback"
	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/runner/internal/hostopt"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Bounds are the budgets of a question. 0 means no bound.
type Bounds struct {
	Turns    int
	SubCalls int64
	Tokens   int64
	// Completion bounds the tokens of replies. It is checked between calls and not reserved: a reply in flight is
	// not cut.
	Completion int64
	Cost       float64 // USD
	Time       time.Duration
	Recorded   int64 // bytes of texts in the log
}

// Lease enforces the budget of one question and the whole tree below it. A call reserves the least that it will
// use: its prompt, and also its reply if the caller bounds that. Afterwards it settles. So concurrent calls never
// exceed a count, and exceed tokens and cost only by unbounded replies in flight. A reply with a high bound that
// turns out short must not end a run: if only the replies of calls in flight leave too little room, a call waits
// for them. The one turn in which a model may answer after a limit is not reserved: it is paid beyond the budget.
type Lease struct {
	mu     sync.Mutex
	bounds Bounds
	prices llm.Prices
	quota  hostopt.Quota // nil: none

	calls    int64 // sub-calls and turns of child runs, made or in flight
	tokens   int64
	replies  int64 // tokens that replies used
	cost     float64
	held     Hold          // sum for all calls in flight
	settled  chan struct{} // closed and replaced when a call is settled
	recorded int64         // bytes of texts in the log
	hit      *Limit        // the limit that refused a call; no further call is granted
	spent    map[string]*runUsage
	records  map[string]*record // by model

	began    time.Time
	deadline time.Time
}

// NewLease starts the clock. before is the time that the run had taken before it was interrupted.
func NewLease(bounds Bounds, prices llm.Prices, before time.Duration) *Lease {
	l := &Lease{
		bounds: bounds, prices: prices, settled: make(chan struct{}), spent: map[string]*runUsage{},
		records: map[string]*record{},
	}
	l.began = time.Now().Add(-before)
	if bounds.Time > 0 {
		l.deadline = l.began.Add(bounds.Time)
	}
	return l
}

// Hold is the reservation of a call in flight.
type Hold struct {
	// Reply bounds the tokens of the reply: as requested, or what is left for it. 0 if it is not bounded.
	Reply      int64
	prompt     int64
	promptCost float64
	replyCost  float64
	shared     hostopt.Reservation // reservation in the quota
}

// Reserve reserves budget for a call whose prompt has about prompt tokens and whose reply has at most reply tokens,
// 0 if not known. A call below the root also counts as a sub-call. The error is a [*Limit], or that of ctx while
// the call waits for others.
func (l *Lease) Reserve(ctx context.Context, model string, prompt, reply int64, below bool) (Hold, error) {
	h := l.estimate(model, prompt, reply)
	for {
		granted, settled, err := l.tryReserve(h, below)
		if settled == nil && err == nil {
			return l.acquire(ctx, granted, below)
		}
		if settled == nil {
			return granted, err
		}
		select {
		case <-settled:
		case <-ctx.Done():
			return Hold{}, context.Cause(ctx)
		}
	}
}

// tryReserve grants or refuses a call, or returns a channel: when settled is closed, the call can be tried again.
func (l *Lease) tryReserve(h Hold, below bool) (granted Hold, settled chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hit == nil {
		l.hit = l.refusal(h, below)
	}
	if l.hit != nil {
		return Hold{}, nil, l.hit
	}
	if !l.fits(h) {
		if l.held.Reply > 0 { // not replyCost, because sums of floats leave remainders
			return Hold{}, l.settled, nil
		}
		h = l.shortened(h)
	}
	if below {
		l.calls++
	}
	l.hold(h, 1)
	return h, nil, nil
}

// fits reports whether the reply fits in addition to those in flight. The caller holds mu.
func (l *Lease) fits(h Hold) bool {
	b := l.bounds
	return (h.Reply == 0 || b.Tokens == 0 || l.tokens+l.held.prompt+l.held.Reply+h.prompt+h.Reply <= b.Tokens) &&
		(h.replyCost == 0 || b.Cost == 0 ||
			l.cost+l.held.promptCost+l.held.replyCost+h.promptCost+h.replyCost <= b.Cost)
}

// shortened returns a hold whose reply is cut to what is left. The caller holds mu.
func (l *Lease) shortened(h Hold) Hold {
	asked, b := h.Reply, l.bounds
	if b.Tokens > 0 {
		h.Reply = max(1, min(h.Reply, b.Tokens-l.tokens-l.held.prompt-h.prompt))
	}
	if b.Cost > 0 && h.replyCost > 0 {
		each := h.replyCost / float64(asked)
		h.Reply = max(1, min(h.Reply, int64((b.Cost-l.cost-l.held.promptCost-h.promptCost)/each)))
		h.replyCost = each * float64(h.Reply)
	}
	return h
}

// hold adds a hold to the total, or subtracts it if sign is -1. The caller holds mu.
func (l *Lease) hold(h Hold, sign int64) {
	l.held.prompt += sign * h.prompt
	l.held.Reply += sign * h.Reply
	l.held.promptCost += float64(sign) * h.promptCost
	l.held.replyCost += float64(sign) * h.replyCost
	if l.held.prompt == 0 { // nothing is in flight: clear float remainders
		l.held = Hold{}
	}
}

// HoldTurn reserves budget for a turn of the root, which is made in any case: the limits were checked before, or
// this is the last turn.
func (l *Lease) HoldTurn(model string, prompt int64) Hold {
	h := l.estimate(model, prompt, 0)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hold(h, 1)
	return h
}

// Settle releases a hold and adds the call's usage. A call that failed without usage settles with a zero usage.
// Settle reports whether this is the first call of a model whose price is not known.
func (l *Lease) Settle(h Hold, c Call) (unpriced bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.release(h)
	if l.quota != nil {
		cost := 0.0
		if c.Usage.Cost != nil {
			cost = *c.Usage.Cost
		}
		// An error here does not end the run, because the reply is already paid for.
		ctx, cancel := context.WithTimeout(context.Background(), releaseTime)
		defer cancel()
		_, _ = callback.Call(ctx, "the quota", func() (struct{}, error) {
			l.quota.Release(h.shared, cost)
			return struct{}{}, nil
		})
	}
	return l.add(c)
}

// release releases a hold. The caller holds mu.
func (l *Lease) release(h Hold) {
	l.hold(h, -1)
	close(l.settled)
	l.settled = make(chan struct{})
}

// Grants reports whether a sub-call would be granted now.
func (l *Lease) Grants() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hit == nil && l.refusal(Hold{}, true) == nil
}

// Deadline is when the time is up; zero without a bound.
func (l *Lease) Deadline() time.Time { return l.deadline }

// Spent returns the usage of the whole tree so far.
func (l *Lease) Spent() (calls, tokens int64, cost float64, elapsed time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls, l.tokens, l.cost, time.Since(l.began)
}

// Left returns the remaining budgets after a turn.
func (l *Lease) Left(turn int) prompts.RemainingBudget {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.bounds
	priced, used := l.known()
	return prompts.RemainingBudget{
		Turns: max(0, b.Turns-turn), MaxTurns: b.Turns,
		SubCalls: max(0, b.SubCalls-l.calls), MaxSubCalls: b.SubCalls,
		Tokens: max(0, b.Tokens-l.tokens-l.held.prompt), MaxTokens: b.Tokens,
		Cost: max(0, b.Cost-l.cost-l.held.promptCost), MaxCost: b.Cost, CostKnown: priced && used,
		Time: max(0, time.Until(l.deadline)), MaxTime: b.Time,
	}
}

func (l *Lease) estimate(model string, prompt, reply int64) Hold {
	h := Hold{prompt: prompt, Reply: reply}
	if price, ok := l.prices.Lookup(model); ok {
		h.promptCost = price.Of(llm.Usage{Prompt: prompt})
		h.replyCost = price.Of(llm.Usage{Prompt: prompt, Completion: reply}) - h.promptCost
	}
	return h
}

// Recall adds the usage in the recorded part of a run.
func (l *Lease) Recall(events []trajectory.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range recorded(events) {
		if !c.Lost && (!c.Turn || c.Path != "") {
			l.calls++
		}
		l.add(c)
	}
	l.recorded += texts(events)
}
