package trajectory

// Evidence is a passage of a document to which a mark in an answer refers.
type Evidence struct {
	Mark     string `json:"mark"`           // as it stands in the answer
	Document string `json:"document"`       // its name; "" for text between documents
	Part     string `json:"part,omitempty"` // of the document in which the passage begins: "page 12", "sheet 2 (Costs)"
	Line     int64  `json:"line"`           // of the document, from 1, in which the passage begins
	Offset   int64  `json:"offset"`         // where the passage begins, in bytes of the context
	Length   int64  `json:"length"`         // of the passage, in bytes
	Quote    string `json:"quote"`          // the passage, or its beginning if it is long
	// Occurrences is in how many places the same words stand, where the cell had a copy of them and the first place was taken.
	Occurrences int `json:"occurrences,omitempty"`
	// Gone is set when the document is no part of the context any more; Offset is then that in the context it was part of.
	Gone bool `json:"gone,omitempty"`
}

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
