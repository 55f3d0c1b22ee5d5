// Package text makes texts fit where there is little room (a line, a list, the middle of a message), finds the
// name that was probably meant, writes a text as JSON in one pass, and estimates how many tokens a model makes of
// it.
package text

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// Ellipsis marks a cut in a text.
const Ellipsis = "…"

// Line puts a text on one line of at most limit bytes plus the mark: it replaces a run of white space by one blank
// and an unprintable character by a middle dot.
func Line(s string, limit int) string {
	head := s
	if len(head) > 4*limit+64 { // so that a huge text is not scanned; white space may shrink
		head = Cut(head, 4*limit+64)
	}
	line := strings.Map(printable, strings.Join(strings.Fields(head), " "))
	if len(line) <= limit && len(head) == len(s) {
		return line
	}
	return strings.TrimRight(Cut(line, limit), " ") + Ellipsis
}

// First returns the first line of a text, with the mark if there are more.
func First(s string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	first = strings.TrimRight(first, "\r")
	if strings.TrimSpace(rest) != "" {
		first += " " + Ellipsis
	}
	return first
}

// FirstLine returns the first non-blank line of a text, trimmed.
func FirstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(s)
}

// Short truncates s to at most limit bytes, followed by the mark if anything was cut.
func Short(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + Ellipsis
}

// Cut truncates s to at most limit bytes, without half a character at the end.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:max(limit, 0)]
}

// Ends returns the beginning and the end of s, each at most half of limit bytes, without halves of characters.
func Ends(s string, limit int) (head, tail string) {
	head, from := Cut(s, limit/2), max(0, len(s)-limit/2)
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return head, s[from:]
}

// Middle cuts a line to a number of columns of a screen. It removes the middle, because paths and numbered names
// differ at their ends.
func Middle(line string, columns int) string {
	if displaywidth.String(line) <= columns {
		return line
	}
	tail := (columns - 1) / 2
	head := displaywidth.TruncateString(line, columns-1-tail, "")
	end := len(line)
	for at := range line {
		if displaywidth.String(line[at:]) <= tail {
			end = at
			break
		}
	}
	return head + Ellipsis + line[end:]
}

func printable(r rune) rune {
	if r == utf8.RuneError || !unicode.IsPrint(r) {
		return '·'
	}
	return r
}

// shortFolder is the length, in bytes, up to which a common folder is repeated rather than left out.
const shortFolder = 12

// CommonFolder returns the folder that all names begin with, including its slash; empty if there is none, if it is
// short, or for fewer than two names.
func CommonFolder(names iter.Seq[string]) string {
	common, n := "", 0
	for name := range names {
		if n++; n == 1 {
			common = name
			continue
		}
		same := 0
		for same < min(len(common), len(name)) && common[same] == name[same] {
			same++
		}
		common = common[:same]
	}
	if common = common[:strings.LastIndexByte(common, '/')+1]; n < 2 || len(common) <= shortFolder {
		return ""
	}
	return common
}
