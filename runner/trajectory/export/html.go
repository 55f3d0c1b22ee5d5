package export

import (
	_ "embed"
	"fmt"
	"html"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/bundle"
	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner/trajectory"
)

//go:embed page.css
var pageStyle string

// HTML writes a run as one page that stands for itself: it holds no script, loads nothing from anywhere, can be read on a phone and
// printed, and every text of the run in it is escaped. Long texts are cut so that the page stays below 20 MB, and it says so.
func HTML(w io.Writer, events iter.Seq2[trajectory.Event, error]) error {
	p := htmlPage{w: w, room: textRoom}
	begun := false
	for t, err := range turns(events) {
		if err != nil {
			return err
		}
		if !begun {
			begun = true
			title := "A run of rlm"
			if t.start != nil {
				title = shorten(t.start.Question, 100)
			}
			p.head(title)
		}
		p.turn(t, 2)
	}
	if !begun {
		p.head("A run of rlm")
	}
	if p.left > 0 {
		p.tag("p", "note", fmt.Sprintf("%s of long texts were left out of this page; rlm show has them.", quantity.Bytes(p.left)))
	}
	p.print("</main>\n</body>\n</html>\n")
	return p.err
}

// Bounds of the texts of a page, in bytes.
const (
	textRoom  = 14 << 20 // all of them
	longText  = 20_000   // a reply, an output
	callText  = 4_000    // a prompt or reply of a sub-call
	shortText = 300      // the same where there are many
	manyCalls = 200
	restText  = 60 // what is shown of a text when there is no room for more
)

type htmlPage struct {
	w    io.Writer
	room int
	left int64 // bytes of texts that were left out
	// passages counts those that answers so far rest on.
	passages int
	err      error
}

func (p *htmlPage) print(s string) {
	if p.err == nil {
		if _, p.err = io.WriteString(p.w, s); p.err != nil {
			p.err = fmt.Errorf("write the export: %w", p.err)
		}
	}
}

// head opens the page. The policy in it forbids whatever a mistake of the rest could let in.
func (p *htmlPage) head(title string) {
	p.print(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>` + escaped(title) + "</title>\n<style>\n" + pageStyle + "</style>\n</head>\n<body>\n<main>\n")
}

// escaped is text for HTML: without what HTML cannot hold, and with nothing that it would obey.
func escaped(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return html.EscapeString(s)
}

// cut is the beginning of a text, as far as there is room on the page, and counts what is left out.
func (p *htmlPage) cut(s string, most int) string {
	if p.room < most {
		most = restText
	}
	if len(s) <= most {
		p.room -= len(s)
		return s
	}
	p.room -= most
	p.left += int64(len(s) - most)
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + fmt.Sprintf(" … (%s more)", quantity.Bytes(int64(len(s)-most)))
}

// tag writes an element of text.
func (p *htmlPage) tag(name, class, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	p.print("<" + name)
	if class != "" {
		p.print(` class="` + class + `"`)
	}
	p.print(">" + escaped(text) + "</" + name + ">\n")
}

func (p *htmlPage) turn(t *turn, level int) {
	heading := func(n int) string { return fmt.Sprintf("h%d", min(n, 6)) }
	if t.start != nil && level == 2 {
		p.tag("h1", "", t.start.Question)
		p.tag("p", "note", strings.Join(nonEmpty(t.start.Model, t.start.SubModel, "sandbox "+t.start.Sandbox, t.at.UTC().Format("2006-01-02 15:04 UTC")), " · "))
	}
	p.print("<section>\n")
	if t.number > 0 {
		p.tag(heading(level), "", fmt.Sprintf("Turn %d", t.number)+map[bool]string{true: " (" + t.kind + ")"}[t.kind != ""])
	}
	for _, d := range t.before {
		p.before(d)
	}
	before, after := make([]string, len(t.cells)), ""
	if t.reply != nil {
		if s := strings.TrimSpace(t.reply.Reasoning.String()); s != "" {
			p.details("Reasoning", "prose", s)
		}
		before, after = segments(t.reply.Content.String(), t.cells)
	}
	for i, c := range t.cells {
		p.tag("div", "prose", p.cut(before[i], longText))
		p.cell(c, level)
	}
	p.tag("div", "prose", p.cut(after, longText))
	if t.reply != nil {
		p.tag("p", "note", usage(t.reply.Usage)+took(t.reply.Duration))
	}
	for _, d := range t.notes {
		p.tag("p", "note", noteText(d))
	}
	p.print("</section>\n")
	if t.end != nil {
		p.end(t.end, heading(level))
	}
}

func nonEmpty(all ...string) (out []string) {
	for _, s := range all {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

func (p *htmlPage) details(summary, class, text string) {
	p.print("<details><summary>" + escaped(summary) + "</summary>\n")
	p.tag("div", class, p.cut(text, longText))
	p.print("</details>\n")
}

// before shows what was said before a turn; what the page shows anyway is left out.
func (p *htmlPage) before(d trajectory.Data) {
	switch d := d.(type) {
	case trajectory.ContextAdded:
		p.tag("p", "note", fmt.Sprintf("Context: %s in %s", quantity.Bytes(d.Size), quantity.Of(d.Documents, "document")))
	case trajectory.Compacted:
		p.details(fmt.Sprintf("%d older messages were replaced by a summary", d.Messages), "prose", d.Summary.String())
	case trajectory.MessageAdded:
		switch d.Kind {
		case "system":
			p.details("System prompt, "+quantity.Bytes(d.Content.Size()), "prose", d.Content.String())
		case "question", "observation":
		default:
			p.details("The model was told ("+d.Kind+")", "prose", d.Content.String())
		}
	}
}

func (p *htmlPage) cell(c *cell, level int) {
	p.print(`<div class="cell">` + "\n")
	owner := ""
	if c.started.Own {
		owner = " (a person's)"
	}
	p.tag("div", "number", fmt.Sprintf("cell %d%s", c.started.Cell, owner))
	p.tag("pre", "source", p.cut(c.started.Source, longText))
	p.calls(c.calls, level)
	if c.ended == nil {
		p.tag("p", "note", "The run stopped while this cell ran.")
		p.print("</div>\n")
		return
	}
	res := resultOf(c.ended)
	for _, piece := range bundle.Pieces(c.ended.Output, res.Value, res.Items) {
		p.piece(piece)
	}
	if c.ended.Truncated > 0 {
		p.tag("p", "note", quantity.Bytes(c.ended.Truncated)+" of the output were left out.")
	}
	if res.Error != nil {
		p.tag("pre", "error", p.cut(res.Error.Kind+"\n"+res.Error.Message, longText))
	}
	for _, n := range res.Notes {
		p.tag("p", "note", shorten(n, 500))
	}
	p.print("</div>\n")
}

// piece shows an output in the richest form that the page has.
func (p *htmlPage) piece(piece bundle.Piece) {
	class := "output"
	if piece.Value {
		class = "output value"
	}
	if piece.Item != nil {
		if c, ok := piece.Item.Chart(); ok {
			p.raw("figure", c.SVG())
			return
		}
		if t, ok := piece.Item.Table(); ok {
			p.raw("div", tableHTML(t))
			return
		}
	}
	p.tag("pre", class, p.cut(piece.Text, longText))
}

// raw writes markup that was made here, as long as there is room.
func (p *htmlPage) raw(name, markup string) {
	if len(markup) > p.room {
		p.left += int64(len(markup))
		return
	}
	p.room -= len(markup)
	p.print("<" + name + ` class="wide">` + markup + "</" + name + ">\n")
}

func (p *htmlPage) calls(calls []*call, level int) {
	if len(calls) == 0 {
		return
	}
	most := callText
	if len(calls) > manyCalls {
		most = shortText
	}
	p.print("<details><summary>" + escaped(quantity.Of(len(calls), "sub-call")) + "</summary>\n<ol>\n")
	for _, s := range calls {
		name := s.started.Impl
		if s.started.Tool != "" {
			name = s.started.Tool
		}
		p.print("<li>")
		p.tag("div", "number", name)
		p.tag("div", "prompt", p.cut(s.started.Prompt.String(), most))
		switch {
		case s.ended == nil:
			p.tag("p", "note", "no reply came")
		case s.ended.Error != "":
			p.tag("div", "error", p.cut(s.ended.Error, most))
		default:
			p.tag("div", "reply", p.cut(s.ended.Reply.String(), most))
		}
		if len(s.child) > 0 {
			p.print("<details><summary>" + escaped("child run "+s.started.Child) + "</summary>\n")
			for _, t := range s.child {
				p.turn(t, level+2)
			}
			p.print("</details>\n")
		}
		p.print("</li>\n")
	}
	p.print("</ol>\n</details>\n")
}

func (p *htmlPage) end(d *trajectory.RunEnded, heading string) {
	p.print(`<section class="answer">` + "\n")
	if !d.HasAnswer {
		p.tag(heading, "", "No answer")
	} else {
		p.tag(heading, "", "Answer")
		p.print(`<div class="prose">` + linked(p.cut(d.Answer, 1<<20), d.Evidence, p.passages) + "</div>\n")
		p.evidence(d)
	}
	cost := "cost not known"
	if d.Cost != nil {
		cost = quantity.Dollars(*d.Cost)
	}
	p.tag("p", "note", strings.Join(nonEmpty(d.Status, shorten(d.Reason, 300), quantity.Of(d.Turns, "turn"), quantity.Of(d.Cells, "cell"),
		quantity.Of(d.SubCalls, "sub-call"), cost), " · ")+took(d.Duration))
	p.print("</section>\n")
}

// linked is an answer whose marks lead to the passages below it, which are numbered from before on.
func linked(answer string, evidence []trajectory.Evidence, before int) string {
	var pairs []string
	for i, e := range evidence {
		if e.Mark != "" {
			pairs = append(pairs, escaped(e.Mark), fmt.Sprintf(`<a href="#e%d">%s</a>`, before+i+1, escaped(e.Mark)))
		}
	}
	return strings.NewReplacer(pairs...).Replace(escaped(answer))
}

// evidence lists the passages that the answer rests on, and the quotations that were not found.
func (p *htmlPage) evidence(d *trajectory.RunEnded) {
	if len(d.Evidence) > 0 {
		p.print(`<ul class="evidence">` + "\n")
		for i, e := range d.Evidence {
			p.print(fmt.Sprintf(`<li id="e%d">%s <b>%s</b> <q>%s</q>%s</li>`+"\n",
				p.passages+i+1, escaped(e.Mark), escaped(placeOf(e)), escaped(p.cut(e.Quote, 2000)), escaped(remarkOn(e))))
		}
		p.passages += len(d.Evidence)
		p.print("</ul>\n")
	}
	for _, q := range d.Unverified {
		p.tag("p", "note", "Not found in the context: "+shorten(q, 300))
	}
	if len(d.UnknownMarks) > 0 {
		p.tag("p", "note", "These marks stand for no passage: "+shorten(strings.Join(d.UnknownMarks, " "), 300))
	}
	if d.Unsupported != "" {
		p.tag("p", "note", "Evidence is required: "+shorten(d.Unsupported, 300))
	}
}
