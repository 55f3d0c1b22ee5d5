package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
)

// Notebooks are the sessions that one person's tools work in. They are safe for concurrent use.
type Notebooks struct {
	sessions *session.Manager
	who      session.Person
	asked    func(did, session string)
	doing    sync.Map  // calls in progress, by session id
	begun    *sync.Map // ids of open sessions begun here; nil: all sessions may be used
}

// NewNotebooks returns the sessions that a person may use through any front end. asked is called for each action.
func NewNotebooks(sessions *session.Manager, who session.Person, asked func(did, session string)) *Notebooks {
	return &Notebooks{sessions: sessions, who: who, asked: asked}
}

// mostOpen and openFor limit the number of unused notebooks with a worker, and how long they keep it, in a program
// with one client. An unused notebook gets a worker again when it is used.
const (
	mostOpen = 8
	openFor  = time.Hour
)

// NewOwn makes the notebooks of a program with one client, which may only use notebooks that it began. Beyond
// maxRuns, questions wait; 0 means 4. Close the Notebooks.
func NewOwn(r *runner.Runner, maxRuns int) *Notebooks {
	if maxRuns <= 0 {
		maxRuns = 4
	}
	sessions := session.NewPrivate(session.Config{Runner: r, MaxRuns: maxRuns, IdleAfter: openFor, MaxIdle: mostOpen})
	n := NewNotebooks(sessions, session.Person{Name: session.OwnerName, Owner: true}, func(string, string) {})
	n.begun = &sync.Map{}
	return n
}

// Close stops running tasks and closes the sessions.
func (n *Notebooks) Close() error { return n.sessions.Close() }

func (n *Notebooks) actor() session.Actor { return session.Actor{Person: n.who, Client: "mcp"} }

// begin makes a session over a context and returns its id.
func (n *Notebooks) begin(ctx context.Context, inputs []runner.Input) (id string, err error) {
	l, err := n.sessions.CreateFor(n.who, func() (*session.Session, error) { return n.sessions.Create(ctx, inputs...) })
	if err != nil {
		return "", err
	}
	if n.begun != nil {
		n.begun.Store(l.ID(), true)
	}
	return l.ID(), nil
}

func (n *Notebooks) find(id string) (*session.Session, error) {
	if n.begun != nil {
		if _, ok := n.begun.Load(id); !ok {
			return nil, fmt.Errorf("there is no session %q here: ask and open_notebook begin one", id)
		}
	}
	return n.sessions.Find(n.who, id)
}

// ask runs do in a session when it is the question's turn. It stops when ctx is done.
func (n *Notebooks) ask(ctx context.Context, id string, do func(context.Context, *runner.Session) error) error {
	l, err := n.find(id)
	if err == nil {
		err = n.sessions.CanAsk(session.Choice{})
	}
	if err != nil {
		return err
	}
	activityOf(ctx).waits(func() string {
		if ahead := l.State().Ahead; ahead != nil {
			return fmt.Sprintf("waiting, %d before", *ahead)
		}
		return ""
	})
	var begun atomic.Bool
	ended := make(chan error, 1)
	over, err := n.enter(ctx, l)
	if err != nil {
		return err
	}
	defer over()
	_, err = l.Start(n.actor(), session.Task{
		Name: "ask", Run: true, Admit: &n.who, Room: new(int64),
		Do: func(doing context.Context, rs *runner.Session) error {
			begun.Store(true)
			doing, cancel := context.WithCancel(doing)
			defer cancel()
			defer context.AfterFunc(ctx, cancel)()
			return do(host.UnderSpanOf(doing, ctx), rs)
		},
		Done: func(err error) { ended <- err },
	})
	if err != nil {
		return refused(err)
	}
	n.asked("ask", l.ID())
	select {
	case err = <-ended:
		return err
	case <-ctx.Done():
	}
	if !begun.Load() {
		l.Stop() // the task is still queued
	}
	<-ended
	return ctx.Err()
}

// underWay is a call in progress in a session.
type underWay struct {
	ctx  context.Context
	over chan struct{}
}

// cancelTime is how long a call waits for an earlier one to end or to be cancelled. Agents that cancel a call send
// the next one immediately, and it may arrive before the cancellation.
const cancelTime = 5 * time.Second

// enter begins a call in a session. If an earlier call was cancelled, it waits for the end of that call.
func (n *Notebooks) enter(ctx context.Context, l *session.Session) (over func(), err error) {
	late := time.NewTimer(cancelTime)
	defer late.Stop()
	for {
		own := &underWay{ctx, make(chan struct{})}
		other, busy := n.doing.LoadOrStore(l.ID(), own)
		if !busy {
			return func() { n.doing.Delete(l.ID()); close(own.over) }, nil
		}
		before := other.(*underWay)
		select {
		case <-before.over:
			continue
		case <-before.ctx.Done():
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-late.C:
			return func() {}, nil // the session will report that it is busy
		}
		select {
		case <-before.over:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// refused adds to an error of a run that may not begin when to retry, if that is known.
func refused(err error) error {
	if e := session.ErrorOf(err); e.After > 0 {
		return errors.New(e.Message + "; try again in " + e.After.Round(time.Second).String())
	}
	return err
}

// cell runs a cell in a session.
func (n *Notebooks) cell(ctx context.Context, id string, do func(context.Context, *runner.Session) error) error {
	l, err := n.find(id)
	if err == nil {
		err = n.sessions.RoomFor(n.who, 0)
	}
	if err != nil {
		return err
	}
	over, err := n.enter(ctx, l)
	if err != nil {
		return err
	}
	defer over()
	n.asked("cell", l.ID())
	return l.With(ctx, n.actor(), "cell", n.sessions.CellWithin(n.who, do))
}

// look runs do, which only reads the session.
func (n *Notebooks) look(ctx context.Context, id string, do func(*runner.Session) error) error {
	l, err := n.find(id)
	if err != nil {
		return err
	}
	return l.Look(ctx, do)
}

// leave marks a session as no longer needed. The session stays on disk.
func (n *Notebooks) leave(id string) error {
	l, err := n.find(id)
	if err != nil || n.begun == nil { // sessions that others may use release their workers when idle
		return err
	}
	if err := l.Busy(); err != nil {
		return err
	}
	n.begun.Delete(id)
	l.Rest()
	return nil
}
