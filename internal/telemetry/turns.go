package telemetry

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/gorlm/rlm/runner/trajectory"
)

// turn handles an event of a turn of the run's own model.
func (o *observer) turn(r *run, ev trajectory.Event) {
	switch d := ev.Data.(type) {
	case trajectory.TurnStarted:
		r.settle(ev.Time)
		attrs := []attribute.KeyValue{attribute.Int("rlm.turn", ev.Turn)}
		if d.Kind != "" {
			attrs = append(attrs, attribute.String("rlm.turn.kind", d.Kind))
		}
		r.turn = o.begin(r.ctx, ev.Time, "turn "+strconv.Itoa(ev.Turn), trace.SpanKindInternal, attrs...)
		r.chat = o.begin(r.turn.ctx, ev.Time, "chat "+o.t.bare(r.model), trace.SpanKindClient, o.t.naming(r.model)...)
		o.t.say(r.chat, "gen_ai.input.messages", r.said...)
		r.asked, r.heard, r.said = ev.Time, false, nil
	case trajectory.MessageAdded:
		if o.t.content {
			r.said = append(r.said, message{d.Role, d.Content.String()})
		}
	case trajectory.ReplyDelta:
		if !r.heard && !r.asked.IsZero() && d.Content+d.Reasoning != "" {
			r.heard = true
			r.chat.note(ev.Time, "rlm.first_token")
			o.t.metrics.firstToken(o.t.naming(r.model), ev.Time.Sub(r.asked))
		}
	case trajectory.ReplyReceived:
		if !r.chat.open() {
			return
		}
		o.t.say(r.chat, "gen_ai.output.messages", message{"assistant", d.Content.String()})
		r.chat.end(ev.Time, answered(d.Model, d.FinishReason, d.Usage, d.Attempts)...)
		o.t.metrics.called(o.t.naming(r.model), d.Model, "", d.Usage, d.Duration)
		r.asked = time.Time{}
	case trajectory.TurnFailed:
		r.chat.fail(d.Kind, d.Message)
		r.chat.end(ev.Time)
		o.t.metrics.called(o.t.naming(r.model), "", d.Kind, trajectory.Usage{}, ev.Time.Sub(r.asked))
		r.asked = time.Time{}
	}
}

// naming returns the attributes of every call of a model.
func (t *Telemetry) naming(model string) []attribute.KeyValue {
	attrs := []attribute.KeyValue{attribute.String("gen_ai.operation.name", "chat")}
	if model != "" {
		attrs = append(attrs, attribute.String("gen_ai.request.model", t.bare(model)))
		if name := t.providerOf(model); name != "" {
			attrs = append(attrs, attribute.String("gen_ai.provider.name", name))
		}
		attrs = append(attrs, t.serverOf(model)...)
	}
	return attrs
}

// serverOf returns the attributes of the server that has a model.
func (t *Telemetry) serverOf(model string) []attribute.KeyValue {
	if t.address == nil {
		return nil
	}
	at, err := url.Parse(t.address(model))
	if err != nil || at.Hostname() == "" {
		return nil
	}
	port, err := strconv.Atoi(at.Port())
	if err != nil {
		port = map[string]int{"http": 80, "https": 443}[at.Scheme]
	}
	return []attribute.KeyValue{
		attribute.String("server.address", at.Hostname()), attribute.Int("server.port", port),
	}
}

// bare returns a model's name without its provider, as in price lists.
func (t *Telemetry) bare(model string) string {
	return strings.TrimPrefix(model, t.providerOf(model)+"/")
}

func (t *Telemetry) providerOf(model string) string {
	if t.provider == nil {
		return ""
	}
	return t.provider(model)
}

// answered returns the attributes of a reply.
func answered(model, finish string, u trajectory.Usage, attempts int) []attribute.KeyValue {
	attrs := []attribute.KeyValue{
		attribute.Int64("gen_ai.usage.input_tokens", u.Prompt),
		attribute.Int64("gen_ai.usage.output_tokens", u.Completion),
	}
	if u.Cached > 0 {
		attrs = append(attrs, attribute.Int64("gen_ai.usage.cache_read.input_tokens", u.Cached))
	}
	if u.CacheWritten > 0 {
		attrs = append(attrs, attribute.Int64("gen_ai.usage.cache_creation.input_tokens", u.CacheWritten))
	}
	if model != "" {
		attrs = append(attrs, attribute.String("gen_ai.response.model", model))
	}
	if finish != "" {
		attrs = append(attrs, attribute.StringSlice("gen_ai.response.finish_reasons", []string{finish}))
	}
	if u.Cost != nil {
		attrs = append(attrs, attribute.Float64("rlm.cost", *u.Cost))
	}
	if attempts > 1 {
		attrs = append(attrs, attribute.Int("rlm.attempts", attempts))
	}
	return attrs
}
