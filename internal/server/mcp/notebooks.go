package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/gorlm/rlm/runner"
)

// notebook is a session that is open.
type notebook struct {
	session *runner.Session
	using   sync.Mutex // held while a tool works with it
}

// begin makes a session over a context.
func (s *Server) begin(ctx context.Context, inputs []runner.Input) (*notebook, error) {
	session, err := s.cfg.Runner.NewSession(ctx, inputs...)
	if err != nil {
		return nil, err
	}
	return s.keep(session)
}

// keep takes a session up and closes the one that was not used for the longest time, if there are too many.
func (s *Server) keep(session *runner.Session) (*notebook, error) {
	n := &notebook{session: session}
	n.using.Lock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.Join(errors.New("the server is being closed"), session.Close())
	}
	s.begun[session.ID()] = true
	s.open = append(s.open, n)
	for i := 0; len(s.open) > mostOpen && i < len(s.open); {
		old := s.open[i]
		if !old.using.TryLock() {
			i++
			continue
		}
		s.open = slices.Delete(s.open, i, i+1)
		_ = old.session.Close() // it can be opened again
	}
	return n, nil
}

// use finds a session that this server began and opens it again if it was closed. Release it.
func (s *Server) use(ctx context.Context, id string) (*notebook, error) {
	s.mu.Lock()
	if !s.begun[id] {
		s.mu.Unlock()
		return nil, fmt.Errorf("there is no session %q here: ask and open_notebook begin one", id)
	}
	for i, n := range s.open {
		if n.session.ID() != id {
			continue
		}
		defer s.mu.Unlock()
		if !n.using.TryLock() {
			return nil, runner.ErrBusy
		}
		s.open = append(slices.Delete(s.open, i, i+1), n)
		return n, nil
	}
	s.mu.Unlock()
	session, err := s.cfg.Runner.OpenSession(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.keep(session)
}

func (n *notebook) release() { n.using.Unlock() }

// forget closes a session for good, as far as this server goes.
func (s *Server) forget(n *notebook) error {
	s.mu.Lock()
	delete(s.begun, n.session.ID())
	s.open = slices.DeleteFunc(s.open, func(o *notebook) bool { return o == n })
	s.mu.Unlock()
	return n.session.Close()
}
