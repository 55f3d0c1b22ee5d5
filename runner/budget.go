package runner

import (
	"fmt"
	"sync"
	"time"

	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// limit is a budget that is used up.
type limit struct {
	name        string
	used, bound string
	status      termination.Status
}

func (l *limit) Error() string {
	return fmt.Sprintf("the budget of this run is used up: %s (%s of %s)", l.name, l.used, l.bound)
}

// lease is what the whole tree below one question may spend. What a call will use at least is held before the call
// and settled after it, so that any number of concurrent calls overshoot a count by nothing, and tokens and cost by no
// more than what was in flight. The one turn in which a model may answer after a limit is not held: it is paid beyond the budget.
type lease struct {
	mu     sync.Mutex
	bounds Budgets
	prices llm.Prices

	calls     int64 // sub-calls paid for or under way
	tokens    int64
	held      int64 // tokens of calls under way
	cost      float64
	heldCost  float64
	usage     map[string]trajectory.Usage
	unpriced  map[string]bool
	hit       *limit // what refused a call; no further call is granted then
	modelTime time.Duration

	began    time.Time
	deadline time.Time
}

// newLease starts the clock. spent is the time that the run took before it was interrupted.
func newLease(bounds Budgets, prices llm.Prices, spent time.Duration) *lease {
	l := &lease{bounds: bounds, prices: prices, usage: map[string]trajectory.Usage{}, unpriced: map[string]bool{}}
	l.began = time.Now().Add(-spent)
	if bounds.Time > 0 {
		l.deadline = l.began.Add(bounds.Time)
	}
	return l
}

// hold is what a call under way has reserved.
type hold struct {
	tokens int64
	cost   float64
}

// reserve asks for a call of a model whose prompt has about this many tokens. A sub-call also counts as one.
func (l *lease) reserve(model string, prompt int64, sub bool) (hold, *limit) {
	h := l.estimate(model, prompt)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hit == nil {
		l.hit = l.refusal(h, sub)
	}
	if l.hit != nil {
		return hold{}, l.hit
	}
	if sub {
		l.calls++
	}
	l.held += h.tokens
	l.heldCost += h.cost
	return h, nil
}

func (l *lease) refusal(h hold, sub bool) *limit {
	b := l.bounds
	switch {
	case sub && b.SubCalls > 0 && l.calls >= b.SubCalls:
		return &limit{"sub-calls", fmt.Sprint(l.calls), fmt.Sprint(b.SubCalls), termination.SubCallLimit}
	case b.Tokens > 0 && l.tokens+l.held+h.tokens > b.Tokens:
		return &limit{"tokens", prompts.Count(l.tokens + l.held), prompts.Count(b.Tokens), termination.TokenLimit}
	case b.Cost > 0 && l.cost+l.heldCost+h.cost > b.Cost:
		return &limit{"cost", usd(l.cost + l.heldCost), usd(b.Cost), termination.CostLimit}
	case !l.deadline.IsZero() && !time.Now().Before(l.deadline):
		return l.timeLimit()
	}
	return nil
}

func usd(v float64) string { return fmt.Sprintf("$%.4g", v) }

func (l *lease) timeLimit() *limit {
	return &limit{"time", time.Since(l.began).Round(time.Second).String(), l.bounds.Time.String(), termination.TimeLimit}
}

// hold reserves for a turn of the root, which is made in any case: the limits were asked before, or this is the last turn.
func (l *lease) hold(model string, prompt int64) hold {
	h := l.estimate(model, prompt)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held += h.tokens
	l.heldCost += h.cost
	return h
}

func (l *lease) estimate(model string, prompt int64) hold {
	h := hold{tokens: prompt}
	if c := l.prices.Cost(model, llm.Usage{Prompt: prompt}); c != nil {
		h.cost = *c
	}
	return h
}

// grants reports whether a sub-call would still be granted.
func (l *lease) grants() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hit == nil && l.refusal(hold{}, true) == nil
}

// refuse returns the limit that stands in the way of a sub-call, and holds to it from then on.
func (l *lease) refuse() *limit {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hit == nil {
		l.hit = l.refusal(hold{}, true)
	}
	return l.hit
}

// settle gives back a hold and adds what the call used. A call that failed and used nothing settles with a zero usage. It
// reports whether this is the first call of a model whose price is not known.
func (l *lease) settle(h hold, model string, u trajectory.Usage, took time.Duration) (unpriced bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held -= h.tokens
	l.heldCost -= h.cost
	l.modelTime += took
	before := len(l.unpriced)
	l.add(model, u)
	return len(l.unpriced) > before
}

// recall adds what a recorded call used, when a run is taken up again.
func (l *lease) recall(model string, u trajectory.Usage, sub bool, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if sub {
		l.calls++
	}
	l.modelTime += took
	l.add(model, u)
}

func (l *lease) add(model string, u trajectory.Usage) {
	if u == (trajectory.Usage{}) {
		return
	}
	l.tokens += u.Prompt + u.Completion + u.Wasted
	if u.Cost != nil {
		l.cost += *u.Cost
	} else {
		l.unpriced[model] = true
	}
	l.usage[model] = addUsage(l.usage[model], u)
}

// exceeded returns the limit that is hit: one that refused a call, or one that is reached.
func (l *lease) exceeded() *limit {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hit == nil {
		l.hit = l.refusal(hold{}, false)
	}
	return l.hit
}

// left tells what remains.
func (l *lease) left(turn int) prompts.Left {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.bounds
	return prompts.Left{
		Turns: max(0, b.Iterations-turn), MaxTurns: b.Iterations,
		SubCalls: max(0, b.SubCalls-l.calls), MaxSubCalls: b.SubCalls,
		Tokens: max(0, b.Tokens-l.tokens-l.held), MaxTokens: b.Tokens,
		Cost: max(0, b.Cost-l.cost-l.heldCost), MaxCost: b.Cost, CostKnown: len(l.unpriced) == 0 && len(l.usage) > 0,
		Time: max(0, time.Until(l.deadline)), MaxTime: b.Time,
	}
}

// priced turns what a model reports into what the log holds: the cost is the endpoint's own, else from the table, else not known.
func priced(prices llm.Prices, model string, resp llm.Response) trajectory.Usage {
	u := trajectory.Usage{
		Prompt: resp.Usage.Prompt, Completion: resp.Usage.Completion, Reasoning: resp.Usage.Reasoning,
		Cached: resp.Usage.Cached, Wasted: resp.Usage.Wasted, Estimated: resp.Usage.Estimated,
	}
	switch {
	case resp.Cost != nil:
		u.Cost, u.CostFrom = resp.Cost, "endpoint"
	default:
		if c := prices.Cost(model, resp.Usage); c != nil {
			u.Cost, u.CostFrom = c, "table"
		}
	}
	return u
}

// addUsage sums two usages. The cost of the sum is known only if both are.
func addUsage(a, b trajectory.Usage) trajectory.Usage {
	if a == (trajectory.Usage{}) {
		return b
	}
	a.Prompt += b.Prompt
	a.Completion += b.Completion
	a.Reasoning += b.Reasoning
	a.Cached += b.Cached
	a.Wasted += b.Wasted
	a.Estimated = a.Estimated || b.Estimated
	if a.Cost == nil || b.Cost == nil {
		a.Cost, a.CostFrom = nil, ""
		return a
	}
	sum := *a.Cost + *b.Cost
	a.Cost = &sum
	if a.CostFrom != b.CostFrom {
		a.CostFrom = "endpoint and table"
	}
	return a
}
