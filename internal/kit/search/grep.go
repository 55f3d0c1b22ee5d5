package search

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Hit is a match in a text.
type Hit struct {
	// Offset is the position of the match, in bytes from the start of the text.
	Offset int
	// Line is the number of the line, from 1.
	Line int
	// Text is the whole line.
	Text string
	// Match is the part that matched.
	Match string
	// Around is the line with the requested number of lines around it.
	Around string
	// Where names the document and its part, "contract.pdf, page 12"; empty if there is only one text without
	// parts.
	Where string
}

// longestShown bounds the printed part of a line, in bytes; the rest is in Text.
const longestShown = 2000

// String shows the hit like grep -n, with the lines around it if there are any. Of a very long line it shows the
// part around the match.
func (h Hit) String() string {
	line := fmt.Sprintf("%d: %s", h.Line, Excerpt(h.Text, Column(h), longestShown))
	if h.Around != h.Text {
		around := Hit{Text: h.Around, Match: h.Match}
		line += fmt.Sprintf("\n%s\n", Excerpt(h.Around, Column(around), 2*longestShown))
	}
	return placed(h.Where, line)
}

// placed prefixes a text with the name of its place, if it has one.
func placed(where, text string) string {
	if where == "" {
		return text
	}
	return where + ": " + text
}

// Grep finds the lines of text that match a regular expression (RE2 syntax), one hit per line, with around lines on
// each side. The expression is matched within lines unless it contains a line end (\n); then a match may span
// several lines, and the hit is the line where it begins. f must be the form of the text: literal parts of the
// expression also match the text's spelling. otherwise reports whether the expression, taken literally, misses some
// of the hits.
func (f Form) Grep(text, expr string, around int) (hits []Hit, otherwise bool, err error) {
	exact, err := compile(expr, spelling{})
	if err != nil {
		return nil, false, err
	}
	p, s := exact, spelling{form: f, composed: true}
	if !s.changesNothing(expr) {
		if loose, err := compile(expr, s); err == nil { // the loosened expression may become too large
			p = loose
		}
	}
	hits, err = p.grep(text, around)
	otherwise = p.re != exact.re && slices.ContainsFunc(hits, func(h Hit) bool {
		return !exact.re.MatchString(h.Text) && !exact.re.MatchString(h.Match)
	})
	return hits, otherwise, err
}

func (p pattern) grep(text string, around int) ([]Hit, error) {
	if around < 0 {
		return nil, fmt.Errorf("the number of lines around a hit cannot be %d", around)
	}
	parts := []int{0, len(text)}
	if p.lines {
		parts = split(text, runtime.GOMAXPROCS(0))
	}
	found := make([][]Hit, len(parts)-1)
	var searches sync.WaitGroup
	for i := range found {
		searches.Go(func() {
			p.find(text, parts[i], parts[i+1], func(start, end int) {
				found[i] = append(found[i], hitAt(text, start, end, around))
			})
		})
	}
	searches.Wait()
	hits := slices.Concat(found...)
	numberLines(text, len(hits), func(i int) (int, *int) { return hits[i].Offset, &hits[i].Line })
	return hits, nil
}

// split returns the borders of at most n parts of text that end at line ends, each large enough to be worth a
// goroutine.
func split(text string, n int) []int {
	const worthwhile = 1 << 20
	borders := []int{0}
	size := max(len(text)/max(n, 1)+1, worthwhile)
	for at := size; at < len(text); at = borders[len(borders)-1] + size {
		end := lineEnd(text, at) + 1
		if end >= len(text) {
			break
		}
		borders = append(borders, end)
	}
	return append(borders, len(text))
}

// hitAt returns the hit for the match text[from:to], without its line number.
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

// lineEnd returns the offset of the line end at or after offset.
func lineEnd(text string, offset int) int {
	if end := strings.IndexByte(text[min(offset, len(text)):], '\n'); end >= 0 {
		return offset + end
	}
	return len(text)
}

func trimCR(s string) string { return strings.TrimSuffix(s, "\r") }
