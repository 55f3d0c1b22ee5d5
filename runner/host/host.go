// Package host is what only servers, fleets and the command need of package runner: options of a run whose id, log, workers or budget
// they look after, the request and the span on whose behalf something is done, and runs that go on where another process began them.
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

// Limit adds a budget that stands outside of the run, such as one that many runs share. limit returns which one is used up (the status that
// the run ends with, such as termination.CostLimit), how much of it was used and how much there was, for people; an empty status means
// that there is more. It is asked like the run's own budgets: once it is reached the model gets one last turn, and a run that has not
// begun makes no call.
func Limit(limit func() (status termination.Status, used, bound string)) runner.Option {
	return runner.WithHost(func(o *hostopt.Options) { o.Limit = limit })
}

// ErrEnding is the cause to cancel a context with when the program is about to end: nothing new begins, but calls of models that are under way,
// which are paid for, have half a minute for their replies to come and be recorded.
var ErrEnding = hostopt.ErrEnding

// Quota is a budget outside of a run that is reserved before a call and settled after it, as a run's own budgets are. It is called from
// several goroutines. Costs are USD as far as prices are known.
type Quota = hostopt.Quota

// Reservation is what a call may cost.
type Reservation = hostopt.Reservation

// Share has each call of a model draw on a budget that other runs draw on at the same time. A call for which there is no room is not
// sent, and the run ends; nothing is paid beyond it for a last turn.
func Share(q Quota) runner.Option {
	return runner.WithHost(func(o *hostopt.Options) { o.Quota = q })
}

// Batch says that the next run is a job of a batch: lists show it there.
func Batch(id string) runner.Option {
	return runner.WithHost(func(o *hostopt.Options) { o.Batch = id })
}

// Version names the program in the log.
func Version(v string) runner.Option {
	return runner.WithHost(func(o *hostopt.Options) { o.Version = v })
}

// Reading calls a function now and then with how far the reading of a context is, while a session is made or its
// context changes. One goroutine at a time calls it, and it must not block.
func Reading(progress func(trajectory.Reading)) runner.Option {
	return runner.WithHost(func(o *hostopt.Options) { o.Reading = progress })
}

// Store keeps the events of the next run in a store, and below the data folder a working copy. A reply is in the store before it has an
// effect, and so is the announcement of a call before the call is sent. A runner with it begins or resumes one run.
func Store(s trajectory.Store) runner.Option {
	return runner.WithHost(func(o *hostopt.Options) { o.Store = s })
}

// Starter shares what starts workers among runners: a run finds the worker that was begun during the one before it, whichever runner that
// was of. By default a runner has one of its own. Who made the starter closes it.
func Starter(s *sandbox.Starter) runner.Option {
	return runner.WithHost(func(o *hostopt.Options) { o.Starter = s })
}

// ForRequest names the request on whose behalf a session is asked, resumed, reviewed or given a cell. The name stands in the events that
// these begin with (run_started, resumed, cell_started, reviewed), so that a program that gets a request twice finds what it began the
// first time, also after it was killed.
func ForRequest(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, hostopt.RequestKey{}, name)
}

// Within adds options to a context: what is done with a session under it (ask, resume, review, a cell) is done with these, and the
// session's own count again afterwards. Those of a context before are kept. Options that make no sense are the error of what is done.
func Within(ctx context.Context, opts ...runner.Option) context.Context {
	before, _ := ctx.Value(hostopt.WithinKey{}).([]runner.Option)
	return context.WithValue(ctx, hostopt.WithinKey{}, slices.Concat(before, opts))
}

// Bounds of what a request may say of its trace, in bytes.
const (
	mostTraceparent = 100
	mostTracestate  = 512
)

// UnderSpan names the span on whose behalf a session is asked: the traceparent and tracestate of a request. It stands in the metadata of the
// runs that begin (as "span"), where telemetry finds it. What is too long to be one is left out.
func UnderSpan(ctx context.Context, traceparent, tracestate string) context.Context {
	if traceparent == "" || len(traceparent) > mostTraceparent {
		return ctx
	}
	if len(tracestate) > mostTracestate {
		tracestate = ""
	}
	return context.WithValue(ctx, hostopt.SpanKey{}, hostopt.Span{Traceparent: traceparent, Tracestate: tracestate})
}

// UnderSpanOf is UnderSpan with the span of another context, where something goes on without that.
func UnderSpanOf(ctx, other context.Context) context.Context {
	parent, state := SpanOf(other)
	return UnderSpan(ctx, parent, state)
}

// SpanOf is the span that a context names with UnderSpan, for what goes on in another process; empty for none.
func SpanOf(ctx context.Context) (traceparent, tracestate string) {
	sp, _ := ctx.Value(hostopt.SpanKey{}).(hostopt.Span)
	return sp.Traceparent, sp.Tracestate
}
