package cell

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// leftovers describes remains of whatever surrounded the code, such as a fence or a prompt.
var leftovers = []struct {
	pattern func() *regexp.Regexp
	advice  string
}{
	{startup.Regexp("^\\s*(```|~~~)"), "the line is a markdown fence, not Go; a cell holds the code alone"},
	{
		startup.Regexp(`^\s*(>>>|In \[\d*\]:|Out\[\d*\]:|gore>)`),
		"the line begins with a prompt, not Go; leave out the prompt and what was printed",
	},
	{startup.Regexp(`^\s*\d+\s*[|:│]`), "the line begins with a line number; leave out the numbers"},
	{
		startup.Regexp(`^[+-]\s*\S.*[;{}()]\s*$`),
		"the line begins with + or -, as in a diff; send the code as it should be",
	},
	{startup.Regexp(`^\s*(#|<!--|\*\*|- |\* |\d+\. )`), "the line is prose or markdown, not Go; put remarks behind //"},
	{
		startup.Regexp(`^\s*(import \w+$|from \w+ import|def \w+\(|print\(|elif |except\b|with \w+.* as |for \w+ in )`),
		"the line is Python; cells are written in Go",
	},
	{startup.Regexp(`[“”‘’]`), `the line has typographic quotes; Go wants " or ` + "`"},
	{startup.Regexp("\u00a0"), "the line has non-breaking spaces; use ordinary ones"},
	{startup.Regexp(`&(lt|gt|amp|quot);`), "the line has HTML entities; write the characters themselves"},
	{startup.Regexp(`^\s*\.\.\.\s*$`), "... stands for something that was left out; write it out"},
	{startup.Regexp(`\?.*:`), "Go has no ?: operator; use if and else"},
	{startup.Regexp(`\bwhile\b`), "Go has no while; use for"},
	{
		startup.Regexp(`\btry\b|\bcatch\b`),
		"Go has no try and catch; functions return errors, and panics are caught by recover in a deferred function",
	},
}

// leftover explains why a line, or the line before it, does not parse, using Go's message; empty if the line is
// just invalid Go.
func leftover(source string, line int, message string) string {
	lines := strings.Split(source, "\n")
	if advice := foreign(lines, line, message); advice != "" {
		return advice
	}
	for at := line; at > line-2; at-- {
		if at < 1 || at > len(lines) {
			continue
		}
		for _, l := range leftovers {
			if l.pattern().MatchString(lines[at-1]) {
				return l.advice
			}
		}
	}
	return ""
}

var numbered = startup.Regexp(`^\s*(\d+)\s*[|│:]\s`)

// numberedLines recognises a listing with line numbers that start at 1. Such a listing may even parse as Go (1 |
// x).
func numberedLines(source string) *Error {
	next := 1
	for line := range strings.Lines(source) {
		m := numbered().FindStringSubmatch(line)
		if m == nil || m[1] != strconv.Itoa(next) {
			return nil
		}
		next++
	}
	if next < 3 {
		return nil
	}
	return &Error{
		Line: 1, Column: 1, Message: "syntax error: the lines are numbered",
		Hint: "a cell holds the code alone; leave out the numbers",
	}
}
