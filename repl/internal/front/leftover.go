package front

import (
	"regexp"
	"strings"
)

// leftovers are traces of what surrounded the code where it was taken from.
var leftovers = []struct {
	pattern *regexp.Regexp
	advice  string
}{
	{regexp.MustCompile("^\\s*(```|~~~)"), "that line is a markdown fence, not Go; a cell holds the code alone"},
	{regexp.MustCompile(`^\s*(>>>|In \[\d*\]:|Out\[\d*\]:|gore>)`), "that line begins with a prompt, not Go; leave out the prompt and what was printed"},
	{regexp.MustCompile(`^\s*\d+\s*[|:│]`), "that line begins with a line number; leave out the numbers"},
	{regexp.MustCompile(`^[+-]\s*\S.*[;{}()]\s*$`), "that line begins with + or -, as in a diff; send the code as it should be"},
	{regexp.MustCompile(`^\s*(#|<!--|\*\*|- |\* |\d+\. )`), "that line is prose or markdown, not Go; put remarks behind //"},
	{regexp.MustCompile(`^\s*(import \w+$|from \w+ import|def \w+\(|print\(|elif |except\b|with \w+.* as |for \w+ in )`), "that line is Python; cells are written in Go"},
	{regexp.MustCompile(`[“”‘’]`), `that line has typographic quotes; Go wants " or ` + "`"},
	{regexp.MustCompile("\u00a0"), "that line has non-breaking spaces; use ordinary ones"},
	{regexp.MustCompile(`&(lt|gt|amp|quot);`), "that line has HTML entities; write the characters themselves"},
	{regexp.MustCompile(`^\s*\.\.\.\s*$`), "... stands for something that was left out; write it out"},
	{regexp.MustCompile(`\?.*:`), "Go has no ?: operator; use if and else"},
	{regexp.MustCompile(`\bwhile\b`), "Go has no while; use for"},
	{regexp.MustCompile(`\btry\b|\bcatch\b`), "Go has no try and catch; functions return errors, and panics are caught by recover in a deferred function"},
}

// leftover recognises why a line does not parse; empty if it is just wrong Go.
func leftover(source string, line int) string {
	lines := strings.Split(source, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	for _, l := range leftovers {
		if l.pattern.MatchString(lines[line-1]) {
			return l.advice
		}
	}
	return ""
}
