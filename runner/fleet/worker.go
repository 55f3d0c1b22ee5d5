package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// worker is a node while it runs.
type worker struct {
	*Node
	work     context.Context // of the runs
	stop     context.CancelCauseFunc
	consumer jetstream.Consumer
	account  account
	slots    *slots
	leaves   bool // when nobody has jobs of the batch
	looks    int  // for jobs, in a row, that found none
	priority int
	sought   sought
	ahead    atomic.Int64 // spans that this node has for later
	log      *slog.Logger
	jobs     sync.WaitGroup
	shut     chan struct{} // closed when no more jobs are taken: what waits to be tried again is left
	shutOnce sync.Once

	mu        sync.Mutex
	open      map[uint64]*held    // spans that this node has, by their place in the queue
	running   map[string]*Running // by key
	done      worked              // since this node began with the batch
	cancelled bool
	closing   bool // no more jobs are begun
	failed    error
}

// begin gets ready to take jobs.
func (w *worker) begin(ctx context.Context) error {
	q := w.Queue
	r, err := q.record(ctx, w.Batch)
	if err != nil {
		return err
	}
	if r.Cancelled && w.leaves {
		return &StoppedError{Why: "the batch is cancelled"}
	}
	t, err := q.count(ctx, w.Batch)
	if err != nil {
		return err
	}
	w.cancelled, w.priority = r.Cancelled, r.Priority
	w.account = account{budget: r.Budget, settled: t.spent, began: time.Now(), live: map[string]*spent{}, work: w.work}
	if q.remote {
		w.account.settled, w.account.lease = spent{}, &lease{queue: q, batch: w.Batch, budget: r.Budget}
	}
	cfg := jetstream.ConsumerConfig{
		Durable: w.Batch, FilterSubject: jobsSubject + w.Batch, AckPolicy: jetstream.AckExplicitPolicy, AckWait: silence, MaxAckPending: -1,
	}
	if w.Alone {
		// Nobody has what was delivered and not acknowledged. A new consumer that begins behind what is settled delivers it at once.
		if old, err := ask(ctx, q, func(ctx context.Context) (jetstream.Consumer, error) { return q.jobs.Consumer(ctx, w.Batch) }); err == nil {
			cfg.DeliverPolicy, cfg.OptStartSeq = jetstream.DeliverByStartSequencePolicy, old.CachedInfo().AckFloor.Stream+1
			_, err := ask(ctx, q, func(ctx context.Context) (any, error) { return nil, q.jobs.DeleteConsumer(ctx, w.Batch) })
			if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
				return fmt.Errorf("take jobs over: %w", q.why(err))
			}
		}
	}
	w.consumer, err = ask(ctx, q, func(ctx context.Context) (jetstream.Consumer, error) {
		c, err := q.jobs.Consumer(ctx, w.Batch)
		if errors.Is(err, jetstream.ErrConsumerNotFound) {
			return q.jobs.CreateConsumer(ctx, cfg)
		}
		return c, err
	})
	if err != nil {
		return fmt.Errorf("take jobs: %w", q.why(err))
	}
	return nil
}

// takeAll takes spans while there is room, and starts their jobs.
func (w *worker) takeAll(ctx context.Context) error {
	for w.room(ctx) { // before a span is taken, so that no job waits here that another node could run
		h, entries, found, err := w.take(ctx)
		if len(entries) == 0 || err != nil {
			w.slots.give() // a job that waits to be tried again may want it
			if err != nil {
				return err
			}
			if !found && w.leaves && !w.idle(ctx) {
				return nil
			}
			continue
		}
		w.looks = 0
		w.start(h, entries[0])
		w.startAll(ctx, h, entries[1:])
	}
	return nil
}

// startAll starts the jobs of a span as there is room for them. Those that may not be begun any more are given back.
func (w *worker) startAll(ctx context.Context, h *held, entries []entry) {
	for i, e := range entries {
		if !w.room(ctx) {
			w.giveBack(h, len(entries)-i)
			return
		}
		w.start(h, e)
	}
}

// start begins a job in a slot that was taken for it.
func (w *worker) start(h *held, e entry) {
	w.jobs.Go(func() {
		defer w.slots.give()
		w.one(h, e)
	})
}

// room waits for a slot and takes it, unless no more jobs are to be taken.
func (w *worker) room(ctx context.Context) bool {
	if !w.slots.take(ctx, w.priority) {
		return false
	}
	if ctx.Err() != nil || w.stopped() != "" {
		w.slots.give()
		return false
	}
	return true
}

// fail ends the node: nothing can be kept any more.
func (w *worker) fail(err error) {
	w.mu.Lock()
	if w.failed == nil {
		w.failed = err
	}
	w.mu.Unlock()
	w.stop(err)
}

func (w *worker) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}

// stopped says why no more jobs are taken.
func (w *worker) stopped() string {
	w.mu.Lock()
	cancelled, failed := w.cancelled, w.failed
	w.mu.Unlock()
	switch {
	case failed != nil:
		return failed.Error()
	case cancelled:
		return "the batch is cancelled"
	}
	if _, used, bound := w.account.limit(); bound != "" {
		return usedUp(used, bound)
	}
	return ""
}
