package runner

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/gorlm/rlm/internal/grounding"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/internal/evidence"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// rests is the traced grounding of the answer of a turn.
type rests struct {
	turn   int
	answer string
	guess  bool
	on     *trajectory.Grounding
}

// invented reports whether a child run gave an answer of which nothing occurs in what it saw, although it had more to
// read than the first message: then a parent that passes it on has no place for it either.
func (r *run) invented(end trajectory.RunEnded) bool {
	if !end.HasAnswer || !r.excerpt {
		return false
	}
	g := r.trace(end.Answer, end.Guess)
	return g != nil && g.Verdict == string(grounding.Not)
}

// grounded traces a run's answer from the log. The answer of a child run becomes input of a cell, which is traced.
// If the log cannot be read, the answer stays, with a warning.
func (r *run) grounded(e termination.End) *trajectory.Grounding {
	if r.depth > 0 || !e.HasAnswer {
		return nil
	}
	if r.rests.on == nil || r.rests.turn != r.turn || r.rests.answer != e.Answer || r.rests.guess != e.Guess {
		r.rests = rests{r.turn, e.Answer, e.Guess, r.trace(e.Answer, e.Guess)}
	}
	return r.rests.on
}

// trace traces an answer of the run, perhaps a guess.
func (r *run) trace(answer string, guess bool) *trajectory.Grounding {
	if err := r.journal.Settle(); err != nil {
		r.untraced(err)
		return nil
	}
	run, ok := r.shown.run(r.path)
	if !ok {
		events, err := tracedEvents(r.dir, r.path)
		if err != nil {
			r.untraced(err)
			return nil
		}
		run = tracedRun(events)
	}
	defer r.recoverTracer()
	return traced(run, answer, guess, r.context())
}

// recoverTracer is deferred where an answer is traced: a bug in the tracer costs the grounding, never the answer.
func (r *run) recoverTracer() {
	if p := recover(); p != nil {
		r.untraced(fmt.Errorf("the tracer failed: %v", p))
	}
}

// untraced records why an answer was not traced.
func (r *run) untraced(err error) {
	_ = r.journal.Append(r.path, r.turn,
		trajectory.Warned{About: "grounding", Text: "the answer's values could not be traced: " + err.Error()})
}

// tracedEvents returns the events of a run in a log on which its answer can rest. Long texts stay in their side file
// until needed.
func tracedEvents(dir, path string) ([]trajectory.Event, error) {
	var events []trajectory.Event
	for ev, err := range trajectory.SkimTypes(dir, "run_started", "undone", "message_added", "cell_started",
		"cell_ended", "sub_call_started", "sub_call_ended", "run_ended") {
		if err != nil {
			return nil, err
		}
		if _, unknown := ev.Data.(trajectory.Unknown); ev.Path == path && !unknown {
			events = append(events, ev)
		}
	}
	return trajectory.Kept(events), nil
}

// tracedRun converts events to the tracer's form.
func tracedRun(events []trajectory.Event) (t tracerInput) {
	for _, ev := range events {
		t.add(ev)
	}
	return t
}

// traced traces an answer to what the session showed before it. A guess, before which nothing was looked at, does not
// rest on the excerpt of the first message, in which its words may stand by chance. text, which may be nil, is searched
// for lines that failed cells printed.
func traced(shown tracerInput, answer string, guess bool, text *corpus.Text) *trajectory.Grounding {
	run := shown.run
	if guess {
		run.Shown = ""
	}
	run.Answer, run.Stands = answer, standing(text)
	g := recordedGrounding(grounding.Trace(run).Repeating(run, shown.earlier))
	for _, v := range g.Values {
		if w := v.Where; w != nil && w.Line > 0 && text != nil {
			w.Line = evidence.LineOf(text, w.Document, w.Line, v.Value)
		}
	}
	return g
}

// beforeAnswer returns the events before the end of the last run that gave the answer.
func beforeAnswer(events []trajectory.Event, answer string) []trajectory.Event {
	for i := len(events) - 1; i >= 0; i-- {
		if d, ok := events[i].Data.(trajectory.RunEnded); ok && d.HasAnswer && d.Answer == answer {
			return events[:i]
		}
	}
	return events
}

// longestContext bounds the texts in which lines are looked up, in bytes.
const longestContext = 1 << 20

// standing returns a function that reports whether a line occurs in a text; nil if there is no text or it is too
// long.
func standing(text *corpus.Text) func(string) bool {
	if text == nil || text.Size() == 0 || text.Size() > longestContext {
		return nil
	}
	var content []byte
	return func(line string) bool {
		if content == nil { // read once, in a single allocation
			content = make([]byte, text.Size())
			if _, err := io.ReadFull(io.NewSectionReader(text, 0, text.Size()), content); err != nil {
				content = content[:0]
			}
		}
		return bytes.Contains(content, []byte(line))
	}
}

// recordedGrounding converts a report to the log's form.
func recordedGrounding(r grounding.Report) *trajectory.Grounding {
	g := &trajectory.Grounding{
		Verdict: string(r.Verdict), Values: make([]trajectory.GroundedValue, 0, len(r.Values)), Untraced: r.Untraced,
	}
	for _, v := range r.Values {
		out := trajectory.GroundedValue{Value: v.Value, Grounded: v.Grounded, Neutral: v.Neutral, Why: v.Why}
		if v.Where != nil {
			where := trajectory.Place(*v.Where)
			out.Where = &where
		}
		g.Values = append(g.Values, out)
	}
	return g
}

// unfounded takes what a guard or a limit found in replies without a cell for no answer if no cell succeeded over the
// text that is there and nothing in it rests on that text.
func (r *run) unfounded(e termination.End, g *trajectory.Grounding) termination.End {
	byPatience, partial := e.Status == termination.ImplicitCompletion, e.From == termination.FromPartial && !e.Guess
	if !byPatience && !partial || r.state.Succeeded ||
		g == nil || g.Verdict == string(grounding.Grounded) || g.Verdict == string(grounding.Partly) {
		return e
	}
	if text := r.context(); text == nil || text.Size() == 0 {
		return e
	}
	if !byPatience {
		e.Answer, e.HasAnswer, e.From = "", false, ""
		return e
	}
	return termination.End{
		Status: termination.Failed, Fired: e.Fired, Name: e.Name,
		Reason: e.Reason + ", and nothing in the last one rests on the text",
	}
}

// require changes the status of an answer that lacks what the policy requires: to be grounded in the run, or to
// have evidence.
func (r *run) require(e termination.End, g *trajectory.Grounding, unsupported string) termination.End {
	switch e.Fired {
	case termination.ByEndpoint, termination.ByError, termination.ByInterrupt:
		return e
	}
	switch {
	case !e.HasAnswer:
	case unsupported != "":
		e.Status, e.Reason = termination.EvidenceMissing, "evidence is required: "+unsupported
	case r.policy.RequireGrounded && g != nil && g.Verdict != string(grounding.Grounded):
		e.Status = termination.NotGrounded
		e.Reason = cmp.Or(g.NotFound(), "nothing in the answer could be traced to this run")
	}
	return e
}

// Recorded yields the events of the run in a folder, as [trajectory.Salvage] does, with the answers [Retraced], and
// a Warned event before the first answer from a context whose files have changed since.
func Recorded(ctx context.Context, dir string) iter.Seq2[trajectory.Event, error] {
	return func(yield func(trajectory.Event, error) bool) {
		var given trajectory.ContextAdded
		var last int64
		for ev, err := range Retraced(ctx, dir, trajectory.Salvage(dir)) {
			if err == nil && ev.Path == "" {
				switch d := ev.Data.(type) {
				case trajectory.ContextAdded:
					given = d
				case trajectory.RunEnded:
					changed := changedText(changedIn(given))
					given = trajectory.ContextAdded{}
					if d.HasAnswer && changed != "" && !yield(trajectory.Event{
						Seq: last, Time: ev.Time, Turn: ev.Turn, Data: trajectory.Warned{About: "files", Text: changed},
					}, nil) {
						return
					}
				}
			}
			last = ev.Seq
			if !yield(ev, err) {
				return
			}
		}
	}
}

// Retraced yields events of the run in a folder, read from its log. Answers in the log of an earlier version, which
// does not record what they rest on, are traced.
func Retraced(
	ctx context.Context, dir string, events iter.Seq2[trajectory.Event, error],
) iter.Seq2[trajectory.Event, error] {
	return func(yield func(trajectory.Event, error) bool) {
		var past []trajectory.Event // read when it is needed
		var given trajectory.ContextAdded
		for ev, err := range events {
			if err == nil && ev.Path == "" {
				switch d := ev.Data.(type) {
				case trajectory.ContextAdded:
					given = d
				case trajectory.RunEnded:
					if d.HasAnswer && d.Grounding == nil {
						if past == nil {
							past, _ = tracedEvents(dir, "") // without it, the answer is shown as it is recorded
						}
						d.Grounding = retraced(ctx, dir, past, ev.Seq, d, given)
						ev.Data = d
					}
				}
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}

// retraced traces an answer again from the events before its own; nil if that event is not among them.
func retraced(
	ctx context.Context, dir string, past []trajectory.Event, seq int64,
	end trajectory.RunEnded, given trajectory.ContextAdded,
) (g *trajectory.Grounding) {
	i := slices.IndexFunc(past, func(ev trajectory.Event) bool { return ev.Seq == seq })
	if i < 0 {
		return nil
	}
	defer func() {
		if recover() != nil {
			g = nil
		}
	}()
	text := keptIn(ctx, dir, given)
	if text != nil {
		defer text.Close()
	}
	return traced(tracedRun(past[:i]), end.Answer, end.Guess, text)
}
