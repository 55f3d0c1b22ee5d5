package history

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/runner/trajectory"
)

// Span is an interval of time in which something ran.
type Span struct {
	ID         int64         `json:"id"` // number of the first event; for a turn's model call, the turn's ID negated
	Parent     int64         `json:"parent,omitempty"`
	Kind       string        `json:"kind"` // run, turn, model, cell, call, child, restore
	Name       string        `json:"name"`
	Start      time.Duration `json:"start"` // time since the start of the trace
	Duration   time.Duration `json:"duration"`
	Status     string        `json:"status"` // running, ok, failed, stopped
	Path       string        `json:"path,omitempty"`
	Turn       int           `json:"turn,omitempty"`
	Cell       int           `json:"cell,omitempty"`
	Seq        int64         `json:"seq"`
	Model      string        `json:"model,omitempty"`
	Tokens     int64         `json:"tokens,omitempty"`
	Completion int64         `json:"completion,omitempty"` // completion tokens, part of Tokens
	Cost       *float64      `json:"cost,omitempty"`
	Cached     int64         `json:"cached_tokens,omitempty"`
	Attempts   int           `json:"attempts,omitempty"`
	Error      string        `json:"error,omitempty"`

	began time.Time
	run   int // number of its question
}

// ModelUse is the usage of one model.
type ModelUse struct {
	Model string           `json:"model"`
	Calls int              `json:"calls"`
	Usage trajectory.Usage `json:"usage"`
	Cost  *float64         `json:"cost"` // nil if unknown

	paid trajectory.Cost
}

// spans collects spans from the events at their starts and ends.
type spans struct {
	all   []*Span
	runs  map[string]*Span // by path, like turns
	turns map[string]*Span
	asked map[string]*Span // model calls of turns in progress, by path
}

// begin adds a span.
func (s *spans) begin(ev trajectory.Event, run int, parent *Span, kind, name string) *Span {
	sp := &Span{
		ID: ev.Seq, Kind: kind, Name: name, Path: ev.Path, Turn: ev.Turn, Seq: ev.Seq, Status: running,
		began: ev.Time, run: run,
	}
	if parent != nil {
		sp.Parent = parent.ID
	}
	s.all = append(s.all, sp)
	return sp
}

// end ends a span, unless it has already ended.
func (sp *Span) end(at time.Time, failure string) {
	if sp == nil || sp.Status != running {
		return
	}
	sp.Status, sp.Error, sp.Duration = "ok", failure, at.Sub(sp.began)
	if failure != "" {
		sp.Status = failed
	}
}

func (sp *Span) used(model string, u trajectory.Usage, attempts int) {
	sp.Model, sp.Tokens, sp.Cost, sp.Cached, sp.Attempts = model, u.Prompt+u.Completion, u.Cost, u.Cached, attempts
	sp.Completion = u.Completion
}

func (s *spans) add(ev trajectory.Event, b *Projection) {
	switch d := ev.Data.(type) {
	case trajectory.RunStarted:
		kind, parent := "run", (*Span)(nil)
		if ev.Path != "" {
			kind = "child"
		}
		if above := b.childOf[ev.Path]; above != nil {
			parent = above.span
		}
		s.runs[ev.Path] = s.begin(ev, b.run, parent, kind, short(d.Question))
		s.turns[ev.Path] = nil
	case trajectory.TurnStarted:
		s.turns[ev.Path].end(ev.Time, "")
		name := "turn"
		if d.Kind != "" {
			name += " (" + d.Kind + ")"
		}
		turn := s.begin(ev, b.run, s.runs[ev.Path], "turn", name)
		s.turns[ev.Path] = turn
		asked := s.begin(ev, b.run, turn, "model", "model")
		asked.ID = -ev.Seq
		s.asked[ev.Path] = asked
	case trajectory.ReplyReceived:
		if m := s.asked[ev.Path]; m != nil {
			m.used(d.Model, d.Usage, d.Attempts)
			m.Name = d.Model
			m.end(ev.Time, "")
		}
	case trajectory.TurnFailed:
		s.asked[ev.Path].end(ev.Time, d.Message)
	case trajectory.CellStarted:
		parent := s.turns[ev.Path]
		if d.Own {
			parent = nil
		}
		span := s.begin(ev, b.run, parent, "cell", short(d.Source))
		span.Cell = d.Cell
		b.cellAt(cellKey{ev.Path, d.Cell}).span = span
	case trajectory.CellEnded:
		failure := ""
		if !d.OK {
			failure = cmp.Or(d.ErrorKind, "it failed")
		}
		b.cellAt(cellKey{ev.Path, d.Cell}).span.end(ev.Time, failure)
	case trajectory.RunEnded:
		s.turns[ev.Path].end(ev.Time, "")
		failure := ""
		if !d.HasAnswer {
			failure = cmp.Or(d.Reason, d.Status)
		}
		if r := s.runs[ev.Path]; r != nil {
			if r.Status != running { // a run that continued after its end now ends again
				r.Status = running
			}
			r.end(ev.Time, failure)
		}
	case trajectory.Restored:
		r := s.begin(ev, b.run, nil, "restore", "variables restored")
		r.began = ev.Time.Add(-d.Took)
		r.end(ev.Time, "")
	}
}

// Trace contains the spans of one question, or of the whole log.
type Trace struct {
	Start  time.Time  `json:"start"`
	End    time.Time  `json:"end"` // when the last of the ended spans ended
	Spans  []Span     `json:"spans"`
	Models []ModelUse `json:"models"`
	More   bool       `json:"more"` // there are more spans than mostSpans
}

// mostSpans bounds a trace.
const mostSpans = 50_000

// Trace returns the spans of a question, or of the whole log if run is 0; live means that the session is
// active.
func (b *Projection) Trace(run int, live bool) (Trace, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.update(); err != nil {
		return Trace{}, err
	}
	t := Trace{Spans: make([]Span, 0, min(len(b.spans.all), mostSpans)), Models: []ModelUse{}}
	models := map[string]*ModelUse{}
	for _, sp := range b.spans.all {
		if run != 0 && sp.run != run {
			continue
		}
		if len(t.Spans) == mostSpans {
			t.More = true
			break
		}
		if t.Start.IsZero() || sp.began.Before(t.Start) {
			t.Start = sp.began
		}
		now := b.cutOff(*sp, live)
		if end := now.began.Add(now.Duration); end.After(t.End) {
			t.End = end
		}
		t.Spans = append(t.Spans, now)
		if sp.Tokens > 0 {
			use(models, sp)
		}
	}
	for i := range t.Spans {
		t.Spans[i].Start = t.Spans[i].began.Sub(t.Start)
	}
	for _, name := range slices.Sorted(maps.Keys(models)) {
		t.Models = append(t.Models, *models[name])
	}
	return t, nil
}

// cutOff returns a span with its real status: a span that looks running was stopped if its session is inactive or
// its run has ended.
func (b *Projection) cutOff(sp Span, live bool) Span {
	at := b.endOf(sp.Path)
	if sp.Status != running || live && sp.run == b.run && at.IsZero() {
		return sp
	}
	sp.Status = stopped
	if sp.run == b.run && at.After(sp.began) {
		sp.Duration = at.Sub(sp.began)
	}
	return sp
}

// use adds a model call to the usage of its model.
func use(models map[string]*ModelUse, sp *Span) {
	m := models[sp.Model]
	if m == nil {
		m = &ModelUse{Model: sp.Model}
		models[sp.Model] = m
	}
	m.Calls++
	m.Usage.Cached += sp.Cached
	m.Usage.Prompt += (sp.Tokens - sp.Completion)
	m.Usage.Completion += sp.Completion
	m.paid.Add(trajectory.Usage{Prompt: sp.Tokens, Cost: sp.Cost})
	m.Cost = m.paid.Full()
}

// short returns the first line of a text, truncated if necessary.
func short(text string) string {
	const most = 80
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if len(line) > most {
		line, more = strings.ToValidUTF8(line[:most], ""), true
	}
	if more {
		line += "…"
	}
	return line
}
