package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/gorlm/rlm/internal/fleet/internal/jet"
)

// spanLease is a span that this node holds.
type spanLease struct {
	msg  delivery
	left int  // entries that are not settled
	give bool // return the span: some of its jobs are left for later
	lost bool // another node holds the span
}

// take waits a moment for a span, and returns its jobs without a result that this node can run. found means that
// there was a span.
func (w *worker) take(ctx context.Context) (h *spanLease, entries []entry, found bool, err error) {
	batch, err := w.fetch()
	if err != nil {
		return nil, nil, false, w.lost(ctx, err)
	}
	msg, ok := <-batch.Messages()
	if !ok {
		return nil, nil, false, nil
	}
	meta, err := msg.Metadata()
	if err != nil {
		return nil, nil, true, fmt.Errorf("take jobs: %w", err)
	}
	if w.handOver(ctx, msg, meta) {
		return nil, nil, true, nil
	}
	h, left, err := w.hold(ctx, msg, meta.Sequence.Stream)
	switch entries = w.runs(left); {
	case len(left) == 0:
	case ctx.Err() != nil || w.stopped() != "":
		w.giveBack(h, len(left))
		entries = nil
	case len(entries) == 0:
		w.passOn(ctx, msg, meta, h, left)
	case len(entries) < len(left):
		w.giveBack(h, len(left)-len(entries))
	}
	return h, entries, true, err
}

// runs returns the jobs whose models this node has.
func (w *worker) runs(list []entry) (here []entry) {
	for _, e := range list {
		if w.has(e.Job.models()) {
			here = append(here, e)
		}
	}
	return here
}

// fetch asks for a span. It does not wait for one if other batches may want the slot.
func (w *worker) fetch() (jetstream.MessageBatch, error) {
	if w.leaves {
		return w.consumer.FetchNoWait(1)
	}
	return w.consumer.Fetch(1, jetstream.FetchMaxWait(w.Queue.times.fetch))
}

// lost handles an error of the queue: the request is repeated while another process takes over the queue.
func (w *worker) lost(ctx context.Context, err error) error {
	if failed := w.Queue.conn.Failed(); failed != nil {
		return failed
	}
	select {
	case <-time.After(jet.RetryPause):
	case <-ctx.Done():
	}
	if gone := errors.Is(err, jetstream.ErrConsumerNotFound) ||
		errors.Is(err, jetstream.ErrConsumerDeleted); gone && !w.Queue.conn.Remote {
		return fmt.Errorf("take jobs: another process took over the batch: %w", err)
	}
	return nil
}

// hold takes over a span, and returns the entries that have no result yet.
func (w *worker) hold(ctx context.Context, msg delivery, seq uint64) (*spanLease, []entry, error) {
	var s jobMessage
	if err := json.Unmarshal(msg.Data(), &s); err != nil {
		return nil, nil, fmt.Errorf("take jobs: %w", err)
	}
	w.mu.Lock()
	if h := w.open[seq]; h != nil && !h.lost { // its heartbeat was late: this node is still working on it
		h.msg = msg
		w.mu.Unlock()
		return nil, nil, nil
	}
	w.mu.Unlock()
	var left []entry
	for _, e := range s.Entries {
		_, found, err := w.Queue.result(ctx, w.Batch, e.Key, e.Try)
		if err != nil {
			return nil, nil, err
		}
		if !found {
			left = append(left, e)
		}
	}
	h := &spanLease{msg: msg, left: len(left)}
	if len(left) == 0 {
		return nil, nil, w.acknowledge(ctx, h)
	}
	w.mu.Lock()
	w.open[seq] = h
	w.mu.Unlock()
	return h, left, nil
}

// acknowledge removes a span from the queue. If the acknowledgement is lost, the span's results are checked again.
func (w *worker) acknowledge(ctx context.Context, h *spanLease) error {
	if err := h.msg.DoubleAck(context.WithoutCancel(ctx)); err != nil && w.Queue.conn.Failed() != nil {
		return w.Queue.why(err)
	}
	return nil
}

// settle counts n entries of a span as settled. When all are, the span is acknowledged, or returned if some of its
// jobs are left for later.
func (w *worker) settle(h *spanLease, n int, give bool) {
	w.mu.Lock()
	h.left -= n
	h.give = h.give || give
	over := h.left <= 0
	if over {
		for seq, other := range w.open {
			if other == h {
				delete(w.open, seq)
			}
		}
	}
	w.mu.Unlock()
	switch {
	case !over, h.lost:
	case h.give:
		_ = h.msg.Nak() // if this is lost, the ack timeout has the same effect
	default:
		if err := w.acknowledge(context.Background(), h); err != nil {
			w.fail(err)
		}
	}
}

// letGo drops a span if another node has one of its runs: that node has the whole span, or will soon, because this
// one sends no more heartbeats for it.
func (w *worker) letGo(h *spanLease) {
	w.mu.Lock()
	h.lost = true
	w.mu.Unlock()
	w.settle(h, 1, false)
}

func (w *worker) giveBack(h *spanLease, entries int) { w.settle(h, entries, true) }
