package fleet

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// beat reports that this node still works on all its spans.
func (w *worker) beat(ctx context.Context) {
	for range ticks(ctx, w.Silence/4) {
		w.mu.Lock()
		for _, h := range w.open {
			if !h.lost {
				_ = h.msg.InProgress() // a lost heartbeat does not matter: later ones follow
			}
		}
		w.mu.Unlock()
	}
}

// watch checks the record of the batch regularly: it stops a cancelled batch, and applies a raised budget.
func (w *worker) watch(ctx context.Context, enough func()) {
	for range ticks(ctx, w.Queue.times.record) {
		r, err := w.Queue.record(ctx, w.Batch)
		if errors.Is(err, jetstream.ErrKeyNotFound) { // the batch was removed
			r.Cancelled, err = true, nil
		}
		if err != nil {
			continue // taking jobs and storing results report the error
		}
		w.account.bound(r.Budget)
		w.mu.Lock()
		w.cancelled = r.Cancelled
		w.mu.Unlock()
		if r.Cancelled {
			enough()
			w.stop(errors.New("the batch is cancelled"))
			return
		}
	}
}

// ticks yields at intervals of d, until ctx is done.
func ticks(ctx context.Context, d time.Duration) iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		tick := time.NewTicker(d)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case at := <-tick.C:
				if !yield(at) {
					return
				}
			}
		}
	}
}

// live returns the node's report to other processes.
func (w *worker) live() nodeReport {
	l := nodeReport{Stopped: w.stopped(), Lacks: w.sought.lacks(time.Now(), w.Patience)}
	w.mu.Lock()
	defer w.mu.Unlock()
	l.Pace = w.done
	l.Pace.For = time.Since(w.account.began)
	for _, r := range w.running {
		l.Running = append(l.Running, *r)
	}
	return l
}
