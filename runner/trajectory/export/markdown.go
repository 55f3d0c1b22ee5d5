package export

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Markdown writes a run as a transcript for people: what was asked, what the model wrote, what its cells
// did, what was asked on the way, and the answer. Replies and child runs stand in block quotes, so that
// nothing in them can upset the page. Prompts and replies of sub-calls are shown by their beginnings.
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
	if t.reply != nil || len(t.cells) > 0 {
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
	p.printf("# %s\n\n", shorten(t.start.Question, 200))
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

// before tells what the model was told, apart from what the page shows anyway.
func (p *page) before(d trajectory.Data) {
	switch d := d.(type) {
	case trajectory.ContextAdded:
		p.printf("Context: %s in %s", quantity.Bytes(d.Size), quantity.Of(d.Documents, "document"))
		if len(d.Sources) > 0 {
			p.printf(", from %s", shorten(strings.Join(d.Sources, ", "), 300))
		}
		p.printf(".")
		if len(d.Skipped) > 0 {
			p.printf(" Left out: %s.", shorten(strings.Join(d.Skipped, "; "), 300))
		}
		p.printf("\n\n")
	case trajectory.Compacted:
		p.printf("*%d older messages were replaced by a summary:*\n\n", d.Messages)
		p.quote(d.Summary.String())
	case trajectory.MessageAdded:
		switch d.Kind {
		case "system":
			p.printf("<details><summary>System prompt, %s</summary>\n\n", quantity.Bytes(d.Content.Size()))
			p.fenced("", d.Content.String())
			p.printf("</details>\n\n")
		case "question", "observation":
			// The question is the heading; an observation repeats what the cells above it did.
		default:
			p.printf("*The model was told (%s):*\n\n", d.Kind)
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
		p.printf("*The reply ended because of: %s.*\n\n", d.FinishReason)
	}
	p.printf("%s%s\n\n", usage(d.Usage), took(d.Duration))
}

func (p *page) cell(c *cell) {
	p.printf("### Cell %d\n\n", c.started.Cell)
	if c.started.Own {
		p.fenced("go", c.started.Source)
	}
	p.calls(c.calls)
	if c.ended == nil {
		p.printf("*The run stopped while this cell ran.*\n\n")
		return
	}
	res := resultOf(c.ended)
	if c.ended.Output != "" {
		p.fenced("text", c.ended.Output)
	}
	if c.ended.Truncated > 0 {
		p.printf("*%s of the output were left out.*\n\n", quantity.Bytes(c.ended.Truncated))
	}
	if res.Value != "" {
		p.printf("Value:\n\n")
		p.fenced("text", res.Value)
	}
	if res.Error != nil {
		p.printf("Error, %s:\n\n", res.Error.Kind)
		p.fenced("text", res.Error.Message)
	}
	for _, n := range res.Notes {
		p.printf("*%s*\n\n", shorten(n, 500))
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

// callsShown bounds the sub-calls of a cell that are listed one by one.
const callsShown = 50

func (p *page) calls(calls []*call) {
	if len(calls) == 0 {
		return
	}
	p.printf("%s:\n\n", quantity.Of(len(calls), "sub-call"))
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
			p.printf("**error:** %s\n", shorten(s.ended.Error, 300))
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
		p.quote(child.String())
	}
}

func (p *page) note(d trajectory.Data) {
	if text := noteText(d); text != "" {
		p.printf("*%s*\n\n", text)
	}
}

// evidence defines the footnotes that the answer's marks are in Markdown, and says what does not stand in the documents.
func (p *page) evidence(d *trajectory.RunEnded) {
	for _, e := range d.Evidence {
		p.printf("%s: %s, line %d: %s%s\n", e.Mark, code(documentOf(e)), e.Line, code(shorten(e.Quote, 300)), remarkOn(e))
	}
	if len(d.Evidence) > 0 {
		p.printf("\n")
	}
	for _, q := range d.Unverified[:min(len(d.Unverified), callsShown)] {
		p.printf("- not in the documents: %s\n", code(shorten(q, 300)))
	}
	if n := len(d.UnknownMarks); n > 0 {
		p.printf("- these marks stand for no passage: %s\n", code(shorten(strings.Join(d.UnknownMarks, " "), 300)))
	}
	if d.Unsupported != "" {
		p.printf("- evidence is required: %s\n", code(shorten(d.Unsupported, 300)))
	}
	if len(d.Unverified)+len(d.UnknownMarks)+len(d.Unsupported) > 0 {
		p.printf("\n")
	}
}

// documentOf names the document of a passage, and its page or sheet where it has some.
func documentOf(e trajectory.Evidence) string {
	document := cmp.Or(e.Document, "context")
	if e.Part != "" {
		document += ", " + e.Part
	}
	return document
}

// placeOf is the document of a passage and its line in one.
func placeOf(e trajectory.Evidence) string {
	if e.Part != "" {
		return fmt.Sprintf("%s, line %d", documentOf(e), e.Line)
	}
	return fmt.Sprintf("%s:%d", documentOf(e), e.Line)
}

// remarkOn says what a reader should know of a passage.
func remarkOn(e trajectory.Evidence) (text string) {
	if e.Occurrences > 1 {
		text = fmt.Sprintf(" (the first of %s)", quantity.Of(e.Occurrences, "place"))
	}
	if e.Gone {
		text += " (no longer part of the context)"
	}
	return text
}

func (p *page) end(d *trajectory.RunEnded) {
	if d.HasAnswer {
		p.printf("## Answer\n\n")
		p.quote(d.Answer)
		p.evidence(d)
	} else {
		p.printf("## No answer\n\n")
	}
	p.printf("Status: %s", code(d.Status))
	if d.Reason != "" {
		p.printf(" (%s)", shorten(d.Reason, 300))
	}
	cost := "cost not known"
	if d.Cost != nil {
		cost = quantity.Dollars(*d.Cost)
	}
	p.printf(" · %s · %s · %s · %s%s\n\n",
		quantity.Of(d.Turns, "turn"), quantity.Of(d.Cells, "cell"), quantity.Of(d.SubCalls, "sub-call"), cost, took(d.Duration))
}
