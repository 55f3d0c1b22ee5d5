package reply

import "github.com/gorlm/rlm/internal/lazy"

// toolCall is how models call tools that an endpoint offers: here there are none, and the call does nothing.
var toolCall = lazy.Regexp(`^\s*(?:<(?:tool_calls?|function_calls?|tool_use|invoke|function)\b[^>\n]*>|<\|(?:tool_calls?|python_tag)\b[^>\n]*\|>|\[TOOL_CALLS\]|<function=)`)

// toolCallLang is the language of a skipped call of a tool.
const toolCallLang = "tool_call"

// toolCalls tells of the first call of a tool that stands in the text: it did nothing.
func (e *extractor) toolCalls(lf leaf) {
	if lf.hidden || lf.quoted || e.calledTool {
		return
	}
	for _, seg := range lf.lines {
		if toolCall().Match(seg.Value(e.src)) {
			e.calledTool = true
			e.skip(codeBlock{start: seg.Start}, toolCallLang, true,
				"a call of a tool in this form does nothing: write Go in a ```%s cell, where the tools are functions", CellTag)
			return
		}
	}
}
