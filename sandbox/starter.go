package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/gorlm/rlm/internal/otherworker"
	"github.com/gorlm/rlm/sandbox/internal/worker"
)

// Starter starts worker processes. Trees of sessions share it, one after the other or concurrently. From the second
// tree on, it starts a spare while a session runs, so that the next session finds its worker ready. An unused spare
// ends after some seconds, and nothing remains once no pool is open and there is no spare. A Starter is safe for
// concurrent use.
type Starter struct {
	idle time.Duration       // how long a spare waits
	room *semaphore.Weighted // for processes that are starting

	mu        sync.Mutex
	closed    bool
	trees     int                    // pools ever opened
	users     int                    // open pools and spares
	thread    *thread                // nil if there is none
	confirmed map[verifiedStart]bool // the kernel has confirmed that every thread is locked in
	best      startMode              // mode that Best resolved to; empty until that is known
	bestWhy   string                 // why workers at the best level are not namespaced
	bestAt    time.Time              // when best was determined
	known     map[Level]Lockdown     // result of the last start, by requested level
	spare     *spareWorker
	ending    sync.WaitGroup // spares that wait or are ending
}

const (
	spareIdle = 10 * time.Second
	bestFor   = time.Minute // time after which namespaces are tried again, if they were unavailable
)

// verifiedStart is a kind of worker and how it is started.
type verifiedStart struct {
	kind string
	how  startMode
}

// NewStarter returns a Starter. It costs nothing until it is used.
func NewStarter() *Starter {
	room := semaphore.NewWeighted(startsAtOnce())
	return &Starter{
		idle: spareIdle, room: room, confirmed: make(map[verifiedStart]bool),
		known: make(map[Level]Lockdown),
	}
}

// startsAtOnce is how many processes may start concurrently. Each start keeps a core busy, so more of them would
// only slow each other and the host down.
func startsAtOnce() int64 { return 2 * int64(runtime.GOMAXPROCS(0)) }

// Lockdown is how well a worker is locked in; Missing explains, layer by layer, what keeps it from a higher level.
type Lockdown struct {
	Level   Level
	Missing []string
}

// Known returns how well the last session that asked for the level was locked in. ok is false if there was none, or
// if the last one could not start: then only another start can find out.
func (s *Starter) Known(want Level) (l Lockdown, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok = s.known[cmp.Or(want, Best)]
	return l, ok
}

// learn records how well a session was locked in; p is nil if it could not start.
func (s *Starter) learn(want Level, p *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p == nil {
		delete(s.known, want)
	} else {
		s.known[want] = Lockdown{p.level, p.layers.Why}
	}
}

// Close ends the spare, and prevents later ones. Open pools can still be used until they are closed.
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

// hold keeps the thread alive until drop is called.
func (s *Starter) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users++
}

// drop undoes one hold, and ends the thread if it was the last one.
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

// thread starts all processes from one thread that outlives them: the kernel kills a worker when the thread that
// started it ends, not only when that thread's process does. The thread ends without being reused, because it has
// dropped its privileges.
type thread struct {
	starts chan func(error) // functions to call on the thread; an argument other than nil forbids the start
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

// run starts a command from the thread; the caller has called hold.
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

// take returns a process: the spare, or a new one, at the best level if want is Best.
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

// fresh starts a process. If want is Best and the start mode does not work, it tries another mode.
func (s *Starter) fresh(
	ctx context.Context, want Level, how startMode, kind string, admit otherworker.Admit,
) (*process, error) {
	p, err := s.launch(ctx, kind, admit, how)
	switch {
	case errors.Is(err, errWaits), errors.Is(err, context.DeadlineExceeded): // an init function waits
	case want == Best && how == namespaced && ctx.Err() == nil &&
		(err != nil || !p.layers.EmptyRoot || p.level == Basic):
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
	case want == Strict && err != nil && ctx.Err() == nil:
		err = fmt.Errorf("sandbox level strict is not available here: namespaces: %w. %s", err,
			strings.Join(namespaceHints(), " "))
	case err == nil && (want == Strict || want == Standard) && rank(p.level) < rank(want):
		err = fmt.Errorf("sandbox level %s is not available here, only %s: %s ('rlm doctor' has details)", want, p.level,
			strings.Join(p.layers.Why, "; "))
		p.end()
	}
	if err != nil {
		return nil, err
	}
	s.explain(p)
	return p, nil
}

// launch starts a process. For the first process of a kind and mode, the kernel must confirm every thread. Later
// ones start in the same way, so confirming their first thread is enough.
func (s *Starter) launch(
	ctx context.Context, kind string, admit otherworker.Admit, how startMode,
) (*process, error) {
	same := verifiedStart{kind, how}
	s.mu.Lock()
	each := !s.confirmed[same]
	s.mu.Unlock()
	if err := s.room.Acquire(ctx, 1); err != nil {
		return nil, fmt.Errorf("wait to start a worker: %w", context.Cause(ctx))
	}
	p, err := launch(ctx, kind, admit, how, s.run, each)
	s.room.Release(1)
	if err == nil && each && p.layers.Standard() {
		s.mu.Lock()
		s.confirmed[same] = true
		s.mu.Unlock()
	}
	return p, err
}

// way returns how a worker for a level is started.
func (s *Starter) way(want Level) (startMode, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case want == Basic, raceEnabled && want == Best:
		return open, nil
	case raceEnabled:
		return "", fmt.Errorf("sandbox level %s is not available in a program built with the race detector", want)
	case want == Standard:
		return plain, nil
	case want == Strict && canNamespace:
		return namespaced, nil
	case want == Strict:
		return "", fmt.Errorf("sandbox level strict needs Linux; this is %s", runtime.GOOS)
	case want == Best && s.best != "" && time.Since(s.bestAt) < bestFor:
		return s.best, nil
	case want == Best && canNamespace && linksC():
		s.best, s.bestAt = plain, time.Now()
		s.bestWhy = "namespaces: a worker of a program that links C cannot drop the capabilities that it has in them"
		return s.best, nil
	case want == Best && canNamespace:
		return namespaced, nil
	case want == Best:
		return plain, nil
	}
	return "", fmt.Errorf("unknown sandbox level %q: use strict, standard or best", want)
}

// explain adds to the missing layers why a worker has no namespaces.
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
