// Package footnotes puts what is known of an answer's evidence into lines that stand below the answer.
package footnotes

import (
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/brief"
	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner/trajectory"
)

const (
	passagesShown = 50
	quoteWidth    = 100 // characters of each
)

// Lines says what the marks of an answer stand for, and what of it does not stand in the documents. There are none if the answer has no
// marks and no quotations, and needs none. The words are those of documents: they have to be cleaned before they are printed.
func Lines(e trajectory.RunEnded) []string {
	var lines []string
	for i, ev := range e.Evidence {
		if i == passagesShown {
			lines = append(lines, fmt.Sprintf("and %d more (rlm show --json has all)", len(e.Evidence)-i))
			break
		}
		lines = append(lines, Passage(ev))
	}
	if n := len(e.UnknownMarks); n > 0 {
		lines = append(lines, fmt.Sprintf("stands for no passage: %s%s", strings.Join(e.UnknownMarks[:min(n, 5)], ", "), more(n-5)))
	}
	if n := len(e.Unverified); n > 0 {
		lines = append(lines, NotThere(e.Unverified[0])+more(n-1))
	}
	if e.Unsupported != "" {
		lines = append(lines, "evidence is required: "+brief.Line(e.Unsupported, 3*quoteWidth))
	}
	return lines
}

// Passage is the line of one passage: its mark, where it stands, and its words.
func Passage(ev trajectory.Evidence) string {
	document := ev.Document
	if document == "" {
		document = "context"
	}
	place := fmt.Sprintf("%s:%d", document, ev.Line)
	if ev.Part != "" {
		place = fmt.Sprintf("%s, %s, line %d", document, ev.Part, ev.Line)
	}
	text := fmt.Sprintf("%s %s “%s”", ev.Mark, place, brief.Line(ev.Quote, quoteWidth))
	if ev.Occurrences > 1 {
		text += fmt.Sprintf(" (the first of %s)", quantity.Of(ev.Occurrences, "place"))
	}
	if ev.Gone {
		text += " (no longer part of the context)"
	}
	return text
}

// NotThere is the line of a quotation that does not stand in the documents.
func NotThere(quotation string) string {
	return fmt.Sprintf("not in the documents: “%s”", brief.Line(quotation, quoteWidth))
}

// more says how many are not named.
func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}
