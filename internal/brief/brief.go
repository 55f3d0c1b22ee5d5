// Package brief makes texts of any length fit where there is little room: a line, a list, the middle of a message.
package brief

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mark stands where text was cut.
const Mark = "…"

// Line puts a text on one line of at most limit bytes and the mark: runs of white space become one blank, what cannot be printed
// becomes a dot in the middle.
func Line(s string, limit int) string {
	head := s
	if len(head) > 4*limit+64 { // so that a huge text is not read whole; blanks may fold
		head = Cut(head, 4*limit+64)
	}
	line := strings.Map(printable, strings.Join(strings.Fields(head), " "))
	if len(line) <= limit && len(head) == len(s) {
		return line
	}
	return strings.TrimRight(Cut(line, limit), " ") + Mark
}

// First is the first line of a text, with the mark if there are more.
func First(s string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	first = strings.TrimRight(first, "\r")
	if strings.TrimSpace(rest) != "" {
		first += " " + Mark
	}
	return first
}

// Cut is the beginning of s in at most limit bytes, without half a character at its end.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:max(limit, 0)]
}

func printable(r rune) rune {
	if r == utf8.RuneError || !unicode.IsPrint(r) {
		return '·'
	}
	return r
}
