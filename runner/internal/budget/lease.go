// Package budget keeps what one question and everything below it may spend, and what they spent. A [Lease] is shared by a
// whole tree of runs.
package budget

import (
	"fmt"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// Bounds are what a question may use. 0 means no bound.
type Bounds struct {
	Turns    int
	SubCalls int64
	Tokens   int64
	Cost     float64 // USD
	Time     time.Duration
	Recorded int64 // bytes of texts in the log
}

// Limit is a budget that is used up. Used and Bound are written for people.
type Limit struct {
	Name        string
	Used, Bound string
	Status      termination.Status
}

func (l *Limit) Error() string {
	return fmt.Sprintf("the budget of this run is used up: %s (%s of %s)", l.Name, l.Used, l.Bound)
}

// Lease is what the whole tree below one question may spend. What a call will use at least is held before the call and
// settled after it. So any number of concurrent calls overshoot a count by nothing, and tokens and cost by no more than
// what was in flight. The one turn in which a model may answer after a limit is not held: it is paid beyond the budget.
type Lease struct {
	mu     sync.Mutex
	bounds Bounds
	prices llm.Prices

	calls    int64 // sub-calls and turns of child runs, made or under way
	tokens   int64
	held     int64 // tokens of calls under way
	cost     float64
	heldCost float64
	recorded int64  // bytes of texts
	hit      *Limit // what refused a call; no further call is granted then
	spent    map[string]*spent

	began    time.Time
	deadline time.Time
}

// NewLease starts the clock. before is the time that the run took before it was interrupted.
func NewLease(bounds Bounds, prices llm.Prices, before time.Duration) *Lease {
	l := &Lease{bounds: bounds, prices: prices, spent: map[string]*spent{}}
	l.began = time.Now().Add(-before)
	if bounds.Time > 0 {
		l.deadline = l.began.Add(bounds.Time)
	}
	return l
}

// Hold is what a call under way has reserved.
type Hold struct {
	tokens int64
	cost   float64
}

// Reserve asks for a call of a model whose prompt has about this many tokens and whose reply has at most reply, 0 if that is not known.
// A call below the root also counts as a sub-call.
func (l *Lease) Reserve(model string, prompt, reply int64, below bool) (Hold, *Limit) {
	h := l.estimate(model, prompt, reply)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hit == nil {
		l.hit = l.refusal(h, below)
	}
	if l.hit != nil {
		return Hold{}, l.hit
	}
	if below {
		l.calls++
	}
	l.held += h.tokens
	l.heldCost += h.cost
	return h, nil
}

// HoldTurn reserves for a turn of the root, which is made in any case: the limits were asked before, or this is the last turn.
func (l *Lease) HoldTurn(model string, prompt int64) Hold {
	h := l.estimate(model, prompt, 0)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held += h.tokens
	l.heldCost += h.cost
	return h
}

// Settle gives back a hold and adds what the call used. A call that failed and used nothing settles with a zero usage. It
// reports whether this is the first call of a model whose price is not known.
func (l *Lease) Settle(h Hold, c Call) (unpriced bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held -= h.tokens
	l.heldCost -= h.cost
	return l.add(c)
}

// Record counts the bytes of a text that goes into the log, or refuses them. The limit that it returns does not end the run.
func (l *Lease) Record(bytes int64) *Limit {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.bounds.Recorded; b > 0 && l.recorded+bytes > b {
		return &Limit{Name: "recorded texts", Used: quantity.Bytes(l.recorded), Bound: quantity.Bytes(b)}
	}
	l.recorded += bytes
	return nil
}

// Exceeded returns the limit that is hit: one that refused a call, one that is reached, or one that a prompt of the given
// size would overdraw.
func (l *Lease) Exceeded(model string, prompt int64, below bool) *Limit {
	h := l.estimate(model, prompt, 0)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hit == nil {
		l.hit = l.refusal(Hold{}, false)
	}
	if l.hit != nil {
		return l.hit
	}
	return l.refusal(h, below)
}

// Grants reports whether a sub-call would still be granted.
func (l *Lease) Grants() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hit == nil && l.refusal(Hold{}, true) == nil
}

// Refuse returns the limit that stands in the way of a sub-call, and holds to it from then on.
func (l *Lease) Refuse() *Limit {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hit == nil {
		l.hit = l.refusal(Hold{}, true)
	}
	return l.hit
}

// TimeLimit is the limit of time, as it stands.
func (l *Lease) TimeLimit() *Limit {
	return &Limit{Name: "time", Used: time.Since(l.began).Round(time.Second).String(), Bound: l.bounds.Time.String(), Status: termination.TimeLimit}
}

// Deadline is when the time is used up; zero without a bound.
func (l *Lease) Deadline() time.Time { return l.deadline }

// Spent is what the whole tree used so far.
func (l *Lease) Spent() (calls, tokens int64, cost float64, elapsed time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls, l.tokens, l.cost, time.Since(l.began)
}

// Tokens are those that remain, calls under way not counted; ok is false without a bound.
func (l *Lease) Tokens() (left int64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(0, l.bounds.Tokens-l.tokens-l.held), l.bounds.Tokens > 0
}

// Left tells what remains after a turn.
func (l *Lease) Left(turn int) prompts.Left {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.bounds
	priced, used := l.known()
	return prompts.Left{
		Turns: max(0, b.Turns-turn), MaxTurns: b.Turns,
		SubCalls: max(0, b.SubCalls-l.calls), MaxSubCalls: b.SubCalls,
		Tokens: max(0, b.Tokens-l.tokens-l.held), MaxTokens: b.Tokens,
		Cost: max(0, b.Cost-l.cost-l.heldCost), MaxCost: b.Cost, CostKnown: priced && used,
		Time: max(0, time.Until(l.deadline)), MaxTime: b.Time,
	}
}

func (l *Lease) estimate(model string, prompt, reply int64) Hold {
	h := Hold{tokens: prompt + reply}
	if c := l.prices.Cost(model, llm.Usage{Prompt: prompt, Completion: reply}); c != nil {
		h.cost = *c
	}
	return h
}

// refusal is the limit that stands in the way of a call. The caller holds mu.
func (l *Lease) refusal(h Hold, below bool) *Limit {
	b := l.bounds
	switch {
	case below && b.SubCalls > 0 && l.calls >= b.SubCalls:
		return &Limit{"sub-calls", fmt.Sprint(l.calls), fmt.Sprint(b.SubCalls), termination.SubCallLimit}
	case b.Tokens > 0 && l.tokens+l.held+h.tokens > b.Tokens:
		return &Limit{"tokens", quantity.Count(l.tokens + l.held), quantity.Count(b.Tokens), termination.TokenLimit}
	case b.Cost > 0 && l.cost+l.heldCost+h.cost > b.Cost:
		return &Limit{"cost", quantity.Dollars(l.cost + l.heldCost), quantity.Dollars(b.Cost), termination.CostLimit}
	case !l.deadline.IsZero() && !time.Now().Before(l.deadline):
		return l.TimeLimit()
	}
	return nil
}

// Recall adds what the recorded part of a run used.
func (l *Lease) Recall(events []trajectory.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range recorded(events) {
		if !c.Turn || c.Path != "" {
			l.calls++
		}
		l.add(c)
	}
	l.recorded += texts(events)
}
