package prompts

import (
	"fmt"
	"strings"
)

// Document names one document of the context.
type Document struct {
	Name  string
	Bytes int64
	Note  string // encoding, when it was not UTF-8
}

// Facts describe the context without holding it.
type Facts struct {
	Bytes, Chars, Lines, Tokens int64
	Documents                   []Document // the first ones; Total says how many there are
	Total                       int
	Separator                   string // how the documents are told apart inside of the context, in words
	Encodings                   []string
	Skipped                     []string
	Head, Tail                  string
	// Added marks context that came into a conversation that is under way.
	Added bool
}

// Empty reports whether there is no context at all.
func (f Facts) Empty() bool { return f.Bytes == 0 }

// More is the number of documents that are not listed.
func (f Facts) More() int { return f.Total - len(f.Documents) }

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

// Ask renders the message that puts a question.
func Ask(q Question) (string, error) { return render("question", q) }

// Count renders a number of things as people read it: 950, 12.3k, 4.5M.
func Count(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1e3), ".0") + "k"
	default:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1e6), ".0") + "M"
	}
}

// Bytes renders a size.
func Bytes(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	default:
		return fmt.Sprintf("%.2f GB", float64(n)/(1<<30))
	}
}
