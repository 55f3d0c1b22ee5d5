package runner

import (
	"context"
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/grounding"
	"github.com/gorlm/rlm/internal/kit/refusal"
	"github.com/gorlm/rlm/internal/reply"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// support sends back an answer that lacks something, once, and marks a guess. The lack is recorded, so that a
// resumed run does the same; if the log continues without the record, nothing was sent back.
func (r *run) support(ctx context.Context, t termination.Turn, v termination.Verdict) (termination.Verdict, error) {
	defer r.unseen(t)
	if v.End == nil || !v.End.HasAnswer {
		return v, nil
	}
	if r.declines(*v.End) {
		return v.Declined(), nil
	}
	guess := r.isGuess(t, *v.End)
	if !guess && r.asks(*v.End) {
		return v.Asked(), nil
	}
	if r.policy.MaySendBack(r.state, v) {
		d, err := journal.Optional(r.journal, r.path, r.turn, func() (d trajectory.Checked, found bool) {
			d = r.lacking(ctx, *v.End, guess)
			return d, d.Guess || d.Unsupported != "" || len(d.Ungrounded) > 0
		})
		if err != nil {
			return v, err
		}
		r.state, v = r.policy.SendBack(r.state, t, v,
			termination.Lacks{Look: d.Guess, Evidence: d.Unsupported, Cite: r.cite(), Values: d.Ungrounded})
	}
	if guess {
		v = r.policy.Guessed(r.state, v)
	}
	return v, nil
}

// asks reports whether an answer only asks the user for something: nothing that it states has a value of the text. The
// question may name what was shown, unless the text holds it as a whole.
func (r *run) asks(e termination.End) bool {
	switch e.Fired {
	case termination.ByFinal, termination.BySignal:
		if !reply.Clarifies(e.Answer) {
			return false
		}
	case termination.ByProse:
		if !reply.Asks(e.Answer) {
			return false
		}
	default:
		return false
	}
	text := r.context()
	if r.depth > 0 || text == nil || text.Size() == 0 {
		return false
	}
	g := r.grounded(e)
	if g == nil || g.Verdict == string(grounding.Untraced) {
		return g != nil
	}
	if quotes(e, g) {
		return false
	}
	states := r.trace(reply.Claims(e.Answer), false)
	return states != nil && (states.Verdict == string(grounding.Untraced) ||
		e.Fired == termination.ByProse && r.state.Unread && states.Verdict == string(grounding.Grounded))
}

// declines reports whether an answer is nothing but a refusal of the model, or of one that a cell asked, and not a
// refusal that the text has.
func (r *run) declines(e termination.End) bool {
	return (e.Fired == termination.ByFinal || e.Fired == termination.BySignal) && refusal.Said(e.Answer) &&
		!quotes(e, r.grounded(e))
}

// quotes reports whether most of an answer stands in what was shown, as one value.
func quotes(e termination.End, g *trajectory.Grounding) bool {
	return g != nil && slices.ContainsFunc(g.Values, func(v trajectory.GroundedValue) bool {
		return v.Grounded && 2*len(v.Value) > len(e.Answer) && v.Where != nil &&
			v.Where.Kind != grounding.KindCall && v.Where.Kind != grounding.KindComputed
	})
}

// lacking returns what an answer lacks. A switch or sequence ends a run whatever the answer, unless required
// evidence is missing. If the first message showed the whole text, the model has read it, and may draw conclusions
// that do not occur in it.
func (r *run) lacking(ctx context.Context, e termination.End, guess bool) trajectory.Checked {
	var d trajectory.Checked
	given := e.Fired == termination.ByFinal || e.Fired == termination.BySignal
	d.Guess = guess && (given || e.Fired == termination.ByProse)
	if r.depth > 0 {
		return d
	}
	if r.policy.RequireEvidence {
		d.Unsupported = r.look(ctx, e.Answer).lacks(r.cite())
	}
	if given && r.excerpt {
		if g := r.grounded(e); g != nil && g.Verdict == string(grounding.Not) {
			d.Ungrounded = g.Missing()
		}
	}
	return d
}

// unseen collects the cells of all turns until one has shown output. Up to then, an answer can come only from these
// cells.
func (r *run) unseen(t termination.Turn) {
	if !r.state.Unread || r.state.Shown {
		r.blind = nil
		return
	}
	r.blind = append(r.blind, grounding.Turn{Number: r.turn, Cells: r.tracedCells(t, true)})
}

// isGuess reports whether an answer has no basis: it came before a cell of an earlier turn had shown output, and
// no cell computed it from the text. Whether it is a literal or an expression makes no difference.
func (r *run) isGuess(t termination.Turn, e termination.End) bool {
	if !r.state.Unread {
		return false
	}
	switch {
	case e.Fired == termination.ByProse:
		return !r.asks(e)
	case e.From == termination.FromOutput:
		return false
	case e.Var == "" && (e.From == termination.FromText || e.From == termination.FromReply), !r.reads(t):
		return true
	}
	turns := slices.Concat(r.blind, []grounding.Turn{{Number: r.turn, Cells: r.tracedCells(t, false)}})
	if e.From == termination.FromText {
		turns = append(turns, grounding.Turn{Number: r.turn, Cells: []grounding.Cell{{Code: "FINAL(" + e.Var + ")"}}})
	}
	defer r.recoverTracer() // after a panic the answer does not count as a guess
	run := grounding.Run{Turns: turns, Answer: e.Answer, Stands: standing(r.text)}
	report := grounding.Trace(run)
	if report.Verdict == grounding.Not { // a yes, a no or a choice may be taken by a search for what was asked
		seen, _ := r.shown.run(r.path)
		run.Question = seen.run.Question
		if taken := grounding.Trace(run); taken.Verdict == grounding.Grounded {
			report = taken
		}
	}
	switch report.Verdict {
	case grounding.Grounded, grounding.Partly:
		return false
	case grounding.Not:
		return true
	}
	return r.wrote(t, strings.TrimSpace(e.Answer)) // the answer has no value to trace
}

// wrote reports whether the code of the cells contains a text literally.
func (r *run) wrote(t termination.Turn, text string) bool {
	for _, turn := range r.blind {
		for _, c := range turn.Cells {
			if strings.Contains(c.Code, text) {
				return true
			}
		}
	}
	return slices.ContainsFunc(
		t.Cells, func(c termination.CellOutcome) bool { return strings.Contains(c.Source, text) })
}

// tracedCells converts the cells of the latest turn to the tracer's form. Without shown, their output is left out,
// and only what they computed counts.
func (r *run) tracedCells(t termination.Turn, shown bool) []grounding.Cell {
	var out []grounding.Cell
	for i, c := range t.Cells {
		cell := grounding.Cell{Number: i + 1, Code: r.handingIn(c.Source), Failed: c.Error != "" && c.Final == nil}
		if shown && i < len(r.latest) {
			cell.Output, cell.Value = r.latest[i].Output, r.latest[i].Value
		}
		out = append(out, cell)
	}
	return out
}

// handingIn returns a cell's code with the completion signals renamed to those that the tracer knows.
func (r *run) handingIn(source string) string {
	for _, name := range r.policy.Names.All() {
		known := answer.NameFinal
		if name == r.policy.Names.FinalVar {
			known = answer.NameFinalVar
		}
		source = strings.ReplaceAll(source, name+"(", known+"(")
	}
	return source
}

// reads reports whether a cell of the run so far reads the text, asks a model or calls a tool. If none does, the
// answer cannot come from any of these.
func (r *run) reads(t termination.Turn) bool {
	for _, turn := range r.blind {
		if slices.ContainsFunc(turn.Cells, func(c grounding.Cell) bool { return readsText(c.Code) }) {
			return true
		}
	}
	return slices.ContainsFunc(t.Cells, func(c termination.CellOutcome) bool {
		return readsText(r.handingIn(c.Source)) || slices.ContainsFunc(c.Called, r.brings)
	})
}

// brings reports whether a builtin brings data into the notebook.
func (r *run) brings(name string) bool { return !slices.Contains(r.policy.Names.All(), name) }

// readsText reports whether code names a variable that holds texts.
func readsText(source string) bool {
	var sc scanner.Scanner
	sc.Init(token.NewFileSet().AddFile("", -1, len(source)), []byte(source), func(token.Position, string) {}, 0)
	for {
		_, tok, lit := sc.Scan()
		switch {
		case tok == token.EOF:
			return false
		case tok == token.IDENT && (lit == "context" || lit == "docs" || lit == "history"):
			return true
		}
	}
}
