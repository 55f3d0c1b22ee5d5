// Package budget keeps what one question and everything below it may spend, and what they spent. A [Lease] is shared by a
// whole tree of runs.
package budget

import (
	"context"
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
	// Completion bounds the tokens of replies. It is looked at between calls and not held: a reply under way is not cut.
	Completion int64
	Cost       float64 // USD
	Time       time.Duration
	Recorded   int64 // bytes of texts in the log
}

// Limit is a budget that is used up, or that the next call would overdraw. Used and Bound are written for people.
type Limit struct {
	Name        string
	Used, Bound string
	Status      termination.Status
	next        string // what the call needs that does not fit; empty if nothing is left
}

func (l *Limit) Error() string {
	if l.next != "" {
		return fmt.Sprintf("the budget of this run has no room for the call: %s (%s of %s, and the prompt alone takes about %s)", l.Name, l.Used, l.Bound, l.next)
	}
	return fmt.Sprintf("the budget of this run is used up: %s (%s of %s)", l.Name, l.Used, l.Bound)
}

// Lease is what the whole tree below one question may spend. What a call will use at least, its prompt, is held before the call and
// settled after it; so is the reply where the caller bounds it. So any number of concurrent calls overshoot a count by nothing, and
// tokens and cost by no more than the replies in flight that nobody bounds. A reply that may be long and then is short must not end a
// run: where only the replies of calls under way are in the way, a call waits for them. The one turn in which a model may answer after a
// limit is not held: it is paid beyond the budget.
type Lease struct {
	mu     sync.Mutex
	bounds Bounds
	prices llm.Prices

	calls    int64 // sub-calls and turns of child runs, made or under way
	tokens   int64
	replies  int64 // tokens of them
	cost     float64
	held     Hold          // by all calls under way
	settled  chan struct{} // is closed, and another one made, when a call is settled
	recorded int64         // bytes of texts
	hit      *Limit        // what refused a call; no further call is granted then
	spent    map[string]*spent

	began    time.Time
	deadline time.Time
}

// NewLease starts the clock. before is the time that the run took before it was interrupted.
func NewLease(bounds Bounds, prices llm.Prices, before time.Duration) *Lease {
	l := &Lease{bounds: bounds, prices: prices, settled: make(chan struct{}), spent: map[string]*spent{}}
	l.began = time.Now().Add(-before)
	if bounds.Time > 0 {
		l.deadline = l.began.Add(bounds.Time)
	}
	return l
}

// Hold is what a call under way has reserved.
type Hold struct {
	// Reply is how many tokens its reply may have at most: what was asked for, or what is left for it. 0 if the reply is not bounded.
	Reply      int64
	prompt     int64
	promptCost float64
	replyCost  float64
}

// Reserve asks for a call of a model whose prompt has about this many tokens and whose reply has at most reply, 0 if that is not known.
// A call below the root also counts as a sub-call. The error is a [*Limit], or that of ctx while the call waits for others.
func (l *Lease) Reserve(ctx context.Context, model string, prompt, reply int64, below bool) (Hold, error) {
	h := l.estimate(model, prompt, reply)
	for {
		granted, settled, err := l.tryReserve(h, below)
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

// tryReserve grants or refuses a call, or returns what is closed when it is to be tried again.
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
		if l.held.Reply > 0 || l.held.replyCost > 0 {
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

// fits reports whether the reply has room beside those of the calls under way. The caller holds mu.
func (l *Lease) fits(h Hold) bool {
	b := l.bounds
	return (h.Reply == 0 || b.Tokens == 0 || l.tokens+l.held.prompt+l.held.Reply+h.prompt+h.Reply <= b.Tokens) &&
		(h.replyCost == 0 || b.Cost == 0 || l.cost+l.held.promptCost+l.held.replyCost+h.promptCost+h.replyCost <= b.Cost)
}

// shortened is a hold whose reply takes what is left and no more. The caller holds mu.
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

// hold adds what a call holds to what all hold, or takes it away. The caller holds mu.
func (l *Lease) hold(h Hold, sign int64) {
	l.held.prompt += sign * h.prompt
	l.held.Reply += sign * h.Reply
	l.held.promptCost += float64(sign) * h.promptCost
	l.held.replyCost += float64(sign) * h.replyCost
	if l.held.prompt == 0 { // nothing is under way: no rests of sums
		l.held = Hold{}
	}
}

// HoldTurn reserves for a turn of the root, which is made in any case: the limits were asked before, or this is the last turn.
func (l *Lease) HoldTurn(model string, prompt int64) Hold {
	h := l.estimate(model, prompt, 0)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hold(h, 1)
	return h
}

// Settle gives back a hold and adds what the call used. A call that failed and used nothing settles with a zero usage. It
// reports whether this is the first call of a model whose price is not known.
func (l *Lease) Settle(h Hold, c Call) (unpriced bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hold(h, -1)
	close(l.settled)
	l.settled = make(chan struct{})
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

// Left tells what remains after a turn.
func (l *Lease) Left(turn int) prompts.Left {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.bounds
	priced, used := l.known()
	return prompts.Left{
		Turns: max(0, b.Turns-turn), MaxTurns: b.Turns,
		SubCalls: max(0, b.SubCalls-l.calls), MaxSubCalls: b.SubCalls,
		Tokens: max(0, b.Tokens-l.tokens-l.held.prompt), MaxTokens: b.Tokens,
		Cost: max(0, b.Cost-l.cost-l.held.promptCost), MaxCost: b.Cost, CostKnown: priced && used,
		Time: max(0, time.Until(l.deadline)), MaxTime: b.Time,
	}
}

func (l *Lease) estimate(model string, prompt, reply int64) Hold {
	h := Hold{prompt: prompt, Reply: reply}
	if c := l.prices.Cost(model, llm.Usage{Prompt: prompt}); c != nil {
		h.promptCost = *c
	}
	if c := l.prices.Cost(model, llm.Usage{Prompt: prompt, Completion: reply}); c != nil {
		h.replyCost = *c - h.promptCost
	}
	return h
}

// refusal is the limit that stands in the way of a call. The caller holds mu.
func (l *Lease) refusal(h Hold, below bool) *Limit {
	b := l.bounds
	tokens, cost := l.tokens+l.held.prompt, l.cost+l.held.promptCost
	switch {
	case below && b.SubCalls > 0 && l.calls >= b.SubCalls:
		return &Limit{Name: "sub-calls", Used: fmt.Sprint(l.calls), Bound: fmt.Sprint(b.SubCalls), Status: termination.SubCallLimit}
	case b.Tokens > 0 && tokens+h.prompt > b.Tokens:
		lim := &Limit{Name: "tokens", Used: quantity.Count(tokens), Bound: quantity.Count(b.Tokens), Status: termination.TokenLimit}
		if tokens < b.Tokens {
			lim.next = quantity.Count(h.prompt)
		}
		return lim
	case b.Completion > 0 && l.replies >= b.Completion:
		return &Limit{Name: "tokens of replies", Used: quantity.Count(l.replies), Bound: quantity.Count(b.Completion), Status: termination.TokenLimit}
	case b.Cost > 0 && cost+h.promptCost > b.Cost:
		lim := &Limit{Name: "cost", Used: quantity.Dollars(cost), Bound: quantity.Dollars(b.Cost), Status: termination.CostLimit}
		if cost < b.Cost {
			lim.next = quantity.Dollars(h.promptCost)
		}
		return lim
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
