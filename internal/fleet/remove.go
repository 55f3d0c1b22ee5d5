package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/gorlm/rlm/internal/fleet/internal/jet"
)

// ErrRunning means that a batch cannot be removed because nodes are running its jobs.
var ErrRunning = errors.New("its jobs are running: cancel it, or wait for it to finish")

// Remove removes a batch from the queue: its jobs, its results, and in a shared queue the events of its runs. The
// logs of runs on the queue's own machine stay in the data folder. Sweep deletes files that only this batch used.
func Remove(ctx context.Context, q *Queue, batch string) error {
	if _, err := q.record(ctx, batch); err != nil {
		return err
	}
	reports, silent := q.live(batch)
	if silent {
		return fmt.Errorf("remove the batch %s: a node works on it and does not answer; perhaps %w", batch, ErrRunning)
	}
	for _, l := range reports {
		if len(l.Running) > 0 {
			return fmt.Errorf("remove the batch %s: %w", batch, ErrRunning)
		}
	}
	err := q.change(ctx, batch, func(r *record) { r.Cancelled = true }) // keeps nodes from starting the batch
	if err != nil {
		return err
	}
	for _, do := range q.removals(batch) {
		_, err := jet.Ask(ctx, q.conn, func(ctx context.Context) (any, error) { return nil, do(ctx) })
		if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) && !errors.Is(err, jetstream.ErrKeyNotFound) {
			return fmt.Errorf("remove the batch %s: %w", batch, q.why(err))
		}
	}
	return nil
}

// removals are the steps that remove a batch. Its record is removed last, so that the removal can be repeated if
// this process ends meanwhile.
func (q *Queue) removals(batch string) []func(context.Context) error {
	purge := func(s jetstream.Stream, subject string) func(context.Context) error {
		return func(ctx context.Context) error { return s.Purge(ctx, jetstream.WithPurgeSubject(subject)) }
	}
	forget := func(kv jetstream.KeyValue) func(context.Context) error {
		return func(ctx context.Context) error { return kv.Purge(ctx, batch) }
	}
	list := []func(context.Context) error{
		func(ctx context.Context) error { return q.jobs.DeleteConsumer(ctx, batch) },
		purge(q.jobs, jobsSubject+batch), purge(q.results, resultsSubject+batch+".*.*"), forget(q.tallies),
	}
	if q.conn.Remote {
		list = append(list, purge(q.runs, runsSubject+batch+".*"), forget(q.leases))
	}
	return append(list, forget(q.batches))
}

// Expire removes the batches that have been idle for the given time, and objects that only they used. It returns
// the ids of these batches.
func Expire(ctx context.Context, q *Queue, unused time.Duration) (removed []string, err error) {
	records, err := q.records(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		last, err := q.touched(ctx, r.ID)
		if err != nil {
			return removed, err
		}
		if time.Since(last) < unused {
			continue
		}
		if err := Remove(ctx, q, r.ID); err != nil {
			if errors.Is(err, ErrRunning) {
				continue
			}
			return removed, err
		}
		removed = append(removed, r.ID)
	}
	if len(removed) == 0 {
		return nil, nil
	}
	return removed, Sweep(ctx, q, UnusedObject)
}

// touched returns when something last happened to a batch: it was submitted, cancelled or retried, or a result
// arrived.
func (q *Queue) touched(ctx context.Context, batch string) (time.Time, error) {
	entry, err := q.conn.Get(ctx, q.batches, batch)
	if err != nil {
		return time.Time{}, fmt.Errorf("read the batch %s: %w", batch, q.why(err))
	}
	t, err := q.count(ctx, batch)
	if err != nil || t.Last.Before(entry.Created()) {
		return entry.Created(), err
	}
	return t.Last, nil
}
