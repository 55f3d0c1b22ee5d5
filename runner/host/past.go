package host

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"syscall"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// RunRecord is the log of a run that another process may have begun. Its zero value means that there is no such
// run.
type RunRecord struct {
	runner.Result // RunID is empty if there is no run
	dir           string
	over          bool
}

// Over reports whether the run has ended and does not continue.
func (p RunRecord) Over() bool { return p.over }

// GoesOn reports whether there is a run that can be resumed.
func (p RunRecord) GoesOn() bool { return p.RunID != "" && !p.over }

// Look reads the log of a run in its folder. A run that has ended can continue if again returns true for its
// result. A log without a question is left by a process that was killed early: Look removes it.
func Look(dir string, again func(runner.Result) bool) (RunRecord, error) {
	res, err := runner.Collect(trajectory.Read(dir))
	switch {
	case errors.Is(err, syscall.ENOENT):
		return RunRecord{}, nil
	case err != nil:
		return RunRecord{}, err
	case res.RunID == "":
		return RunRecord{}, trajectory.Remove(dir)
	}
	return RunRecord{res, dir, res.Ended && !again(res)}, nil
}

// Continue yields the events of the run: those of a new run if there is none, those in the log if it is over, and
// otherwise those of resuming it.
func (p RunRecord) Continue(
	ctx context.Context, r *runner.Runner, question string, inputs ...runner.Input,
) iter.Seq2[trajectory.Event, error] {
	switch {
	case p.over:
		return trajectory.Read(p.dir)
	case p.GoesOn():
		return r.Resume(ctx, filepath.Base(p.dir))
	}
	return r.Run(ctx, question, inputs...)
}
