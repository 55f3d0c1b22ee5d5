package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/nats-io/nats.go/jetstream"
)

// Node runs the jobs of a batch, or of all batches of a queue.
type Node struct {
	Queue *Queue
	Batch string // its id; empty: all batches, those that come too
	// Slots is how many jobs run at once, at least 1.
	Slots int
	// Setup says what a job is run with: its model and the runner's options, of which the node sets the job's schema and the run's id.
	// An error sets the job aside.
	Setup func(context.Context, Job) (llm.Model, []runner.Option, error)
	// Backoff is how long a job waits that failed for a reason that may pass, each time it does; then it is dead. Default: 2 s, 10 s,
	// 1 min, 5 min.
	Backoff []time.Duration
	// Alone says that no other node has jobs of the batch: what a killed one had is taken over at once.
	Alone bool
	// Event, if set, is told what happens in the runs, by several goroutines. It must not block.
	Event func(job Job, ev trajectory.Event)
	// Log, if set, says what is worth knowing for those who look after nodes: runs that are taken over or lost.
	Log *slog.Logger

	// Of nodes of a queue elsewhere:

	// Dir is the folder for working copies and cached contexts.
	Dir string
	// CacheSize bounds the cached contexts in bytes. Those that were not used for longest go first. Default: 20 GiB.
	CacheSize int64
	// SharedPath is the only folder that jobs may name paths in; empty: they name none.
	SharedPath string

	dir      string    // of this process, below Dir
	contexts *contexts // of all batches
}

const defaultCacheSize = 20 << 30

// StoppedError says why a node takes no more jobs although there are some: the batch is cancelled, or its budget is used up.
type StoppedError struct{ Why string }

func (e *StoppedError) Error() string { return e.Why + ": the rest of the jobs stays in the queue" }

// How long a node may be silent before another one takes over what it has, and how often it speaks.
const (
	silence   = 4 * time.Second
	heartbeat = time.Second
	lookAgain = 500 * time.Millisecond // for jobs, where none was
)

// Run takes jobs and runs them until ctx is done. Then it takes no more, and returns when those that run have come to their ends; cancelling
// kill stops them too: they go on from their logs another time. The error is an *StoppedError when there is nothing left that may be run, and
// otherwise says that the queue or the disk cannot be used any more.
func (n *Node) Run(ctx, kill context.Context) error {
	if n.Queue.remote {
		dir, remove, err := workDir(n.Dir)
		if err != nil {
			return err
		}
		defer remove()
		one := *n
		n = &one
		n.dir = dir
		n.contexts = &contexts{queue: n.Queue, dir: filepath.Join(n.Dir, "contexts"), most: cmp.Or(n.CacheSize, defaultCacheSize), shared: n.SharedPath}
	}
	if n.Batch == "" {
		return n.runAll(ctx, kill)
	}
	return n.run(ctx, kill, newSlots(n.Slots), false)
}

// run runs the jobs of one batch in slots that it may share with others. With leaves it ends when nobody has jobs of the batch.
func (n *Node) run(ctx, kill context.Context, slots *slots, leaves bool) error {
	work, stop := context.WithCancelCause(kill)
	defer stop(nil)
	w := &worker{
		Node: n, work: work, stop: stop, slots: slots, leaves: leaves, open: map[uint64]*held{}, running: map[string]*Running{},
		shut: make(chan struct{}), log: n.Log,
	}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	if w.Backoff == nil {
		w.Backoff = []time.Duration{2 * time.Second, 10 * time.Second, time.Minute, 5 * time.Minute}
	}
	if err := w.begin(ctx); err != nil {
		return err
	}
	sub, err := n.Queue.tell(n.Batch, w.live)
	if err != nil {
		return fmt.Errorf("tell how the batch is doing: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	taking, enough := context.WithCancel(ctx)
	defer enough()
	var helpers sync.WaitGroup
	helpers.Go(func() { w.beat(work) })
	helpers.Go(func() { w.watch(work, enough) })
	err = w.takeAll(taking)
	w.shutOnce.Do(func() { close(w.shut) })
	w.jobs.Wait()
	if w.account.lease != nil {
		giving, given := context.WithTimeout(context.WithoutCancel(ctx), flushPatience)
		_ = w.account.lease.giveBack(giving, w.account.used()) // else what is left of the slice is lost with the node
		given()
	}
	stop(nil)
	helpers.Wait()
	if err == nil || errors.Is(err, context.Canceled) {
		err = w.failure()
	}
	if err == nil && ctx.Err() == nil {
		if why := w.stopped(); why != "" {
			return &StoppedError{Why: why}
		}
	}
	return err
}

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
	log      *slog.Logger
	jobs     sync.WaitGroup
	shut     chan struct{} // closed when no more jobs are taken: what waits to be tried again is left
	shutOnce sync.Once

	mu        sync.Mutex
	open      map[uint64]*held    // spans that this node has, by their place in the queue
	running   map[string]*Running // by key
	cancelled bool
	failed    error
}

// held is a span that this node has.
type held struct {
	msg  jetstream.Msg
	left int  // entries that are not settled
	give bool // some are left for another time
	lost bool // another node has it
}

// begin gets ready to take jobs.
func (w *worker) begin(ctx context.Context) error {
	q := w.Queue
	r, _, err := q.record(ctx, w.Batch)
	if err != nil {
		return err
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
		h, entries, err := w.take(ctx)
		if len(entries) == 0 || err != nil {
			w.slots.give() // a job that waits to be tried again may want it
			if err != nil {
				return err
			}
			if h == nil && w.leaves && !w.idle(ctx) {
				return nil
			}
			continue
		}
		w.looks = 0
		started := 0
		for i, e := range entries {
			if i > 0 && !w.room(ctx) {
				break
			}
			started++
			w.jobs.Go(func() {
				defer w.slots.give()
				w.one(h, e)
			})
		}
		if left := len(entries) - started; left > 0 {
			w.giveBack(h, left)
			return nil
		}
	}
	return nil
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

// take looks for a span with jobs that have no result, for a moment.
func (w *worker) take(ctx context.Context) (*held, []entry, error) {
	batch, err := w.fetch()
	if err != nil {
		return nil, nil, w.lost(ctx, err)
	}
	msg, ok := <-batch.Messages()
	if !ok {
		return nil, nil, nil
	}
	h, entries, err := w.hold(ctx, msg)
	if len(entries) > 0 && (ctx.Err() != nil || w.stopped() != "") {
		w.giveBack(h, len(entries))
		entries = nil
	}
	return h, entries, err
}

// fetch asks for a span. Where other batches may want the slot it is not held while there is none.
func (w *worker) fetch() (jetstream.MessageBatch, error) {
	if w.leaves {
		return w.consumer.FetchNoWait(1)
	}
	return w.consumer.Fetch(1, jetstream.FetchMaxWait(lookAgain))
}

// lost decides about an error of the queue: while its owner changes it is asked again.
func (w *worker) lost(ctx context.Context, err error) error {
	if failed := w.Queue.local.failed(); failed != nil {
		return failed
	}
	select {
	case <-time.After(localRetry):
	case <-ctx.Done():
	}
	if gone := errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrConsumerDeleted); gone && !w.Queue.remote {
		return fmt.Errorf("take jobs: another process took the batch over: %w", err)
	}
	return nil
}

// hold takes a span in: the entries that have no result yet.
func (w *worker) hold(ctx context.Context, msg jetstream.Msg) (*held, []entry, error) {
	meta, err := msg.Metadata()
	if err != nil {
		return nil, nil, fmt.Errorf("take jobs: %w", err)
	}
	var s span
	if err := json.Unmarshal(msg.Data(), &s); err != nil {
		return nil, nil, fmt.Errorf("take jobs: %w", err)
	}
	seq := meta.Sequence.Stream
	w.mu.Lock()
	if h := w.open[seq]; h != nil && !h.lost { // its heartbeat came late: it is still being worked on here
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
	h := &held{msg: msg, left: len(left)}
	if len(left) == 0 {
		return nil, nil, w.acknowledge(ctx, h)
	}
	w.mu.Lock()
	w.open[seq] = h
	w.mu.Unlock()
	return h, left, nil
}

// acknowledge takes a span off the queue. An acknowledgement that is lost costs a look at its results.
func (w *worker) acknowledge(ctx context.Context, h *held) error {
	if err := h.msg.DoubleAck(context.WithoutCancel(ctx)); err != nil && w.Queue.local.failed() != nil {
		return w.Queue.why(err)
	}
	return nil
}

// settle counts an entry of a span; when all are settled, the span is acknowledged, or given back if some are left for another time.
func (w *worker) settle(h *held, n int, give bool) {
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
		_ = h.msg.Nak() // another node takes it at once; if this is lost, after a silence
	default:
		if err := w.acknowledge(context.Background(), h); err != nil {
			w.fail(err)
		}
	}
}

// letGo is for a span of which another node has a run: it has the whole span, or gets it soon, for nothing more is heard of it from here.
func (w *worker) letGo(h *held) {
	w.mu.Lock()
	h.lost = true
	w.mu.Unlock()
	w.settle(h, 1, false)
}

func (w *worker) giveBack(h *held, entries int) { w.settle(h, entries, true) }

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

// beat says of all spans that this node has that it still works on them.
func (w *worker) beat(ctx context.Context) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		w.mu.Lock()
		for _, h := range w.open {
			if !h.lost {
				_ = h.msg.InProgress() // one that is lost is followed by others
			}
		}
		w.mu.Unlock()
	}
}

// watch looks at the record of the batch now and then: a batch that is cancelled is stopped, one whose budget is raised has more of it.
func (w *worker) watch(ctx context.Context, enough func()) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		r, _, err := w.Queue.record(ctx, w.Batch)
		if err != nil {
			continue // who takes jobs and keeps results says so
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

// live is what other processes are told.
func (w *worker) live() live {
	l := live{Stopped: w.stopped()}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.running {
		l.Running = append(l.Running, *r)
	}
	return l
}
