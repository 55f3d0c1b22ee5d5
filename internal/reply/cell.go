package reply

import (
	"slices"
	"strings"
)

// CellTag is the tag of a cell that models are asked to write.
const CellTag = "go"

// cellTags are the tags that make a fenced block a cell, in lower case.
var cellTags = [...]string{CellTag, "golang", "repl"}

func isCellTag(tag string) bool { return slices.Contains(cellTags[:], strings.ToLower(tag)) }

// Cell is one block of Go found in a reply.
type Cell struct {
	// Source is the code, without its fence, with line ends normalised to \n.
	Source string `json:"source"`
	// Lang is the tag as written ("go", "Golang", "repl"); empty for an untagged block.
	Lang string `json:"lang,omitempty"`
	// Line is the 1-based line of the reply on which Source begins.
	Line int `json:"line"`
	// Untagged marks a candidate: a block without a tag, reported only if the reply has no tagged cell. The
	// notebook decides whether it is a cell (cellerror.NotACell if not).
	Untagged bool `json:"untagged,omitempty"`
}

// SkippedBlock is a block that is not run, with the reason for the model.
type SkippedBlock struct {
	// Lang is the tag as written; empty for a block without one.
	Lang string `json:"lang,omitempty"`
	// Line is the 1-based line of the reply on which the block begins.
	Line int `json:"line"`
	// Code is set if the block was probably meant to run (Python, half a cell), rather than to show something.
	Code bool `json:"code,omitempty"`
	// Reason is addressed to the model.
	Reason string `json:"reason"`
}

// Half reports whether the block was meant as a cell but could not be one: it is truncated, empty, after text on
// its line, after imitated output, or written as a tool call.
func (s SkippedBlock) Half() bool {
	return s.Code && (s.Lang == "" || s.Lang == toolCallLang || isCellTag(s.Lang))
}
