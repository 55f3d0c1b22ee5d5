package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/gorlm/rlm/runner"
)

// Notebooks are where the sessions of a server live, and who may use which. They are safe for concurrent use. What they hand to do is open as
// long as do runs.
type Notebooks interface {
	// Begin makes a session over a context and returns its id.
	Begin(ctx context.Context, inputs []runner.Input) (id string, err error)
	// Ask lets do ask a model in a session when it is its turn. It ends when ctx is done.
	Ask(ctx context.Context, id string, do func(context.Context, *runner.Session) error) error
	// Cell lets do run a cell.
	Cell(ctx context.Context, id string, do func(context.Context, *runner.Session) error) error
	// Look lets do read.
	Look(ctx context.Context, id string, do func(*runner.Session) error) error
	// Leave says that a session is not needed any more. It stays on disk.
	Leave(ctx context.Context, id string) error
}

// Own are notebooks of a program that serves one client: it may use those that were begun here. Close them.
type Own struct {
	runner *runner.Runner
	runs   chan struct{} // held by questions that are answered

	mu     sync.Mutex
	open   []*notebook     // the last used one at the end
	begun  map[string]bool // ids of the sessions that were begun here
	closed bool
}

// mostOpen is how many notebooks have a worker at once. Others are opened again when they are used.
const mostOpen = 8

// notebook is a session that is open.
type notebook struct {
	session *runner.Session
	using   sync.Mutex // held while a tool works with it
}

// NewOwn makes the notebooks of a runner. Questions beyond maxRuns wait; 0 stands for 4.
func NewOwn(r *runner.Runner, maxRuns int) *Own {
	if maxRuns <= 0 {
		maxRuns = 4
	}
	return &Own{runner: r, runs: make(chan struct{}, maxRuns), begun: map[string]bool{}}
}

// Begin makes a session over a context and returns its id.
func (o *Own) Begin(ctx context.Context, inputs []runner.Input) (id string, err error) {
	session, err := o.runner.NewSession(ctx, inputs...)
	if err != nil {
		return "", err
	}
	n, err := o.keep(session)
	if err != nil {
		return "", err
	}
	n.using.Unlock()
	return session.ID(), nil
}

// Ask lets do ask a model when it is its turn.
func (o *Own) Ask(ctx context.Context, id string, do func(context.Context, *runner.Session) error) error {
	select {
	case o.runs <- struct{}{}:
		defer func() { <-o.runs }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return o.Cell(ctx, id, do)
}

// Cell lets do run a cell.
func (o *Own) Cell(ctx context.Context, id string, do func(context.Context, *runner.Session) error) error {
	n, err := o.use(ctx, id)
	if err != nil {
		return err
	}
	defer n.using.Unlock()
	return do(ctx, n.session)
}

// Look lets do read.
func (o *Own) Look(ctx context.Context, id string, do func(*runner.Session) error) error {
	return o.Cell(ctx, id, func(_ context.Context, session *runner.Session) error { return do(session) })
}

// Leave closes a session for good, as far as this program goes.
func (o *Own) Leave(ctx context.Context, id string) error {
	n, err := o.use(ctx, id)
	if err != nil {
		return err
	}
	defer n.using.Unlock()
	o.mu.Lock()
	delete(o.begun, id)
	o.open = slices.DeleteFunc(o.open, func(other *notebook) bool { return other == n })
	o.mu.Unlock()
	return n.session.Close()
}

// Close closes all notebooks. They are kept on disk.
func (o *Own) Close() error {
	o.mu.Lock()
	o.closed = true
	open := o.open
	o.open = nil
	o.mu.Unlock()
	var errs []error
	for _, n := range open {
		errs = append(errs, n.session.Close())
	}
	return errors.Join(errs...)
}

// keep takes a session up, in use, and closes the one that was not used for the longest time, if there are too many.
func (o *Own) keep(session *runner.Session) (*notebook, error) {
	n := &notebook{session: session}
	n.using.Lock()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil, errors.Join(errors.New("the server is being closed"), session.Close())
	}
	o.begun[session.ID()] = true
	o.open = append(o.open, n)
	for i := 0; len(o.open) > mostOpen && i < len(o.open); {
		old := o.open[i]
		if !old.using.TryLock() {
			i++
			continue
		}
		o.open = slices.Delete(o.open, i, i+1)
		_ = old.session.Close() // it can be opened again
	}
	return n, nil
}

// use finds a session and opens it again if it was closed. It is in use until it is unlocked.
func (o *Own) use(ctx context.Context, id string) (*notebook, error) {
	o.mu.Lock()
	if !o.begun[id] {
		o.mu.Unlock()
		return nil, fmt.Errorf("there is no session %q here: ask and open_notebook begin one", id)
	}
	for i, n := range o.open {
		if n.session.ID() != id {
			continue
		}
		defer o.mu.Unlock()
		if !n.using.TryLock() {
			return nil, runner.ErrBusy
		}
		o.open = append(slices.Delete(o.open, i, i+1), n)
		return n, nil
	}
	o.mu.Unlock()
	session, err := o.runner.OpenSession(ctx, id)
	if err != nil {
		return nil, err
	}
	return o.keep(session)
}
