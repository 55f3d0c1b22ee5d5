package search

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/gorlm/rlm/internal/kit/text"
)

const (
	// longestCited is how much of a line is cited, in bytes, unless the match is longer.
	longestCited = 400
	// shortestView is how much of a passage every view of evidence shows: half of that at least is for the match.
	shortestView = 160
)

// Excerpt is a line, of which about limit bytes are shown if it is longer: those around a place, with a mark where
// others are left out.
func Excerpt(line string, at, limit int) string {
	if len(line) <= limit {
		return line
	}
	from := wholeFrom(line, max(0, min(at-limit/4, len(line)-limit)))
	to := wholeFrom(line, min(from+limit, len(line)))
	out := line[from:to]
	if from > 0 {
		out = text.Ellipsis + out
	}
	if to < len(line) {
		out += text.Ellipsis
	}
	return out
}

// wholeFrom is the first border of characters from an offset on. A letter and its marks are one character.
func wholeFrom(s string, at int) int {
	for at < len(s) && (!utf8.RuneStart(s[at]) || !norm.NFC.PropertiesString(s[at:]).BoundaryBefore()) {
		at++
	}
	return at
}

// Column is where the match begins in the line, in bytes.
func Column(h Hit) int {
	if at, ok := text.Within(h.Text, h.Match[:min(1, len(h.Match))]); ok {
		return at
	}
	return max(0, strings.Index(h.Text, h.Match)) // it is empty, or a copy
}

// Cited is the line of the hit as evidence. Of a long line it is the part around the match that every view shows.
func Cited(h Hit) string {
	at := Column(h)
	end := min(at+len(h.Match), len(h.Text))
	from := max(0, min(end, at+shortestView/2)-shortestView)
	if from == 0 && len(h.Text) <= longestCited {
		return h.Text
	}
	if from > 0 {
		from = wholeFrom(h.Text, from)
		if blank := strings.LastIndexByte(h.Text[from:min(from+20, at)], ' '); blank >= 0 {
			from += blank + 1
		}
	}
	return h.Text[from:wholeFrom(h.Text, min(max(from+longestCited, end), len(h.Text)))]
}
