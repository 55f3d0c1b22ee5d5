// Package live keeps the sessions that people and programs work at through a server: it opens them when they are used and gives their
// workers back when they are not, lets one do something at a time and tells the others who, and hands their events to readers.
package live

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"
	"weak"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Config configures Sessions.
type Config struct {
	Runner *runner.Runner
	// MaxRuns bounds the questions that are answered at once; those beyond it wait their turn. Cells that people run do not count.
	MaxRuns int
	// IdleAfter is how long an unused session keeps its worker.
	IdleAfter time.Duration
	// MaxIdle is how many unused sessions keep theirs; those that were unused longest give them back sooner.
	MaxIdle int
}

// Sessions are the sessions of one data folder.
type Sessions struct {
	cfg  Config
	turn *turnstile

	changes changes

	reading sync.Mutex // of one log at a time for a session that is not used yet; before mu

	mu     sync.Mutex
	all    map[string]weak.Pointer[Session] // what is not used is forgotten
	held   map[*Session]struct{}            // that are open, or were asked for since the last sweep
	closed bool

	work sync.WaitGroup // all that runs
	stop chan struct{}
}

// ErrClosing says that the server is shutting down.
var ErrClosing = errors.New("the server is shutting down")

// ErrRemoved says that a session was deleted.
var ErrRemoved = errors.New("the session was deleted")

// New makes the sessions of a runner's data folder. Close them.
func New(cfg Config) *Sessions {
	s := &Sessions{cfg: cfg, turn: newTurnstile(cfg.MaxRuns), stop: make(chan struct{})}
	s.all, s.held, s.changes.watches = map[string]weak.Pointer[Session]{}, map[*Session]struct{}{}, map[*watch]struct{}{}
	s.work.Go(s.sweep)
	return s
}

// Create begins a session over inputs.
func (s *Sessions) Create(ctx context.Context, inputs ...runner.Input) (*Session, error) {
	made, err := s.cfg.Runner.NewSession(ctx, inputs...)
	if err != nil {
		return nil, err
	}
	return s.Take(made)
}

// Take takes over an open session, or closes it.
func (s *Sessions) Take(made *runner.Session) (*Session, error) {
	l, err := s.add(made.ID(), made.Dir())
	if err != nil {
		return nil, errors.Join(err, made.Close())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.attach(made)
	l.announce()
	return l, nil
}

// Known returns a session that is used here.
func (s *Sessions) Known(id string) (*Session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.all[id].Value()
	return l, l != nil
}

// Remove deletes a session with all that is recorded of it. If it does something, the error is a *BusyError.
func (s *Sessions) Remove(l *Session) error {
	if st := l.State(); st.Doing != "" {
		return &BusyError{st}
	}
	if err := l.close(); err != nil {
		return err
	}
	if err := trajectory.Remove(l.dir); err != nil {
		return err
	}
	s.mu.Lock()
	delete(s.all, l.id)
	delete(s.held, l)
	s.mu.Unlock()
	l.feed.fail(ErrRemoved)
	s.changes.note(l.id)
	return nil
}

// Get returns the session with an id, which may be shortened. The error is a *trajectory.NotFoundError if there is none.
func (s *Sessions) Get(id string) (*Session, error) {
	dir, err := trajectory.Find(s.cfg.Runner.RunsDir(), id)
	if err != nil {
		return nil, err
	}
	return s.add(filepath.Base(dir), dir)
}

func (s *Sessions) add(id, dir string) (*Session, error) {
	if l, err := s.take(id); l != nil || err != nil {
		return l, err
	}
	s.reading.Lock() // a long log takes its time, in which the sessions that are used go on
	defer s.reading.Unlock()
	if l, err := s.take(id); l != nil || err != nil { // another has read it meanwhile
		return l, err
	}
	sum, err := trajectory.Summarize(dir)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosing
	}
	l := &Session{id: id, dir: dir, all: s, feed: newFeed(dir, sum.Events)}
	s.all[id], s.held[l] = weak.Make(l), struct{}{}
	return l, nil
}

// take returns a session that is used, and keeps it; nil if it is not.
func (s *Sessions) take(id string) (*Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosing
	}
	l := s.all[id].Value()
	if l != nil {
		s.held[l] = struct{}{}
	}
	return l, nil
}

// hold keeps a session that is opened. A sweep lets it go when it is not open any more.
func (s *Sessions) hold(l *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[l] = struct{}{}
}

// letGo forgets sessions that are not open, unless somebody else has them.
func (s *Sessions) letGo(all []*Session) {
	for _, l := range all {
		l.mu.Lock()
		if l.session == nil {
			s.mu.Lock()
			delete(s.held, l)
			s.mu.Unlock()
		}
		l.mu.Unlock()
	}
}

// Begin runs f in a goroutine that Close waits for, unless the server is shutting down.
func (s *Sessions) Begin(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.work.Go(f)
	}
	return !s.closed
}

// list returns the sessions that are used, and forgets the others.
func (s *Sessions) list() []*Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*Session
	for id, p := range s.all {
		if l := p.Value(); l != nil {
			all = append(all, l)
		} else {
			delete(s.all, id)
		}
	}
	return all
}

// sweep gives the workers of unused sessions back.
func (s *Sessions) sweep() {
	look := time.NewTicker(min(max(s.cfg.IdleAfter/4, 10*time.Millisecond), 10*time.Second))
	defer look.Stop()
	for {
		select {
		case <-look.C:
			s.look()
		case <-s.stop:
			return
		}
	}
}

// look closes sessions that are not used, and forgets them.
func (s *Sessions) look() {
	all := s.list()
	for _, l := range all {
		l.rest(s.cfg.IdleAfter)
	}
	s.restOldest(all)
	s.letGo(all)
}

// restOldest closes unused sessions beyond those that may stay open.
func (s *Sessions) restOldest(all []*Session) {
	idle := map[*Session]time.Time{}
	for _, l := range all {
		if used, ok := l.idleSince(); ok {
			idle[l] = used
		}
	}
	for len(idle) > s.cfg.MaxIdle {
		var oldest *Session
		for l, used := range idle {
			if oldest == nil || used.Before(idle[oldest]) {
				oldest = l
			}
		}
		oldest.rest(0)
		delete(idle, oldest)
	}
}

// Close stops what runs, waits until the replies under way are recorded, and closes all sessions.
func (s *Sessions) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	close(s.stop)
	s.mu.Unlock()
	for _, l := range s.list() {
		l.stop(runner.ErrEnding)
		l.mu.Lock()
		l.endTail()
		l.mu.Unlock()
	}
	s.work.Wait()
	var errs []error
	for _, l := range s.list() {
		errs = append(errs, l.close())
	}
	return errors.Join(errs...)
}
