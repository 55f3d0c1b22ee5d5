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
	Batch string // id of the batch; empty: all batches, including new ones
	// Slots is the number of concurrent jobs, at least 1.
	Slots int
	// Setup returns the model and the runner's options for a job; the node adds the job's schema and the run's id.
	// An error sets the job aside.
	Setup func(context.Context, Job) (llm.Model, []runner.Option, error)
	// Backoff lists the pauses before the retries of a job that fails for transient reasons; after the last one
	// the job is dead. Default: 2 s, 10 s, 1 min, 5 min.
	Backoff []time.Duration
	// Alone means that no other node has jobs of the batch: the jobs of a killed node are then taken over without
	// waiting for the ack timeout.
	Alone bool
	// Event, if set, is called for the events of the runs, by several goroutines. It must not block.
	Event func(job Job, ev trajectory.Event)
	// Log, if set, receives messages for operators: runs that are taken over or lost.
	Log *slog.Logger

	// For nodes of a shared queue:

	// Models are the models that jobs may name on this node; a job that names others goes to a node that has them.
	// nil: Setup knows all.
	Models []string
	// Silence is how long a node may be silent before another one takes over its jobs; the first node of a batch
	// decides. Default: 4 s.
	Silence time.Duration
	// Patience is how long a job waits for a node that has its models before it is set aside. Default: 5 min.
	Patience time.Duration
	// Dir is the folder for working copies and cached contexts.
	Dir string
	// CacheSize bounds the cached contexts in bytes; the least recently used are evicted. Default: 20 GiB.
	CacheSize int64
	// SharedPath is the only folder in which jobs may name paths; empty: they may not name any.
	SharedPath string

	dir      string    // folder of this process, below Dir
	contexts *contexts // shared by all batches
}

const (
	defaultCacheSize = 20 << 30
	defaultSilence   = 4 * time.Second
)

// StoppedError explains why a node takes no more jobs although some remain: the batch is cancelled, or its budget
// is used up.
type StoppedError struct{ Why string }

func (e *StoppedError) Error() string { return e.Why + ": the remaining jobs stay in the queue" }

// Run takes jobs and runs them until ctx is done. Then it takes no more, and returns when the running jobs have
// ended. Cancelling kill stops those, too; they continue from their logs when a node runs them again. The error is
// a *StoppedError if no remaining job may run; any other error means that the queue or the disk is unusable.
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
		n.contexts = &contexts{
			queue: n.Queue, dir: filepath.Join(n.Dir, "contexts"),
			most: cmp.Or(n.CacheSize, defaultCacheSize), shared: n.SharedPath,
		}
	}
	if n.Batch == "" {
		return n.runAll(ctx, kill)
	}
	return n.run(ctx, kill, admission.NewQueue(max(1, n.Slots)), false)
}

// run runs the jobs of one batch in slots that it may share with other batches. With leaves, it ends when no node
// has jobs of the batch.
func (n *Node) run(ctx, kill context.Context, slots *admission.Queue, leaves bool) error {
	work, stop := context.WithCancelCause(kill)
	defer stop(nil)
	w := &worker{
		Node: n, work: work, stop: stop, slots: slots, leaves: leaves, open: map[uint64]*spanLease{},
		running: map[string]*RunningJob{},
		shut:    make(chan struct{}), log: n.Log,
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
		return fmt.Errorf("report the progress of the batch: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	if n.contexts != nil {
		stop, err := w.lend(ctx)
		if err != nil {
			return fmt.Errorf("report the contexts: %w", err)
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
		_ = w.account.lease.giveBack(giving, w.account.used()) // if it fails, the rest of the slice is lost
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
