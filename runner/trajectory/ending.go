package trajectory

import "strings"

// Ending says how a reply of a model ended. What is not [Whole] is no complete reply, or may be none.
type Ending string

// The endings.
const (
	Whole       Ending = ""
	Cut         Ending = "cut"          // at its limit of tokens
	ThoughtOnly Ending = "thought_only" // its limit of tokens was used up by thoughts: there is no text
	Filtered    Ending = "filtered"     // a filter of the endpoint cut it, or withheld it
	Refused     Ending = "refused"      // the model declines, in words of its own
	CalledTool  Ending = "called_tool"  // it calls a tool of the endpoint's interface, and none was offered
	Unclear     Ending = "unclear"      // the endpoint gave a reason that is not known
)

// Partial reports whether what there is of the reply is no answer to anything.
func (e Ending) Partial() bool { return e != Whole && e != Unclear }

// Ending says how the reply ended.
func (d ReplyReceived) Ending() Ending { return endingOf(d.FinishReason, d.Content) }

// Ending says how the reply ended. Of one that never came it says so where a filter or a call of a tool came instead; else see Error.
func (d SubCallEnded) Ending() Ending {
	if d.Error == "" {
		return endingOf(d.FinishReason, d.Reply)
	}
	if e := endingOf(d.ErrorKind, d.Reply); e != Unclear {
		return e
	}
	return Whole
}

// endingOf reads a finish reason or a kind of failure, as package llm names them.
func endingOf(reason string, content Text) Ending {
	switch reason {
	case lengthReached:
		if content.Size() < 100 && strings.TrimSpace(content.String()) == "" {
			return ThoughtOnly
		}
		return Cut
	case "content_filter":
		return Filtered
	case "refusal":
		return Refused
	case "tool_calls":
		return CalledTool
	case "", "stop":
		return Whole
	}
	return Unclear
}
