package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/gorlm/rlm/internal/fleet/internal/jet"
	"github.com/gorlm/rlm/internal/kit/admission"
)

// runAll runs the jobs of all batches, including new ones.
func (n *Node) runAll(ctx, kill context.Context) error {
	a := &batchSet{node: n, kill: kill, slots: admission.NewQueue(max(1, n.Slots)), batches: map[string]*knownBatch{}}
	for ctx.Err() == nil {
		watcher, err := watchBatches(ctx, n.Queue, jetstream.IgnoreDeletes())
		if err != nil {
			if ctx.Err() == nil {
				a.fail(fmt.Errorf("watch the batches: %w", err))
			}
			break
		}
		a.watch(ctx, watcher)
		_ = watcher.Stop() // the connection may be gone
	}
	a.working.Wait()
	return a.failed
}

// batchSet is the set of batches that a node runs.
type batchSet struct {
	node    *Node
	kill    context.Context
	slots   *admission.Queue
	working sync.WaitGroup

	mu      sync.Mutex
	batches map[string]*knownBatch
	failed  error
}

// knownBatch is a batch that a node knows.
type knownBatch struct {
	revision uint64 // revision of its record
	seen     uint64 // revision that the current or last worker has seen
	working  bool
}

// watch starts batches as their records arrive.
func (a *batchSet) watch(ctx context.Context, watcher jetstream.KeyWatcher) {
	for {
		select {
		case <-ctx.Done():
			return
		case entry, ok := <-watcher.Updates():
			if !ok {
				return
			}
			var r record
			if entry == nil || json.Unmarshal(entry.Value(), &r) != nil {
				continue // all existing records have arrived
			}
			a.changed(ctx, r.ID, entry.Revision())
		}
	}
}

// changed starts a batch whose record is new, if no worker runs it.
func (a *batchSet) changed(ctx context.Context, id string, revision uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	b := a.batches[id]
	if b == nil {
		b = &knownBatch{}
		a.batches[id] = b
	}
	b.revision = max(b.revision, revision)
	a.begin(ctx, id, b)
}

// begin runs the jobs of a batch unless a worker already does, or its record has not changed since. The caller
// holds mu.
func (a *batchSet) begin(ctx context.Context, id string, b *knownBatch) {
	if b.working || b.seen >= b.revision || a.failed != nil || ctx.Err() != nil {
		return
	}
	b.working, b.seen = true, b.revision
	a.working.Go(func() {
		err := a.run(ctx, id)
		a.mu.Lock()
		defer a.mu.Unlock()
		b.working = false
		var stopped *StoppedError
		switch {
		case err == nil, errors.As(err, &stopped), ctx.Err() != nil, errors.Is(err, jetstream.ErrKeyNotFound):
			// ErrKeyNotFound means that the batch was removed.
		case jet.Passes(err):
			b.seen = 0 // try again
		default:
			a.failed = errors.Join(a.failed, err)
			return
		}
		a.begin(ctx, id, b)
	})
}

func (a *batchSet) run(ctx context.Context, id string) error {
	one := *a.node
	one.Batch, one.Alone = id, false
	return one.run(ctx, a.kill, a.slots, true)
}

func (a *batchSet) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failed = errors.Join(a.failed, err)
}

// idleLooks is how often in a row a node finds no jobs in a batch before it checks whether it may leave the batch
// until its record changes.
const idleLooks = 40

// idle waits before the node looks for jobs of a batch again. It returns false if no node has jobs of the batch, in
// which case this node leaves it.
func (w *worker) idle(ctx context.Context) bool {
	w.looks++
	if w.looks >= idleLooks {
		w.looks = 0
		info, err := jet.Ask(ctx, w.Queue.conn, w.consumer.Info)
		if err == nil && info.NumPending == 0 && info.NumAckPending == 0 {
			return false
		}
	}
	select {
	case <-time.After(w.Queue.times.idle):
	case <-ctx.Done():
	}
	return true
}
