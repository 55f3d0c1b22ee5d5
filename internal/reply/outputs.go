package reply

import (
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// The regular expressions of this file run on every line. Most lines cannot match, and a check of their beginning
// or end rules them out much faster.

var (
	// marked matches a line of an observation, or the head of the message that contains one.
	marked = startup.Regexp(`^(?:[\s>*_#]*(?i:(?:user|observation|output|notebook|system|tool)[\s*_]*:[\s*_]*)?`,
		`(?:\[cell \d+\][*_]* [A-Z]\w+|(?i:\[cell \d+\][*_]*:?[*_]* (?:ok|not run|panic|\w+error)\b)`,
		`|(?i:\[left\])[*_]* [a-z][a-z-]* \S*\d|\[block\][*_]* line \d)`,
		`|[\s>*_#]*-{2,}\s*(?i:user|observation)\s*-{2,}\s*$|\s*<\|(?:im_start\|>\s*)?(?:user|tool|observation)\b)`)
	// labelled matches a line that introduces output, with any value on the same line.
	labelled = startup.Regexp(
		`^[\s>*_#]*(?i:(?:the |cell |notebook |program |console |printed |execution |actual |tool |repl |code )*`,
		`(?:output|observation|stdout|results?)(?: of (?:the )?cell(?: \d+)?)?(?: (?:is|was|reads))?)[\s*_]*(?::[\s*_]*(.*?)[\s*_]*)?$`)
	// told matches a sentence that states what a cell prints, with a value that no plan would contain.
	told = startup.Regexp(`^[\s>*_]*(?i:(?:it|this|that|(?:the|this) (?:cell|code|program|call)) (?:then |just |now )?`,
		`(?:prints|printed|outputs|returns|returned|displays|displayed|gives|gave|shows|showed)|(?:the )?(?:cell |repl |actual )?output (?:is|was))[\s*_]*:?[\s*_]*(?:[*_`, "`]*-?\\d[\\d.,_]*%?[*_`]*", `|"[^"]*"|\[[^\]]*\])[\s.!*_]*$`)
	// prompted matches a line after an interpreter's prompt.
	prompted = startup.Regexp(`^\s*>>> ?[^\s>]`)
	// shown matches output in the form that other notebooks and conversation formats give it.
	shown = startup.Regexp(`^\s*(?:Out\s?\[\d+\]:|<(?:output|observation|stdout|tool_response|function_results?|execution_results?|results?)>)`)
)

// isMarked reports whether a line is from an observation.
func isMarked(line string) bool {
	rest := strings.TrimLeft(line, space+">*_#")
	first, head := rest[:min(len(rest), 1)], strings.ToLower(rest[:min(len(rest), 2)])
	may := head == "--" || head == "<|" || first == "[" && holdsAny(head, "cbl") ||
		holdsAny(first, "uonstUONST") && strings.Contains(rest, "[") // a role before the mark
	return may && marked().MatchString(line)
}

// isShown reports whether a line is output in the format of another system.
func isShown(line string) bool {
	rest := trimLeft(line)
	return (strings.HasPrefix(rest, "Out") || strings.HasPrefix(rest, "<")) && shown().MatchString(line)
}

// isPrompted reports whether a line begins with an interpreter's prompt.
func isPrompted(line string) bool {
	return strings.HasPrefix(trimLeft(line), ">>>") && prompted().MatchString(line)
}

// isTold reports whether a line states what a cell prints.
func isTold(line string) bool {
	value := strings.TrimRight(line, space+".!*_")
	if value == "" || !isOneOf(value[len(value)-1], "0123456789,%`\"]") {
		return false
	}
	head := strings.TrimLeft(value, space+">*_")
	return head != "" && isOneOf(head[0]|0x20, "itocra") && told().MatchString(line)
}

// labelledValue returns the value on a line that introduces output.
func labelledValue(line string) (value string, is bool) {
	head := strings.TrimLeft(line, space+">*_#")
	if head == "" || !isOneOf(head[0]|0x20, "tcnpearos") {
		return "", false
	}
	m := labelled().FindStringSubmatch(line)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// space is white space like \s in a regular expression.
const space = " \t\r\n\f"

// trimLeft is strings.TrimLeft for space, without building a set of characters for each line.
func trimLeft(s string) string {
	for s != "" && isOneOf(s[0], space) {
		s = s[1:]
	}
	return s
}

// trim is strings.Trim for space.
func trim(s string) string {
	s = trimLeft(s)
	for s != "" && isOneOf(s[len(s)-1], space) {
		s = s[:len(s)-1]
	}
	return s
}
