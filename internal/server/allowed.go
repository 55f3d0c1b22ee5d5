package server

import (
	"context"
	"errors"

	"github.com/gorlm/rlm/internal/server/internal/allowance"
	"github.com/gorlm/rlm/internal/server/internal/live"
	"github.com/gorlm/rlm/internal/server/openai"
	"github.com/gorlm/rlm/runner"
)

// admit lets somebody begin a run within his limits. The owner has none but those of the runner.
func (s *Server) admit(who Person) (*allowance.Grant, error) {
	if who.Owner {
		return nil, nil
	}
	return s.spent.Begin(who.Name, s.users.limits(who.Name))
}

// admitAPI is admit for the OpenAI endpoint.
func (s *Server) admitAPI(who openai.Caller) (openai.Grant, error) {
	g, err := s.admit(Person{who.Name, who.Owner})
	var exceeded *allowance.ExceededError
	switch {
	case errors.As(err, &exceeded) && exceeded.Day:
		return nil, &openai.RefusedError{Message: exceeded.Message, Code: "insufficient_quota", After: exceeded.After}
	case errors.As(err, &exceeded):
		return nil, &openai.RefusedError{Message: exceeded.Message, Code: "rate_limit_exceeded", After: exceeded.After}
	case err != nil:
		return nil, err
	case g == nil:
		return freely{}, nil
	}
	return g, nil
}

// freely is a grant without a bound.
type freely struct{}

func (freely) Left() float64      { return -1 }
func (freely) Spent(float64) bool { return true }
func (freely) End(float64)        {}

// within does something with a session within a grant: what is left of the day bounds the run, and what it costs is counted. The session's
// budgets are what they were when it is done.
func within(g *allowance.Grant, do func(context.Context, *runner.Session) error) func(context.Context, *runner.Session) error {
	if g == nil {
		return do
	}
	return func(ctx context.Context, rs *runner.Session) error {
		before := rs.Totals().Cost
		defer func() { g.End(rs.Totals().Cost - before) }()
		stop := runner.WithStop(func(st runner.State) (string, bool) {
			return "the budget of this user for today is used up", !g.Spent(st.Cost)
		})
		if err := rs.Set(stop); err != nil {
			return err
		}
		defer func() { _ = rs.Set(runner.WithStop(nil)) }() // an option that is always valid
		return do(ctx, rs)
	}
}

// cellWithin runs a person's cell within the limits of who asks for it: what is left of the day bounds what its calls of models cost, and
// that is counted.
func (s *Server) cellWithin(who Person, l *live.Session, do func(context.Context, *runner.Session) error) func(context.Context, *runner.Session) error {
	if who.Owner {
		return do
	}
	return func(ctx context.Context, rs *runner.Session) error {
		_, before, _, err := l.Book().Tallies(0)
		if err != nil {
			return err
		}
		g := s.spent.Cell(who.Name, s.users.limits(who.Name))
		defer func() {
			_, after, _, _ := l.Book().Tallies(0) // what could be read counts
			g.End(after.Cost - before.Cost)
		}()
		if left := g.Left(); left >= 0 {
			old := rs.Budgets()
			bounded := old
			if bounded.Cost < 0 || bounded.Cost > left {
				bounded.Cost = left
			}
			if left == 0 { // which as a budget would be no bound: no call fits into this one
				bounded.Cost, bounded.Tokens = old.Cost, 1
			}
			if err := rs.Set(runner.WithBudgets(bounded)); err != nil {
				return err
			}
			defer func() { _ = rs.Set(runner.WithBudgets(old)) }() // they were valid before
		}
		return do(ctx, rs)
	}
}
