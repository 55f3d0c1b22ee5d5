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

// account compares the usage of a batch's jobs with its budget.
type account struct {
	began time.Time

	mu      sync.Mutex
	budget  Budget
	settled usage             // usage of jobs with a result
	live    map[string]*usage // usage of running jobs, by key
	// lease, for a shared queue, is this node's part of the budget. The account then counts only what this node
	// has used.
	lease *budgetShare
	work  context.Context // the context of the runs
}

// bound sets the budget, which may have been raised since the last call.
func (a *account) bound(b Budget) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.budget = b
	if a.lease != nil {
		a.lease.bound(b)
	}
}

// add counts the usage in an event of a run.
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

// settle replaces what was counted while a job ran with the job's final usage.
func (a *account) settle(key string, s usage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lease != nil {
		s = usage{} // not the run's usage: another node may have used a part of it
		if mine := a.live[key]; mine != nil {
			s = *mine
		}
	}
	delete(a.live, key)
	a.settled = a.settled.plus(s)
}

// used returns the usage counted on this node.
func (a *account) used() usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	sum := a.settled
	for _, s := range a.live {
		sum = sum.plus(*s)
	}
	return sum
}

// limit is the function for host.Limit: the budget of the batch limits each of its runs.
func (a *account) limit() (status termination.Status, used, bound string) {
	sum := a.used()
	a.mu.Lock()
	b, lease, took := a.budget, a.lease, time.Since(a.began)
	a.mu.Unlock()
	cost, tokens := b.Cost > 0 && sum.Cost >= b.Cost, b.Tokens > 0 && sum.Tokens >= b.Tokens
	if lease != nil {
		cost, tokens = lease.over(a.work, sum)
		sum = usage{b.Cost, b.Tokens} // usage of all nodes together
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

// stopped reports whether a run ended because the budget of the batch, rather than its own, was used up.
func (a *account) stopped(res runner.Result) bool {
	status, _, bound := a.limit()
	return bound != "" && res.Status == status && res.EndedBy == termination.ByLimit
}
