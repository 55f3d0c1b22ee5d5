package search

import (
	"cmp"
	"slices"
	"strings"
)

// Lines returns lines from to to of text, both inclusive and counted from 1, as one substring without the last
// line end. A range beyond the ends of the text is clipped.
func Lines(text string, from, to int) string {
	from = max(from, 1)
	if to < from {
		return ""
	}
	start := skipLines(text, 0, from-1)
	if start < 0 {
		return ""
	}
	end := skipLines(text, start, to-from+1)
	if end < 0 {
		end = len(text)
	}
	return strings.TrimSuffix(strings.TrimSuffix(text[start:end], "\n"), "\r")
}

// Head returns the first n lines.
func Head(text string, n int) string { return Lines(text, 1, n) }

// Tail returns the last n lines.
func Tail(text string, n int) string {
	if n <= 0 {
		return ""
	}
	body := strings.TrimSuffix(text, "\n")
	start := len(body)
	for range n {
		start = strings.LastIndexByte(body[:start], '\n')
		if start < 0 {
			return strings.TrimSuffix(body, "\r")
		}
	}
	return strings.TrimSuffix(body[start+1:], "\r")
}

// skipLines returns the offset after n line ends from offset on; -1 if there are fewer.
func skipLines(text string, offset, n int) int {
	const block = 64 << 10
	for n > 0 {
		// Counting whole blocks is several times faster than finding line ends one by one.
		if end := min(offset+block, len(text)); n > block/64 {
			if in := strings.Count(text[offset:end], "\n"); in < n {
				if end == len(text) {
					return -1
				}
				offset, n = end, n-in
				continue
			}
		}
		next := strings.IndexByte(text[offset:], '\n')
		if next < 0 {
			return -1
		}
		offset += next + 1
		n--
	}
	return offset
}

// numberLines sets the line numbers of n places in one pass over the text; place returns the offset of a place,
// and a pointer to its line number.
func numberLines(text string, n int, place func(i int) (offset int, line *int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, _ := place(i)
		b, _ := place(j)
		return cmp.Compare(a, b)
	})
	number, counted := 1, 0
	for _, i := range order {
		offset, line := place(i)
		number += strings.Count(text[counted:offset], "\n")
		counted = offset
		*line = number
	}
}
