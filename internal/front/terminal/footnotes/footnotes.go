// Package footnotes formats an answer's evidence as lines below the answer.
package footnotes

import (
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
)

const (
	passagesShown = 50
	quoteWidth    = 160 // length of each quotation in characters
)

// Lines lists the passages that an answer cites, then everything that the documents do not support. It returns
// nothing if there is neither. The lines quote documents: clean them before printing.
func Lines(e trajectory.RunEnded) []string {
	var lines []string
	for i, ev := range e.Evidence {
		if i == passagesShown {
			lines = append(lines, fmt.Sprintf("and %d more (rlm show --json lists all)", len(e.Evidence)-i))
			break
		}
		lines = append(lines, Passage(ev))
	}
	if n := len(e.UnknownMarks); n > 0 {
		lines = append(lines, fmt.Sprintf(
			"refers to no passage: %s%s", strings.Join(e.UnknownMarks[:min(n, 5)], ", "), more(n-5)))
	}
	if n := len(e.Unverified); n > 0 {
		lines = append(lines, NotThere(e.Unverified[0])+more(n-1))
	}
	if e.Unsupported != "" {
		lines = append(lines, "evidence is required: "+text.Line(e.Unsupported, 3*quoteWidth))
	}
	if e.Guess {
		lines = append(lines, "a guess: it was given before any of the text was looked at")
	}
	if e.CutReplies > 0 {
		lines = append(lines, units.Of(e.CutReplies, "incomplete reply")+": cut off, filtered or refused")
	}
	if line := e.Grounding.NotFound(); line != "" {
		lines = append(lines, line)
	}
	return lines
}

// Passage formats a passage: its mark, where it is, and its words.
func Passage(ev trajectory.Evidence) string {
	line := fmt.Sprintf("%s %s “%s”%s", ev.Mark, ev.Place(), text.Line(ev.Quote, quoteWidth), ev.Remark())
	if caveat := ev.Caveat(); caveat != "" {
		line += fmt.Sprintf(" (about this document: %s)", text.Line(caveat, quoteWidth))
	}
	return line
}

// NotThere formats a quotation that is not in the documents.
func NotThere(quotation string) string {
	return fmt.Sprintf("not in the documents: “%s”", text.Line(quotation, quoteWidth))
}

// more returns a line with the number of entries that are not listed; "" if n is not positive.
func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}
