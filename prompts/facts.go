package prompts

import (
	"strings"

	"github.com/gorlm/rlm/internal/brief"
)

// Document names one document of the context.
type Document struct {
	Name  string
	Bytes int64
	Kind  string // what it was before it was converted; empty for text
	Pages int64  // pages or slides
	Note  string // what is missing of it, and why
}

// Facts describe the context without holding it.
type Facts struct {
	Bytes, Chars, Lines, Tokens int64
	Documents                   []Document // the first ones; Total says how many there are
	Total                       int
	Separator                   string // how the documents are told apart inside of the context, in words
	Encodings                   []string
	Skipped                     []string
	// Head and Tail are the beginning and the end of the text; Tail is empty if Head is all of it.
	Head, Tail string
	// Added marks context that came into a conversation that is under way.
	Added bool
}

// Empty reports whether there is no context at all.
func (f Facts) Empty() bool { return f.Bytes == 0 }

// More is the number of documents that are not listed.
func (f Facts) More() int { return f.Total - len(f.Documents) }

// shortPrefix is the length of the longest common beginning of names that is repeated.
const shortPrefix = 12

// Prefix is the folder that the names of all listed documents begin with; empty if there is none, or if it is short.
func (f Facts) Prefix() string {
	if len(f.Documents) < 2 {
		return ""
	}
	prefix := f.Documents[0].Name
	for _, d := range f.Documents[1:] {
		n := 0
		for n < min(len(prefix), len(d.Name)) && prefix[n] == d.Name[n] {
			n++
		}
		prefix = prefix[:n]
	}
	if prefix = prefix[:strings.LastIndexByte(prefix, '/')+1]; len(prefix) <= shortPrefix {
		return ""
	}
	return prefix
}

// Listed are the documents to list, their names on one line and without the common prefix.
func (f Facts) Listed() []Document {
	prefix := f.Prefix()
	out := make([]Document, len(f.Documents))
	for i, d := range f.Documents {
		d.Name = brief.Line(strings.TrimPrefix(d.Name, prefix), 200)
		d.Note = brief.Line(d.Note, 200)
		out[i] = d
	}
	return out
}

// Fence is the fence for Head and Tail: longer than any that stands inside.
func (f Facts) Fence() string {
	longest := 2
	for _, text := range []string{f.Head, f.Tail} {
		run := 0
		for i := range len(text) {
			if text[i] != '`' {
				run = 0
			} else if run++; run > longest {
				longest = run
			}
		}
	}
	return strings.Repeat("`", longest+1)
}

// Question is the first message of a run.
type Question struct {
	Text string
	// Facts describe the context; nil when the model has been told before and nothing changed.
	Facts *Facts
	// Own are observations of cells that a person ran since the model's last turn.
	Own []string
	// Left are the budgets of this question.
	Left Left
	// Mode, when not nil, tells that the mode of the conversation changed, and the signals that count from here on.
	Mode *Setup
	// First is set for the first question of a conversation.
	First bool
	// Review is set when Text is the note of a reviewer who rejected the result, More when a run that a limit ended goes on.
	Review, More bool
}
