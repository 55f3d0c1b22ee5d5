package fleet

import (
	"context"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// account is what the jobs of a batch have used, held against its budget.
type account struct {
	began time.Time

	mu      sync.Mutex
	budget  Budget
	settled usage             // of jobs that have a result
	live    map[string]*usage // of those that run, by key
	// lease, of a queue elsewhere, is this node's part of the budget. What is counted here is what this node has used then.
	lease *budgetShare
	work  context.Context // of the runs
}

// bound sets the budget, which may be raised meanwhile.
func (a *account) bound(b Budget) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.budget = b
	if a.lease != nil {
		a.lease.bound(b)
	}
}

// add counts the calls of a run.
func (a *account) add(key string, ev trajectory.Event) {
	_, began := ev.Data.(trajectory.RunStarted)
	u, ended := ev.Usage()
	if !ended && (!began || ev.Path != "") {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if began {
		a.live[key] = &usage{}
		return
	}
	s := a.live[key]
	if s == nil {
		s = &usage{}
		a.live[key] = s
	}
	s.Tokens += u.Tokens()
	if u.Cost != nil {
		s.Cost += *u.Cost
	}
}

// settle puts what a job came to in the place of what was counted while it ran.
func (a *account) settle(key string, s usage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lease != nil {
		s = usage{} // of the run; a part of it may be that of another node
		if mine := a.live[key]; mine != nil {
			s = *mine
		}
	}
	delete(a.live, key)
	a.settled = a.settled.plus(s)
}

// used is what was counted here.
func (a *account) used() usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	sum := a.settled
	for _, s := range a.live {
		sum = sum.plus(*s)
	}
	return sum
}

// limit is that of host.Limit: the budget of the batch is one of each of its runs.
func (a *account) limit() (status termination.Status, used, bound string) {
	sum := a.used()
	a.mu.Lock()
	b, lease, took := a.budget, a.lease, time.Since(a.began)
	a.mu.Unlock()
	cost, tokens := b.Cost > 0 && sum.Cost >= b.Cost, b.Tokens > 0 && sum.Tokens >= b.Tokens
	if lease != nil {
		cost, tokens = lease.over(a.work, sum)
		sum = usage{b.Cost, b.Tokens} // of all nodes together
	}
	switch {
	case cost:
		return termination.CostLimit, units.Dollars(sum.Cost), units.Dollars(b.Cost) + ofTheBatch
	case tokens:
		return termination.TokenLimit, units.Count(sum.Tokens), units.About(b.Tokens, "token") + ofTheBatch
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
