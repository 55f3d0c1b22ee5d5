package termination

// Cell is one block of Go found in a reply.
type Cell struct {
	// Source is the code, without its fence, line ends normalised to \n.
	Source string `json:"source"`
	// Lang is the tag as written ("go", "Golang", "repl"); empty for an untagged block.
	Lang string `json:"lang,omitempty"`
	// Line is the 1-based line of the reply on which Source begins.
	Line int `json:"line"`
	// Untagged marks a candidate: a block without a tag, reported only when the reply has no tagged
	// cell. It counts as a cell only if the notebook finds that it is one (repl.KindNotACell if not).
	Untagged bool `json:"untagged,omitempty"`
}

// Skipped is a block that is not run, with the reason that the model is told.
type Skipped struct {
	// Lang is the tag as written; empty for a block without one.
	Lang string `json:"lang,omitempty"`
	// Line is the 1-based line of the reply on which the block begins.
	Line int `json:"line"`
	// Code is set for what was probably meant to run (Python, half a cell), rather than to show something.
	Code bool `json:"code,omitempty"`
	// Reason is addressed to the model.
	Reason string `json:"reason"`
}

// Extraction is everything that a reply holds besides prose. No block is dropped silently: each
// is either in Cells or in Skipped.
type Extraction struct {
	Cells   []Cell    `json:"cells,omitempty"`
	Skipped []Skipped `json:"skipped,omitempty"`
}
