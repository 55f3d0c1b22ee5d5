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

// Session is one session. It is open while somebody uses it and for a while after; its events can be read at
// any time, also while another process has it open.
type Session struct {
	id, dir string
	all     *Manager
	feed    *broadcaster

	opening sync.Mutex // held while the session is opened or closed

	mu      sync.Mutex
	session *runner.Session // nil while it is not open
	pumped  chan struct{}   // closed when the open session's events have all been handed on
	task    *activeTask
	done    int64 // how many tasks it had
	used    time.Time
	readers int
	asking  sync.Mutex   // held while the notebook is asked something short
	reading sync.RWMutex // held for writing while the session is closed, for reading while something of it is read
	book    *history.Projection
	lines   *window.Text       // of the open session's context
	linesOf io.ReaderAt        // the context that those were made of
	tail    context.CancelFunc // ends reading the log of a session that is not open here
	named   atomic.Bool        // a model was named where there is none by itself
	handed  bool               // another process has taken it over
}

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
	st.Number, st.Open, st.Readers = l.done, l.session != nil, l.readers
	if !st.Open {
		owner, owned := trajectory.OwnerOf(l.dir)
		st.Elsewhere = owned && owner.PID != os.Getpid()
	}
	return st
}

// Busy says what the session does, as an *Error with the code Busy; nil if it is free.
func (l *Session) Busy() error {
	if st := l.State(); st.Doing != "" {
		return busy(st)
	}
	return nil
}

// Ask asks the notebook something short, such as for a completion. It is no doing of the session: one that
// begins meanwhile waits for its end. If the session does something, the error has the code Busy.
func (l *Session) Ask(ctx context.Context, ask func(*runner.Session) error) error {
	l.asking.Lock()
	defer l.asking.Unlock()
	l.mu.Lock()
	t := l.task
	l.used = time.Now()
	l.mu.Unlock()
	if t != nil {
		return busy(t.state)
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

// asked returns when what the notebook is being asked has been answered.
func (l *Session) asked() {
	l.asking.Lock()
	defer l.asking.Unlock()
}

// Lines is the context of the open session by lines. It is used within Look or Ask.
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

// History says what happened in the session.
func (l *Session) History() *history.Projection {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.book == nil {
		l.book = history.NewProjection(l.dir)
	}
	return l.book
}

// ReadAhead reads what happened in a session that somebody is about to look at.
func (l *Session) ReadAhead() {
	l.mu.Lock()
	begun := l.book != nil
	l.mu.Unlock()
	if !begun {
		_ = l.History().Update() // who looks is told what is wrong
	}
}

// open returns the open session.
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
	if l.all.closing() { // nobody would close it again
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

// attach takes an open session's events. The caller holds mu.
func (l *Session) attach(s *runner.Session) {
	l.endTail()
	l.feed.recovered()
	pumped := make(chan struct{})
	l.session, l.used, l.pumped, l.handed = s, time.Now(), pumped, false
	l.all.hold(l)
	events, _ := s.Subscribe() // ends when the session is closed, which waits for that
	if seq, err := s.Settle(); err == nil {
		l.feed.reach(seq) // what its opening wrote came before anybody could hear it
	}
	go func() {
		defer close(pumped)
		l.pump(events)
	}()
	l.all.rested()
}

// idleSince says since when an open session is not used.
func (l *Session) idleSince() (used time.Time, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.used, l.session != nil && l.task == nil
}

// Rest gives back the worker of a session that somebody does not need any more, unless it is used.
func (l *Session) Rest() { l.rest(0) }

// rest closes a session that has not been used for a time: its worker goes, its variables come back from the
// log when it is used again.
func (l *Session) rest(idle time.Duration) {
	l.mu.Lock()
	unused := l.session != nil && l.task == nil && time.Since(l.used) >= idle
	l.mu.Unlock()
	if unused && l.reading.TryLock() { // one that is read at this moment is used
		_ = l.closeNow() // its log says what went wrong, if anything did
		l.reading.Unlock()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.readers == 0 && l.session == nil {
		l.book = nil
		l.feed.drop()
	}
}

// handOver closes a session that does nothing, and leaves it to another process: it is not opened here again until Take.
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

// close closes the open session when nobody reads something of it.
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
