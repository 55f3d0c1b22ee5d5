package eval

import (
	"context"
	"fmt"
	"sync"

	"github.com/gorlm/rlm/internal/kit/units"
)

// BudgetError means that the budget does not suffice for the next answer.
type BudgetError struct {
	Budget, Spent float64 // US dollars
	Next          float64 // the maximal cost of the next answer
	Done, Of      int     // results so far, and all results
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("the budget of %s is too small: %s are spent on %d of %s, and the next answer can cost up to %s",
		units.Dollars(e.Budget), units.Dollars(e.Spent), e.Done, units.Of(e.Of, "answer"), units.Dollars(e.Next))
}

// lease keeps an evaluation within its budget: it takes an answer's maximal cost before the answer starts, and
// returns the rest afterwards. So the budget is never exceeded, however many answers run concurrently.
type lease struct {
	budget float64 // 0: no bound

	mu      sync.Mutex
	spent   float64
	held    float64       // US dollars held by running answers
	waiting chan struct{} // closed when an answer returns its rest
}

func newLease(budget, spent float64) *lease {
	return &lease{budget: budget, spent: spent, waiting: make(chan struct{})}
}

// take waits until most is left of the budget, and takes it. It returns a *BudgetError if that much will never be
// left.
func (l *lease) take(ctx context.Context, most float64) error {
	for {
		l.mu.Lock()
		if l.budget == 0 || l.spent+l.held+most <= l.budget {
			l.held += most
			l.mu.Unlock()
			return nil
		}
		spent, alone, waiting := l.spent, l.held == 0, l.waiting
		l.mu.Unlock()
		if alone {
			return &BudgetError{Budget: l.budget, Spent: spent, Next: most}
		}
		select {
		case <-waiting:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// settle gives back what was taken, and counts what was spent.
func (l *lease) settle(taken, spent float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held -= taken; l.held < 1e-9 { // only rounding errors are left
		l.held = 0
	}
	l.spent += spent
	close(l.waiting)
	l.waiting = make(chan struct{})
}

func (l *lease) used() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.spent
}
