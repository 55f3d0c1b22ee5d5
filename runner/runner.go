// Package runner is the loop: a model writes cells, a notebook runs them, until there is an answer or a policy says stop. It is the one room that
// knows all the others.
//
// Read it in this order: runner.go (what it is made from), session.go (a notebook, a conversation and a log on disk), question.go (what a
// question adds to it), run.go (the
// loop of one question, as in the picture of the design), turn.go (one reply), cells.go (what it runs), observe.go (what the model is
// told of it), subcall.go and child.go (what cells ask for), budget.go (what all that may cost), journal.go (how every step is on
// disk before its effect is used, and how a run goes on from there), resume.go, replay.go and fork.go.
package runner

import (
	"context"
	"errors"
	"iter"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Runner answers questions. It is made once and holds no state of any run; it is safe for concurrent use.
type Runner struct{ cfg config }

// New makes a runner for a model. The error names an option that makes no sense, and no completion signal at all.
func New(model llm.Model, opts ...Option) (*Runner, error) {
	if model == nil {
		return nil, errors.New("a runner needs a model that answers")
	}
	cfg, err := defaults(model).with(opts...)
	if err != nil {
		return nil, err
	}
	return &Runner{cfg: cfg}, nil
}

// Run answers one question and yields what happens, as it happens. Ranging over it paces the run, break cancels it, it can be ranged over
// once; ranging again yields an error. The last event is trajectory.RunEnded; an error ends the run without one only when the run could not begin or its
// log cannot be written. A run that was cancelled or whose endpoint failed can be taken up with Resume.
func (r *Runner) Run(ctx context.Context, question string, inputs ...Input) iter.Seq2[trajectory.Event, error] {
	return once(func(yield func(trajectory.Event, error) bool) {
		s, err := r.NewSession(ctx, inputs...)
		if err != nil {
			yield(trajectory.Event{}, err)
			return
		}
		defer s.Close()
		for ev, err := range s.ask(ctx, question, false) {
			if !yield(ev, err) {
				return
			}
		}
	})
}

// Answer runs a question to its end and returns the result. The error is that of a run that could not begin, was cancelled, or whose log
// cannot be written; how a run ended otherwise is in the result.
func (r *Runner) Answer(ctx context.Context, question string, inputs ...Input) (Result, error) {
	res, err := Collect(r.Run(ctx, question, inputs...))
	res.Trajectory = r.Trajectory(res.RunID)
	return res, err
}

// once makes a sequence that can be ranged over a single time.
func once(seq iter.Seq2[trajectory.Event, error]) iter.Seq2[trajectory.Event, error] {
	used := false
	return func(yield func(trajectory.Event, error) bool) {
		if used {
			yield(trajectory.Event{}, errors.New("these events were ranged over before; a run happens once"))
			return
		}
		used = true
		seq(yield)
	}
}
