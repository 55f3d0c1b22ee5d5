package trajectory

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/kit/units"
)

// Evidence is a passage of a document that a mark in an answer refers to.
type Evidence struct {
	Mark     string `json:"mark"`            // as in the answer
	Document string `json:"document"`        // name of the document; "" for text between documents
	Part     string `json:"part,omitempty"`  // where the passage begins: "page 12", "sheet 2 (Costs)"
	Line     int64  `json:"line"`            // line of the document where the passage begins, from 1
	Cells    string `json:"cells,omitempty"` // cells that the passage covers, in a sheet: "B5:D5"
	Offset   int64  `json:"offset"`          // offset of the passage, in bytes of the context
	Length   int64  `json:"length"`          // length of the passage, in bytes
	Quote    string `json:"quote"`           // the passage, shortened if long
	// Occurrences is the number of places with the same words, if the cell cited only a copy of the words, and the
	// evidence is therefore the first place.
	Occurrences int `json:"occurrences,omitempty"`
	// Notes are remarks on parts of the document that were guessed, salvaged or not read, if they may concern the
	// passage.
	Notes []string `json:"notes,omitempty"`
	// Gone is set when the document is no longer part of the context; Offset is then in the context that contained
	// it.
	Gone bool `json:"gone,omitempty"`
}

// Source names the document of the passage, and its page or sheet if it has any.
func (e Evidence) Source() string {
	document := cmp.Or(e.Document, "context")
	if e.Part != "" {
		document += ", " + e.Part
	}
	return document
}

// Place names the document of the passage with its line or its cells.
func (e Evidence) Place() string {
	if e.Part != "" {
		return e.Source() + ", " + e.Where()
	}
	return fmt.Sprintf("%s:%d", e.Source(), e.Line)
}

// Where names the line where the passage begins, or its cells: "line 9", "B5:D5".
func (e Evidence) Where() string {
	if e.Cells != "" {
		return e.Cells
	}
	return fmt.Sprintf("line %d", e.Line)
}

// Remark is a text to append after a passage, with a leading blank: the words also occur elsewhere, or the passage
// is gone. It is empty if neither is so.
func (e Evidence) Remark() (text string) {
	if e.Occurrences > 1 {
		text = fmt.Sprintf(" (the first of %s)", units.Of(e.Occurrences, "place"))
	}
	if e.Gone {
		text += " (no longer part of the context)"
	}
	return text
}

// Caveat joins the notes on the document; empty if there are none.
func (e Evidence) Caveat() string { return strings.Join(e.Notes, "; ") }

// Mark is a mark that a cell created for a passage.
type Mark struct {
	Number int    `json:"n"`      // number of the mark in the notebook
	Offset int64  `json:"offset"` // offset of the passage, in bytes of the text
	Length int64  `json:"length"` // length of the passage, in bytes
	Digest string `json:"digest"` // digest of the passage as the cell saw it
	// Text is the SHA-256 of the text, or the path of the child run that the text belongs to.
	Text        string `json:"text"`
	Occurrences int    `json:"occurrences,omitempty"` // see Evidence
}
