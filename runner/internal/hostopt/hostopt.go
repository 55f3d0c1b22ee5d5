// Package hostopt is what package host tells a runner: package runner takes it, and its users do not see it.
package hostopt

import (
	"context"
	"errors"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// Options are what only servers, fleets and the command need of a runner.
type Options struct {
	Batch   string // whose job the next run is; empty: it is none
	Store   trajectory.Store
	Version string                   // of the program, for the log
	Reading func(trajectory.Reading) // is called while a context is read
	Starter *sandbox.Starter
	Quota   Quota // nil: there is none
	Limit   func() (status termination.Status, used, bound string)
}

// Keys of contexts.
type (
	RequestKey struct{} // of the name of a request
	SpanKey    struct{} // of a Span
	WithinKey  struct{} // of options for what is done with a session
)

// Span is a span of a trace, as the W3C's Trace Context writes it.
type Span struct {
	Traceparent string `json:"traceparent"`
	Tracestate  string `json:"tracestate,omitempty"`
}

// Quota is a budget that several leases draw on.
type Quota interface {
	// Acquire reserves what a call costs: its prompt, and its reply as far as that is bounded. Where only replies of calls under way are in
	// the way it waits for them, and a reply gets what is left and no more. The error says that there is no room for the prompt, or that
	// ctx is done.
	Acquire(ctx context.Context, call Reservation) (Reservation, error)
	// Release gives back what was reserved for a call and counts what the call cost. The run goes on after a second, with or without it.
	Release(call Reservation, cost float64)
}

// Reservation is what a call may cost, in USD.
type Reservation struct{ Prompt, Reply float64 }

// ErrEnding is host.ErrEnding, which says what it is for.
var ErrEnding = errors.New("the program ends")
