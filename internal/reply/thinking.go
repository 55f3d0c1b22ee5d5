package reply

import (
	"strings"

	"github.com/gorlm/rlm/internal/kit/thought"
)

// strippedText is the result of stripThinking.
type strippedText struct {
	said string // the reply without thinking
	// unclosed is the 1-based line of an unclosed tag at the start of a line: everything after the tag is thinking.
	// 0 if there is none.
	unclosed int
	// open is the offset in said of an unclosed tag inside a line: the text after it may be thinking.
	open int
}

// stripThinking removes a model's thinking: <think>…</think> (and similar tags) outside of fenced code, everything
// before a </think> whose opening tag is in the prompt, channels other than the final one, and tokens of the chat
// template. Line ends stay, so line numbers remain right. Unlike [thought.Apart], which is for any text, it also
// removes thinking inside a line, because a signal there does not count.
func stripThinking(reply string) (found strippedText) {
	reply = blank(reply, thought.Marks(reply))
	spans, open := thought.Elements(reply, func(e thought.Element) bool {
		if !e.Closed && e.Line {
			found.unclosed = strings.Count(reply[:e.Tag.Start], "\n") + 1
		}
		return e.Closed || e.Line
	})
	found.said, found.open = blank(reply, spans), len(blank(reply[:open], spans))
	return found
}

// blank removes spans from a text, except for their line ends.
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
