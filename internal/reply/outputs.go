package reply

import (
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// The expressions of this file are asked line by line. Most lines cannot match, and how they begin or end says so in a fraction of the time.

var (
	// marked is a line of an observation, or the head of the message that brings one.
	marked = startup.Regexp(`^(?:[\s>*_#]*(?i:(?:user|observation|output|notebook|system|tool)[\s*_]*:[\s*_]*)?`,
		`(?:\[cell \d+\][*_]* [A-Z]\w+|(?i:\[cell \d+\][*_]*:?[*_]* (?:ok|not run|panic|\w+error)\b)`,
		`|(?i:\[left\])[*_]* [a-z][a-z-]* \S*\d|\[block\][*_]* line \d)`,
		`|[\s>*_#]*-{2,}\s*(?i:user|observation)\s*-{2,}\s*$|\s*<\|(?:im_start\|>\s*)?(?:user|tool|observation)\b)`)
	// labelled is a line that presents output, with what it says on the same line.
	labelled = startup.Regexp(`^[\s>*_#]*(?i:(?:the |cell |notebook |program |console |printed |execution |actual |tool |repl |code )*`,
		`(?:output|observation|stdout|results?)(?: of (?:the )?cell(?: \d+)?)?(?: (?:is|was|reads))?)[\s*_]*(?::[\s*_]*(.*?)[\s*_]*)?$`)
	// told is a line that says in a sentence what a cell prints, with a value that no plan would name.
	told = startup.Regexp(`^[\s>*_]*(?i:(?:it|this|that|(?:the|this) (?:cell|code|program|call)) (?:then |just |now )?`,
		`(?:prints|printed|outputs|returns|returned|displays|displayed|gives|gave|shows|showed)|(?:the )?(?:cell |repl |actual )?output (?:is|was))[\s*_]*:?[\s*_]*(?:[*_`, "`]*-?\\d[\\d.,_]*%?[*_`]*", `|"[^"]*"|\[[^\]]*\])[\s.!*_]*$`)
	// prompted is a line behind the prompt of an interpreter.
	prompted = startup.Regexp(`^\s*>>> ?[^\s>]`)
	// shown is output as other notebooks and other formats of conversations mark it.
	shown = startup.Regexp(`^\s*(?:Out\s?\[\d+\]:|<(?:output|observation|stdout|tool_response|function_results?|execution_results?|results?)>)`)
)

// isMarked reports whether a line is one of an observation.
func isMarked(line string) bool {
	rest := strings.TrimLeft(line, space+">*_#")
	first, head := rest[:min(len(rest), 1)], strings.ToLower(rest[:min(len(rest), 2)])
	may := head == "--" || head == "<|" || first == "[" && holdsAny(head, "cbl") ||
		holdsAny(first, "uonstUONST") && strings.Contains(rest, "[") // the role of a message stands before the mark
	return may && marked().MatchString(line)
}

// isShown reports whether a line is output with a mark of others.
func isShown(line string) bool {
	rest := trimLeft(line)
	return (strings.HasPrefix(rest, "Out") || strings.HasPrefix(rest, "<")) && shown().MatchString(line)
}

// isPrompted reports whether a line stands behind the prompt of an interpreter.
func isPrompted(line string) bool {
	return strings.HasPrefix(trimLeft(line), ">>>") && prompted().MatchString(line)
}

// isTold reports whether a line says what a cell prints.
func isTold(line string) bool {
	value := strings.TrimRight(line, space+".!*_")
	if value == "" || !isOneOf(value[len(value)-1], "0123456789,%`\"]") {
		return false
	}
	head := strings.TrimLeft(value, space+">*_")
	return head != "" && isOneOf(head[0]|0x20, "itocra") && told().MatchString(line)
}

// labelledValue is what a line says that presents output, on the same line.
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

// space is white space as \s of an expression is.
const space = " \t\r\n\f"

// trimLeft is strings.TrimLeft for space, without a set of characters that is made for each line.
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
