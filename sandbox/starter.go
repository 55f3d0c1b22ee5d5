package sandbox

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/gorlm/rlm/sandbox/internal/worker"
)

// Starter starts the processes of workers. Trees of sessions share one, one after the other or at the same time: from the second tree on a spare
// is started while a session runs, so that the next one finds its worker ready. A spare that nobody takes ends after some seconds, and nothing
// is left when no pool is open and there is no spare. It is safe for concurrent use.
type Starter struct {
	idle time.Duration // how long a spare waits

	mu        sync.Mutex
	closed    bool
	trees     int                // pools that were ever opened
	users     int                // pools that are open, and spares
	thread    *thread            // nil if there is none
	confirmed map[confirmed]bool // what the kernel has confirmed of every thread of a worker
	best      start              // what level Best came to; empty until it was tried
	bestWhy   string             // why it is not namespaced
	bestAt    time.Time          // when it was tried
	spare     *spare
	ending    sync.WaitGroup // spares that wait or end
}

const (
	spareIdle = 10 * time.Second
	bestFor   = time.Minute // after it namespaces are tried again where they could not be had
)

// confirmed is a kind of worker and the way it is started.
type confirmed struct {
	kind string
	how  start
}

// NewStarter makes a starter. It costs nothing before it is used.
func NewStarter() *Starter {
	return &Starter{idle: spareIdle, confirmed: make(map[confirmed]bool)}
}

// Close ends the spare, now and in the future. Pools that are open can be used until they are closed.
func (s *Starter) Close() {
	s.mu.Lock()
	s.closed = true
	old := s.spare
	s.spare = nil
	s.mu.Unlock()
	if old != nil {
		s.discard(old)
	}
	s.ending.Wait()
}

// hold keeps the thread until drop.
func (s *Starter) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users++
}

// drop ends the thread when nothing is left that it started or may have to start.
func (s *Starter) drop() {
	s.mu.Lock()
	s.users--
	var last *thread
	if s.users == 0 {
		last, s.thread = s.thread, nil
	}
	s.mu.Unlock()
	if last != nil {
		close(last.starts)
		<-last.done
	}
}

// thread starts processes, all from one thread that lives as long as they do: the kernel kills a worker when the thread that started it ends,
// not only when its process does. It ends and is not used for anything else, because it gave up what privileges it had.
type thread struct {
	starts chan func(error) // runs on the thread, or is told why it cannot start anything
	done   chan struct{}
}

func newThread() *thread {
	t := &thread{starts: make(chan func(error)), done: make(chan struct{})}
	go func() {
		defer close(t.done)
		runtime.LockOSThread()
		shed := shedPrivileges()
		for start := range t.starts {
			start(shed)
		}
	}()
	return t
}

// run starts a command from the thread, which the caller holds.
func (s *Starter) run(cmd *exec.Cmd) error {
	s.mu.Lock()
	if s.thread == nil {
		s.thread = newThread()
	}
	t := s.thread
	s.mu.Unlock()
	done := make(chan error)
	t.starts <- func(err error) {
		if err == nil {
			err = cmd.Start()
		}
		done <- err
	}
	return <-done
}

// take gets a process: the spare, or a new one, at the best level if that is what is wanted.
func (s *Starter) take(ctx context.Context, want Level) (*process, error) {
	how, err := s.way(want)
	if err != nil {
		return nil, err
	}
	if p := s.takeSpare(how); p != nil {
		return p, nil
	}
	return s.fresh(ctx, want, how, worker.Cells, nil)
}

// fresh starts a process, and in another way if Best cannot be had in this one.
func (s *Starter) fresh(ctx context.Context, want Level, how start, kind string, admit Admit) (*process, error) {
	p, err := s.launch(ctx, kind, admit, how)
	switch {
	case want == Best && how == namespaced && ctx.Err() == nil && (err != nil || !p.layers.EmptyRoot || p.level == Basic):
		why := "namespaces: "
		if err != nil {
			why += err.Error()
		} else {
			why += strings.Join(p.layers.Why, "; ")
			p.end()
		}
		s.mu.Lock()
		s.best, s.bestWhy, s.bestAt = plain, why, time.Now()
		s.mu.Unlock()
		p, err = s.launch(ctx, kind, admit, plain)
	case err == nil && (want == Strict || want == Standard) && rank(p.level) < rank(want):
		err = fmt.Errorf("sandbox level %s cannot be had here, only %s: %s (rlm doctor says more)", want, p.level, strings.Join(p.layers.Why, "; "))
		p.end()
	}
	if err != nil {
		return nil, err
	}
	s.explain(p)
	return p, nil
}

// launch starts a process. Of the first one of a kind that is started in a way the kernel has to confirm what it says thread by thread, of
// later ones, which do the same before they know anything, for the first thread.
func (s *Starter) launch(ctx context.Context, kind string, admit Admit, how start) (*process, error) {
	same := confirmed{kind, how}
	s.mu.Lock()
	each := !s.confirmed[same]
	s.mu.Unlock()
	p, err := launchAs(ctx, kind, admit, how, s.run, each)
	if err == nil && each && p.layers.Standard() {
		s.mu.Lock()
		s.confirmed[same] = true
		s.mu.Unlock()
	}
	return p, err
}

// way is how a worker for a level is started.
func (s *Starter) way(want Level) (start, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
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
	case want == Best && s.best != "" && time.Since(s.bestAt) < bestFor:
		return s.best, nil
	case want == Best && canNamespace:
		return namespaced, nil
	case want == Best:
		return plain, nil
	}
	return "", fmt.Errorf("no sandbox level %q: use strict, standard or best", want)
}

// explain adds why a worker has no namespaces.
func (s *Starter) explain(p *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bestWhy != "" && p.how == plain {
		p.layers.Why = append([]string{s.bestWhy}, p.layers.Why...)
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
