package reply

import (
	"slices"
	"strings"
)

// Reply is a parsed reply: the cells to run, the prose, and the signals in the prose.
type Reply struct {
	// Text is the complete reply as it was received.
	Text string `json:"text"`
	// Prose is the reply's text without thinking and without the blocks that are cells. Blocks in other languages
	// remain, since they are part of the reply.
	Prose string `json:"prose"`
	// OnlyCode is set if the prose is only code that does not run.
	OnlyCode bool `json:"only_code,omitempty"`
	// Cut is set if the reply was truncated at the token limit.
	Cut bool `json:"cut,omitempty"`
	// Cells are the blocks to run, in order; Skipped are all others, each with a reason.
	Cells   []Cell         `json:"cells,omitempty"`
	Skipped []SkippedBlock `json:"skipped,omitempty"`
	// Imitates is the 1-based line on which the reply begins to imitate the notebook's output; 0 if it does not.
	// Cells after it are skipped.
	Imitates int `json:"imitates,omitempty"`
	// Identifiers are the names in the reply's code, run or not, that could be mistaken for a word, such as Report.
	// At most 256.
	Identifiers []string `json:"identifiers,omitempty"`
	// Signals are the completion signals in the prose, called or only mentioned, in order.
	Signals []Signal `json:"signals,omitempty"`
}

// Parse reads a reply. It takes time linear in the reply's length and never fails: an empty reply is an empty
// Reply. cut means that the reply was truncated at the token limit.
//
// Cells are the fenced code blocks of its Markdown (CommonMark, as goldmark reads it) that are tagged go, golang
// or repl, in any case and with any attributes, including those in lists and quotations. If no block is tagged,
// untagged blocks that look like Go are candidates (Cell.Untagged). A block that is not closed ends with the
// reply, and is skipped as half a cell if the reply was truncated. Text beyond the bounds of nesting and of lists
// is not read, and is reported as a SkippedBlock.
func Parse(text string, names Names, cut bool) Reply {
	said := stripThinking(normalize(text))
	l := readMarkdown(said.said)
	r := Reply{Text: text, Cut: cut}
	r.Cells, r.Skipped = extract(l, cut)
	if at := imitation(l, r.Cells); at != len(l.src) {
		lines := lineCounter{src: l.src}
		r.Imitates = lines.at(at)
		r.Cells, r.Skipped = voidBehind(l, at, r.Cells, r.Skipped)
	}
	r.Identifiers = identifiers(l)
	r.Prose = prose(l, r.Cells)
	r.OnlyCode = onlyCode(l, r.Skipped)
	r.Signals = detect(l, names, cut, said.open)
	r.Skipped = nearMiss(l, r)
	if l.unread != "" {
		r.Skipped = append(r.Skipped, unread(l))
	}
	if said.unclosed > 0 {
		r.Skipped = append(r.Skipped, unclosedThinking(said.unclosed))
	}
	return r
}

// onlyCode reports whether a reply consists of code that was skipped, without any text.
func onlyCode(l *layout, skipped []SkippedBlock) bool {
	if !slices.ContainsFunc(skipped, func(s SkippedBlock) bool { return s.Code }) {
		return false
	}
	for _, lf := range l.leaves {
		if strings.TrimSpace(l.str[lf.start:lf.end]) != "" {
			return false
		}
	}
	return true
}

// prose returns the text of a reply without the blocks that are cells.
func prose(l *layout, cells []Cell) string {
	if len(cells) == 0 {
		return strings.TrimSpace(l.str)
	}
	var out strings.Builder
	lines := lineCounter{src: l.src}
	from, next := 0, 0
	for _, b := range l.blocks {
		if next < len(cells) && cells[next].Line == lines.at(b.first) {
			next++
			out.WriteString(l.str[from:lineStart(l.src, b.start)])
			from = b.end
		}
	}
	out.WriteString(l.str[from:])
	return strings.TrimSpace(out.String())
}
