package runner

import (
	"context"
	"encoding/json"
)

type (
	requestKey struct{}
	spanKey    struct{}
)

// ForRequest names the request on whose behalf a session is asked, resumed, reviewed or given a cell. The name stands in the events that
// these begin with (run_started, resumed, cell_started, reviewed), so that a program that gets a request twice finds what it began the
// first time, also after it was killed.
func ForRequest(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, requestKey{}, name)
}

func requestOf(ctx context.Context) string {
	name, _ := ctx.Value(requestKey{}).(string)
	return name
}

// span is a span of a trace, as the W3C's Trace Context writes it.
type span struct {
	Traceparent string `json:"traceparent"`
	Tracestate  string `json:"tracestate,omitempty"`
}

// Bounds of what a request may say of its trace, in bytes.
const (
	mostTraceparent = 100
	mostTracestate  = 512
)

// UnderSpan names the span on whose behalf a session is asked: the traceparent and tracestate of a request. It stands in the metadata of the runs that
// begin (as "span"), where telemetry finds it. What is too long to be one is left out.
func UnderSpan(ctx context.Context, traceparent, tracestate string) context.Context {
	if traceparent == "" || len(traceparent) > mostTraceparent {
		return ctx
	}
	if len(tracestate) > mostTracestate {
		tracestate = ""
	}
	return context.WithValue(ctx, spanKey{}, span{traceparent, tracestate})
}

// UnderSpanOf is UnderSpan with the span of another context, where something goes on without that.
func UnderSpanOf(ctx, other context.Context) context.Context {
	if sp, ok := other.Value(spanKey{}).(span); ok {
		return context.WithValue(ctx, spanKey{}, sp)
	}
	return ctx
}

// SpanOf is the span that a context names with UnderSpan, for what goes on in another process; empty for none.
func SpanOf(ctx context.Context) (traceparent, tracestate string) {
	sp, _ := ctx.Value(spanKey{}).(span)
	return sp.Traceparent, sp.Tracestate
}

// spanned adds the span of a context to a run's metadata, if that is an object or nothing.
func spanned(ctx context.Context, metadata json.RawMessage) json.RawMessage {
	sp, ok := ctx.Value(spanKey{}).(span)
	if !ok {
		return metadata
	}
	all := map[string]json.RawMessage{}
	if len(metadata) > 0 && json.Unmarshal(metadata, &all) != nil || all == nil {
		return metadata
	}
	text, err := json.Marshal(sp)
	if err == nil {
		all["span"] = text
		text, err = json.Marshal(all)
	}
	if err != nil {
		return metadata
	}
	return text
}

// unspanned takes the span of an earlier request out of a run's metadata.
func unspanned(metadata json.RawMessage) json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(metadata, &all) != nil || all["span"] == nil {
		return metadata
	}
	delete(all, "span")
	if len(all) == 0 {
		return nil
	}
	out, err := json.Marshal(all)
	if err != nil {
		return metadata
	}
	return out
}
