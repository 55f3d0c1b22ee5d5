package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/kit/units"
)

// The defaults of a pool's limits.
const (
	defaultWorkers      = 8
	defaultWorkerMemory = 4 << 30
)

// Workers bounds the worker processes of a tree of sessions.
type Workers struct {
	starter *Starter
	owned   bool // the starter belongs only to this pool
	max     int
	memory  int64

	mu     sync.Mutex
	closed bool
	live   map[*process]*workerUsage
	rooms  []*byteSemaphore // semaphores by depth
	queue  int              // workers that are reserved and being started
	freed  chan struct{}    // closed and replaced when a worker is released
}

// NewWorkers returns a pool for one tree: at most max concurrent processes, which together use at most memory bytes
// (0 means the defaults, 8 and 4 GiB). Close it after its sessions.
func NewWorkers(max int, memory int64) *Workers {
	w := NewStarter().Workers(max, memory)
	w.owned = true
	return w
}

// Workers is NewWorkers with processes that this starter starts.
func (s *Starter) Workers(max int, memory int64) *Workers {
	def(&max, defaultWorkers)
	def(&memory, int64(defaultWorkerMemory))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trees++
	s.users++
	return &Workers{
		starter: s, max: max, memory: memory, live: make(map[*process]*workerUsage),
		freed: make(chan struct{}),
	}
}

// Close closes the pool. Workers that are still in use are killed, and reported as an error. The spare of a shared
// starter survives.
func (w *Workers) Close() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	live := len(w.live)
	for p := range w.live {
		p.kill(&cause{what: causeClosed})
	}
	w.mu.Unlock()
	w.starter.drop()
	if w.owned {
		w.starter.Close()
	}
	if live > 0 {
		return fmt.Errorf("%s still open", units.Of(live, "session"))
	}
	return nil
}

// warm starts a spare, if one more process is allowed.
func (w *Workers) warm(how startMode) {
	w.mu.Lock()
	free := !w.closed && len(w.live)+w.queue < w.max
	w.mu.Unlock()
	if free {
		w.starter.warm(how)
	}
}

// acquire returns a worker of at least the level: the spare, if there is one.
func (w *Workers) acquire(ctx context.Context, want Level) (*process, error) {
	l, err := w.reserve(ctx)
	if err != nil {
		return nil, err
	}
	return w.takeFor(ctx, want, l)
}

// acquireFree is acquire without waiting: it returns nil if the pool is full.
func (w *Workers) acquireFree(ctx context.Context, want Level) (*process, error) {
	w.mu.Lock()
	free := !w.closed && len(w.live)+w.queue < w.max
	if free {
		w.queue++
	}
	w.mu.Unlock()
	if !free {
		return nil, nil
	}
	parent, _ := ctx.Value(leaseKey{}).(*workerUsage)
	return w.takeFor(ctx, want, &workerUsage{parent: parent})
}

// takeFor gets a worker for a lease that reserve or acquireFree has counted in queue.
func (w *Workers) takeFor(ctx context.Context, want Level, l *workerUsage) (*process, error) {
	w.starter.hold() // the pool may be closed in the meantime
	defer w.starter.drop()
	p, err := w.starter.take(ctx, want)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue--
	if err == nil && w.closed {
		err = errors.New("the pool of workers is closed")
		go p.end()
	}
	if err != nil {
		w.wake()
		return nil, err
	}
	w.live[p] = l
	return p, nil
}

// reserve waits until one more worker may run, and counts that worker in queue until takeFor returns.
func (w *Workers) reserve(ctx context.Context) (*workerUsage, error) {
	parent, _ := ctx.Value(leaseKey{}).(*workerUsage)
	if parent != nil {
		parent.waiting.Add(1)
		defer parent.waiting.Add(-1)
	}
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		w.mu.Lock()
		if w.closed {
			w.mu.Unlock()
			return nil, errors.New("the pool of workers is closed")
		}
		if len(w.live)+w.queue < w.max {
			w.queue++
			w.mu.Unlock()
			return &workerUsage{parent: parent}, nil
		}
		freed, stuck := w.freed, w.stuck()
		w.mu.Unlock()
		if stuck {
			return nil, fmt.Errorf("all %d workers are in use by the calls above this one: nest less deeply, or allow more workers", w.max)
		}
		select {
		case <-freed:
		case <-look.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for a worker: %w", context.Cause(ctx))
		}
	}
}

// release ends a worker. A worker that ran a cell is never used again.
func (w *Workers) release(p *process) {
	p.end()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.live, p)
	w.wake()
}

// wake wakes everything that waits for a worker. The caller holds mu.
func (w *Workers) wake() {
	close(w.freed)
	w.freed = make(chan struct{})
}
