package fleet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/fleet/internal/jet"
	"github.com/gorlm/rlm/internal/kit/admission"
	"github.com/gorlm/rlm/internal/kit/callback"
	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// one runs a job until it has a result, or is left for later.
func (w *worker) one(h *spanLease, e entry) {
	w.started(e)
	defer w.ended(e)
	for tries := 0; ; tries++ {
		r, what := w.attempt(e)
		if (what == passing && tries < len(w.Backoff)) || (what == faulty && tries < min(faultTries, len(w.Backoff))) {
			if w.pause(e, w.Backoff[tries]) {
				continue
			}
			what = unfinished
		}
		if what == faulty {
			hint := ""
			if strings.Contains(r.Reason, syscall.EMFILE.Error()) {
				hint = " (ulimit -n raises the limit)"
			}
			w.fail(fmt.Errorf("this machine has a problem, so no more jobs are started; "+
				"run the same command again to continue: %s%s", r.Reason, hint))
			what = unfinished
		}
		if what == unfinished {
			w.settle(h, 1, true)
			return
		}
		if what == lost {
			w.log.Warn("a run was lost", "batch", w.Batch, "job", e.Job.ID, "run", e.Run, "why", r.Reason)
			w.account.settle(e.Key, usage{})
			w.letGo(h)
			return
		}
		r.Batch, r.Tries = w.Batch, tries+1
		w.account.settle(e.Key, usage{r.Cost - r.Paid.Cost, r.Tokens - r.Paid.Tokens})
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

// pause releases the slot and waits before a job is retried. It returns false if the job should not be retried.
func (w *worker) pause(e entry, wait time.Duration) bool {
	w.waits(e, true)
	w.slots.Leave("")
	timer := time.NewTimer(wait)
	defer timer.Stop()
	again := false
	select {
	case <-timer.C:
		again = true
	case <-w.shut:
	case <-w.work.Done():
	}
	// The caller releases a slot in any case, so one is acquired even at shutdown.
	_ = w.slots.Enter(context.Background(), admission.Wish{Priority: w.priority})
	w.waits(e, false)
	return again && w.stopped() == ""
}

// outcome is what an attempt means for its job.
type outcome int

const (
	settled    outcome = iota // the job has a result
	passing                   // the job failed for a transient reason
	faulty                    // this machine failed, not the job
	unfinished                // the job was stopped, and continues later
	lost                      // another node continues the job
)

// faultTries is how often a job is retried after a fault of the machine, which may have been momentary.
const faultTries = 1

// attempt runs a job once, or continues its run.
func (w *worker) attempt(e entry) (Result, outcome) {
	failed := func(err error) (Result, outcome) {
		return deadResult(e, err.Error()), settled
	}
	var model llm.Model
	var opts []runner.Option
	var err error
	callback.Guard("the setup of a job", &err, func() (err error) {
		model, opts, err = w.Setup(w.work, e.Job)
		return err
	})
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
	r, err := runner.New(model,
		append(opts, runner.WithRunID(e.Run), host.Batch(w.Batch), host.Limit(w.account.limit))...)
	if err != nil {
		return failed(err)
	}
	defer r.Close() // no other job can use its spare worker
	res, err := w.follow(r, e, place)
	switch {
	case err != nil:
		return w.judge(failed, err)
	case w.work.Err() != nil && res.ExitCode() != exitcode.Answered:
		return Result{}, unfinished
	}
	out := resultOf(e, res)
	switch {
	case out.State == Done:
		return out, settled
	case res.Err != nil && mayPass(res):
		return out, passing
	case full(res.Err):
		w.fail(res.Err)
		return out, unfinished
	case ofMachine(res.Err):
		return out, faulty
	case w.account.stopped(res):
		return out, unfinished
	}
	return out, settled
}

// deadResult returns the result of a job that could not be run.
func deadResult(e entry, why string) Result {
	return Result{
		ID: e.Job.ID, Key: e.Key, Index: e.Index, State: Dead, Run: e.Run, Try: e.Try, Reason: why,
		Paid: e.Paid, Cost: e.Paid.Cost, Tokens: e.Paid.Tokens, Metadata: e.Job.Metadata,
	}
}

// judge decides what an error means for a job without a result.
func (w *worker) judge(failed func(error) (Result, outcome), err error) (Result, outcome) {
	r, what := failed(err)
	var taken *lostError
	var locked *trajectory.LockedError
	var changed *changedError
	switch {
	case errors.As(err, &taken):
		return r, lost
	case errors.As(err, &changed):
		r.Kind = changedKind
		return r, settled
	case w.work.Err() != nil:
		return r, unfinished
	case full(err):
		w.fail(err)
		return r, unfinished
	case ofMachine(err):
		return r, faulty
	case errors.As(err, &locked), w.Queue.conn.Remote && jet.Passes(err):
		return r, passing
	}
	return r, what
}

// follow runs a job, continues its run, or reads its result if it is over.
func (w *worker) follow(r *runner.Runner, e entry, place *workspace) (runner.Result, error) {
	past, err := host.Look(filepath.Join(r.RunsDir(), e.Run), goesOnFrom)
	if err != nil || past.Over() {
		return past.Result, err
	}
	inputs, err := place.inputs(w.work)
	if err != nil {
		return past.Result, err
	}
	ctx := host.UnderSpan(w.work, e.Under.Traceparent, e.Under.Tracestate)
	var res runner.Result
	for ev, err := range past.Continue(ctx, r, e.Job.Question, inputs...) {
		if err != nil {
			return res, err
		}
		if _, read := ev.Data.(trajectory.ContextAdded); read && ev.Path == "" {
			if err := e.Job.unchanged(); err != nil {
				return res, err
			}
		}
		res.Add(ev)
		if ev.Seq > place.recorded { // another node has counted the earlier ones
			w.account.add(e.Key, ev)
		}
		w.happened(e, ev)
	}
	return res, nil
}

// goesOnFrom reports whether a run that ended with res can continue: it failed or was interrupted, or a limit ended
// it without an answer.
func goesOnFrom(res runner.Result) bool {
	return res.Err != nil || !res.HasAnswer && res.EndedBy == termination.ByLimit
}

// goesOn reports whether the run of a dead job can continue.
func goesOn(runsDir, run string) bool {
	past, err := host.Look(filepath.Join(runsDir, run), goesOnFrom)
	return err == nil && past.GoesOn()
}

// mayPass reports whether a run failed for a reason that may be gone at a retry.
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

// full reports whether the disk is full or read-only, which is not the job's fault.
func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EROFS)
}

// ofMachine reports whether err is a fault of the machine that has nothing to do with the job: the machine is out
// of files, memory or processes, its disk cannot be read or written, or one of our processes is gone.
func ofMachine(err error) bool {
	var lock *files.LockError
	var at *fs.PathError
	if errors.As(err, &lock) || errors.As(err, &at) && strings.HasSuffix(at.Op, "sync") {
		return true
	}
	for _, e := range []error{
		syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EAGAIN, syscall.ENOBUFS, syscall.ESRCH,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func (w *worker) started(e entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running[e.Key] = &RunningJob{ID: e.Job.ID, Run: e.Run, Since: time.Now()}
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
	u, ended := ev.Usage()
	ended = ended && !ev.Time.Before(w.account.began) // earlier events were recorded by an earlier node
	if turn || ended {
		w.mu.Lock()
		if turn {
			w.running[e.Key].Turn = ev.Turn
		} else {
			w.done.Tokens += u.Tokens()
		}
		w.mu.Unlock()
	}
	if w.Event != nil {
		var failed error
		callback.Guard("the reader of a node's events", &failed, func() error { w.Event(e.Job, ev); return nil })
		if failed != nil {
			w.log.Warn("an event was not taken", "job", e.Key, "error", failed)
		}
	}
}
