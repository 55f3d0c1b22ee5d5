package text

import (
	"fmt"
	"regexp"
	"strings"
)

// Hit is a place in a text.
type Hit struct {
	// Offset is where the match begins, in bytes from the start of the text.
	Offset int
	// Line is the number of the line, from 1.
	Line int
	// Text is the whole line.
	Text string
	// Match is the part that matched.
	Match string
	// Around is the line with the lines around it, as many as were asked for.
	Around string
}

// String shows the hit as grep -n does, with the lines around it if there are any.
func (h Hit) String() string {
	if h.Around != h.Text {
		return fmt.Sprintf("%d: %s\n%s\n", h.Line, h.Text, h.Around)
	}
	return fmt.Sprintf("%d: %s", h.Line, h.Text)
}

// Grep finds the lines that match a regular expression (RE2 syntax, one hit a line) with around lines on each side. The
// expression is matched against the text, not line by line, so (?m)^ and $ are line borders by default and a match may reach over
// several lines; the hit is the line where it begins.
func Grep(text, pattern string, around int) ([]Hit, error) {
	re, err := regexp.Compile("(?m:" + pattern + ")")
	if err != nil {
		if _, err := regexp.Compile(pattern); err != nil {
			return nil, err
		}
		return nil, err
	}
	var hits []Hit
	line, counted := 1, 0
	for offset := 0; offset <= len(text); {
		at := re.FindStringIndex(text[offset:])
		if at == nil {
			break
		}
		from, to := offset+at[0], offset+at[1]
		line += strings.Count(text[counted:from], "\n")
		counted = from
		hit := hitAt(text, from, to, around)
		hit.Line = line
		hits = append(hits, hit)
		end := strings.IndexByte(text[to:], '\n')
		if end < 0 {
			break
		}
		offset = to + end + 1
	}
	return hits, nil
}

// hitAt is the hit for the match text[from:to], without its line number.
func hitAt(text string, from, to, around int) Hit {
	start := strings.LastIndexByte(text[:from], '\n') + 1
	end := lineEnd(text, from)
	h := Hit{Offset: from, Text: trimCR(text[start:end]), Match: text[from:to]}
	first, last := start, end
	for range around {
		if first > 0 {
			first = strings.LastIndexByte(text[:first-1], '\n') + 1
		}
		if last < len(text) {
			last = lineEnd(text, last+1)
		}
	}
	h.Around = trimCR(text[first:last])
	return h
}

// lineEnd is the offset of the line end at or after offset.
func lineEnd(text string, offset int) int {
	if end := strings.IndexByte(text[min(offset, len(text)):], '\n'); end >= 0 {
		return offset + end
	}
	return len(text)
}

func trimCR(s string) string { return strings.TrimSuffix(s, "\r") }
