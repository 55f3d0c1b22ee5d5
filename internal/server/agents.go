package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorlm/rlm/internal/server/internal/allowance"
	"github.com/gorlm/rlm/internal/server/internal/live"
	"github.com/gorlm/rlm/internal/server/mcp"
	"github.com/gorlm/rlm/runner"
)

// agents serves other agents over the Model Context Protocol at /mcp: to everybody a server of their own, over the sessions that they may use.
type agents struct {
	server *Server

	mu    sync.Mutex
	doors map[Person]door
}

// door is the MCP server of one person.
type door struct {
	server  *mcp.Server
	handler http.Handler
}

// of is the door of a person.
func (a *agents) of(who Person) (door, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if d, ok := a.doors[who]; ok {
		return d, nil
	}
	s, err := mcp.New(mcp.Config{Notebooks: &shelf{a.server, who}, Folders: a.server.cfg.Folders, Version: a.server.cfg.Version})
	if err != nil {
		return door{}, err
	}
	d := door{s, s.Handler()}
	if a.doors == nil {
		a.doors = map[Person]door{}
	}
	a.doors[who] = d
	return d, nil
}

// close ends all conversations.
func (a *agents) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, d := range a.doors {
		d.server.Close()
	}
}

// ServeHTTP answers one request of an agent.
func (a *agents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	who := personOf(r.Context())
	d, err := a.of(who)
	if err != nil {
		refuse(w, err)
		return
	}
	if r.Method == http.MethodPost {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
		if err != nil {
			var large *http.MaxBytesError
			if !errors.As(err, &large) {
				err = badRequest("the request did not come in whole")
			}
			refuse(w, err)
			return
		}
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // the agent may be silent while it is answered
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	ctx, cancel := context.WithCancel(r.Context())
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel()
	if r.Method == http.MethodGet { // a stream without end
		defer context.AfterFunc(a.server.down, cancel)()
		watching.Go(func() { a.server.whilePresent(ctx, who, cancel) })
	}
	d.handler.ServeHTTP(w, r.WithContext(ctx))
}

// whilePresent cancels what somebody follows when they may not be here any more.
func (s *Server) whilePresent(ctx context.Context, who Person, cancel context.CancelFunc) {
	look := time.NewTicker(heartbeat)
	defer look.Stop()
	for s.present(who) {
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
	cancel()
}

// shelf is where the sessions are that an agent of somebody may use: those that this person may use in any other way.
type shelf struct {
	server *Server
	who    Person
}

func (f *shelf) actor() live.Actor { return live.Actor{Name: f.who.Name, Client: "mcp"} }

func (f *shelf) Begin(ctx context.Context, inputs []runner.Input) (string, error) {
	if err := f.server.room(f.who); err != nil {
		return "", err
	}
	l, err := f.server.sessions.Create(ctx, inputs...)
	if err == nil && !f.who.Owner {
		err = f.server.owners.set(l.ID(), owned{Owner: f.who.Name})
	}
	if err != nil {
		return "", err
	}
	return l.ID(), nil
}

func (f *shelf) Ask(ctx context.Context, id string, do func(context.Context, *runner.Session) error) error {
	l, err := f.server.session(f.who, id)
	if err == nil {
		err = f.server.canAsk(Choice{})
	}
	if err != nil {
		return err
	}
	grant, err := f.server.admit(f.who)
	if err != nil {
		return refused(err)
	}
	if grant != nil {
		defer grant.End(0) // as when it was stopped while it waited for its turn
	}
	var begun atomic.Bool
	ended := make(chan error, 1)
	err = l.Start(f.actor(), live.Doing{
		Name: "ask", Run: true,
		Do: within(grant, func(doing context.Context, rs *runner.Session) error {
			begun.Store(true)
			doing, cancel := context.WithCancel(doing)
			defer cancel()
			defer context.AfterFunc(ctx, cancel)()
			return do(runner.UnderSpanOf(doing, ctx), rs)
		}),
		Done: func(err error) { ended <- err },
	})
	if err != nil {
		return err
	}
	f.server.audit.asked(f.who.Name, "mcp", "ask", l.ID(), 0)
	select {
	case err = <-ended:
		return err
	case <-ctx.Done():
	}
	if !begun.Load() {
		l.Stop() // it waits for its turn
	}
	<-ended
	return ctx.Err()
}

// refused says to an agent why a run may not begin, and when it may.
func refused(err error) error {
	if exceeded := (*allowance.ExceededError)(nil); errors.As(err, &exceeded) {
		return errors.New(exceeded.Message + "; try again in " + exceeded.After.Round(time.Second).String())
	}
	return err
}

func (f *shelf) Cell(ctx context.Context, id string, do func(context.Context, *runner.Session) error) error {
	l, err := f.server.session(f.who, id)
	if err != nil {
		return err
	}
	f.server.audit.asked(f.who.Name, "mcp", "cell", l.ID(), 0)
	return l.With(ctx, f.actor(), "cell", f.server.cellWithin(f.who, l, do))
}

func (f *shelf) Look(ctx context.Context, id string, do func(*runner.Session) error) error {
	l, err := f.server.session(f.who, id)
	if err != nil {
		return err
	}
	return l.Look(ctx, do)
}

// Leave does nothing: sessions that are not used give their workers back by themselves.
func (f *shelf) Leave(_ context.Context, id string) error {
	_, err := f.server.session(f.who, id)
	return err
}
