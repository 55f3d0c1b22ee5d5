package reply

import (
	"strings"

	"github.com/gorlm/rlm/internal/kit/thought"
)

// strippedText is what stripThinking found.
type strippedText struct {
	said string // the reply without what was thought
	// unclosed is the 1-based line of a tag that begins a line and is never closed: nothing after it was said. 0 if there is none.
	unclosed int
	// open is the offset in said of a tag inside a line that is never closed: what stands after it may be thought.
	open int
}

// stripThinking removes what a model thought to itself: <think>…</think> (and its like) outside of fenced code, everything
// before a </think> whose opening tag stands in the prompt, channels that are not the final one, and tokens of the template.
// Line ends stay, so line numbers remain right. Unlike [thought.Apart], which serves texts for anybody, it also drops what is thought
// in the midst of a line: a signal there does not count.
func stripThinking(reply string) (found strippedText) {
	reply = blank(reply, thought.Marks(reply))
	spans, open := thought.Elements(reply, func(e thought.Element) bool {
		if !e.Closed && e.Line {
			found.unclosed = strings.Count(reply[:e.Tag.Start], "\n") + 1
		}
		return e.Closed || e.Line
	})
	found.said, found.open = blank(reply, spans), len(reply)
	if open < len(reply) {
		found.open = len(blank(reply[:open], spans))
	}
	return found
}

// blank leaves parts out of a text, except for their line ends.
func blank(text string, spans []thought.Span) string {
	if len(spans) == 0 {
		return text
	}
	var out strings.Builder
	from := 0
	for _, s := range spans {
		if s.End > len(text) {
			break
		}
		out.WriteString(text[from:s.Start])
		out.WriteString(strings.Repeat("\n", strings.Count(text[s.Start:s.End], "\n")))
		from = s.End
	}
	out.WriteString(text[from:])
	return out.String()
}
