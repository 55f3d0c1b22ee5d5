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

// RunRecord is what the log of a run holds that another process may have begun. The zero value is that of a run that is not there.
type RunRecord struct {
	runner.Result // RunID is empty where there is no run
	dir           string
	over          bool
}

// Over says that the run has ended and does not go on.
func (p RunRecord) Over() bool { return p.over }

// GoesOn says that there is a run that can be resumed.
func (p RunRecord) GoesOn() bool { return p.RunID != "" && !p.over }

// Look reads the log of a run in its folder. A run that ended goes on if again says so of its result. A log without a question is that of a
// process that was killed at once: it is removed.
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

// Continue yields the events of the run: a new one if there is none, what the log has if it is over, and else those of resuming it.
func (p RunRecord) Continue(ctx context.Context, r *runner.Runner, question string, inputs ...runner.Input) iter.Seq2[trajectory.Event, error] {
	switch {
	case p.over:
		return trajectory.Read(p.dir)
	case p.GoesOn():
		return r.Resume(ctx, filepath.Base(p.dir))
	}
	return r.Run(ctx, question, inputs...)
}
