package session

import (
	"context"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorlm/rlm/internal/session/history"
	"github.com/gorlm/rlm/internal/session/window"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Session is one session. It is open while it is used and for some time after that. Its events can always be read,
// even while another process has it open.
type Session struct {
	id, dir string
	all     *Manager
	feed    *broadcaster

	opening sync.Mutex // held while the session is being opened or closed

	mu         sync.Mutex
	session    *runner.Session // nil while it is not open
	pumped     chan struct{}   // closed when all events of the open session have been forwarded
	task       *activeTask
	done       int64 // number of tasks so far, including the current one
	used       time.Time
	readers    int
	asking     sync.Mutex              // held during a short request to the notebook
	stopAsking context.CancelCauseFunc // cancels the latest short request
	reading    sync.RWMutex            // write-locked while the session is being closed, read-locked while it is read
	book       *history.Projection
	lines      *window.Text       // the open session's context as lines
	linesOf    io.ReaderAt        // the reader of the context that lines was made from
	tail       context.CancelFunc // stops following the log of a session that is not open here
	named      atomic.Bool        // a model was chosen, and there is no default
	handed     bool               // another process has taken over the session
}

// ID returns the session's id.
func (l *Session) ID() string { return l.id }

// Dir returns the folder of the session's log.
func (l *Session) Dir() string { return l.dir }

// State returns what the session is doing.
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
	st.Number, st.Open, st.Readers = l.done, l.session != nil, l.readers
	if !st.Open {
		owner, owned := trajectory.OwnerOf(l.dir)
		st.Elsewhere = owned && owner.PID != os.Getpid()
	}
	return st
}

// Last returns the number of the last event of the log, which is durable.
func (l *Session) Last() (int64, error) {
	l.mu.Lock()
	open := l.session
	l.mu.Unlock()
	if open != nil { // the log need not be read
		return open.Settle()
	}
	sum, err := trajectory.Summarize(l.dir)
	return sum.Events, err
}

// Busy returns an *Error with the code Busy while the session is doing something; nil if it is free.
func (l *Session) Busy() error {
	if st := l.State(); st.Doing != "" {
		return busy(st)
	}
	return nil
}

// Ask makes a short request to the notebook, such as for a completion. It is not a task: a task that starts
// meanwhile waits for it. Stop cancels it. If the session is doing something, the error has the code Busy.
func (l *Session) Ask(ctx context.Context, ask func(context.Context, *runner.Session) error) error {
	l.asking.Lock()
	defer l.asking.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l.mu.Lock()
	t := l.task
	l.used, l.stopAsking = time.Now(), cancel
	l.mu.Unlock()
	if t != nil {
		return busy(t.state)
	}
	err := l.Look(ctx, func(rs *runner.Session) error { return ask(ctx, rs) })
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Look reads from the session, whatever it is doing, and opens it if necessary.
func (l *Session) Look(ctx context.Context, look func(*runner.Session) error) error {
	l.reading.RLock()
	defer l.reading.RUnlock()
	s, err := l.open(ctx)
	if err != nil {
		return err
	}
	return look(s)
}

// asked waits for the current short request to the notebook.
func (l *Session) asked() {
	l.asking.Lock()
	defer l.asking.Unlock()
}

// Lines returns the context of the open session as lines. Use it within Look or Ask.
func (l *Session) Lines(s *runner.Session) *window.Text {
	section := s.Context()
	of, _, _ := section.Outer()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lines == nil || l.linesOf != of {
		l.lines, l.linesOf = window.New(section, section.Size()), of
	}
	return l.lines
}

// Open reports whether the session is open here.
func (l *Session) Open() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.session != nil
}

// History returns the projection of the session's log.
func (l *Session) History() *history.Projection {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.book == nil {
		l.book = history.NewProjection(l.dir)
	}
	return l.book
}

// ReadAhead reads the log of a session that someone is about to view, unless it has been read.
func (l *Session) ReadAhead() {
	l.mu.Lock()
	begun := l.book != nil
	l.mu.Unlock()
	if !begun {
		_ = l.History().Update() // whoever views the session gets the error
	}
}

// open returns the runner's session, and opens it if necessary.
func (l *Session) open(ctx context.Context) (*runner.Session, error) {
	l.opening.Lock()
	defer l.opening.Unlock()
	l.mu.Lock()
	s, handed := l.session, l.handed
	l.mu.Unlock()
	if s != nil {
		return s, nil
	}
	if handed {
		return nil, ErrHandedOver
	}
	if l.all.closing() { // nothing would close this session later
		return nil, ErrClosing
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

// attach stores an open session and starts forwarding its events. The caller holds mu.
func (l *Session) attach(s *runner.Session) {
	l.endTail()
	l.feed.recovered()
	pumped := make(chan struct{})
	l.session, l.used, l.pumped, l.handed = s, time.Now(), pumped, false
	l.all.hold(l)
	events, _ := s.Subscribe() // ends when the session is closed; closing waits until all events have been forwarded
	if seq, err := s.Settle(); err == nil {
		l.feed.reach(seq) // events from before the subscription, such as those of opening
	}
	go func() {
		defer close(pumped)
		l.pump(events)
	}()
	l.all.rested()
}

// idleSince returns when an open session was last used; ok is false if it is not open or is doing something.
func (l *Session) idleSince() (used time.Time, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.used, l.session != nil && l.task == nil
}

// Rest releases the worker of a session that a client no longer needs, unless the session is in use.
func (l *Session) Rest() { l.rest(0) }

// rest closes a session that has not been used for the duration idle: its worker ends, and its variables are
// restored from the log at the next use.
func (l *Session) rest(idle time.Duration) {
	l.mu.Lock()
	unused := l.session != nil && l.task == nil && time.Since(l.used) >= idle
	l.mu.Unlock()
	if unused && l.reading.TryLock() { // a session that is being read is in use
		_ = l.closeNow() // an error is in the session's log
		l.reading.Unlock()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.readers == 0 && l.session == nil {
		l.book = nil
		l.feed.drop()
	}
}

// handOver closes an idle session and leaves it to another process: it is not opened here again unless Take adds
// it.
func (l *Session) handOver() error {
	l.mu.Lock()
	if l.task != nil {
		defer l.mu.Unlock()
		return busy(l.task.state)
	}
	l.handed = true
	l.mu.Unlock()
	err := l.close()
	l.feed.fail(ErrHandedOver)
	return err
}

// close waits until nothing reads the open session, and closes it.
func (l *Session) close() error {
	l.reading.Lock()
	defer l.reading.Unlock()
	return l.closeNow()
}

func (l *Session) closeNow() error {
	l.opening.Lock()
	defer l.opening.Unlock()
	l.mu.Lock()
	s, pumped := l.session, l.pumped
	if s == nil || l.task != nil {
		l.mu.Unlock()
		return nil
	}
	l.session, l.lines, l.linesOf = nil, nil, nil
	l.mu.Unlock()
	err := s.Close()
	<-pumped
	l.mu.Lock()
	defer l.mu.Unlock()
	l.announce()
	l.beginTail()
	return err
}
