package prompts

import (
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/kit/text"
)

// Document names one document of the context.
type Document struct {
	Name  string
	Bytes int64
	Kind  string // format of the original; empty for text
	Pages int64  // pages or slides
	Note  string // what is missing from it, and why
}

// Facts describe the context without containing it.
type Facts struct {
	Bytes, Chars, Lines, Tokens int64
	Documents                   []Document // the first ones; Total is the number of all
	Total                       int
	Separator                   string // how documents are separated in the context, in words
	Encodings                   []string
	Skipped                     []string
	// Head and Tail are the beginning and the end of the text; Tail is empty if Head is all of it.
	Head, Tail string
	// Samples are parts of documents, instead of Head and Tail if there are several documents.
	Samples []Sample
	// Added marks context that was added to a running conversation.
	Added bool
}

// Sample is the beginning of a document, and its end if it is long.
type Sample struct {
	Name       string
	Of         string // the documents that it exemplifies, in words; empty if it stands for itself
	Head, Tail string
	Whole      bool     // Head is the whole document
	Notes      []string // line ends, encoding
}

// About describes the sample, for the text after its name.
func (s Sample) About() string {
	var all []string
	if s.Of != "" {
		all = append(all, s.Of)
	}
	if s.Whole {
		all = append(all, "all of it")
	}
	return strings.Join(append(all, s.Notes...), ", ")
}

// Sampled returns the samples, with names as in Listed.
func (f Facts) Sampled() []Sample {
	prefix := f.Prefix()
	out := make([]Sample, len(f.Samples))
	for i, s := range f.Samples {
		s.Name = text.Line(strings.TrimPrefix(s.Name, prefix), 200)
		out[i] = s
	}
	return out
}

// Introduction introduces the samples.
func (f Facts) Introduction() string {
	s := "The documents, as they begin"
	if f.Samples[0].Of != "" {
		s = "Examples of the documents, as they begin"
	}
	if slices.ContainsFunc(f.Samples, func(s Sample) bool { return s.Tail != "" }) {
		s += " … and end"
	}
	return s
}

// CRLF reports whether lines end in "\r\n", as far as Head shows.
func (f Facts) CRLF() bool { return len(f.Samples) == 0 && strings.Contains(f.Head, "\r\n") }

// Empty reports whether there is no context at all.
func (f Facts) Empty() bool { return f.Bytes == 0 }

// More is the number of documents that are not listed.
func (f Facts) More() int { return f.Total - len(f.Documents) }

// Prefix is the folder that the names of all listed documents begin with; empty if there is none, or if it is
// short.
func (f Facts) Prefix() string {
	return text.CommonFolder(func(yield func(string) bool) {
		for _, d := range f.Documents {
			if !yield(d.Name) {
				return
			}
		}
	})
}

// Listed returns the documents to list, with names on one line and without the common prefix.
func (f Facts) Listed() []Document {
	prefix := f.Prefix()
	out := make([]Document, len(f.Documents))
	for i, d := range f.Documents {
		d.Name = text.Line(strings.TrimPrefix(d.Name, prefix), 200)
		d.Note = text.Line(d.Note, 200)
		out[i] = d
	}
	return out
}

// Fence returns a fence for Head, Tail and Samples: longer than any fence in them.
func (f Facts) Fence() string {
	longest, shown := 2, []string{f.Head, f.Tail}
	for _, s := range f.Samples {
		shown = append(shown, s.Head, s.Tail)
	}
	for _, text := range shown {
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
	// Facts describe the context; nil if the model already knows them and nothing changed.
	Facts *Facts
	// Own are observations of cells that a person ran since the model's last turn.
	Own []string
	// Left is what remains of the budgets for this question.
	Left RemainingBudget
	// Mode, if not nil, announces that the mode of the conversation changed, with the signals that count from now
	// on.
	Mode *Setup
	// First is set for the first question of a conversation.
	First bool
	// Review is set if Text is the note of a reviewer who rejected the result, More if a run that a limit ended
	// continues.
	Review, More bool
}
