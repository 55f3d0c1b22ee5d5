package live

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/server/internal/past"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Session is one session. It is open while somebody uses it and for a while after; its events can be read at any time, also while
// another process has it open.
type Session struct {
	id, dir string
	all     *Sessions
	feed    *feed

	opening sync.Mutex // held while the session is opened or closed

	mu      sync.Mutex
	session *runner.Session // nil while it is not open
	pumped  chan struct{}   // closed when the open session's events have all been handed on
	task    *task
	used    time.Time
	readers int
	asking  sync.Mutex   // held while the notebook is asked something short
	reading sync.RWMutex // held for writing while the session is closed, for reading while something of it is read
	book    *past.Book
	tail    context.CancelFunc // ends reading the log of a session that is not open here
	tailed  chan struct{}
}

// task is what a session does.
type task struct {
	state  State
	cancel context.CancelCauseFunc
}

// State is what a session does, for those who look at it.
type State struct {
	// Doing is what kind of thing it does ("ask", "cell", …); empty when it is free.
	Doing string `json:"doing,omitempty"`
	// By is who began it, Client in which window.
	By     string    `json:"by,omitempty"`
	Client string    `json:"client,omitempty"`
	Since  time.Time `json:"since,omitzero"`
	// Ahead is how many questions are answered before this one may begin; nil when it has begun.
	Ahead *int `json:"ahead,omitempty"`
	// Open says whether the notebook has a worker.
	Open bool `json:"open"`
	// Readers is how many streams follow the session.
	Readers int `json:"readers"`
}

// Actor is who does something.
type Actor struct{ Name, Client string }

// BusyError says that the session does something else.
type BusyError struct{ State State }

func (e *BusyError) Error() string {
	return fmt.Sprintf("the session is busy: %s began %q %s ago; stop that first, or wait for its end", e.State.By, e.State.Doing,
		time.Since(e.State.Since).Round(time.Second))
}

// ErrStopped is the cause when a person stops what a session does.
var ErrStopped = errors.New("it was stopped")

// ID is the session's id.
func (l *Session) ID() string { return l.id }

// Dir is the folder of its log.
func (l *Session) Dir() string { return l.dir }

// State says what the session does.
func (l *Session) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stateNow()
}

func (l *Session) stateNow() State {
	var st State
	if l.task != nil {
		st = l.task.state
	}
	st.Open, st.Readers = l.session != nil, l.readers
	return st
}

// Start begins something that takes time and returns at once. If the session does something else, the error is a *BusyError. A
// run waits for its turn if there are too many. done, which may be nil, hears how it ended.
func (l *Session) Start(by Actor, doing string, run bool, do func(context.Context, *runner.Session) error, done func(error)) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	t := &task{State{Doing: doing, By: by.Name, Client: by.Client, Since: time.Now()}, cancel}
	if err := l.take(t); err != nil {
		cancel(nil)
		return err
	}
	began := l.all.begin(func() {
		defer cancel(nil)
		err := l.perform(ctx, t, run, do)
		l.settle()
		l.release(t)
		if done != nil {
			done(err)
		}
	})
	if !began {
		l.release(t)
		cancel(nil)
		return ErrClosing
	}
	return nil
}

// With does something short with the open session. If the session does something else, the error is a *BusyError.
func (l *Session) With(ctx context.Context, by Actor, doing string, do func(context.Context, *runner.Session) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := &task{State{Doing: doing, By: by.Name, Client: by.Client, Since: time.Now()}, cancel}
	if err := l.take(t); err != nil {
		return err
	}
	defer l.release(t)
	defer l.settle()
	return l.perform(ctx, t, false, do)
}

// settle waits until readers can have all events of what was done: they are told that it ended after them.
func (l *Session) settle() {
	l.mu.Lock()
	s, pumped := l.session, l.pumped
	l.mu.Unlock()
	if s == nil {
		return
	}
	if seq, err := s.Settle(); err == nil {
		l.feed.await(seq, pumped)
	}
}

// Ask asks the notebook something short, such as for a completion. It is no doing of the session: whoever begins one meanwhile
// waits for its end. If the session does something, the error is a *BusyError.
func (l *Session) Ask(ctx context.Context, ask func(*runner.Session) error) error {
	l.asking.Lock()
	defer l.asking.Unlock()
	l.mu.Lock()
	t := l.task
	l.used = time.Now()
	l.mu.Unlock()
	if t != nil {
		return &BusyError{t.state}
	}
	return l.Look(ctx, ask)
}

// Look reads something of the open session, whatever it does.
func (l *Session) Look(ctx context.Context, look func(*runner.Session) error) error {
	l.reading.RLock()
	defer l.reading.RUnlock()
	s, err := l.open(ctx)
	if err != nil {
		return err
	}
	return look(s)
}

// Open reports whether the session is open here.
func (l *Session) Open() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.session != nil
}

// Book says what happened in the session.
func (l *Session) Book() *past.Book {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.book == nil {
		l.book = past.New(l.dir)
	}
	return l.book
}

// Stop ends what the session does, and waits for nothing.
func (l *Session) Stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.task != nil {
		l.task.cancel(ErrStopped)
	}
}

// Failed tells readers what went wrong with something that was begun.
type Failed struct {
	Doing   string `json:"doing"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Say tells all who read at this moment what went wrong.
func (l *Session) Say(f Failed) { l.feed.pass(encoded(l.feed.at(), "", "failed", f)) }

func (l *Session) take(t *task) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.task != nil {
		return &BusyError{l.task.state}
	}
	l.task = t
	l.announce()
	return nil
}

func (l *Session) release(t *task) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.task, l.used = nil, time.Now()
	l.announce()
}

// announce tells all readers what the session does. The caller holds mu.
func (l *Session) announce() {
	l.feed.tell(encoded(l.feed.at(), "", "state", l.stateNow()))
	l.all.changes.note(l.id)
}

func (l *Session) perform(ctx context.Context, t *task, run bool, do func(context.Context, *runner.Session) error) error {
	if run {
		err := l.all.turn.enter(ctx, func(ahead int) { l.wait(t, &ahead) })
		if err != nil {
			return context.Cause(ctx)
		}
		defer l.all.turn.leave()
		l.wait(t, nil)
	}
	s, err := l.open(ctx)
	if err != nil {
		return err
	}
	l.asked()
	return do(ctx, s)
}

// asked returns when what the notebook is being asked has been answered.
func (l *Session) asked() {
	l.asking.Lock()
	defer l.asking.Unlock()
}

func (l *Session) wait(t *task, ahead *int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.state.Ahead = ahead
	l.announce()
}

// open returns the open session.
func (l *Session) open(ctx context.Context) (*runner.Session, error) {
	l.opening.Lock()
	defer l.opening.Unlock()
	l.mu.Lock()
	s := l.session
	l.mu.Unlock()
	if s != nil {
		return s, nil
	}
	s, err := l.all.cfg.Runner.OpenSession(ctx, l.id)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.attach(s)
	l.announce()
	return s, nil
}

// attach takes an open session's events. The caller holds mu.
func (l *Session) attach(s *runner.Session) {
	l.endTail()
	pumped := make(chan struct{})
	l.session, l.used, l.pumped = s, time.Now(), pumped
	events, _ := s.Subscribe() // ends when the session is closed, which waits for that
	go func() {
		defer close(pumped)
		l.pump(events)
	}()
}

// idleSince says since when an open session is not used.
func (l *Session) idleSince() (used time.Time, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.used, l.session != nil && l.task == nil
}

// rest closes a session that has not been used for a time: its worker goes, its variables come back from the log when it is used again.
func (l *Session) rest(idle time.Duration) {
	l.mu.Lock()
	unused := l.session != nil && l.task == nil && time.Since(l.used) >= idle
	l.mu.Unlock()
	if unused {
		_ = l.close() // its log says what went wrong, if anything did
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.readers == 0 && l.session == nil {
		l.book = nil
		l.feed.rest()
	}
}

// close closes the open session.
func (l *Session) close() error {
	l.reading.Lock()
	defer l.reading.Unlock()
	l.opening.Lock()
	defer l.opening.Unlock()
	l.mu.Lock()
	s, pumped := l.session, l.pumped
	if s == nil || l.task != nil {
		l.mu.Unlock()
		return nil
	}
	l.session = nil
	l.mu.Unlock()
	err := s.Close()
	<-pumped
	l.mu.Lock()
	defer l.mu.Unlock()
	l.announce()
	l.beginTail()
	return err
}

// pump hands events on until there are no more.
func (l *Session) pump(events func(func(trajectory.Event) bool)) {
	for ev := range events {
		if err := l.feed.add(ev); err != nil {
			l.feed.fail(err)
			return
		}
	}
}

// Read yields the session's frames behind the event after, as they are and as they come, until ctx is done or yield fails. It never holds
// the session up.
func (l *Session) Read(ctx context.Context, after int64, yield func([]Frame) error) error {
	l.mu.Lock()
	l.readers++
	l.beginTail()
	l.announce()
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.readers--; l.readers == 0 {
			l.endTail()
		}
		l.announce()
	}()
	return l.feed.read(ctx, after, yield)
}

// beginTail reads the log of a session that is not open here, for those who look at it: another process may write it. The caller holds mu.
func (l *Session) beginTail() {
	if l.readers == 0 || l.session != nil || l.tail != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	l.tail, l.tailed = cancel, ended
	go func() { // ends with the last reader
		defer close(ended)
		for ev, err := range trajectory.Follow(ctx, l.dir, l.feed.at()) {
			if err == nil {
				err = l.feed.add(ev)
			}
			if err != nil {
				l.feed.fail(err)
				return
			}
		}
	}()
}

// endTail ends that. The caller holds mu.
func (l *Session) endTail() {
	if l.tail != nil {
		l.tail()
		<-l.tailed
		l.tail = nil
	}
}
