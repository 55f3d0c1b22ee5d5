package main

import (
	"fmt"
	"strings"

	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/internal/brief"
	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

const (
	footnotesShown = 50  // passages that are printed below an answer
	quoteWidth     = 100 // characters of each
)

// footnotes are the lines below an answer: what its marks stand for, and what of it does not stand in the documents.
func footnotes(e trajectory.RunEnded) []string {
	var lines []string
	for i, ev := range e.Evidence {
		if i == footnotesShown {
			lines = append(lines, fmt.Sprintf("and %d more (rlm show --json has all)", len(e.Evidence)-i))
			break
		}
		lines = append(lines, footnote(ev))
	}
	if n := len(e.UnknownMarks); n > 0 {
		lines = append(lines, fmt.Sprintf("stands for no passage: %s%s", strings.Join(e.UnknownMarks[:min(n, 5)], ", "), more(n-5)))
	}
	if n := len(e.Unverified); n > 0 {
		lines = append(lines, fmt.Sprintf("not in the documents: “%s”%s", brief.Line(e.Unverified[0], quoteWidth), more(n-1)))
	}
	if e.Unsupported != "" {
		lines = append(lines, "evidence is required: "+brief.Line(e.Unsupported, 3*quoteWidth))
	}
	return lines
}

// footnote is one passage: its mark, where it stands, and its words.
func footnote(ev trajectory.Evidence) string {
	document := ev.Document
	if document == "" {
		document = "context"
	}
	text := fmt.Sprintf("%s %s:%d “%s”", ev.Mark, document, ev.Line, brief.Line(ev.Quote, quoteWidth))
	if ev.Occurrences > 1 {
		text += fmt.Sprintf(" (the first of %s)", quantity.Of(ev.Occurrences, "place"))
	}
	if ev.Gone {
		text += " (no longer part of the context)"
	}
	return text
}

// printFootnotes prints them below the answer where that is on a terminal, else on stderr.
func (a *app) printFootnotes(how showing, res runner.Result) {
	to := a.out
	if !to.Terminal() {
		to = a.err
		if how.quiet {
			return
		}
	}
	for _, line := range footnotes(trajectory.RunEnded{
		Evidence: res.Evidence, UnknownMarks: res.UnknownMarks, Unverified: res.Unverified, Unsupported: res.Unsupported,
	}) {
		_ = to.Styled(to.Paint(screen.Faint, line) + "\n") // the answer itself is out, and all of this is in the log
	}
}
