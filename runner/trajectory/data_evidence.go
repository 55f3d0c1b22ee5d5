package trajectory

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/kit/units"
)

// Evidence is a passage of a document to which a mark in an answer refers.
type Evidence struct {
	Mark     string `json:"mark"`            // as it stands in the answer
	Document string `json:"document"`        // its name; "" for text between documents
	Part     string `json:"part,omitempty"`  // of the document in which the passage begins: "page 12", "sheet 2 (Costs)"
	Line     int64  `json:"line"`            // of the document, from 1, in which the passage begins
	Cells    string `json:"cells,omitempty"` // of a sheet, in which the passage lies: "B5:D5"
	Offset   int64  `json:"offset"`          // where the passage begins, in bytes of the context
	Length   int64  `json:"length"`          // of the passage, in bytes
	Quote    string `json:"quote"`           // the passage, or its beginning if it is long
	// Occurrences is in how many places the same words stand, where the cell had a copy of them and the first place was taken.
	Occurrences int `json:"occurrences,omitempty"`
	// Notes say what of the document was not read, guessed or salvaged, as far as it may concern the passage.
	Notes []string `json:"notes,omitempty"`
	// Gone is set when the document is no part of the context any more; Offset is then that in the context it was part of.
	Gone bool `json:"gone,omitempty"`
}

// Source names the document of the passage, and its page or sheet where it has some.
func (e Evidence) Source() string {
	document := cmp.Or(e.Document, "context")
	if e.Part != "" {
		document += ", " + e.Part
	}
	return document
}

// Place is the document of the passage and its line, or its cells, in one.
func (e Evidence) Place() string {
	if e.Part != "" {
		return e.Source() + ", " + e.Where()
	}
	return fmt.Sprintf("%s:%d", e.Source(), e.Line)
}

// Where is the line in which the passage begins, or its cells: "line 9", "B5:D5".
func (e Evidence) Where() string {
	if e.Cells != "" {
		return e.Cells
	}
	return fmt.Sprintf("line %d", e.Line)
}

// Remark says what a reader should know of the passage, with a blank before it; empty if nothing.
func (e Evidence) Remark() (text string) {
	if e.Occurrences > 1 {
		text = fmt.Sprintf(" (the first of %s)", units.Of(e.Occurrences, "place"))
	}
	if e.Gone {
		text += " (no longer part of the context)"
	}
	return text
}

// Caveat are the notes on the document in one; empty if there are none.
func (e Evidence) Caveat() string { return strings.Join(e.Notes, "; ") }

// Mark is a mark that a cell handed out for a passage.
type Mark struct {
	Number int    `json:"n"`      // in the notebook
	Offset int64  `json:"offset"` // of the passage, in bytes of the text
	Length int64  `json:"length"` // of the passage, in bytes
	Digest string `json:"digest"` // of the passage, as the cell saw it
	// Text is the SHA-256 of the text, or the path of the child run whose own text it is.
	Text        string `json:"text"`
	Occurrences int    `json:"occurrences,omitempty"` // see Evidence
}
