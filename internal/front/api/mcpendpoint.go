package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/front/mcp"
	"github.com/gorlm/rlm/internal/session"
)

// agents serves other agents over the Model Context Protocol at /mcp. Each person gets an MCP server for the
// sessions that they may use.
type agents struct {
	server *Server

	mu    sync.Mutex
	doors map[session.Person]mcpEndpoint
}

// mcpEndpoint is the MCP server of one person.
type mcpEndpoint struct {
	server  *mcp.Server
	handler http.Handler
}

// of returns a person's MCP server, creating it on first use.
func (a *agents) of(who session.Person) (mcpEndpoint, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if d, ok := a.doors[who]; ok {
		return d, nil
	}
	asked := func(did, id string) { a.server.audit.asked(who.Name, "mcp", did, id, 0) }
	s, err := mcp.New(mcp.Config{
		Notebooks: mcp.NewNotebooks(a.server.sessions, who, asked),
		Folders:   slices.Concat(a.server.cfg.Folders, a.server.cfg.Files), Version: a.server.cfg.Version,
	})
	if err != nil {
		return mcpEndpoint{}, err
	}
	d := mcpEndpoint{s, s.Handler()}
	if a.doors == nil {
		a.doors = map[session.Person]mcpEndpoint{}
	}
	a.doors[who] = d
	return d, nil
}

// dismiss ends the MCP connections of a user who was removed.
func (a *agents) dismiss(who session.Person) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if d, ok := a.doors[who]; ok {
		d.server.Close()
		delete(a.doors, who)
	}
}

// close ends all MCP connections.
func (a *agents) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, d := range a.doors {
		d.server.Close()
	}
}

// ServeHTTP answers a request of an agent.
func (a *agents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	who := personOf(r.Context())
	d, err := a.of(who)
	if err != nil {
		refuse(w, err)
		return
	}
	if r.Method == http.MethodPost {
		if r.ContentLength > mostBody {
			refuse(w, &http.MaxBytesError{Limit: mostBody})
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
		if err != nil {
			var large *http.MaxBytesError
			if !errors.As(err, &large) && !lostAccess(r.Context()) {
				err = badRequest("the request did not arrive completely")
			}
			refuse(w, err)
			return
		}
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // the agent may be silent from now on
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	if r.Method == http.MethodGet { // the stream of a GET ends at shutdown
		defer context.AfterFunc(a.server.down, cancel)()
	}
	d.handler.ServeHTTP(w, r.WithContext(ctx))
}
