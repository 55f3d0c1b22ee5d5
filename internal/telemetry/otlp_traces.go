package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

type otlpTraces struct {
	Resources []otlpResourceSpans `json:"resourceSpans"`
}

type otlpResourceSpans struct {
	Resource otlpResource     `json:"resource"`
	Scopes   []otlpScopeSpans `json:"scopeSpans"`
}

type otlpScopeSpans struct {
	Scope otlpScope  `json:"scope"`
	Spans []otlpSpan `json:"spans"`
}

type otlpSpan struct {
	TraceID    string          `json:"traceId"`
	SpanID     string          `json:"spanId"`
	State      string          `json:"traceState,omitempty"`
	Parent     string          `json:"parentSpanId,omitempty"`
	Flags      uint32          `json:"flags"`
	Name       string          `json:"name"`
	Kind       int             `json:"kind"`
	Start      string          `json:"startTimeUnixNano"`
	End        string          `json:"endTimeUnixNano"`
	Attributes []otlpAttribute `json:"attributes,omitempty"`
	LostAttrs  int             `json:"droppedAttributesCount,omitempty"`
	Events     []otlpEvent     `json:"events,omitempty"`
	LostEvents int             `json:"droppedEventsCount,omitempty"`
	Status     otlpStatus      `json:"status"`
}

type otlpEvent struct {
	Time       string          `json:"timeUnixNano"`
	Name       string          `json:"name"`
	Attributes []otlpAttribute `json:"attributes,omitempty"`
}

type otlpStatus struct {
	Message string `json:"message,omitempty"`
	Code    int    `json:"code,omitempty"`
}

// statusCodes are OTLP's numbers.
var statusCodes = map[codes.Code]int{codes.Unset: 0, codes.Ok: 1, codes.Error: 2}

// remoteKnown is the flag that remoteParent is meaningful; remoteParent means that a span's parent is in another
// process.
const (
	remoteKnown  = 0x100
	remoteParent = 0x200
)

// spanExporter sends spans. The official exporters need protobuf and gRPC, whose initialisation every command and
// every worker would pay for.
type spanExporter struct{ to *sender }

// ExportSpans sends spans of one resource and one scope: this package creates no others.
func (e spanExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	list := make([]otlpSpan, len(spans))
	for i, s := range spans {
		list[i] = spanOf(s)
	}
	return e.to.send(ctx, otlpTraces{[]otlpResourceSpans{{
		resourceOf(spans[0].Resource()), []otlpScopeSpans{{scopeOf(spans[0].InstrumentationScope()), list}},
	}}})
}

// Shutdown does nothing.
func (spanExporter) Shutdown(context.Context) error { return nil }

func spanOf(s sdktrace.ReadOnlySpan) otlpSpan {
	out := otlpSpan{
		TraceID: s.SpanContext().TraceID().String(), SpanID: s.SpanContext().SpanID().String(),
		State: s.SpanContext().TraceState().String(),
		// the API uses OTLP's numbers
		Flags: uint32(s.SpanContext().TraceFlags()) | remoteKnown, Name: s.Name(), Kind: int(s.SpanKind()),
		Start: nanos(s.StartTime()), End: nanos(s.EndTime()),
		Attributes: attributesOf(s.Attributes()), LostAttrs: s.DroppedAttributes(), LostEvents: s.DroppedEvents(),
		Status: otlpStatus{s.Status().Description, statusCodes[s.Status().Code]},
	}
	if s.Parent().HasSpanID() {
		out.Parent = s.Parent().SpanID().String()
	}
	if s.Parent().IsRemote() {
		out.Flags |= remoteParent
	}
	for _, ev := range s.Events() {
		out.Events = append(out.Events, otlpEvent{nanos(ev.Time), ev.Name, attributesOf(ev.Attributes)})
	}
	return out
}
