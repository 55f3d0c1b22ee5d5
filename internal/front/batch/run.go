// Package batch shows people a batch: its progress while the jobs run, its results as they arrive, and its state.
package batch

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"syscall"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/internal/front"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/files"
)

// Options configure how a batch is submitted, and where its progress and results are written.
type Options struct {
	Out, Err *screen.Output
	// Output is the file to which results are appended; empty means Out.
	Output  string
	Format  fleet.Format
	Ordered bool // write results in the order of the jobs
	Quiet   bool // show no progress
	// Fleet means that the nodes of a fleet run the jobs, which continue when the command is interrupted.
	Fleet      bool
	Submission fleet.Submission
}

// Work runs the jobs of a batch, or waits until nodes have run them. It yields the results with numbers above since
// as they arrive, and reports progress to v.
type Work func(ctx context.Context, q *fleet.Queue, batch string, v *View, since uint64) iter.Seq2[fleet.Result, error]

// Run submits the jobs of a batch, runs them with work, and writes their results. It returns a *front.Exit if the
// batch did not end, or ended with dead jobs.
func Run(ctx context.Context, q *fleet.Queue, b fleet.Batch, jobs []fleet.Job, o Options, work Work) (err error) {
	b = moved(ctx, q, b, o)
	release, err := q.Claim(b.ID)
	if err != nil {
		return err
	}
	defer release()
	if o.Output != "" { // check it first: without an output, the batch would be useless
		first, err := Output(ctx, q, b.ID, o, fleet.Columns(jobs), jobs)
		switch {
		case err != nil:
		case files.Flows(o.Output): // closing a pipe would signal its end to the reader
			defer first.Close() // nothing is written to it
		default:
			err = first.Close()
		}
		if err != nil {
			return fullDisk(err)
		}
	}
	did, err := fleet.Submit(ctx, q, b, jobs, o.Submission)
	if err != nil {
		return fullDisk(err)
	}
	latest, err := fleet.Latest(ctx, q, b.ID)
	if err != nil {
		return err
	}
	out, err := Output(ctx, q, b.ID, o, fleet.Columns(jobs), jobs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	v := newView(o, b, did)
	defer v.close()
	var last uint64
	for _, r := range latest {
		last = max(last, r.Seq)
		if err := out.Add(r); err != nil {
			return err
		}
	}
	status, err := q.Status(ctx, b.ID)
	if err != nil {
		return err
	}
	v.begin(status)
	if !o.Fleet {
		defer context.AfterFunc(ctx, v.stopping)()
	}
	for status.Done+status.Dead < status.Jobs {
		for r, err := range work(ctx, q, b.ID, v, last) {
			if err != nil {
				return stopped(ctx, o, v, out, err)
			}
			last = r.Seq
			if err := out.Add(r); err != nil {
				return fullDisk(err)
			}
			v.result(r)
		}
		if ctx.Err() != nil {
			return stopped(ctx, o, v, out, ctx.Err())
		}
		if status, err = q.Status(ctx, b.ID); err != nil { // others may have requeued jobs
			return err
		}
	}
	// Results may have arrived after the last one read and before the status that reported all jobs done.
	for r, err := range fleet.Results(ctx, q, b.ID, fleet.ResultQuery{Seq: last}) {
		if err == nil {
			err = out.Add(r)
		}
		if err != nil {
			return fullDisk(err)
		}
	}
	if err := out.Rest(); err != nil {
		return err
	}
	v.close()
	if !o.Quiet {
		fmt.Fprintln(o.Err, summary(status))
	}
	if status.Dead > 0 {
		return front.Fail(exitcode.Failed,
			"%s dead: the results give the reasons; the same command with --retry-failed tries again",
			JobsAre(status.Dead))
	}
	return nil
}

// stopped ends the command when jobs of the batch remain.
func stopped(ctx context.Context, o Options, v *View, out *fleet.Output, err error) error {
	v.close()
	var limit *fleet.StoppedError
	switch {
	case errors.As(err, &limit):
		return errors.Join(out.Rest(), front.Fail(exitcode.Limit, "%w (run the same command again to continue)", err))
	case ctx.Err() != nil:
		text := v.stopped()
		if o.Fleet {
			text = "rlm: stopped; the nodes keep working, and the same command gets the results" +
				" ('rlm batch cancel' stops them)"
		}
		fmt.Fprintln(o.Err, text)
		return errors.Join(out.Rest(), &front.Exit{Code: exitcode.Interrupted})
	}
	return fullDisk(err)
}

// Output opens the output for the results of a batch, with the given columns: a file, to which they are appended,
// or stdout. If o.Ordered is set, results are written in the order of jobs. The caller must close the Output.
func Output(
	ctx context.Context, q *fleet.Queue, batch string, o Options, columns []string, jobs []fleet.Job,
) (*fleet.Output, error) {
	form := fleet.Form{Format: o.Format, RunsDir: o.Submission.RunsDir, Fields: columns}
	if o.Ordered {
		form.Order = make([]string, 0, len(jobs))
		for _, j := range jobs {
			form.Order = append(form.Order, j.ID)
		}
	}
	if o.Output == "" {
		return fleet.NewOutput(o.Out, form), nil
	}
	return fleet.OpenOutput(ctx, q, batch, o.Output, form)
}

// fullDisk adds what to do to an error caused by a full disk.
func fullDisk(err error) error {
	if !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	return fmt.Errorf("the disk is full (%w); free some space, then run the same command again to continue", err)
}
