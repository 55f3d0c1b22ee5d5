package search

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/gorlm/rlm/internal/kit/text"
)

const (
	// longestCited is how many bytes of a line are cited, unless the match is longer.
	longestCited = 400
	// shortestView is how many bytes of a passage every view of evidence shows, at least half of which are for the
	// match.
	shortestView = 160
)

// Excerpt shortens a line to about limit bytes around the offset at, with a mark where text is left out.
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

// wholeFrom returns the first border between characters at or after an offset. A letter and its marks are one
// character.
func wholeFrom(s string, at int) int {
	for at < len(s) && (!utf8.RuneStart(s[at]) || !norm.NFC.PropertiesString(s[at:]).BoundaryBefore()) {
		at++
	}
	return at
}

// Column returns the offset of the match in the line, in bytes.
func Column(h Hit) int {
	if at, ok := text.Within(h.Text, h.Match[:min(1, len(h.Match))]); ok {
		return at
	}
	return max(0, strings.Index(h.Text, h.Match)) // the match is empty, or a copy
}

// Cited returns the line of the hit as evidence: of a long line, the part around the match that every view shows.
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
