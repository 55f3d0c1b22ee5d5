// Package host has the options of package runner that only servers, fleets and the command need: for a run whose
// id, log, workers or budget they manage, for the request and the span that caused it, and for runs that another
// process began.
package host

import (
	"context"
	"slices"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/internal/hostopt"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// Limit adds a budget outside the run, such as one that many runs share. limit returns which budget is used up (the
// status for the run's end, such as termination.CostLimit), the amount used and the bound, for people; an empty
// status means that some is left. It is checked like the run's own budgets: at the limit the model gets one last
// turn, and a run that has not begun makes no call.
func Limit(limit func() (status termination.Status, used, bound string)) runner.Option {
	return runner.WithHost(func(o *hostopt.Options) { o.Limit = limit })
}

// ErrEnding is the cause for cancelling a context when the program is about to end: nothing new begins, but model
// calls in flight, which are paid for, have half a minute for their replies to arrive and be recorded.
var ErrEnding = hostopt.ErrEnding

// Quota is a budget outside a run, reserved before a call and settled after it like a run's own budgets. It is
// called from several goroutines. Costs are USD as far as prices are known. Its methods:
//
//	// Acquire reserves the cost of a call. It waits for calls in flight, may grant a smaller reply, and fails if
//	// there is no room for the prompt, or ctx is done.
//	Acquire(ctx context.Context, call Reservation) (Reservation, error)
//	// Release releases a reservation and counts the call's cost. The run waits at most a second for it.
//	Release(call Reservation, cost float64)
type Quota = hostopt.Quota

// Reservation is what a call may cost, in USD:
//
//	Prompt, Reply float64
type Reservation = hostopt.Reservation

// Share makes each model call draw on a budget that other runs use at the same time. A call that does not fit is
// not sent, and the run ends; unlike at a limit, there is no last turn.
func Share(q Quota) runner.Option {
	return runner.WithHost(func(o *hostopt.Options) { o.Quota = q })
}

// Batch marks the next run as a job of a batch, for lists.
func Batch(id string) runner.Option {
	return runner.WithHost(func(o *hostopt.Options) { o.Batch = id })
}

// Version sets the version of the program that the log records.
func Version(v string) runner.Option {
	return runner.WithHost(func(o *hostopt.Options) { o.Version = v })
}

// Reading calls progress from time to time while a session is made or its context changes, to report how much of
// the context has been read. Only one goroutine at a time calls it, and it must not block.
func Reading(progress func(trajectory.Reading)) runner.Option {
	return runner.WithHost(func(o *hostopt.Options) { o.Reading = progress })
}

// Store stores the events of the next run in s, with a working copy below the data folder. A reply is in the store
// before it has an effect, and so is the announcement of a call before the call is sent. A runner with this option
// begins or resumes one run.
func Store(s trajectory.Store) runner.Option {
	return runner.WithHost(func(o *hostopt.Options) { o.Store = s })
}

// Starter shares a starter of workers among runners: a run uses the worker that was started by the run before it,
// even if that was a run of another runner. By default each runner has its own. The caller closes the starter.
func Starter(s *sandbox.Starter) runner.Option {
	return runner.WithHost(func(o *hostopt.Options) { o.Starter = s })
}

// ForRequest sets the name of the request that makes a session answer, resume, record a review or run a cell. The
// first event of each of these (run_started, resumed, reviewed, cell_started) has the name, so that a program that
// gets a request twice finds what it began the first time, even after being killed.
func ForRequest(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, hostopt.RequestKey{}, name)
}

// Within adds options to a context. Operations on a session under this context (ask, resume, review, a cell) use
// them; afterwards the session's own options apply again. Earlier options in the context are kept. Options that
// make no sense make the operation fail.
func Within(ctx context.Context, opts ...runner.Option) context.Context {
	before, _ := ctx.Value(hostopt.WithinKey{}).([]runner.Option)
	return context.WithValue(ctx, hostopt.WithinKey{}, slices.Concat(before, opts))
}

// Bounds of a request's trace headers, in bytes.
const (
	mostTraceparent = 100
	mostTracestate  = 512
)

// UnderSpan sets the span under which a session answers: the traceparent and tracestate of a request. The metadata
// of its runs contain the span (as "span"), for telemetry. Values that are too long are left out.
func UnderSpan(ctx context.Context, traceparent, tracestate string) context.Context {
	if traceparent == "" || len(traceparent) > mostTraceparent {
		return ctx
	}
	if len(tracestate) > mostTracestate {
		tracestate = ""
	}
	return context.WithValue(ctx, hostopt.SpanKey{}, hostopt.Span{Traceparent: traceparent, Tracestate: tracestate})
}

// UnderSpanOf is UnderSpan with the span of another context, for work that does not inherit it.
func UnderSpanOf(ctx, other context.Context) context.Context {
	parent, state := SpanOf(other)
	return UnderSpan(ctx, parent, state)
}

// SpanOf is the span set with UnderSpan, for work in another process; empty if there is none.
func SpanOf(ctx context.Context) (traceparent, tracestate string) {
	sp, _ := ctx.Value(hostopt.SpanKey{}).(hostopt.Span)
	return sp.Traceparent, sp.Tracestate
}
