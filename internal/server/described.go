package server

import (
	_ "embed"
	"net/http"
)

// document describes the API in OpenAPI 3.1. A test writes it from the routes, their Go types and the comments on both:
// go test ./internal/server -run TestTheDocument -update.
//
//go:embed openapi.json
var document []byte

// described sends the document.
func described(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(document) // nobody is left to be told
}

// following is the query of a stream of events.
type following struct {
	Session []string `json:"session"` // ID:AFTER, repeatable: the events of a session behind one of them; ID:0 for all
	Detail  string   `json:"detail"`  // full, or brief: without what happens in sub-calls, whose sums come instead
	List    int      `json:"list"`    // 1: changes of the list of sessions come too
}

// exportRequest is the query of an export.
type exportRequest struct {
	Format string `json:"format"`
}

// streamed is a part of a stream of events.
type streamed struct {
	Session string        `json:"session"` // its id; * stands for the list of sessions
	Event   streamedEvent `json:"event"`
}

// streamedEvent is an event of a log, or a transient one of the stream.
type streamedEvent struct{}

// uploadForm has files under any names.
type uploadForm struct{}
