package fleet

import (
	"cmp"
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/gorlm/rlm/internal/fleet/internal/jet"
)

// watcher is a watcher whose context ends when it is stopped.
type watcher struct {
	jetstream.KeyWatcher
	end context.CancelFunc
}

// Stop ends the watcher.
func (w watcher) Stop() error {
	defer w.end()
	return w.KeyWatcher.Stop()
}

// watchBatches watches the records of batches until ctx is done or the watcher is stopped. The watcher has a
// separate context, because it outlives the attempt that creates it. Until the watcher exists, the end of the
// attempt (when the connection is lost) cancels that context, because otherwise the attempt would wait for ever for
// a lost answer.
func watchBatches(ctx context.Context, q *Queue, opts ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	return jet.Ask(ctx, q.conn, func(attempt context.Context) (jetstream.KeyWatcher, error) {
		lives, end := context.WithCancel(ctx)
		detach := context.AfterFunc(attempt, end)
		w, err := q.batches.WatchAll(lives, opts...)
		if err != nil {
			end()
			return nil, cmp.Or(context.Cause(attempt), err) // the cause makes Ask try again
		}
		if !detach() {
			return nil, errors.Join(context.Cause(attempt), w.Stop())
		}
		return watcher{w, end}, nil
	})
}
