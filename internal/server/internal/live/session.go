package live

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/server/internal/window"

	"github.com/gorlm/rlm/internal/server/internal/past"
	"github.com/gorlm/rlm/runner"
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
	lines   *window.Text       // of the open session's context
	linesOf io.ReaderAt        // the context that those were made of
	tail    context.CancelFunc // ends reading the log of a session that is not open here
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
	st.Open, st.Readers = l.session != nil, l.readers
	return st
}

// Ask asks the notebook something short, such as for a completion. It is no doing of the session: one that begins meanwhile
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

// Book says what happened in the session.
func (l *Session) Book() *past.Book {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.book == nil {
		l.book = past.New(l.dir)
	}
	return l.book
}

// ReadAhead reads what happened in a session that somebody is about to look at.
func (l *Session) ReadAhead() {
	l.mu.Lock()
	begun := l.book != nil
	l.mu.Unlock()
	if !begun {
		_ = l.Book().Update() // who looks is told what is wrong
	}
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
	l.feed.recovered()
	pumped := make(chan struct{})
	l.session, l.used, l.pumped = s, time.Now(), pumped
	l.all.hold(l)
	events, _ := s.Subscribe() // ends when the session is closed, which waits for that
	if seq, err := s.Settle(); err == nil {
		l.feed.reach(seq) // what its opening wrote came before anybody could hear it
	}
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
