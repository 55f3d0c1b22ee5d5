package trajectory

import (
	"strings"

	"github.com/gorlm/rlm/internal/kit/refusal"
)

// Ending is how a reply of a model ended. Unless it is [Whole], the reply is, or may be, incomplete.
type Ending string

// The endings.
const (
	Whole       Ending = ""
	Cut         Ending = "cut"          // at its token limit
	ThoughtOnly Ending = "thought_only" // thoughts used up its token limit: there is no text
	Empty       Ending = "empty"        // a sub-call's reply has no text, although it ended normally
	Filtered    Ending = "filtered"     // cut or withheld by a filter of the endpoint
	Refused     Ending = "refused"      // the model declined, in its own words
	CalledTool  Ending = "called_tool"  // a tool call of the endpoint's interface, although no tool was offered
	Unclear     Ending = "unclear"      // the endpoint gave an unknown reason
	Incomplete  Ending = "incomplete"   // a child run's answer that comes from replies that did not end normally
)

// ChildIncomplete is the finish reason of a child run whose answer is [Incomplete].
const ChildIncomplete = "child_incomplete"

// Partial reports whether the reply is certainly not a complete answer.
func (e Ending) Partial() bool { return e != Whole && e != Unclear && e != Incomplete }

// Ending returns how the reply ended.
func (d ReplyReceived) Ending() Ending { return endingOf(d.FinishReason, d.Content) }

// Ending returns how the reply ended. If there is no reply, it reports a filter or a tool call that came instead;
// for other failures see Error.
func (d SubCallEnded) Ending() Ending {
	if d.Error == "" {
		e := endingOf(d.FinishReason, d.Reply)
		if e == Whole && d.Model != "" && blank(d.Reply) {
			return Empty
		}
		return e
	}
	if e := endingOf(d.ErrorKind, d.Reply); e != Unclear {
		return e
	}
	return Whole
}

// endingOf maps a finish reason or a kind of failure, as package llm names them.
func endingOf(reason string, content Text) Ending {
	switch reason {
	case lengthReached:
		if blank(content) {
			return ThoughtOnly
		}
		return Cut
	case "content_filter":
		return Filtered
	case "refusal":
		return Refused
	case "tool_calls":
		return CalledTool
	case ChildIncomplete:
		return Incomplete
	case "", "stop":
		if content.Size() <= refusal.Longest && refusal.Said(content.String()) {
			return Refused
		}
		return Whole
	}
	return Unclear
}

func blank(t Text) bool { return t.Size() < 100 && strings.TrimSpace(t.String()) == "" }
