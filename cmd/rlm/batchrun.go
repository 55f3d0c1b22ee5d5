package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner/fleet"
	"github.com/gorlm/rlm/termination"
)

// worked are the results of a batch behind a sequence, as they come.
type worked func(ctx context.Context, q *fleet.Queue, v *batchView, since uint64) iter.Seq2[fleet.Result, error]

// runBatch submits the jobs of a batch, lets them be run and writes what they come to.
func (a *app) runBatch(ctx context.Context, b batching, work worked, batch fleet.Batch, jobs []fleet.Job) (err error) {
	q, err := b.queue.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	release, err := q.Claim(batch.ID)
	if err != nil {
		return err
	}
	defer release()
	runs, err := runsDir()
	if err != nil {
		return err
	}
	did, err := fleet.Submit(underSpan(ctx), q, batch, jobs, fleet.Submission{Limit: b.limit, Retry: b.retry, RunsDir: runs, SharedPath: b.shared})
	if err != nil {
		return err
	}
	latest, err := fleet.Latest(ctx, q, batch.ID)
	if err != nil {
		return err
	}
	form := fleet.Form{Format: fleet.Format(b.format), RunsDir: runs, Fields: fleet.Columns(jobs)}
	if b.ordered {
		form.Order = make([]string, 0, len(jobs))
		for _, j := range jobs {
			form.Order = append(form.Order, j.ID)
		}
	}
	out, err := a.batchOutput(ctx, q, batch.ID, b.output, form)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	v := newBatchView(a.err, b, did, batch.ID)
	defer v.close()
	var last uint64
	for _, r := range latest {
		last = max(last, r.Seq)
		if err := out.Add(r); err != nil {
			return err
		}
	}
	status, err := q.Status(ctx, batch.ID)
	if err != nil {
		return err
	}
	v.begin(status)
	for status.Done+status.Dead < status.Jobs {
		for r, err := range work(ctx, q, v, last) {
			if err != nil {
				return a.batchStopped(ctx, b, v, out, err)
			}
			last = r.Seq
			if err := out.Add(r); err != nil {
				return fullForBatch(err)
			}
			v.result(r)
		}
		if ctx.Err() != nil {
			return a.batchStopped(ctx, b, v, out, ctx.Err())
		}
		if status, err = q.Status(ctx, batch.ID); err != nil { // others may have put jobs there again
			return err
		}
	}
	if err := out.Rest(); err != nil {
		return err
	}
	v.close()
	if !b.quiet {
		fmt.Fprintln(a.err, batchSummary(status))
	}
	if status.Dead > 0 {
		return &exit{termination.ExitFailed, fmt.Errorf("%s dead: see the reasons among the results; the same command with --retry-failed tries again", jobsAre(status.Dead))}
	}
	return nil
}

// batchStopped ends a batch that has jobs left.
func (a *app) batchStopped(ctx context.Context, b batching, v *batchView, out *fleet.Output, err error) error {
	v.close()
	var stopped *fleet.StoppedError
	switch {
	case errors.As(err, &stopped):
		return errors.Join(out.Rest(), &exit{termination.ExitLimit, fmt.Errorf("%w (the same command goes on)", err)})
	case ctx.Err() != nil:
		text := "rlm: interrupted; the same command goes on"
		if b.queue.address() != "" {
			text = "rlm: interrupted; the nodes go on, and the same command gets the results ('rlm batch cancel' stops them)"
		}
		fmt.Fprintln(a.err, text)
		return errors.Join(out.Rest(), &exit{code: termination.ExitInterrupted})
	}
	return fullForBatch(err)
}

// batchOutput is where results go: a file, to which they are added, or stdout.
func (a *app) batchOutput(ctx context.Context, q *fleet.Queue, batch, path string, form fleet.Form) (*fleet.Output, error) {
	if path == "" {
		return fleet.NewOutput(a.out, form), nil
	}
	return fleet.OpenOutput(ctx, q, batch, path, form)
}

// batchID is a word that says what the batch is and tells it from others.
func batchID(label string, parts ...string) string {
	label = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(label, ".jsonl"), ".csv"), ".json"))
	label = strings.Trim(label[:min(len(label), 24)], "-")
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return strings.Trim(label+"-"+hex.EncodeToString(sum[:4]), "-")
}

func batchSummary(s fleet.Status) string {
	text := fmt.Sprintf("%s: %d done", quantity.Of(s.Jobs, "job"), s.Done)
	if s.Dead > 0 {
		text += fmt.Sprintf(", %d dead", s.Dead)
	}
	if left := s.Jobs - s.Done - s.Dead; left > 0 {
		text += fmt.Sprintf(", %d in the queue", left)
	}
	return text + fmt.Sprintf(" · %s · %s", quantity.Dollars(s.Cost), quantity.About(s.Tokens, "token"))
}

func jobsAre(n int) string {
	if n == 1 {
		return "1 job is"
	}
	return quantity.Of(n, "job") + " are"
}
