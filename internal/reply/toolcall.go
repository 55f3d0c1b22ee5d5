package reply

import (
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// toolCall matches tool calls in the native syntax of an endpoint: no tools are offered here, so such a call has no
// effect.
var toolCall = startup.Regexp(
	`^\s*(?:<(?:tool_calls?|function_calls?|tool_use|invoke|function)\b[^>\n]*>|<\|(?:tool_calls?|python_tag)\b[^>\n]*\|>|\[TOOL_CALLS\]|<function=)`)

// toolCallLang is the language of a skipped tool call.
const toolCallLang = "tool_call"

// toolCalls reports the first tool call in the text as skipped.
func (e *extractor) toolCalls(lf textBlock) {
	if lf.hidden || lf.quoted || e.calledTool {
		return
	}
	for _, seg := range lf.lines {
		if isToolCall(e.str[seg.Start:seg.Stop]) {
			e.calledTool = true
			e.skip(seg.Start, toolCallLang, true, toolCallReason)
			return
		}
	}
}

// isToolCall reports whether a line begins with a tool call.
func isToolCall(line string) bool {
	rest := trimLeft(line)
	if !strings.HasPrefix(rest, "<") && !strings.HasPrefix(rest, "[") {
		return false
	}
	return holdsAny(rest[1:min(len(rest), 2)], "tfi|T") && toolCall().MatchString(line)
}
