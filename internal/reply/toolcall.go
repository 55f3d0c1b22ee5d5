package reply

import (
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// toolCall is how models call tools that an endpoint offers: here there are none, and the call does nothing.
var toolCall = startup.Regexp(`^\s*(?:<(?:tool_calls?|function_calls?|tool_use|invoke|function)\b[^>\n]*>|<\|(?:tool_calls?|python_tag)\b[^>\n]*\|>|\[TOOL_CALLS\]|<function=)`)

// toolCallLang is the language of a skipped call of a tool.
const toolCallLang = "tool_call"

// toolCalls tells of the first call of a tool that stands in the text: it did nothing.
func (e *extractor) toolCalls(lf textBlock) {
	if lf.hidden || lf.quoted || e.calledTool {
		return
	}
	for _, seg := range lf.lines {
		if isToolCall(e.str[seg.Start:seg.Stop]) {
			e.calledTool = true
			e.skip(seg.Start, toolCallLang, true,
				"a call of a tool in this form does nothing: write Go in a ```"+CellTag+" cell, where the tools are functions")
			return
		}
	}
}

// isToolCall reports whether a line begins with a call of a tool.
func isToolCall(line string) bool {
	rest := trimLeft(line)
	if !strings.HasPrefix(rest, "<") && !strings.HasPrefix(rest, "[") {
		return false
	}
	return holdsAny(rest[1:min(len(rest), 2)], "tfi|T") && toolCall().MatchString(line)
}
