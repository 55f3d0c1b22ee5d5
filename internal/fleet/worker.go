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

	"github.com/gorlm/rlm/internal/fleet/internal/jet"
	"github.com/gorlm/rlm/internal/kit/admission"
)

// worker is a running node.
type worker struct {
	*Node
	work     context.Context // the context of the runs
	stop     context.CancelCauseFunc
	consumer jetstream.Consumer
	account  account
	slots    *admission.Queue // slots for running jobs
	leaves   bool             // whether the worker returns when no node has jobs of the batch
	looks    int              // how often in a row no jobs were found
	priority int
	sought   modelRequests
	ahead    atomic.Int64 // spans that this node has accepted for later
	log      *slog.Logger
	jobs     sync.WaitGroup
	shut     chan struct{} // closed when no more jobs are taken, which ends waits for retries
	shutOnce sync.Once

	mu        sync.Mutex
	open      map[uint64]*spanLease  // spans that this node holds, by sequence in the queue
	running   map[string]*RunningJob // running jobs by key
	done      nodeProgress           // progress since this node started the batch
	cancelled bool
	closing   bool // whether no more jobs are started
	failed    error
}

// begin prepares the worker for taking jobs.
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
	w.account = account{budget: r.Budget, settled: t.usage, began: time.Now(), live: map[string]*usage{}, work: w.work}
	if q.conn.Remote {
		w.account.settled, w.account.lease = usage{}, &budgetShare{queue: q, batch: w.Batch, budget: r.Budget}
	}
	cfg := jetstream.ConsumerConfig{
		Durable: w.Batch, FilterSubject: jobsSubject + w.Batch, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: w.Silence, MaxAckPending: -1,
	}
	if w.Alone {
		// No node works on the spans that were delivered but not acknowledged. A new consumer that starts after
		// the acknowledged ones delivers them without a timeout.
		if old, err := jet.Ask(ctx, q.conn, func(ctx context.Context) (jetstream.Consumer, error) {
			return q.jobs.Consumer(ctx, w.Batch)
		}); err == nil {
			cfg.DeliverPolicy, cfg.OptStartSeq = jetstream.DeliverByStartSequencePolicy,
				old.CachedInfo().AckFloor.Stream+1
			_, err := jet.Ask(ctx, q.conn, func(ctx context.Context) (any, error) {
				return nil, q.jobs.DeleteConsumer(ctx, w.Batch)
			})
			if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
				return fmt.Errorf("take jobs over: %w", q.why(err))
			}
		}
	}
	w.consumer, err = jet.Ask(ctx, q.conn, func(ctx context.Context) (jetstream.Consumer, error) {
		c, err := q.jobs.Consumer(ctx, w.Batch)
		if errors.Is(err, jetstream.ErrConsumerNotFound) {
			return q.createConsumer(ctx, cfg)
		}
		return c, err
	})
	if err != nil {
		return fmt.Errorf("take jobs: %w", q.why(err))
	}
	w.Silence = w.consumer.CachedInfo().Config.AckWait
	return nil
}

// createConsumer creates the consumer of a batch. That fails while the server still writes the state of a consumer
// of the same name that it has just deleted, because the two share a file. So it retries for a moment.
func (q *Queue) createConsumer(ctx context.Context, cfg jetstream.ConsumerConfig) (jetstream.Consumer, error) {
	for wait := jet.RetryPause; ; wait *= 2 {
		c, err := q.jobs.CreateConsumer(ctx, cfg)
		if !jet.NotCreated(err) || wait > time.Second || sleep(ctx, wait) != nil {
			return c, err
		}
	}
}

// takeAll takes spans while there is room, and starts their jobs.
func (w *worker) takeAll(ctx context.Context) error {
	for w.room(ctx) { // a slot first, so that no job waits here that another node could run
		h, entries, found, err := w.take(ctx)
		if len(entries) == 0 || err != nil {
			w.slots.Leave("") // frees the slot, which a job that waits for its retry may need
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

// startAll starts the jobs of a span as slots become free. Jobs that may not start any more are returned.
func (w *worker) startAll(ctx context.Context, h *spanLease, entries []entry) {
	for i, e := range entries {
		if !w.room(ctx) {
			w.giveBack(h, len(entries)-i)
			return
		}
		w.start(h, e)
	}
}

// start starts a job in a slot that was taken for it.
func (w *worker) start(h *spanLease, e entry) {
	w.jobs.Go(func() {
		defer w.slots.Leave("")
		w.one(h, e)
	})
}

// room waits for a slot and takes it, unless no more jobs should be taken.
func (w *worker) room(ctx context.Context) bool {
	if w.slots.Enter(ctx, admission.Wish{Priority: w.priority}) != nil {
		return false
	}
	if ctx.Err() != nil || w.stopped() != "" {
		w.slots.Leave("")
		return false
	}
	return true
}

// fail ends the node: nothing can be stored any more.
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

// stopped returns why no more jobs are taken.
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
