package fleet

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// one runs a job until it has a result, or is left for another time.
func (w *worker) one(h *held, e entry) {
	w.started(e)
	defer w.ended(e)
	for tries := 0; ; tries++ {
		r, what := w.attempt(e)
		if what == passing && tries < len(w.Backoff) {
			if w.pause(e, w.Backoff[tries]) {
				continue
			}
			what = unfinished
		}
		if what == unfinished {
			w.settle(h, 1, true)
			return
		}
		if what == lost {
			w.log.Warn("a run was lost", "batch", w.Batch, "job", e.Job.ID, "run", e.Run, "why", r.Reason)
			w.account.settle(e.Key, spent{})
			w.letGo(h)
			return
		}
		r.Batch, r.Tries = w.Batch, tries+1
		w.account.settle(e.Key, spent{r.Cost - r.Paid.Cost, r.Tokens - r.Paid.Tokens})
		if _, err := w.Queue.publish(context.WithoutCancel(w.work), r); err != nil {
			w.fail(err)
			w.settle(h, 1, true)
			return
		}
		w.mu.Lock()
		w.done.Results++
		w.mu.Unlock()
		w.settle(h, 1, false)
		return
	}
}

// pause waits before a job is tried again, without a slot. It reports whether it is to be tried.
func (w *worker) pause(e entry, wait time.Duration) bool {
	w.waits(e, true)
	w.slots.give()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	again := false
	select {
	case <-timer.C:
		again = true
	case <-w.shut:
	case <-w.work.Done():
	}
	w.slots.take(context.Background(), w.priority) // one may be taken over for the end, too
	w.waits(e, false)
	return again && w.stopped() == ""
}

// outcome is what an attempt means for its job.
type outcome int

const (
	settled    outcome = iota // it has a result
	passing                   // it failed for a reason that may pass
	unfinished                // it was stopped, and goes on another time
	lost                      // another node goes on with it
)

// attempt runs a job once, or goes on with its run.
func (w *worker) attempt(e entry) (Result, outcome) {
	failed := func(err error) (Result, outcome) {
		return deadResult(e, err.Error()), settled
	}
	model, opts, err := w.Setup(w.work, e.Job)
	if w.work.Err() != nil {
		return Result{}, unfinished
	}
	if err != nil {
		return failed(err)
	}
	place, err := w.home(e)
	if err != nil {
		return w.judge(failed, err)
	}
	defer place.leave()
	opts = append(opts, place.opts...)
	if e.Job.Schema != "" {
		opts = append(opts, runner.WithSchema(e.Job.Schema))
	}
	r, err := runner.New(model, append(opts, runner.WithRunID(e.Run), runner.WithLimit(w.account.limit))...)
	if err != nil {
		return failed(err)
	}
	res, err := w.follow(r, e, place)
	switch {
	case err != nil:
		return w.judge(failed, err)
	case w.work.Err() != nil && !res.HasAnswer:
		return Result{}, unfinished
	}
	out := resultOf(e, res)
	switch {
	case out.State == Done:
		return out, settled
	case res.Err != nil && mayPass(res):
		return out, passing
	case w.account.stopped(res):
		return out, unfinished
	}
	return out, settled
}

// deadResult is that of a job that could not be run.
func deadResult(e entry, why string) Result {
	return Result{
		ID: e.Job.ID, Key: e.Key, Index: e.Index, State: Dead, Run: e.Run, Try: e.Try, Reason: why,
		Paid: e.Paid, Cost: e.Paid.Cost, Tokens: e.Paid.Tokens, Metadata: e.Job.Metadata,
	}
}

// judge decides what an error means for a job that has no result.
func (w *worker) judge(failed func(error) (Result, outcome), err error) (Result, outcome) {
	r, what := failed(err)
	var taken *lostError
	var locked *trajectory.LockedError
	switch {
	case errors.As(err, &taken):
		return r, lost
	case w.work.Err() != nil:
		return r, unfinished
	case full(err):
		w.fail(err)
		return r, unfinished
	case errors.As(err, &locked), w.Queue.remote && passes(err):
		return r, passing
	}
	return r, what
}

// follow runs a job, goes on with its run, or reads what it came to.
func (w *worker) follow(r *runner.Runner, e entry, place *home) (runner.Result, error) {
	past, how, err := pastOf(filepath.Join(r.RunsDir(), e.Run))
	if err != nil || how == complete {
		return past, err
	}
	inputs, err := place.inputs(w.work)
	if err != nil {
		return past, err
	}
	ctx := runner.UnderSpan(w.work, e.Under.Traceparent, e.Under.Tracestate)
	events := r.Run(ctx, e.Job.Question, inputs...)
	if how == begun {
		events = r.Resume(ctx, e.Run)
	}
	var res runner.Result
	for ev, err := range events {
		if err != nil {
			return res, err
		}
		res.Add(ev)
		if ev.Seq > place.recorded { // another node has counted those before
			w.account.add(e.Key, ev)
		}
		w.happened(e, ev)
	}
	return res, nil
}

// progress is how far a run is that a node finds on its disk.
type progress int

const (
	absent   progress = iota // there is none
	begun                    // it goes on from its log
	complete                 // it is over
)

// pastOf is what stands in the log of a run. A log without a question is that of a process that was killed at once: it is removed.
func pastOf(dir string) (runner.Result, progress, error) {
	events := trajectory.Read(dir)
	res, err := runner.Collect(events)
	switch {
	case errors.Is(err, syscall.ENOENT):
		return res, absent, nil
	case err != nil:
		return res, absent, err
	case res.RunID == "":
		return res, absent, trajectory.Remove(dir)
	case res.Ended && !goesOnFrom(res):
		return res, complete, nil
	}
	return res, begun, nil
}

// goesOnFrom says that a run that ended so can go on: it failed or was interrupted, or a limit left it without an answer.
func goesOnFrom(res runner.Result) bool {
	return res.Err != nil || !res.HasAnswer && res.EndedBy == termination.ByLimit
}

// goesOn says that the run of a dead job can go on.
func goesOn(runsDir, run string) bool {
	_, how, err := pastOf(filepath.Join(runsDir, run))
	return err == nil && how == begun
}

// mayPass says that a run failed for a reason that another try may not meet.
func mayPass(res runner.Result) bool {
	var call *llm.Error
	if !errors.As(res.Err, &call) {
		return false
	}
	switch call.Kind {
	case llm.ErrUnavailable, llm.ErrRateLimit, llm.ErrNoReply, llm.ErrCancelled:
		return true
	default:
		return false
	}
}

// full says that nothing more can be recorded: it is no fault of a job.
func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EROFS)
}

func (w *worker) started(e entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running[e.Key] = &Running{ID: e.Job.ID, Run: e.Run, Since: time.Now()}
}

func (w *worker) ended(e entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.running, e.Key)
}

func (w *worker) waits(e entry, waits bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running[e.Key].Waits = waits
}

func (w *worker) happened(e entry, ev trajectory.Event) {
	_, turn := ev.Data.(trajectory.TurnStarted)
	turn = turn && ev.Path == ""
	u, ended := usageOf(ev)
	ended = ended && !ev.Time.Before(w.account.began) // others were recorded before
	if turn || ended {
		w.mu.Lock()
		if turn {
			w.running[e.Key].Turn = ev.Turn
		} else {
			w.done.Tokens += tokensIn(u)
		}
		w.mu.Unlock()
	}
	if w.Event != nil {
		w.Event(e.Job, ev)
	}
}
