package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gorlm/rlm/internal/server/internal/past"

	"github.com/gorlm/rlm/runner"
)

// task is what a session does.
type task struct {
	state   State
	request string
	cancel  context.CancelCauseFunc
}

func newTask(by Actor, doing string, cancel context.CancelCauseFunc) *task {
	return &task{State{Doing: doing, By: by.Name, Client: by.Client, Since: time.Now()}, by.Request, cancel}
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

// Actor is who does something, in which window. Request, which may be empty, names the request that they made.
type Actor struct{ Name, Client, Request string }

// AgainError says that a request was made before. Began is what came of it; without a Seq it has not come that far.
type AgainError struct{ Began past.Begun }

func (e *AgainError) Error() string { return "the request was made before" }

// BusyError says that the session does something else.
type BusyError struct{ State State }

func (e *BusyError) Error() string {
	return fmt.Sprintf("the session is busy: %s began %q %s ago; stop that first, or wait for its end", e.State.By, e.State.Doing,
		time.Since(e.State.Since).Round(time.Second))
}

// ErrStopped is the cause when a person stops what a session does.
var ErrStopped = errors.New("it was stopped")

// Doing is something that takes time.
type Doing struct {
	Name string // ask, cell, …
	Run  bool   // it asks a model, and waits its turn for that
	// Admit, if it is not nil, lets it begin. It is not asked where a request was made before that needs nothing more.
	Admit func() error
	Do    func(context.Context, *runner.Session) error
	// GoOn takes the place of Do where a run that the request began was cut off.
	GoOn func(context.Context, *runner.Session) error
	Done func(error) // hears how it ended
}

// Start begins something and returns at once. If the session does something else, the error is a *BusyError. A run waits for its turn if
// there are too many.
//
// If the actor's request was made before, the error is an *AgainError, and nothing begins: it is under way or has ended. A run of it that was
// cut off when a server was killed goes on.
func (l *Session) Start(by Actor, d Doing) error {
	if _, err := l.again(by.Request); err != nil { // also while the session does something else
		return err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	t := newTask(by, d.Name, cancel)
	if err := l.take(t); err != nil {
		cancel(nil)
		return err
	}
	goOn, err := l.again(by.Request)
	if goOn {
		d.Do = d.GoOn
	}
	if err == nil && d.Admit != nil {
		err = d.Admit()
	}
	if err == nil && !l.all.Begin(func() {
		defer cancel(nil)
		err := l.perform(runner.ForRequest(ctx, by.Request), t, d.Run, d.Do)
		l.settle()
		l.release(t)
		d.Done(err)
	}) {
		err = ErrClosing
	}
	if err != nil {
		l.release(t)
		cancel(nil)
	}
	return err
}

// again finds out whether a request was made before; goOn says that a run of it was cut off, if the caller has taken the session: otherwise
// it may be under way.
func (l *Session) again(request string) (goOn bool, err error) {
	if request == "" {
		return false, nil
	}
	began, ok, err := l.Book().Begun(request)
	switch {
	case err != nil || !ok:
		return false, err
	case !began.Ended && began.Doing != "cell":
		return true, nil
	case !began.Ended && l.does(request):
		return false, &AgainError{}
	}
	return false, &AgainError{began}
}

// does reports whether the session does what a request began.
func (l *Session) does(request string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.task != nil && l.task.request == request
}

// With does something short with the open session. If the session does something else, the error is a *BusyError.
func (l *Session) With(ctx context.Context, by Actor, doing string, do func(context.Context, *runner.Session) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := newTask(by, doing, cancel)
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

// Stop ends what the session does, and waits for nothing.
func (l *Session) Stop() { l.stop(ErrStopped) }

func (l *Session) stop(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.task != nil {
		l.task.cancel(cause)
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
	switch {
	case l.task == nil:
	case l.task.request != "" && l.task.request == t.request:
		return &AgainError{}
	default:
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

// Announce tells readers and those who watch the list that something about the session is another now, such as who may see it.
func (l *Session) Announce() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.announce()
}

// announce tells all readers what the session does. The caller holds mu.
func (l *Session) announce() {
	l.feed.tell(encoded(l.feed.at(), "", "state", l.stateNow()))
	l.all.changes.note(l.id)
}

func (l *Session) perform(ctx context.Context, t *task, run bool, do func(context.Context, *runner.Session) error) error {
	if run {
		err := l.all.turn.enter(ctx, t.state.By, func(ahead int) { l.wait(t, &ahead) })
		if err != nil {
			return context.Cause(ctx)
		}
		defer l.all.turn.leave(t.state.By)
		l.wait(t, nil)
	}
	s, err := l.open(ctx)
	if err != nil {
		return err
	}
	l.asked()
	return do(ctx, s)
}

func (l *Session) wait(t *task, ahead *int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.state.Ahead = ahead
	l.announce()
}
