package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/fleet/internal/jet"
	"github.com/gorlm/rlm/internal/kit/admission"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
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

	// Models are the names of models that jobs may name here; a job that names others goes to a node that has them. nil: Setup knows all.
	Models []string
	// Silence is how long a node may be silent before another one takes over what it has; the first node of a batch decides. Default: 4 s.
	Silence time.Duration
	// Patience is how long no node must have had the models of a job before it is set aside. Default: 5 min.
	Patience time.Duration
	// Dir is the folder for working copies and cached contexts.
	Dir string
	// CacheSize bounds the cached contexts in bytes. Those that were not used for longest go first. Default: 20 GiB.
	CacheSize int64
	// SharedPath is the only folder that jobs may name paths in; empty: they name none.
	SharedPath string

	dir      string    // of this process, below Dir
	contexts *contexts // of all batches
}

const (
	defaultCacheSize = 20 << 30
	defaultSilence   = 4 * time.Second
)

// StoppedError says why a node takes no more jobs although there are some: the batch is cancelled, or its budget is used up.
type StoppedError struct{ Why string }

func (e *StoppedError) Error() string { return e.Why + ": the rest of the jobs stays in the queue" }

// Run takes jobs and runs them until ctx is done. Then it takes no more, and returns when those that run have come to their ends; cancelling
// kill stops them too: they go on from their logs another time. The error is an *StoppedError when there is nothing left that may be run, and
// otherwise says that the queue or the disk cannot be used any more.
func (n *Node) Run(ctx, kill context.Context) error {
	if n.Queue.conn.Remote {
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
	return n.run(ctx, kill, admission.NewQueue(max(1, n.Slots)), false)
}

// run runs the jobs of one batch in slots that it may share with others. With leaves it ends when nobody has jobs of the batch.
func (n *Node) run(ctx, kill context.Context, slots *admission.Queue, leaves bool) error {
	work, stop := context.WithCancelCause(kill)
	defer stop(nil)
	w := &worker{
		Node: n, work: work, stop: stop, slots: slots, leaves: leaves, open: map[uint64]*spanLease{}, running: map[string]*RunningJob{},
		shut: make(chan struct{}), log: n.Log,
	}
	w.Patience = cmp.Or(w.Patience, defaultPatience)
	w.Silence = cmp.Or(w.Silence, defaultSilence)
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
	if n.contexts != nil {
		stop, err := w.lend(ctx)
		if err != nil {
			return fmt.Errorf("tell of contexts: %w", err)
		}
		defer stop()
	}
	taking, enough := context.WithCancel(ctx)
	defer enough()
	var helpers sync.WaitGroup
	helpers.Go(func() { w.beat(work) })
	helpers.Go(func() { w.watch(work, enough) })
	err = w.takeAll(taking)
	w.mu.Lock()
	w.closing = true
	w.mu.Unlock()
	w.shutOnce.Do(func() { close(w.shut) })
	w.jobs.Wait()
	if w.account.lease != nil {
		giving, given := context.WithTimeout(context.WithoutCancel(ctx), jet.FlushPatience)
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
