package budget

import (
	"fmt"
	"time"

	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/termination"
)

// Limit is a budget that is used up, or that the next call would exceed. Used and Bound are written for people.
type Limit struct {
	Name        string
	Used, Bound string
	Status      termination.Status
	Next        string // size of the call that does not fit; empty if nothing is left
	shared      error  // error of the quota that refused the call
}

func (l *Limit) Error() string {
	if l.shared != nil {
		return l.shared.Error()
	}
	if l.Next != "" {
		return fmt.Sprintf("the budget of this run has no room for the call: %s (%s of %s, and the prompt alone takes about %s)", l.Name, l.Used, l.Bound, l.Next)
	}
	return fmt.Sprintf("the budget of this run is used up: %s (%s of %s)", l.Name, l.Used, l.Bound)
}

// Record counts the bytes of a text that is written to the log, or refuses them. The limit returned does not end
// the run.
func (l *Lease) Record(bytes int64) *Limit {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.bounds.Recorded; b > 0 && l.recorded+bytes > b {
		return &Limit{Name: "recorded texts", Used: units.Bytes(l.recorded), Bound: units.Bytes(b)}
	}
	l.recorded += bytes
	return nil
}

// Exceeded returns the limit that is hit: one that refused a call, one that is reached, or one that a prompt of
// the given size would exceed.
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

// Refuse returns the limit that keeps a sub-call from being made, nil if there is none. Once it has returned a
// limit, no call is granted.
func (l *Lease) Refuse() *Limit {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hit == nil {
		l.hit = l.refusal(Hold{}, true)
	}
	return l.hit
}

// TimeLimit returns the limit of time, with the time used so far.
func (l *Lease) TimeLimit() *Limit {
	return &Limit{
		Name: "time", Used: time.Since(l.began).Round(time.Second).String(), Bound: l.bounds.Time.String(),
		Status: termination.TimeLimit,
	}
}

// refusal returns the limit that keeps a call from being made, nil if there is none. The caller holds mu.
func (l *Lease) refusal(h Hold, below bool) *Limit {
	b := l.bounds
	tokens, cost := l.tokens+l.held.prompt, l.cost+l.held.promptCost
	if below && b.SubCalls > 0 && l.calls >= b.SubCalls {
		return &Limit{
			Name: "sub-calls", Used: fmt.Sprint(l.calls), Bound: fmt.Sprint(b.SubCalls),
			Status: termination.SubCallLimit,
		}
	}
	if b.Tokens > 0 && tokens+h.prompt > b.Tokens {
		lim := &Limit{
			Name: "tokens", Used: units.Count(tokens), Bound: units.Count(b.Tokens),
			Status: termination.TokenLimit,
		}
		if tokens < b.Tokens {
			lim.Next = units.Count(h.prompt)
		}
		return lim
	}
	if b.Completion > 0 && l.replies >= b.Completion {
		return &Limit{
			Name: "tokens of replies", Used: units.Count(l.replies), Bound: units.Count(b.Completion),
			Status: termination.TokenLimit,
		}
	}
	if b.Cost > 0 && cost+h.promptCost > b.Cost {
		lim := &Limit{
			Name: "cost", Used: units.Dollars(cost), Bound: units.Dollars(b.Cost),
			Status: termination.CostLimit,
		}
		if cost < b.Cost {
			lim.Next = units.Dollars(h.promptCost)
		}
		return lim
	}
	if !l.deadline.IsZero() && !time.Now().Before(l.deadline) {
		return l.TimeLimit()
	}
	return nil
}
