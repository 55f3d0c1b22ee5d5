package session

import (
	"context"
	"errors"
	"time"

	"github.com/gorlm/rlm/internal/kit/admission"
	"github.com/gorlm/rlm/internal/session/history"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
)

// activeTask is what a session is doing.
type activeTask struct {
	state   State
	who     Person
	request string
	cancel  context.CancelCauseFunc
}

func newActiveTask(by Actor, doing string, cancel context.CancelCauseFunc) *activeTask {
	return &activeTask{
		State{Doing: doing, By: by.Name, Client: by.Client, Since: time.Now()}, by.Person, by.Request, cancel,
	}
}

// State describes what a session is doing.
type State struct {
	// Number counts the session's tasks in this process, including the current one.
	Number int64 `json:"number,omitempty"`
	// Doing is the kind of task in progress ("ask", "cell", …); empty when the session is free.
	Doing string `json:"doing,omitempty"`
	// By is the person who began the task, and Client is their window.
	By     string    `json:"by,omitempty"`
	Client string    `json:"client,omitempty"`
	Since  time.Time `json:"since,omitzero"`
	// Ahead is the number of questions or cells that run before this one; nil once it has begun.
	Ahead *int `json:"ahead,omitempty"`
	// Open reports whether the notebook has a worker.
	Open bool `json:"open"`
	// Elsewhere means that another process has the session open: what that process does is visible only in the log.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Readers is the number of streams that follow the session.
	Readers int `json:"readers"`
}

// live reports whether the session may be doing something.
func (s State) live() bool { return s.Doing != "" || s.Elsewhere }

// Actor is a person who does something, with their window. Request is the name of their request; it may be empty.
type Actor struct {
	Person
	Client, Request string
}

// againError means that the same request was made before. began records what that request began; its Seq is 0 until
// that is logged.
type againError struct{ began history.RequestRecord }

func (e *againError) Error() string { return "the request was made before" }

// ErrStopped is the cause when a person stops a session's task.
var ErrStopped = errors.New("it was stopped")

// Task is something that takes time.
type Task struct {
	Name string // the Doing of the session's state: ask, cell, …
	Run  bool   // it calls a model, and waits in the fair queue
	// Admit is the person whose quota counts; nil if none does, or it was checked already. It is not checked if the
	// same request was made before and needs no new run.
	Admit *Person
	// Room is the number of bytes that the actor's disk quota must have room for; nil: none are needed. Like Admit, it
	// does not matter for requests made before.
	Room *int64
	Do   func(context.Context, *runner.Session) error
	// GoOn replaces Do if an earlier request of the same name began a run that was cut off.
	GoOn   func(context.Context, *runner.Session) error
	Failed func(error) // receives an error while the session is still busy; may be nil
	Done   func(error) // receives the error or nil at the end
}

// Start begins a task and returns without waiting for it. If the session is doing something else, the error has the
// code Busy; if a quota is used up, Limit. A run waits its turn if there are too many.
//
// If the actor's request was made before and its task is in progress or has ended, nothing begins and the error
// reports that. If a run of that request was cut off because a server was killed, the run continues.
func (l *Session) Start(by Actor, d Task) (State, error) {
	if _, err := l.again(by.Request); err != nil { // even before acquiring the turn, which another task may have
		return State{}, err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	t := newActiveTask(by, d.Name, cancel)
	began, err := l.take(t)
	if err != nil {
		cancel(nil)
		return State{}, err
	}
	goOn, err := l.again(by.Request)
	if goOn {
		d.Do = d.GoOn
	}
	var grant *Grant
	if err == nil && d.Room != nil {
		err = l.all.RoomFor(by.Person, *d.Room)
	}
	if err == nil && d.Admit != nil {
		grant, err = l.all.Admit(*d.Admit)
	}
	if err == nil && !l.all.Begin(func() {
		defer cancel(nil)
		err := l.perform(host.ForRequest(ctx, by.Request), t, d.Run, grant.Within(d.Do))
		l.settle()
		if err != nil && d.Failed != nil {
			d.Failed(err)
		}
		l.release(t)
		grant.End() // if the task was stopped while it waited, Within did not end it
		d.Done(err)
	}) {
		err = ErrClosing
	}
	if err != nil {
		grant.End()
		l.release(t)
		cancel(nil)
	}
	return began, err
}

// again finds out whether a request was made before. goOn means that its run was cut off, if the caller has the
// session's turn; without the turn, the run may also be in progress.
func (l *Session) again(request string) (goOn bool, err error) {
	if request == "" {
		return false, nil
	}
	began, ok, err := l.History().Begun(request)
	switch {
	case err != nil || !ok:
		return false, err
	case !began.Ended && began.Doing != "cell":
		return true, nil
	case !began.Ended && l.does(request):
		return false, &againError{}
	}
	return false, &againError{began}
}

// does reports whether the session's task was begun by a request.
func (l *Session) does(request string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.task != nil && l.task.request == request
}

// With does something short with the open session. If the session is doing something else, the error has the
// code Busy.
func (l *Session) With(
	ctx context.Context, by Actor, doing string, do func(context.Context, *runner.Session) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := newActiveTask(by, doing, cancel)
	if _, err := l.take(t); err != nil {
		return err
	}
	defer l.release(t)
	defer l.settle()
	return l.perform(ctx, t, false, do)
}

// settle waits until readers can read all events of a task, so that its end is reported after them.
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

// Stop stops what the session is doing, including short requests such as a search, without waiting.
func (l *Session) Stop() { l.stop(ErrStopped) }

func (l *Session) stop(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.task != nil {
		l.task.cancel(cause)
	}
	if l.stopAsking != nil {
		l.stopAsking(cause)
	}
}

// Failure reports the failure of a task to readers.
type Failure struct {
	Doing   string `json:"doing"`
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// say reports a failure to all current readers.
func (l *Session) say(f Failure) { l.feed.pass(encoded(l.feed.at(), "", "failed", f)) }

// take gives a task the session's turn, and returns the new state.
func (l *Session) take(t *activeTask) (State, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.handed:
		return State{}, ErrHandedOver
	case l.task == nil:
	case l.task.request != "" && l.task.request == t.request:
		return State{}, &againError{}
	default:
		return State{}, busy(l.task.state)
	}
	l.task = t
	l.done++
	l.announce()
	return l.stateNow(), nil
}

func (l *Session) release(t *activeTask) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.task, l.used = nil, time.Now()
	l.announce()
	l.all.rested()
}

// Announce notifies readers, and watchers of the list, of a change of the session, such as of who may see it.
func (l *Session) Announce() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.announce()
}

// announce sends the session's state to all readers and notes the change in the list. The caller holds mu.
func (l *Session) announce() {
	l.feed.tell(encoded(l.feed.at(), "", "state", l.stateNow()))
	l.all.changes.note(l.id)
}

func (l *Session) perform(
	ctx context.Context, t *activeTask, run bool, do func(context.Context, *runner.Session) error,
) error {
	if run {
		err := l.all.turn.Enter(ctx, admission.Wish{Who: t.state.By, Ahead: func(n int) { l.wait(t, &n) }})
		if err != nil {
			return context.Cause(ctx)
		}
		defer l.all.turn.Leave(t.state.By)
		l.wait(t, nil)
	}
	if t.state.Doing == "cell" {
		leave, err := l.all.enterCell(ctx, t.state.By, func(n int) { l.wait(t, &n) })
		if err != nil {
			return context.Cause(ctx)
		}
		defer leave()
		if l.State().Ahead != nil {
			l.wait(t, nil)
		}
	}
	s, err := l.open(ctx)
	if err != nil {
		return err
	}
	l.asked()
	return l.all.counted(l, t.who, func() error { return do(ctx, s) })
}

func (l *Session) wait(t *activeTask, ahead *int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.state.Ahead = ahead
	l.announce()
}
