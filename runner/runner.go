package runner

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// Runner answers questions. It is made once, by [New], holds no state of any run and is safe for concurrent use.
// From its second run on it keeps a worker ready for the next one, for ten seconds at most.
type Runner struct {
	cfg config
	own *sandbox.Starter // nil: the runner uses a shared one
}

// New makes a runner for a model. It fails for an option that makes no sense, or if no completion signal is left.
func New(model llm.Model, opts ...Option) (*Runner, error) {
	if model == nil {
		return nil, errors.New("a runner needs a model that answers")
	}
	cfg, err := defaults(model).with(opts...)
	if err != nil {
		return nil, err
	}
	r := &Runner{cfg: cfg}
	if cfg.host.Starter == nil {
		r.own = sandbox.NewStarter()
		r.cfg.host.Starter = r.own
	}
	return r, nil
}

// Close ends the worker that is kept ready, now and after every later run. Runs and sessions continue. A program
// that does not call it leaks nothing: the worker ends after its ten seconds, and with the program.
func (r *Runner) Close() {
	if r.own != nil {
		r.own.Close()
	}
}

// Run answers one question and yields events as they happen. Ranging over it paces the run, break cancels it. It
// can be ranged over once; ranging again yields an error. While a large context is read, events of type
// trajectory.Reading come first. The last event is trajectory.RunEnded; an error replaces it only if the run could
// not begin or its log cannot be written. A run that was cancelled or whose endpoint failed can continue with
// Resume.
func (r *Runner) Run(ctx context.Context, question string, inputs ...Input) iter.Seq2[trajectory.Event, error] {
	return once(func(yield func(trajectory.Event, error) bool) {
		if strings.TrimSpace(question) == "" {
			yield(trajectory.Event{}, errNoQuestion)
			return
		}
		s, err := r.begin()
		if err != nil {
			yield(trajectory.Event{}, err)
			return
		}
		defer func() { _ = s.close(ctx) }()
		stays, err := s.watched(ctx, yield, func(ctx context.Context) error { return s.prepare(ctx, inputs) })
		if err != nil && stays {
			yield(trajectory.Event{}, err)
		}
		if err != nil || !stays {
			_ = s.discard(ctx) // err says what is wrong
			return
		}
		for ev, err := range s.ask(ctx, question, false) {
			if !yield(ev, err) {
				return
			}
		}
		if err := s.close(ctx); err != nil {
			yield(trajectory.Event{}, err)
		}
	})
}

// Answer runs a question to its end and returns the result. It fails if the run could not begin, failed or was
// cancelled (Result.Err), or if its log cannot be written. A run that ended in any other way, even at a limit and
// without an answer, is no error: see the result.
func (r *Runner) Answer(ctx context.Context, question string, inputs ...Input) (Result, error) {
	res, err := Collect(r.Run(ctx, question, inputs...))
	res.Trajectory = r.Trajectory(res.RunID)
	if err == nil {
		err = res.Err
	}
	return res, err
}
