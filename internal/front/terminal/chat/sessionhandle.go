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
	"time"

	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/internal/session/client"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// sessionHandle is a session and the process that has it open.
type sessionHandle struct {
	session.Service
	where where
	id    string
	dir   string // of its log; empty at a server
	until int64  // the last event when it was come to
}

// where says who has a session open.
type where int

const (
	inProcess  where = iota // this process
	inTerminal              // another terminal of this data folder
	atServer
)

// whose says behind the id of a session who has it open, if that is another process.
func (p sessionHandle) whose() string {
	switch p.where {
	case inTerminal:
		return " of another terminal; /take-over has it open here"
	case atServer:
		return " of a server, with all who are in it"
	}
	return ""
}

// close gives back the connections with another process.
func (p sessionHandle) close() {
	if c, ok := p.Service.(*client.Client); ok {
		c.Close()
	}
}

// own are the sessions that this process has open; each is shared with other terminals of the data folder. It is used by one
// goroutine at a time.
type own struct {
	opt     Options
	runner  *runner.Runner
	manager *session.Manager
	service session.Service

	mu     sync.Mutex
	tell   func(string)     // what people should know of another process; nil: nobody hears
	open   *session.Session // nil: none
	shared io.Closer        // nil: others cannot see it
}

// person is who works at a terminal.
var person = session.Person{Name: session.Terminal, Owner: true}

func newOwn(opt Options) *own {
	cfg := session.Config{
		Runner: opt.Runner, Local: true, AddServer: opt.AddServer, Commands: opt.Commands, MaxRuns: 1, IdleAfter: math.MaxInt64, MaxIdle: math.MaxInt,
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

// late says who has a session open and does not answer, such as a process that is suspended.
func (o *own) late(dir string) {
	o.mu.Lock()
	tell := o.tell
	o.mu.Unlock()
	if owner, ok := trajectory.OwnerOf(dir); ok && tell != nil {
		tell(fmt.Sprintf("waiting for the session %s, which is open in %s", idOf(dir), files.Holder(owner)))
	}
}

// hears has a terminal show what people should know of the process that has the session open.
func (t *terminal) hears(tell func(string)) {
	if t.own != nil {
		t.own.mu.Lock()
		defer t.own.mu.Unlock()
		t.own.tell = tell
	} else if c, ok := t.here().Service.(*client.Client); ok {
		c.Late = func() { tell("waiting for the server, which has not answered yet") }
	}
}

// begin opens the session that a terminal begins with.
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

// enter opens a session here, or follows it where another terminal has it open.
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

// letGoTime is how long the log of a session may be in use by a process that is about to end, or has let go of it.
const letGoTime = 5 * time.Second

// succeed opens a session that another process has just closed.
func (o *own) succeed(ctx context.Context, id string) (p sessionHandle, err error) {
	for end := time.Now().Add(letGoTime); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(followPause) {
		p, err = o.enter(ctx, id)
		if locked := (*trajectory.LockedError)(nil); !errors.As(err, &locked) {
			return p, err
		}
	}
	return p, err
}

// found is a session that the manager has open.
func (o *own) found(id string) (sessionHandle, error) {
	s, err := o.manager.Find(person, id)
	if err != nil {
		return sessionHandle{}, err
	}
	return o.share(s), nil
}

// neighbour is the session of a folder in the terminal that has it open, if that shares it.
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

// take has an open session here, and shares it.
func (o *own) take(made *runner.Session) (sessionHandle, error) {
	s, err := o.manager.Take(made)
	if err != nil {
		return sessionHandle{}, err
	}
	return o.share(s), nil
}

// share has a session of the manager here, and shares it. Where that cannot be, others find it in use.
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
		_ = shared.Close() // others find out that it is gone
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

// hide takes the socket of a session away that is about to be closed. One that was handed over is that of another process.
func hide(open *session.Session) {
	if open != nil && open.Open() {
		_ = os.Remove(session.SocketOf(open.Dir())) // the next owner replaces one that stays
	}
}

// followTime is how long a session that was taken over may take to be open elsewhere.
const (
	followTime  = time.Minute
	followPause = 50 * time.Millisecond
)

// following waits until another terminal shares a session that it has taken over.
func (o *own) following(ctx context.Context, dir string) (sessionHandle, error) {
	for end := time.Now().Add(followTime); time.Now().Before(end); {
		if p, ok := o.neighbour(ctx, dir); ok {
			return p, nil
		}
		select {
		case <-time.After(followPause):
		case <-ctx.Done():
			return sessionHandle{}, ctx.Err()
		}
	}
	return sessionHandle{}, os.ErrDeadlineExceeded
}
