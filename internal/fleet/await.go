package fleet

import (
	"context"
	"errors"
	"iter"
	"sync"
)

// Await yields the results of a batch after a sequence number while other processes run it: first the existing
// ones, then new ones, until every job has one. looked, if not nil, is called regularly with the status. The last
// error is a *StoppedError if the remaining jobs may not run now. When ctx is done, Await ends without an error,
// and the nodes continue.
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

// look reports the status of a batch regularly, and ends the wait for a stopped batch once none of its jobs run.
func (q *Queue) look(ctx context.Context, batch string, looked func(Status), stop context.CancelCauseFunc) {
	for range ticks(ctx, q.times.status) {
		s, err := q.Status(ctx, batch)
		if err != nil {
			continue // Results reports the error
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
