package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/internal/front/batch"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/runner/trajectory"
)

// servedBatches lets pages do what 'rlm batch ls|status|results|cancel|retry' do, with the same queue. The queue is
// opened when first used, but never created.
type servedBatches struct {
	queue *fleet.OnDemand
	data  string
	at    fleetConn
}

func newServedBatches(data string, at fleetConn) *servedBatches {
	return &servedBatches{queue: &fleet.OnDemand{Open: at.open}, data: data, at: at}
}

// there reports whether a queue exists. In the data folder, the first 'rlm batch' creates it.
func (b *servedBatches) there() bool {
	if b.at.address() != "" {
		return true
	}
	_, err := os.Stat(fleet.Dir(b.data))
	return err == nil
}

// with calls do with the batch that typed names.
func (b *servedBatches) with(ctx context.Context, typed string, do func(*fleet.Queue, fleet.Batch) error) error {
	if !b.there() {
		return api.ErrNoBatch
	}
	return b.queue.Use(ctx, func(q *fleet.Queue) error {
		found, err := q.Find(ctx, typed)
		if missing := (*fleet.NotFoundError)(nil); errors.As(err, &missing) {
			return fmt.Errorf("%w: %w", api.ErrNoBatch, err)
		}
		if err != nil {
			return err
		}
		return do(q, found)
	})
}

// List returns a page of the batches, newest first.
func (b *servedBatches) List(ctx context.Context, offset, limit int) (out api.BatchList, err error) {
	if !b.there() {
		return out, nil
	}
	err = b.queue.Use(ctx, func(q *fleet.Queue) error {
		list, total, err := q.Part(ctx, offset, limit)
		for _, s := range list {
			out.Batches = append(out.Batches, servedBatch(s))
		}
		out.Total = total
		return err
	})
	return out, err
}

// Get returns the state of a batch.
func (b *servedBatches) Get(ctx context.Context, id string) (out api.Batch, err error) {
	err = b.with(ctx, id, func(q *fleet.Queue, found fleet.Batch) error {
		s, err := q.Status(ctx, found.ID)
		out = servedBatch(s)
		return err
	})
	return out, err
}

// Jobs returns a page of the jobs of a batch.
func (b *servedBatches) Jobs(ctx context.Context, id, state string, offset, limit int) (out api.BatchJobs, err error) {
	err = b.with(ctx, id, func(q *fleet.Queue, found fleet.Batch) error {
		list, total, err := q.Index(found.ID).Jobs(ctx, fleet.State(state), offset, limit)
		for _, j := range list {
			out.Jobs = append(out.Jobs, servedJob(j))
		}
		out.Total = total
		return err
	})
	return out, err
}

// Results writes the results of a batch.
func (b *servedBatches) Results(ctx context.Context, id, format string, begin func(string) io.Writer) error {
	return b.with(ctx, id, func(q *fleet.Queue, found fleet.Batch) error {
		index := q.Index(found.ID)
		fields, err := index.Columns(ctx)
		if err != nil {
			return err
		}
		out := fleet.NewOutput(begin(found.ID),
			fleet.Form{Format: fleet.Format(format), Fields: fields, RunsDir: trajectory.RunsDir(b.data)})
		return index.Write(ctx, out)
	})
}

// Cancel stops a batch.
func (b *servedBatches) Cancel(ctx context.Context, id string) error {
	return b.with(ctx, id, func(q *fleet.Queue, found fleet.Batch) error { return fleet.Cancel(ctx, q, found.ID) })
}

// Retry returns dead jobs to the queue.
func (b *servedBatches) Retry(ctx context.Context, id string, jobs []string) (n int, err error) {
	err = b.with(ctx, id, func(q *fleet.Queue, found fleet.Batch) error {
		n, err = fleet.Retry(ctx, q, found.ID, trajectory.RunsDir(b.data), jobs...)
		return err
	})
	return n, err
}

// Bring copies the run of a job from the fleet to the data folder.
func (b *servedBatches) Bring(ctx context.Context, run string) error {
	if b.at.address() == "" {
		return nil
	}
	err := b.queue.Use(ctx, func(q *fleet.Queue) error { return fleet.Fetch(ctx, q, run, b.data, false) })
	if missing := (*trajectory.NotFoundError)(nil); errors.As(err, &missing) {
		return nil // the run may be in the data folder
	}
	return err
}

// queueLook is the interval of checks whether a queue exists.
const queueLook = time.Second

// Changes yields the newest batches, and then each batch when it changes.
func (b *servedBatches) Changes(ctx context.Context) iter.Seq2[api.BatchChange, error] {
	return func(yield func(api.BatchChange, error) bool) {
		for !b.there() {
			select {
			case <-time.After(queueLook):
			case <-ctx.Done():
				return
			}
		}
		err := b.queue.Use(ctx, func(q *fleet.Queue) error {
			for c, err := range fleet.Changes(ctx, q) {
				if err != nil {
					return err
				}
				if !yield(api.BatchChange{Batch: servedBatch(c.Status), Removed: c.Removed}, nil) {
					return nil
				}
			}
			return nil
		})
		if err != nil && ctx.Err() == nil {
			yield(api.BatchChange{}, err)
		}
	}
}

// Close closes the queue.
func (b *servedBatches) Close() error { return b.queue.Close() }

func servedBatch(s fleet.Status) api.Batch {
	out := api.Batch{
		ID: s.ID, Name: s.Name, State: batch.State(s), Why: s.Stopped, Created: s.Created, Last: s.Last, Jobs: s.Jobs,
		Queued: s.Queued,
		Done:   s.Done, Dead: s.Dead, Cost: s.Cost, Unpriced: s.Unpriced, Tokens: s.Tokens, Nodes: s.Nodes,
		TokensPerMinute: s.TokensPerMinute, Left: int64(s.Left),
		Budget: api.BatchBudget{Cost: s.Budget.Cost, Tokens: s.Budget.Tokens, Time: int64(s.Budget.Time)},
	}
	for _, l := range s.Lacks {
		out.Why = strings.TrimPrefix(out.Why+"; "+l.String(), "; ")
	}
	for _, r := range s.Running { // longest running first
		switch {
		case r.Waits:
			out.Failed++
		case out.Running == 0:
			out.Slowest = &api.RunningJob{ID: r.ID, Run: r.Run, Turn: r.Turn, Since: r.Since}
			fallthrough
		default:
			out.Running++
		}
	}
	var p batch.Invocation
	if json.Unmarshal(s.Metadata, &p) == nil {
		out.Command, out.Dir = p.Command, p.Dir
	}
	return out
}

// Maximum lengths of texts in a list of jobs.
const (
	servedText   = 300
	servedReason = 2000
)

func servedJob(j fleet.JobStatus) api.BatchJob {
	out := api.BatchJob{
		ID: j.Job.ID, Place: j.Place + 1, Question: text.Line(j.Job.Question, servedText), State: string(j.State),
		Run: j.Run,
	}
	if j.Running != nil {
		out.Turn, out.Since = j.Running.Turn, j.Running.Since
	}
	switch r := j.Result; {
	case r == nil && j.Running == nil:
		out.Run = "" // the job has not begun
	case r != nil:
		out.Answer, out.Reason, out.Attempts = text.Line(r.Answer, servedText), text.Line(r.Reason, servedReason),
			r.Tries
		out.Turns, out.SubCalls, out.Tokens, out.Duration = r.Turns, r.SubCalls, r.Tokens, int64(r.Duration)
		if len(r.Unpriced) == 0 {
			out.Cost = &r.Cost
		}
		if j.Running == nil {
			out.Run = cmp.Or(r.Run, out.Run)
		}
		if r.Status == "" && j.Running == nil { // no run could begin
			out.Run = ""
		}
	}
	return out
}
