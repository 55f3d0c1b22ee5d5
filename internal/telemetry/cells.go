package telemetry

import (
	"context"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/gorlm/rlm/runner/trajectory"
)

// startCell starts the span of a cell: below its turn, or, if it is a person's own, as a separate trace.
func (o *observer) startCell(ev trajectory.Event, d trajectory.CellStarted) {
	r := o.runs[ev.Path]
	under := trace.ContextWithRemoteSpanContext(context.Background(), o.t.parent)
	switch {
	case r == nil:
		r = &run{cells: map[int]*cell{}, began: ev.Time}
		o.runs[ev.Path] = r
	case r.turn.open():
		under = r.turn.ctx
	case r.open():
		under = r.ctx
	}
	c := &cell{began: ev.Time, own: d.Own}
	c.span = o.begin(under, ev.Time, "execute_tool cell", trace.SpanKindInternal,
		attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", "cell"),
		attribute.String("gen_ai.conversation.id", o.session),
		attribute.String("gen_ai.tool.call.id", strconv.Itoa(d.Cell)), attribute.String("rlm.engine", d.Engine),
		attribute.Bool("rlm.own", d.Own))
	if o.t.content {
		c.of.SetAttributes(attribute.String("gen_ai.tool.call.arguments", short(d.Source)))
	}
	r.cells[d.Cell] = c
}

func (o *observer) endCell(r *run, ev trajectory.Event, d trajectory.CellEnded) {
	c := r.cells[d.Cell]
	if c == nil {
		return
	}
	delete(r.cells, d.Cell)
	if !d.OK {
		kind := d.ErrorKind
		if kind == "" {
			kind = "failed"
		}
		c.fail(kind, "the cell failed")
	}
	if o.t.content {
		c.of.SetAttributes(attribute.String("gen_ai.tool.call.result", short(d.Output)))
	}
	c.end(ev.Time, attribute.Float64("rlm.cell.computed", d.Computed.Seconds()))
	o.t.metrics.cell(d.OK, c.own, ev.Time.Sub(c.began))
	if !r.open() && len(r.cells) == 0 { // a person's own cell, outside of runs
		delete(o.runs, ev.Path)
	}
}

// startCall starts the span of a sub-call, below its cell.
func (o *observer) startCall(r *run, ev trajectory.Event, d trajectory.SubCallStarted) {
	under := context.Background()
	if c := r.cells[d.Cell]; c != nil {
		under = c.ctx
	}
	c := &call{impl: d.Impl, model: d.Model}
	switch {
	case d.Tool != "":
		c.span = o.begin(under, ev.Time, "execute_tool "+d.Tool, trace.SpanKindInternal, tool(d)...)
	case d.Child != "":
		c.span = o.begin(under, ev.Time, d.Impl, trace.SpanKindInternal)
		o.children[d.Child] = c.ctx
	default:
		c.span = o.begin(under, ev.Time, "chat "+o.t.bare(d.Model), trace.SpanKindClient, o.t.naming(d.Model)...)
	}
	c.of.SetAttributes(attribute.String("rlm.builtin", d.Impl))
	if d.Size > 0 {
		c.of.SetAttributes(attribute.Int("rlm.batch", d.Batch), attribute.Int("rlm.batch.index", d.Index),
			attribute.Int("rlm.batch.size", d.Size))
	}
	o.t.say(c.span, "gen_ai.input.messages", message{"user", d.Prompt.String()})
	o.calls[d.Key(ev.Path)] = c
}

// tool returns the attributes of a tool's call. A call to an MCP server needs no separate MCP span: its attributes
// are on the span of the tool.
func tool(d trajectory.SubCallStarted) []attribute.KeyValue {
	attrs := []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", d.Tool),
	}
	if d.Server != "" {
		attrs = append(attrs, attribute.String("mcp.method.name", "tools/call"),
			attribute.String("rlm.mcp.server", d.Server))
	}
	return attrs
}

func (o *observer) endCall(ev trajectory.Event, d trajectory.SubCallEnded) {
	key := d.Key(ev.Path)
	c := o.calls[key]
	if c == nil {
		return
	}
	delete(o.calls, key)
	kind := d.ErrorKind
	if d.Error != "" {
		if kind == "" {
			kind = "failed"
		}
		c.fail(kind, d.Error)
	}
	o.t.say(c.span, "gen_ai.output.messages", message{"assistant", d.Reply.String()})
	asked := d.FinishReason != "" || d.Usage.Prompt > 0 || d.ErrorKind != ""
	if asked {
		c.of.SetAttributes(answered(d.Model, d.FinishReason, d.Usage, d.Attempts)...)
	}
	c.end(ev.Time, attribute.Bool("rlm.cached", d.Cached))
	o.t.metrics.subCall(c.impl, d.Cached, d.Error != "")
	if asked && !d.Cached {
		o.t.metrics.called(o.t.naming(c.model), d.Model, kind, d.Usage, d.Duration)
	}
}
