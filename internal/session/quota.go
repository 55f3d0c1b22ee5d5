package session

import (
	"context"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
)

// Admit grants a run to a person within their limits. The error may be an *Error with the code Limit. The owner of
// the data folder gets a nil grant, which has no limit.
func (m *Manager) Admit(who Person) (*Grant, error) {
	if who.Owner {
		return nil, nil
	}
	return m.spent.Begin(who.Name, m.cfg.Limits(who.Name))
}

// Within returns a function that runs do within the grant: what is left of the day's budget bounds the run, and the
// run's cost is counted.
func (g *Grant) Within(do func(context.Context, *runner.Session) error) func(context.Context, *runner.Session) error {
	if g == nil {
		return do
	}
	return func(ctx context.Context, rs *runner.Session) error {
		defer g.End()
		stop := runner.WithStop(func(runner.State) (string, bool) {
			return "this user's budget for today is used up", !g.Spent()
		})
		return do(host.Within(ctx, stop, host.Share(g)), rs)
	}
}

// CellWithin returns a function that runs do within a person's limits, for a cell: what is left of the day's budget
// bounds the cost of its model calls, and the cost is counted.
func (m *Manager) CellWithin(
	who Person, do func(context.Context, *runner.Session) error,
) func(context.Context, *runner.Session) error {
	if who.Owner {
		return do
	}
	return func(ctx context.Context, rs *runner.Session) error {
		g := m.spent.Cell(who.Name, m.cfg.Limits(who.Name))
		defer g.End()
		ctx = host.Within(ctx, host.Share(g))
		if left := g.Left(); left >= 0 {
			b := rs.Budgets()
			if left == 0 { // 0 would mean no bound, and no call fits into 1 token
				b.Tokens = 1
			} else if b.Cost == 0 || b.Cost > left {
				b.Cost = left
			}
			ctx = host.Within(ctx, runner.WithBudgets(b.Unbounded()))
		}
		return do(ctx, rs)
	}
}
