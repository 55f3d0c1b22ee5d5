// Package hostopt carries the options of package host to package runner, hidden from runner's users.
package hostopt

import (
	"context"
	"errors"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// Options are the runner's options that only servers, fleets and the command need.
type Options struct {
	Batch   string // batch that the next run is a job of; empty: none
	Store   trajectory.Store
	Version string                   // of the program, for the log
	Reading func(trajectory.Reading) // called while a context is read
	Starter *sandbox.Starter
	Quota   Quota // nil: none
	Limit   func() (status termination.Status, used, bound string)
}

// Keys of context values.
type (
	RequestKey struct{} // for the name of a request
	SpanKey    struct{} // for a Span
	WithinKey  struct{} // for options of operations on a session
)

// Span is a span of a trace in the form of W3C Trace Context.
type Span struct {
	Traceparent string `json:"traceparent"`
	Tracestate  string `json:"tracestate,omitempty"`
}

// Quota is a budget shared by several leases.
type Quota interface {
	// Acquire reserves the cost of a call: its prompt, and its reply if that is bounded. If only the replies of
	// calls in flight leave too little room, it waits for them; a reply may get less than requested. It fails if
	// there is no room for the prompt, or ctx is done.
	Acquire(ctx context.Context, call Reservation) (Reservation, error)
	// Release releases a call's reservation and counts the call's cost. The run waits at most a second for it.
	Release(call Reservation, cost float64)
}

// Reservation is what a call may cost, in USD.
type Reservation struct{ Prompt, Reply float64 }

// ErrEnding is documented as host.ErrEnding.
var ErrEnding = errors.New("the program ends")
