package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/sandbox/internal/worker"
)

// The defaults of NewWorkers.
const (
	defaultWorkers      = 8
	defaultWorkerMemory = 4 << 30
)

// Workers bounds the worker processes of a tree of sessions, and keeps a spare warm where another one is likely to be needed.
type Workers struct {
	max    int
	memory int64
	spawn  chan func(error) // runs on the thread that workers are bound to, or is told why there is none

	mu        sync.Mutex
	closed    bool
	live      map[*process]*lease
	rooms     []*room            // by depth
	queue     int                // sessions that wait for a worker
	confirmed map[confirmed]bool // what the kernel has confirmed of every thread of a worker
	best      start              // what level Best came to; empty until it was tried
	bestWhy   string             // why it is not namespaced
	spare     *spare
	joined    sync.WaitGroup
	freed     chan struct{} // closed and renewed when a worker is given back
}

// confirmed is a kind of worker and the way it is started.
type confirmed struct {
	kind string
	how  start
}

// NewWorkers makes the pool for one tree: at most max processes at once, their memory together at
// most memory bytes (0: the defaults, 8 and 4 GiB). Close it after its sessions.
func NewWorkers(max int, memory int64) *Workers {
	def(&max, defaultWorkers)
	def(&memory, int64(defaultWorkerMemory))
	w := &Workers{
		max: max, memory: memory,
		spawn: make(chan func(error)),
		live:  make(map[*process]*lease),
		freed: make(chan struct{}),

		confirmed: make(map[confirmed]bool),
	}
	w.joined.Add(1)
	go w.spawner()
	return w
}

// spawner starts processes from one thread that lives as long as the pool: the kernel kills a worker when the
// thread that started it ends, not only when its process does. The thread ends with the pool, because it gave up what privileges
// it had and nothing else must run on it.
func (w *Workers) spawner() {
	defer w.joined.Done()
	runtime.LockOSThread()
	shed := shedPrivileges()
	for start := range w.spawn {
		start(shed)
	}
}

// run starts a command from the spawner's thread.
func (w *Workers) run(cmd *exec.Cmd) error {
	done := make(chan error)
	w.spawn <- func(err error) {
		if err == nil {
			err = cmd.Start()
		}
		done <- err
	}
	return <-done
}

// Close ends the spare and waits for every process to be reaped.
func (w *Workers) Close() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	s, live := w.spare, len(w.live)
	w.spare = nil
	for p := range w.live {
		p.kill(&cause{what: causeClosed})
	}
	w.mu.Unlock()
	if s != nil {
		s.discard()
	}
	close(w.spawn)
	w.joined.Wait()
	if live > 0 {
		return fmt.Errorf("%s still open", quantity.Of(live, "session"))
	}
	return nil
}

// acquire takes a worker of at least the level: the spare, if there is one.
func (w *Workers) acquire(ctx context.Context, want Level) (*process, error) {
	l, err := w.reserve(ctx)
	if err != nil {
		return nil, err
	}
	return w.takeFor(ctx, want, l)
}

// acquireFree is acquire for one that does not wait: nil if as many workers run as may.
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
	parent, _ := ctx.Value(leaseKey{}).(*lease)
	return w.takeFor(ctx, want, &lease{parent: parent})
}

// takeFor takes a worker for a lease that was reserved.
func (w *Workers) takeFor(ctx context.Context, want Level, l *lease) (*process, error) {
	p, err := w.take(ctx, want)
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

// reserve waits until one more worker may run. It counts in queue until acquire is done with it.
func (w *Workers) reserve(ctx context.Context) (*lease, error) {
	parent, _ := ctx.Value(leaseKey{}).(*lease)
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
			return &lease{parent: parent}, nil
		}
		freed, stuck := w.freed, w.stuck()
		w.mu.Unlock()
		if stuck {
			return nil, fmt.Errorf("all %d workers are in use by the calls above this one: nest less deep, or allow more workers", w.max)
		}
		select {
		case <-freed:
		case <-look.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for a worker: %w", context.Cause(ctx))
		}
	}
}

// take gets a process: the spare, or a new one, at the best level if that is what is wanted.
func (w *Workers) take(ctx context.Context, want Level) (*process, error) {
	how, err := w.way(want)
	if err != nil {
		return nil, err
	}
	if p := w.takeSpare(how); p != nil {
		return p, nil
	}
	return w.fresh(ctx, want, how, worker.Cells, nil)
}

// fresh starts a process, and in another way if Best cannot be had in this one.
func (w *Workers) fresh(ctx context.Context, want Level, how start, kind string, admit Admit) (*process, error) {
	p, err := w.launch(ctx, kind, admit, how)
	switch {
	case want == Best && how == namespaced && ctx.Err() == nil && (err != nil || !p.layers.EmptyRoot || p.level == Basic):
		why := "namespaces: "
		if err != nil {
			why += err.Error()
		} else {
			why += strings.Join(p.layers.Why, "; ")
			p.end()
		}
		w.mu.Lock()
		w.best, w.bestWhy = plain, why
		w.mu.Unlock()
		p, err = w.launch(ctx, kind, admit, plain)
	case err == nil && (want == Strict || want == Standard) && rank(p.level) < rank(want):
		err = fmt.Errorf("sandbox level %s cannot be had here, only %s: %s (rlm doctor says more)", want, p.level, strings.Join(p.layers.Why, "; "))
		p.end()
	}
	if err != nil {
		return nil, err
	}
	w.explain(p)
	return p, nil
}

// launch starts a process. Of the first one of a kind that is started in a way the kernel has to confirm what it says thread by thread, of
// later ones, which do the same before they know anything, for the first thread.
func (w *Workers) launch(ctx context.Context, kind string, admit Admit, how start) (*process, error) {
	same := confirmed{kind, how}
	w.mu.Lock()
	each := !w.confirmed[same]
	w.mu.Unlock()
	p, err := launchAs(ctx, kind, admit, how, w.run, each)
	if err == nil && each && p.layers.Standard() {
		w.mu.Lock()
		w.confirmed[same] = true
		w.mu.Unlock()
	}
	return p, err
}

// way is how a worker for a level is started.
func (w *Workers) way(want Level) (start, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case want == Basic, raceEnabled && want == Best:
		return open, nil
	case raceEnabled:
		return "", fmt.Errorf("sandbox level %s cannot be had in a program built with the race detector", want)
	case want == Standard:
		return plain, nil
	case want == Strict && canNamespace:
		return namespaced, nil
	case want == Strict:
		return "", fmt.Errorf("sandbox level strict needs Linux; this is %s", runtime.GOOS)
	case want == Best && w.best != "":
		return w.best, nil
	case want == Best && canNamespace:
		return namespaced, nil
	case want == Best:
		return plain, nil
	}
	return "", fmt.Errorf("no sandbox level %q: use strict, standard or best", want)
}

// explain adds why a worker has no namespaces.
func (w *Workers) explain(p *process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.bestWhy != "" && p.how == plain {
		p.layers.Why = append([]string{w.bestWhy}, p.layers.Why...)
	}
}

func rank(l Level) int {
	switch l {
	case Strict:
		return 2
	case Standard:
		return 1
	}
	return 0
}

// release ends a worker. One that ran a cell is never used again.
func (w *Workers) release(p *process) {
	p.end()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.live, p)
	w.wake()
}

// wake tells those who wait for a worker to look again. The caller holds mu.
func (w *Workers) wake() {
	close(w.freed)
	w.freed = make(chan struct{})
}
