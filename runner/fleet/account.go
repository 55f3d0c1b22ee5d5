package fleet

import (
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// account is what the jobs of a batch have used, held against its budget.
type account struct {
	began time.Time

	mu      sync.Mutex
	budget  Budget
	settled spent             // of jobs that have a result
	live    map[string]*spent // of those that run, by key
}

// bound sets the budget, which may be raised meanwhile.
func (a *account) bound(b Budget) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.budget = b
}

// add counts the calls of a run.
func (a *account) add(key string, ev trajectory.Event) {
	var u trajectory.Usage
	switch d := ev.Data.(type) {
	case trajectory.RunStarted:
		if ev.Path == "" {
			a.mu.Lock()
			a.live[key] = &spent{}
			a.mu.Unlock()
		}
		return
	case trajectory.ReplyReceived:
		u = d.Usage
	case trajectory.SubCallEnded:
		u = d.Usage
	default:
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.live[key]
	if s == nil {
		s = &spent{}
		a.live[key] = s
	}
	s.Tokens += int64(u.Prompt) + int64(u.Completion)
	if u.Cost != nil {
		s.Cost += *u.Cost
	}
}

// settle puts what a job came to in the place of what was counted while it ran.
func (a *account) settle(key string, s spent) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.live, key)
	a.settled = a.settled.plus(s)
}

// recount puts what all results add up to, also those of other nodes, in the place of what was counted here.
func (a *account) recount(s spent) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.settled = s
}

// limit is a runner.LimitFunc: the budget of the batch is one of each of its runs.
func (a *account) limit() (status termination.Status, used, bound string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	sum := a.settled
	for _, s := range a.live {
		sum = sum.plus(*s)
	}
	took := time.Since(a.began)
	switch b := a.budget; {
	case b.Cost > 0 && sum.Cost >= b.Cost:
		return termination.CostLimit, quantity.Dollars(sum.Cost), quantity.Dollars(b.Cost) + ofTheBatch
	case b.Tokens > 0 && sum.Tokens >= b.Tokens:
		return termination.TokenLimit, quantity.Count(sum.Tokens), quantity.About(b.Tokens, "token") + ofTheBatch
	case b.Time > 0 && took >= b.Time:
		return termination.TimeLimit, took.Round(time.Second).String(), b.Time.String() + ofTheBatch
	}
	return "", "", ""
}

const ofTheBatch = " for the whole batch"

// stopped says that a run has no answer because the budget of the batch was used up, and not its own.
func (a *account) stopped(res runner.Result) bool {
	status, _, bound := a.limit()
	return bound != "" && res.Status == status && res.EndedBy == termination.ByLimit
}
