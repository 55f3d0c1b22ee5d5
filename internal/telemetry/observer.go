package telemetry

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/runner/trajectory"
)

// observer converts the events of one session to spans. Only one goroutine uses it.
type observer struct {
	t        *Telemetry
	session  string
	runs     map[string]*run              // running runs, by path
	calls    map[trajectory.CallKey]*call // running calls
	children map[string]context.Context   // spans of the calls that child runs answer, by the child's path
}

// run is a run that has not ended.
type run struct {
	span
	id    string
	model string
	began time.Time
	turn  span
	chat  span
	asked time.Time // when the model was asked; zero: it is not being asked
	heard bool      // the model's reply has begun
	said  []message // messages to the model since the last call
	cells map[int]*cell
}

// cell is a cell that has not ended.
type cell struct {
	span
	began time.Time
	own   bool
}

// call is a sub-call that has not ended.
type call struct {
	span
	impl  string
	model string
}

// span is a span that may not have started.
type span struct {
	ctx context.Context
	of  trace.Span
}

func (s *span) open() bool { return s.of != nil }

// end ends the span, if it is open.
func (s *span) end(at time.Time, attrs ...attribute.KeyValue) {
	if s.of == nil {
		return
	}
	s.of.SetAttributes(attrs...)
	s.of.End(trace.WithTimestamp(at))
	s.of = nil
}

// fail marks the span as failed.
func (s *span) fail(kind, why string) {
	if s.of != nil {
		s.of.SetAttributes(attribute.String("error.type", kind))
		s.of.SetStatus(codes.Error, why)
	}
}

// note adds an event to the span.
func (s *span) note(at time.Time, name string, attrs ...attribute.KeyValue) {
	if s.of != nil {
		s.of.AddEvent(name, trace.WithTimestamp(at), trace.WithAttributes(attrs...))
	}
}

// begin starts a span.
func (o *observer) begin(
	under context.Context, at time.Time, name string, kind trace.SpanKind, attrs ...attribute.KeyValue,
) span {
	ctx, of := o.t.tracer.Start(
		under, name, trace.WithTimestamp(at), trace.WithSpanKind(kind), trace.WithAttributes(attrs...))
	return span{ctx, of}
}

// add handles the next event.
func (o *observer) add(ev trajectory.Event) {
	switch d := ev.Data.(type) {
	case trajectory.RunStarted:
		o.start(ev, d)
		return
	case trajectory.CellStarted:
		o.startCell(ev, d)
		return
	}
	r := o.runs[ev.Path]
	if r == nil {
		switch ev.Data.(type) {
		case trajectory.Resumed, trajectory.TurnStarted: // the beginning was observed by another process, or by none
			r = o.start(ev, trajectory.RunStarted{Run: o.session})
			r.of.SetAttributes(attribute.Bool("rlm.run.resumed", true))
		case trajectory.CellEnded, trajectory.SubCallStarted, trajectory.SubCallEnded: // from a person's own cell
			r = &run{}
		default:
			return
		}
	}
	switch d := ev.Data.(type) {
	case trajectory.TurnStarted, trajectory.MessageAdded, trajectory.ReplyDelta, trajectory.ReplyReceived,
		trajectory.TurnFailed:
		o.turn(r, ev)
	case trajectory.CellEnded:
		o.endCell(r, ev, d)
	case trajectory.SubCallStarted:
		o.startCall(r, ev, d)
	case trajectory.SubCallEnded:
		o.endCall(ev, d)
	case trajectory.RunEnded:
		o.endRun(r, ev, d)
	default:
		r.remark(ev)
	}
}

// remark adds exceptional events to the run's spans.
func (r *run) remark(ev trajectory.Event) {
	at := &r.turn
	if !at.open() {
		at = &r.span
	}
	switch d := ev.Data.(type) {
	case trajectory.CallRetried:
		if c := r.cells[d.Cell]; c != nil {
			at = &c.span
		} else if r.chat.open() {
			at = &r.chat
		}
		at.note(ev.Time, "rlm.retry", attribute.String("gen_ai.request.model", d.Model),
			attribute.String("rlm.reason", d.Reason), attribute.Int("rlm.attempt", d.Attempt))
	case trajectory.FellBack:
		at.note(ev.Time, "rlm.fell_back", attribute.String("gen_ai.request.model", d.Model),
			attribute.String("rlm.to", d.To), attribute.String("rlm.reason", d.Reason))
	case trajectory.Nudged:
		at.note(ev.Time, "rlm.nudge", attribute.String("rlm.guard", d.Guard))
	case trajectory.SignalIgnored:
		at.note(ev.Time, "rlm.signal_ignored", attribute.String("rlm.signal", d.Signal))
	case trajectory.Compacted:
		at.note(ev.Time, "rlm.compaction", attribute.Int("rlm.messages", d.Messages),
			attribute.String("rlm.how", d.How))
	case trajectory.LimitReached:
		at.note(ev.Time, "rlm.limit", attribute.String("rlm.limit", d.Limit))
	case trajectory.EngineMoved:
		at.note(ev.Time, "rlm.engine_moved", attribute.String("rlm.to", d.To), attribute.String("rlm.reason", d.Reason))
	case trajectory.Restored:
		at.note(ev.Time, "rlm.restored", attribute.String("rlm.how", d.How), attribute.Int("rlm.cells", d.Cells),
			attribute.Int("rlm.differing", len(d.Lost)+len(d.Differing)))
	}
}

// start starts the span of a run.
func (o *observer) start(ev trajectory.Event, d trajectory.RunStarted) *run {
	under, ok := o.children[ev.Path]
	if !ok {
		under = trace.ContextWithRemoteSpanContext(context.Background(), o.t.above(d.Metadata))
	}
	if before := o.runs[ev.Path]; before != nil { // the end of the previous run was not reported
		o.leave(before, ev.Time)
	}
	r := &run{id: d.Run, model: d.Model, began: ev.Time, cells: map[int]*cell{}}
	r.span = o.begin(under, ev.Time, "invoke_agent rlm", trace.SpanKindInternal,
		attribute.String("gen_ai.operation.name", "invoke_agent"), attribute.String("gen_ai.agent.name", "rlm"),
		attribute.String("gen_ai.conversation.id", o.session), attribute.String("rlm.run.id", d.Run))
	if d.Model != "" {
		r.of.SetAttributes(attribute.String("gen_ai.request.model", o.t.bare(d.Model)))
	}
	if ev.Path != "" {
		r.of.SetAttributes(attribute.String("rlm.run.path", ev.Path))
	}
	if d.Question != "" {
		o.t.say(r.span, "gen_ai.input.messages", message{"user", d.Question})
	}
	o.runs[ev.Path] = r
	o.t.metrics.started(ev.Path == "")
	return r
}

// above returns the parent span of a run: from the request, or its metadata, or the environment.
func (t *Telemetry) above(metadata json.RawMessage) trace.SpanContext {
	type span struct{ Traceparent, Tracestate string }
	var named struct {
		span
		Span span
	}
	if len(metadata) > 0 && json.Unmarshal(metadata, &named) == nil {
		for _, sp := range []span{named.Span, named.span} {
			if sc := remote(sp.Traceparent, sp.Tracestate); sc.IsValid() {
				return sc
			}
		}
	}
	return t.parent
}

// endRun ends the span of a run.
func (o *observer) endRun(r *run, ev trajectory.Event, d trajectory.RunEnded) {
	r.settle(ev.Time)
	attrs := []attribute.KeyValue{
		attribute.String("rlm.run.status", d.Status), attribute.Int("rlm.run.turns", d.Turns),
		attribute.Int("rlm.run.cells", d.Cells),
		attribute.Int("rlm.run.sub_calls", d.SubCalls),
	}
	if ev.Path == "" { // includes child runs, so child spans omit it: sums over spans count it once
		sum := trajectory.UsageOf(d.Usage)
		attrs = append(attrs, attribute.Int64("gen_ai.usage.input_tokens", sum.Prompt),
			attribute.Int64("gen_ai.usage.output_tokens", sum.Completion))
		if d.Cost != nil {
			attrs = append(attrs, attribute.Float64("rlm.cost", *d.Cost))
		}
	}
	if d.HasAnswer {
		o.t.say(r.span, "gen_ai.output.messages", message{"assistant", d.Answer})
	} else {
		kind := d.ErrorKind
		if kind == "" {
			kind = d.Status
		}
		r.fail(kind, d.Reason)
	}
	r.end(ev.Time, attrs...)
	delete(o.runs, ev.Path)
	o.t.metrics.ended(ev.Path == "", d, ev.Time.Sub(r.began))
}

// leave ends the spans of a run without a reported end.
func (o *observer) leave(r *run, at time.Time) {
	r.settle(at)
	r.end(at, attribute.Bool("rlm.run.interrupted", true))
}

// settle ends all open spans below a run.
func (r *run) settle(at time.Time) {
	for n, c := range r.cells {
		c.end(at)
		delete(r.cells, n)
	}
	r.chat.end(at)
	r.turn.end(at)
}

// close ends all open spans.
func (o *observer) close() {
	now := time.Now()
	for _, c := range o.calls {
		c.end(now)
	}
	for path, r := range o.runs {
		o.leave(r, now)
		o.t.metrics.left(path == "")
	}
}

// message is one message of a conversation.
type message struct{ role, text string }

// say adds messages to a span in the conventions' form, if the environment asks for it.
func (t *Telemetry) say(s span, name string, messages ...message) {
	if !t.content || s.of == nil || !s.of.IsRecording() {
		return
	}
	type part struct {
		Type    string `json:"type"`
		Content string `json:"content"`
	}
	type entry struct {
		Role  string `json:"role"`
		Parts []part `json:"parts"`
	}
	list := make([]entry, len(messages))
	for i, m := range messages {
		list[i] = entry{m.role, []part{{"text", short(m.text)}}}
	}
	if text, err := json.Marshal(list); err == nil {
		s.of.SetAttributes(attribute.String(name, string(text)))
	}
}

// mostText bounds one text in a span, in bytes: collectors reject messages of a few megabytes.
const mostText = 64 << 10

func short(s string) string {
	if len(s) <= mostText {
		return s
	}
	return fmt.Sprintf("%s%s (%d bytes)", text.Cut(s, mostText), text.Ellipsis, len(s))
}
