package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gorlm/rlm/internal/kit/text"
)

// The time for a server to start, which may include downloading the program, and the most restarts.
const (
	startTime    = 90 * time.Second
	mostRestarts = 5
)

// handshake is the protocol version that a connection offers first. Every server supports it, whereas some servers
// do not respond to an offer of a later version that they do not support.
const handshake = "2025-11-25"

// client is the connection to one server. It is safe for concurrent use.
type client struct {
	server  Server
	version string      // of this program
	changed atomic.Bool // the server's tools may have changed

	mu      sync.Mutex
	session *mcp.ClientSession
	process *process // nil for a server with a URL
	closed  bool
	ended   int   // how often the server ended since its last answer
	gone    error // why the server is not started again
}

// connected returns the session with the server. A server that has ended is started again.
func (c *client) connected(ctx context.Context) (*mcp.ClientSession, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return nil, fmt.Errorf("the MCP server %s was stopped", c.server.label())
	case c.gone != nil:
		return nil, c.gone
	case c.session != nil:
		return c.session, nil
	}
	return c.connect(ctx)
}

// connect starts the server. The caller holds mu.
func (c *client) connect(ctx context.Context) (*mcp.ClientSession, error) {
	if c.ended > mostRestarts {
		c.gone = fmt.Errorf("the MCP server %s is gone: it ended %d times in a row and is not started again",
			c.server.label(), c.ended)
		return nil, c.gone
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	session, err := c.open(ctx, handshake)
	var refused *jsonrpc.Error
	if errors.As(err, &refused) { // the server may know only later versions
		session, err = c.open(ctx, "")
	}
	if err != nil {
		return nil, err
	}
	c.session = session
	if c.ended > 0 {
		c.changed.Store(true)
	}
	go func() {
		_ = session.Wait()
		c.lost(session)
	}()
	return session, nil
}

// open makes one connection.
func (c *client) open(ctx context.Context, version string) (*mcp.ClientSession, error) {
	transport, err := c.transport()
	if err != nil {
		return nil, fmt.Errorf("starting the MCP server %s: %w", c.server.label(), err)
	}
	sdk := mcp.NewClient(&mcp.Implementation{Name: "rlm", Version: c.version}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { c.changed.Store(true) },
		Capabilities:           &mcp.ClientCapabilities{}, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	session, err := sdk.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err == nil {
		return session, nil
	}
	if c.process != nil {
		_ = c.process.Close()
		<-c.process.ended // the last output of the process has arrived
	}
	return nil, fmt.Errorf("starting the MCP server %s: %w", c.server.label(), c.why(ctx, err))
}

func (c *client) transport() (mcp.Transport, error) {
	if c.server.URL != "" {
		return address(c.server)
	}
	p, err := launch(c.server)
	if err != nil {
		return nil, err
	}
	c.process = p
	return p.transport(), nil
}

// failure is an error with a message for a person or a model.
type failure struct {
	text string
	err  error
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.err }

// why explains why a server cannot be used, with the server's own message.
func (c *client) why(ctx context.Context, err error) error {
	text := text.Line(clean(err.Error()), 500)
	if moved := (*movedError)(nil); errors.As(err, &moved) {
		text = moved.Error()
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		text = fmt.Sprintf("it did not answer within %s", startTime)
	}
	if c.process != nil {
		if said := c.process.why(); said != "" {
			text += ": " + said
		}
	}
	return &failure{text, err}
}

// lost drops a session that has ended.
func (c *client) lost(session *mcp.ClientSession) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == session {
		c.session = nil
		c.ended++
	}
}

// drop ends a session that is no longer usable.
func (c *client) drop(session *mcp.ClientSession) {
	c.lost(session)
	_ = session.Close()
}

// do sends the server a request. If the request is known to have had no effect because the session is over, it is
// repeated once in a new session. session is nil if there is none.
func (c *client) do(ctx context.Context, ask func(context.Context, *mcp.ClientSession) error) (
	session *mcp.ClientSession, sent *attempt, err error,
) {
	for again := false; ; again = true {
		if session, err = c.connected(ctx); err != nil {
			return nil, nil, err
		}
		sent = &attempt{}
		err = ask(context.WithValue(ctx, attemptKey{}, sent), session)
		if err == nil || ctx.Err() != nil || c.server.URL == "" || !sent.outdated() {
			return session, sent, err
		}
		if again {
			if !sent.begun {
				sent.unsent = "ended the session at once"
			}
			return session, sent, err
		}
		c.drop(session)
	}
}

// answered records that the server works.
func (c *client) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = 0
}

// close ends the session, and the server if it is a process.
func (c *client) close() {
	c.mu.Lock()
	session, p := c.session, c.process
	c.closed, c.session = true, nil
	c.mu.Unlock()
	if session != nil {
		_ = session.Close() // the session is no longer needed
	}
	if p != nil {
		_ = p.Close()
		<-p.ended
	}
}

// Options configure servers.
type Options struct {
	// Allow lists tools of any server that may be called even though they are not read-only: "TOOL" or
	// "SERVER/TOOL", with "*" for any text.
	Allow []string
	// Ask asks a person whether a tool may be called; nil: there is no person, and the call is refused. Only one
	// question is asked at a time.
	Ask func(context.Context, Question) (Consent, error)
	// Version is the version of this program.
	Version string
}

// Servers are a program's servers. They are safe for concurrent use. Close them after use.
type Servers struct {
	options Options
	consent consent
	stop    context.CancelFunc

	mu      sync.Mutex
	starts  []*serverStart
	closing bool
}

// serverStart is a server that is starting, has started or has failed.
type serverStart struct {
	client *client
	done   chan struct{} // closed when name, err and the first tools are set
	name   string
	err    error

	mu    sync.Mutex
	tools []*mcp.Tool
}

// Start starts servers concurrently and returns without waiting for them; List waits. It fails for a server whose
// configuration makes no sense.
func Start(ctx context.Context, servers []Server, o Options) (*Servers, error) {
	ctx, cancel := context.WithCancel(ctx)
	s := &Servers{options: o, stop: cancel}
	for _, server := range servers {
		if _, err := s.add(ctx, server); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// Add starts another server and waits for it.
func (s *Servers) Add(ctx context.Context, server Server) error {
	added, err := s.add(ctx, server)
	if err != nil {
		return err
	}
	<-added.done
	if added.err == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starts = slices.DeleteFunc(slices.Clone(s.starts), func(st *serverStart) bool { return st == added })
	added.client.close()
	return added.err
}

func (s *Servers) add(ctx context.Context, server Server) (*serverStart, error) {
	if err := server.check(); err != nil {
		return nil, err
	}
	st := &serverStart{client: &client{server: server, version: s.options.Version}, done: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return nil, errors.New("the MCP servers are being stopped")
	}
	s.starts = append(s.starts, st)
	go func() {
		defer close(st.done)
		st.name, st.tools, st.err = st.client.introduce(ctx)
	}()
	return st, nil
}

// Close ends all servers and waits for their processes.
func (s *Servers) Close() {
	s.mu.Lock()
	s.closing = true
	starts := s.starts
	s.mu.Unlock()
	s.stop()
	var all sync.WaitGroup
	for _, st := range starts {
		all.Go(func() {
			<-st.done
			st.client.close()
		})
	}
	all.Wait()
}
