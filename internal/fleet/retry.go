package fleet

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/gorlm/rlm/runner/host"
)

// Retry puts the dead jobs of a batch back into the queue: those with the given ids, or all if there are none.
func Retry(ctx context.Context, q *Queue, batch, runsDir string, ids ...string) (retried int, err error) {
	before, err := q.record(ctx, batch)
	if err != nil {
		return 0, err
	}
	known, err := q.known(ctx, batch)
	if err != nil {
		return 0, err
	}
	s := newSubmitter(q, batch, Submission{Retry: true, RunsDir: runsDir}, known)
	s.under.Traceparent, s.under.Tracestate = host.SpanOf(ctx)
	list := slices.SortedFunc(maps.Values(known), func(a, b *knownJob) int { return cmp.Compare(a.Index, b.Index) })
	for _, k := range list {
		if len(ids) == 0 || slices.Contains(ids, k.Job.ID) {
			s.again(k, k.Index)
		}
	}
	err = q.change(ctx, batch, func(r *record) {
		r.Cancelled = false
		r.Stale.Dead = before.Stale.Dead + s.did.Retried
	})
	if err == nil {
		err = s.put(ctx)
	}
	return s.did.Retried, err
}

// Cancel stops a batch: running jobs are stopped, waiting jobs stay in the queue. Submitting or retrying the batch
// resumes it.
func Cancel(ctx context.Context, q *Queue, batch string) error {
	if _, err := q.record(ctx, batch); err != nil {
		return err
	}
	return q.change(ctx, batch, func(r *record) { r.Cancelled = true })
}
