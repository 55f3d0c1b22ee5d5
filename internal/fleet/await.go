package fleet

import (
	"context"
	"errors"
	"iter"
	"sync"
)

// Await yields the results of a batch behind a sequence that nodes elsewhere run: those that are there, then those that come, until every job
// has one. looked, which may be nil, is told now and then how far the batch is. The last error is a *StoppedError if jobs are left that may
// not be run now. When ctx is done it ends without one: the nodes go on.
func Await(ctx context.Context, q *Queue, batch string, since uint64, looked func(Status)) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		reading, stop := context.WithCancelCause(ctx)
		var looking sync.WaitGroup
		defer looking.Wait()
		defer stop(nil)
		looking.Go(func() { q.look(reading, batch, looked, stop) })
		for r, err := range Results(reading, q, batch, ResultQuery{Seq: since, Wait: true}) {
			if !yield(r, err) || err != nil {
				return
			}
		}
		var stopped *StoppedError
		if errors.As(context.Cause(reading), &stopped) {
			yield(Result{}, stopped)
		}
	}
}

// look tells how far a batch is, and stops waiting for a batch that is stopped when nothing of it runs any more.
func (q *Queue) look(ctx context.Context, batch string, looked func(Status), stop context.CancelCauseFunc) {
	for range ticks(ctx, q.times.status) {
		s, err := q.Status(ctx, batch)
		if err != nil {
			continue // who reads the results says so
		}
		if looked != nil {
			looked(s)
		}
		if s.Stopped != "" && len(s.Running) == 0 {
			stop(&StoppedError{Why: s.Stopped})
			return
		}
	}
}
