package chat

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"

	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/internal/session/client"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// sessionHandle refers to a session and the process that has it open.
type sessionHandle struct {
	session.Service
	where where
	id    string
	dir   string // folder of the session's log; empty if the session is a server's
	until int64  // number of the last event when the terminal switched to the session
}

// where is the process that has a session open.
type where int

const (
	inProcess  where = iota // this process
	inTerminal              // another terminal of this data folder
	atServer
)

// whose describes the other process that has the session open, as a suffix to the session's id; it returns "" for
// this process.
func (p sessionHandle) whose() string {
	switch p.where {
	case inTerminal:
		return " in another terminal; /take-over opens it here"
	case atServer:
		return " on a server, shared with everyone in it"
	}
	return ""
}

// close closes the connections to another process.
func (p sessionHandle) close() {
	if c, ok := p.Service.(*client.Client); ok {
		c.Close()
	}
}

// own opens sessions in this process, and shares each with other terminals of the data folder. Only one goroutine
// uses it at a time.
type own struct {
	opt     Options
	runner  *runner.Runner
	manager *session.Manager
	service session.Service

	mu     sync.Mutex
	tell   func(string)     // shows a notice about another process; nil: notices are dropped
	open   *session.Session // the open session; nil if there is none
	shared io.Closer        // ends the sharing of open; nil if it is not shared
}

// person is the person at this terminal.
var person = session.Person{Name: session.Terminal, Owner: true}

func newOwn(opt Options) *own {
	cfg := session.Config{
		Runner: opt.Runner, Local: true, AddServer: opt.AddServer, Commands: opt.Commands, MaxRuns: 1,
		IdleAfter: math.MaxInt64, MaxIdle: math.MaxInt,
		Model: func(_ context.Context, name string) (llm.Model, error) {
			if opt.Model == nil {
				return nil, errors.New("the model cannot be changed here")
			}
			return opt.Model(name)
		},
	}
	if opt.NoModel != nil {
		cfg.NoModel = opt.NoModel.Error()
	}
	m := session.NewPrivate(cfg)
	o := &own{opt: opt, runner: opt.Runner, manager: m, service: m.As(person, rand.Text())}
	if opt.Err != nil {
		o.tell = func(text string) { fmt.Fprintln(opt.Err, text) }
	}
	return o
}

// late prints a notice about the process that has a session open but does not answer, for example because it is
// suspended.
func (o *own) late(dir string) {
	o.mu.Lock()
	tell := o.tell
	o.mu.Unlock()
	if owner, ok := trajectory.OwnerOf(dir); ok && tell != nil {
		tell(fmt.Sprintf("waiting for the session %s, which is open in %s", idOf(dir), files.Holder(owner)))
	}
}

// hears sets the function that shows notices about the process that has the session open.
func (t *terminal) hears(tell func(string)) {
	if t.own != nil {
		t.own.mu.Lock()
		defer t.own.mu.Unlock()
		t.own.tell = tell
	} else if c, ok := t.here().Service.(*client.Client); ok {
		c.Late = func() { tell("waiting for the server, which has not answered yet") }
	}
}

// begin opens the terminal's first session.
func (o *own) begin(ctx context.Context) (sessionHandle, error) {
	if o.opt.Open != "" {
		return o.enter(ctx, o.opt.Open)
	}
	made, err := o.runner.NewSession(ctx, o.opt.Inputs...)
	if err != nil {
		return sessionHandle{}, err
	}
	return o.take(made)
}

// enter opens a session here, or follows it if another terminal has it open.
func (o *own) enter(ctx context.Context, id string) (sessionHandle, error) {
	var changed []runner.Option
	if id == o.opt.Open {
		changed = o.opt.Changed
	}
	made, err := o.runner.OpenSession(ctx, id, changed...)
	if err == nil {
		return o.take(made)
	}
	if locked := (*trajectory.LockedError)(nil); errors.As(err, &locked) {
		if p, ok := o.neighbour(ctx, locked.Dir); ok {
			o.leave()
			return p, nil
		}
	}
	return sessionHandle{}, err
}

// found returns a session that the manager has open.
func (o *own) found(id string) (sessionHandle, error) {
	s, err := o.manager.Find(person, id)
	if err != nil {
		return sessionHandle{}, err
	}
	return o.share(s), nil
}

// neighbour returns the session in a folder, as shared by the terminal that has it open.
func (o *own) neighbour(ctx context.Context, dir string) (sessionHandle, bool) {
	c, err := client.Dial(session.SocketOf(dir))
	if err != nil {
		return sessionHandle{}, false
	}
	c.Late = func() { o.late(dir) }
	id := idOf(dir)
	s, err := c.Session(ctx, id)
	return sessionHandle{Service: c, where: inTerminal, id: id, dir: dir, until: s.Events}, err == nil
}

// take adds an open session to the manager and shares it.
func (o *own) take(made *runner.Session) (sessionHandle, error) {
	s, err := o.manager.Take(made)
	if err != nil {
		return sessionHandle{}, err
	}
	return o.share(s), nil
}

// share makes a session of the manager the open session of this terminal, and shares it. If sharing fails, other
// terminals report that the session is in use.
func (o *own) share(s *session.Session) sessionHandle {
	o.leave()
	var shared io.Closer
	if o.opt.Share != nil {
		if c, err := o.opt.Share(o.manager, s); err == nil {
			shared = c
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open, o.shared = s, shared
	return sessionHandle{Service: o.service, where: inProcess, id: s.ID(), dir: s.Dir()}
}

// leave closes the session that is open here.
func (o *own) leave() {
	o.mu.Lock()
	open, shared := o.open, o.shared
	o.open, o.shared = nil, nil
	o.mu.Unlock()
	hide(open)
	if shared != nil {
		_ = shared.Close() // other terminals notice that the connection is closed
	}
	if open != nil {
		open.Rest()
	}
}

func (o *own) close() error {
	o.mu.Lock()
	open, shared := o.open, o.shared
	o.shared = nil
	o.mu.Unlock()
	hide(open)
	err := o.manager.Close()
	if shared != nil {
		err = errors.Join(err, shared.Close())
	}
	return err
}

// hide removes the socket of a session that will be closed, unless the session was handed over: the socket then
// belongs to another process.
func hide(open *session.Session) {
	if open != nil && open.Open() {
		_ = os.Remove(session.SocketOf(open.Dir())) // a leftover socket is replaced later
	}
}
