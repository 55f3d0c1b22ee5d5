package export

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Markdown writes a run as a transcript for people: the question, the model's replies, its cells' outputs, the
// sub-calls, and the answer. Replies and child runs are in block quotes, so that nothing in them can break the
// page. Only the beginnings of sub-calls' prompts and replies are shown.
func Markdown(w io.Writer, events iter.Seq2[trajectory.Event, error]) error {
	for t, err := range turns(events) {
		if err != nil {
			return err
		}
		var p page
		p.turn(t)
		if _, err := io.WriteString(w, p.String()); err != nil {
			return fmt.Errorf("write the export: %w", err)
		}
	}
	return nil
}

// page is a piece of Markdown.
type page struct{ strings.Builder }

func (p *page) printf(format string, args ...any) { fmt.Fprintf(p, format, args...) }

func (p *page) turn(t *turn) {
	if t.start != nil {
		p.start(t)
	}
	for _, d := range t.before {
		p.before(d)
	}
	if t.number > 0 && (t.reply != nil || len(t.cells) > 0) { // a person's cells are not part of a turn
		p.printf("## Turn %d%s\n\n", t.number, turnKind(t.kind))
	}
	if t.reply != nil {
		p.reply(t.reply)
	}
	for _, c := range t.cells {
		p.cell(c)
	}
	for _, d := range t.notes {
		p.note(d)
	}
	if t.end != nil {
		p.end(t.end)
	}
	if t.back != nil {
		p.printf("*%s*\n\n", inline(t.back.String(), 1000))
	}
}

func turnKind(kind string) string {
	switch kind {
	case "":
		return ""
	case "last":
		return " (the last one, after a limit)"
	case "summary":
		return " (a summary of older messages)"
	}
	return " (" + kind + ")"
}

func (p *page) start(t *turn) {
	p.printf("# %s\n\n", inline(t.start.Question, 200))
	if strings.Contains(t.start.Question, "\n") || len(t.start.Question) > 200 {
		p.quote(t.start.Question)
	}
	facts := []string{t.at.Local().Format(time.DateTime)}
	for _, f := range []struct{ what, value string }{
		{"model", t.start.Model}, {"sub-calls", t.start.SubModel}, {"sandbox", t.start.Sandbox}, {"run", t.start.Run},
	} {
		if f.value != "" {
			facts = append(facts, f.what+" "+code(f.value))
		}
	}
	p.printf("%s\n\n", strings.Join(facts, " · "))
}

// before shows the messages to the model, except those that the page shows anyway.
func (p *page) before(d trajectory.Data) {
	switch d := d.(type) {
	case trajectory.ContextAdded:
		p.printf("Context: %s in %s", units.Bytes(d.Size), units.Of(d.Documents, "document"))
		if len(d.Sources) > 0 {
			p.printf(", from %s", inline(strings.Join(d.Sources, ", "), 300))
		}
		p.printf(".")
		if len(d.Skipped) > 0 {
			p.printf(" Left out: %s.", inline(strings.Join(d.Skipped, "; "), 300))
		}
		p.printf("\n\n")
	case trajectory.Compacted:
		p.printf("*%d older messages were replaced by a summary:*\n\n", d.Messages)
		p.quote(d.Summary.String())
	case trajectory.MessageAdded:
		switch d.Kind {
		case "system":
			p.printf("<details><summary>System prompt, %s</summary>\n\n", units.Bytes(d.Content.Size()))
			p.fenced("", d.Content.String())
			p.printf("</details>\n\n")
		case "question", "observation":
			// The question is the heading; an observation repeats the results of the cells above it.
		default:
			p.printf("*The model was told (%s):*\n\n", inline(d.Kind, 100))
			p.quote(d.Content.String())
		}
	}
}

func (p *page) reply(d *trajectory.ReplyReceived) {
	if s := strings.TrimSpace(d.Reasoning.String()); s != "" {
		p.printf("<details><summary>Reasoning</summary>\n\n")
		p.quote(s)
		p.printf("</details>\n\n")
	}
	if strings.TrimSpace(d.Content.String()) == "" {
		p.printf("*An empty reply.*\n\n")
	} else {
		p.quote(d.Content.String())
	}
	if d.FinishReason != "" && d.FinishReason != "stop" {
		p.printf("*The reply ended because of: %s.*\n\n", inline(d.FinishReason, 100))
	}
	p.printf("%s%s\n\n", usage(d.Usage), took(d.Duration))
}

func (p *page) cell(c *cell) {
	p.printf("### Cell %d\n\n", c.started.Cell)
	if c.started.Own {
		tag := "go"
		if c.stopped() { // only shown, so that it is not run again
			tag = "text"
		}
		p.fenced(tag, c.started.Source)
	}
	p.calls(c.calls)
	if c.ended == nil {
		p.printf("*The run stopped while this cell ran.*\n\n")
		return
	}
	res, _ := c.ended.Decode() // if the form is unknown, show what can be decoded
	if c.ended.Output != "" {
		p.fenced("text", c.ended.Output)
	}
	if c.ended.Truncated > 0 {
		p.printf("*%s of the output were left out.*\n\n", units.Bytes(c.ended.Truncated))
	}
	if res.Value != "" {
		p.printf("Value:\n\n")
		p.fenced("text", res.Value)
	}
	if res.Error != nil {
		p.printf("Error, %s:\n\n", inline(res.Error.Kind, 100))
		p.fenced("text", res.Error.Message)
	}
	if c.kept() != "" {
		p.printf("What it had set by then:\n\n")
		p.fenced("go", c.kept())
	}
	for _, n := range res.Notes {
		p.printf("*%s*\n\n", inline(n, 500))
	}
	if len(res.Changed) > 0 {
		p.printf("Variables:\n\n")
		for _, v := range res.Changed {
			p.printf("- %s %s\n", code(v.Name+" "+v.Type), code(shorten(v.Preview, 100)))
		}
		p.printf("\n")
	}
	if res.Final != nil {
		p.printf("*The cell gave the answer.*\n\n")
	}
}

// callsShown bounds the sub-calls of a cell that are listed individually.
const callsShown = 50

func (p *page) calls(calls []*call) {
	if len(calls) == 0 {
		return
	}
	p.printf("%s:\n\n", units.Of(len(calls), "sub-call"))
	for i, s := range calls {
		if i == callsShown {
			p.printf("- and %d more\n", len(calls)-callsShown)
			break
		}
		name := s.started.Impl
		if s.started.Tool != "" {
			name = s.started.Tool
		}
		p.printf("- %s %s → ", code(name), quoted(s.started.Prompt))
		switch {
		case s.ended == nil:
			p.printf("*no reply came*\n")
		case s.ended.Error != "":
			p.printf("**error:** %s\n", inline(s.ended.Error, 300))
		default:
			p.printf("%s", quoted(s.ended.Reply))
			if s.ended.Cached {
				p.printf(" (remembered)")
			}
			p.printf("%s\n", took(s.ended.Duration))
		}
	}
	p.printf("\n")
	for _, s := range calls {
		if len(s.child) == 0 {
			continue
		}
		var child page
		child.printf("**Child run %s**\n\n", s.started.Child)
		for _, t := range s.child {
			child.turn(t)
		}
		p.WriteString(blockQuote(child.String()))
	}
}

func (p *page) note(d trajectory.Data) {
	if text := noteText(d); text != "" {
		p.printf("*%s*\n\n", inline(text, 2000))
	}
}

func where(e trajectory.Evidence) string {
	if e.Cells != "" {
		return code(e.Cells)
	}
	return e.Where()
}

// remark returns what readers should know about a passage and its document.
func remark(e trajectory.Evidence) string {
	if e.Caveat() == "" {
		return e.Remark()
	}
	return e.Remark() + " (about this document: " + code(shorten(e.Caveat(), 400)) + ")"
}

// evidence defines the footnotes for the answer's marks, and lists quotations that are not in the documents.
func (p *page) evidence(d *trajectory.RunEnded) {
	for _, e := range d.Evidence {
		p.printf("%s: %s, %s: %s%s\n", inline(e.Mark, 100), code(e.Source()), where(e), code(shorten(e.Quote, 300)),
			remark(e))
	}
	if len(d.Evidence) > 0 {
		p.printf("\n")
	}
	for _, q := range d.Unverified[:min(len(d.Unverified), callsShown)] {
		p.printf("- not in the documents: %s\n", code(shorten(q, 300)))
	}
	if n := len(d.UnknownMarks); n > 0 {
		p.printf("- these marks refer to no passage: %s\n", code(shorten(strings.Join(d.UnknownMarks, " "), 300)))
	}
	unsupported := d.Unsupported != "" && !strings.Contains(d.Reason, d.Unsupported) // it stands in the status
	if unsupported {
		p.printf("- evidence is required: %s\n", code(shorten(d.Unsupported, 300)))
	}
	if len(d.Unverified)+len(d.UnknownMarks) > 0 || unsupported {
		p.printf("\n")
	}
}

// remarks returns what readers should know before they use an answer.
func remarks(d *trajectory.RunEnded) (text string) {
	if d.Guess {
		text = "*A guess: it was given before any of the text was looked at.*\n\n"
	}
	if d.CutReplies > 0 {
		text += fmt.Sprintf("*%s: cut off, filtered or refused.*\n\n", units.Of(d.CutReplies, "incomplete reply"))
	}
	return text
}

// restsOn lists the values of an answer that rest on nothing, and what the others rest on.
func restsOn(g *trajectory.Grounding) string {
	if g == nil {
		return ""
	}
	if len(g.Values) == 0 && g.Untraced == 0 {
		return "Grounding: " + inline(g.NotFound(), 100) + ".\n\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Grounding: %s.\n\n", inline(g.Verdict, 20))
	missing := slices.DeleteFunc(slices.Clone(g.Values), func(v trajectory.GroundedValue) bool { return v.Grounded })
	found := slices.DeleteFunc(slices.Clone(g.Values), func(v trajectory.GroundedValue) bool { return !v.Grounded })
	listValues(&b, "Found nowhere in this run", missing)
	listValues(&b, "What the answer rests on", found)
	if g.Untraced > 0 {
		fmt.Fprintf(&b, "Not traced: %s.\n\n", units.Of(g.Untraced, "further value"))
	}
	return b.String()
}

// listValues writes values with where they stand, or why they have no place.
func listValues(b *strings.Builder, title string, values []trajectory.GroundedValue) {
	if len(values) == 0 {
		return
	}
	fmt.Fprintf(b, "%s:\n\n", title)
	for _, v := range values[:min(len(values), callsShown)] {
		where := v.Why
		if v.Where != nil {
			where = v.Where.String()
		}
		fmt.Fprintf(b, "- %s: %s\n", code(shorten(v.Value, 200)), inline(where, 300))
	}
	if n := len(values) - callsShown; n > 0 {
		fmt.Fprintf(b, "- and %d more\n", n)
	}
	b.WriteByte('\n')
}

func (p *page) end(d *trajectory.RunEnded) {
	if d.HasAnswer {
		p.printf("## Answer\n\n")
		p.quote(d.Answer)
		p.evidence(d)
		p.printf("%s%s", remarks(d), restsOn(d.Grounding))
	} else {
		p.printf("## No answer\n\n")
	}
	p.printf("Status: %s", code(d.Status))
	if d.Reason != "" {
		p.printf(" (%s)", inline(d.Reason, 300))
	}
	cost := "cost unknown"
	if d.Cost != nil {
		cost = units.Dollars(*d.Cost)
	}
	p.printf(" · %s · %s · %s · %s%s\n\n",
		units.Of(d.Turns, "turn"), units.Of(d.Cells, "cell"), units.Of(d.SubCalls, "sub-call"), cost, took(d.Duration))
}
