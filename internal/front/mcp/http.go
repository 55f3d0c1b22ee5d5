package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gorlm/rlm/internal/kit/text/decoding"
	"github.com/gorlm/rlm/internal/session"
)

const (
	mostClients = 100       // maximum number of MCP sessions
	idleClient  = time.Hour // how long an MCP session without requests remains
)

// Handler serves streamable HTTP. The caller must authenticate requests, check their host and origin, and limit the
// size of bodies.
func (s *Server) Handler() http.Handler {
	get := func(r *http.Request) *sdk.Server {
		if r.Method == http.MethodPost && r.Header.Get(sessionHeader) == "" {
			n := 0
			for range s.sdk.Sessions() {
				if n++; n >= mostClients {
					return nil
				}
			}
		}
		return s.sdk
	}
	handler := func(whole bool) http.Handler {
		return sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{
			SessionTimeout: idleClient, EventStore: sdk.NewMemoryEventStore(nil), DisableLocalhostProtection: true,
			MaxRequestBodyBytes: mostMessage,
			JSONResponse:        whole,
		})
	}
	streams, whole := handler(false), handler(true)
	serve := func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(sessionHeader)
		inWholes := s.inWholes(id)
		begins := r.Method == http.MethodPost && id == ""
		streamed := strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/event-stream")
		if r.Method == http.MethodPost || inWholes {
			r = r.Clone(r.Context()) // the SDK requires that clients accept both types
			r.Header.Set("Accept", "application/json, text/event-stream")
		}
		if begins && streamed || !begins && !inWholes {
			streams.ServeHTTP(w, r)
			return
		}
		whole.ServeHTTP(w, r)
		if begins {
			s.keepWhole(w.Header().Get(sessionHeader))
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &answerWriter{ResponseWriter: w, numbers: s.numbers, header: w.Header().Clone()}
		var asked []json.RawMessage
		if r.Method == http.MethodPost {
			body, err := io.ReadAll(io.LimitReader(r.Body, mostMessage+1)) // the SDK refuses larger messages
			if err != nil {
				http.Error(w, "the request did not come in", http.StatusBadRequest)
				return
			}
			r = r.Clone(r.Context())
			body = decoding.Bytes(body)
			asked = idsIn(body)
			body = s.numbers.in(body)
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		}
		if !s.inWholes(r.Header.Get(sessionHeader)) {
			tick, done := time.NewTicker(beat), make(chan struct{})
			var beats sync.WaitGroup
			beats.Go(func() { answer.beats(tick.C, done) })
			defer func() { tick.Stop(); close(done); beats.Wait() }()
		}
		serve(answer, r)
		if why, ok := errors.AsType[*session.Error](context.Cause(r.Context())); ok {
			answer.end(asked, why.Message)
		}
		answer.refuse(asked)
		answer.WriteHeader(http.StatusOK) // in case nothing was written
	})
}

// idsIn returns the ids of the requests in a message, or in a batch of messages.
func idsIn(body []byte) (ids []json.RawMessage) {
	type message struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	var all []message
	var one message
	if json.Unmarshal(body, &all) != nil && json.Unmarshal(body, &one) == nil {
		all = []message{one}
	}
	for _, m := range all {
		if m.ID != nil && m.Method != "" {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

const sessionHeader = "Mcp-Session-Id"

// inWholes reports whether the client of an MCP session accepts only JSON, so that each response is sent as a
// whole.
func (s *Server) inWholes(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wholes[id]
}

// keepWhole records that the client of an MCP session accepts only JSON, and removes records of ended MCP sessions.
func (s *Server) keepWhole(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := map[string]bool{id: true}
	for conversation := range s.sdk.Sessions() {
		if s.wholes[conversation.ID()] {
			now[conversation.ID()] = true
		}
	}
	s.wholes = now
}

// Close ends all MCP sessions and cancels their calls.
func (s *Server) Close() {
	for conversation := range s.sdk.Sessions() {
		_ = conversation.Close() // it has ended in any case
	}
}
