package search

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Match is a place in a text that is similar to a pattern.
type Match struct {
	// Offset is the position of the match, in bytes from the start of the text, and Line its line, from 1.
	Offset int
	Line   int
	// Distance is the number of bytes to insert, delete or change, ignoring case.
	Distance int
	// Text is the part that matched.
	Text string
	// Where is as in Hit.
	Where string
}

// String shows the match with its line and distance, for output.
func (m Match) String() string {
	return placed(m.Where, fmt.Sprintf("%d: %s (distance %d)", m.Line, m.Text, m.Distance))
}

// longestPattern bounds the pattern of Similar, whose time grows with every 64 bytes.
const longestPattern = 512

// Similar returns the k places of text that are most similar to pattern, the closest first. A place counts if at
// most a third of the pattern differs (Levenshtein distance, in bytes, computed with the bit-parallel algorithm of
// Myers, 1999, in the block form of Hyyrö, 2003). Places do not overlap.
func Similar(text, pattern string, k int) ([]Match, error) {
	switch {
	case pattern == "":
		return nil, errors.New("the pattern is empty")
	case len(pattern) > longestPattern:
		return nil, fmt.Errorf("the pattern has %d bytes; at most %d can be compared", len(pattern), longestPattern)
	case k <= 0:
		return nil, nil
	}
	ends := nearEnds(text, pattern, len(pattern)/3, k)
	found := make([]Match, len(ends))
	for i, e := range ends {
		start := alignStart(text[:e.at], pattern)
		found[i] = Match{Offset: start, Distance: e.distance, Text: text[start:e.at]}
	}
	numberLines(text, len(found), func(i int) (int, *int) { return found[i].Offset, &found[i].Line })
	return found, nil
}

// matchEnd is the end of a match, its distance, and the first end with that distance.
type matchEnd struct{ at, distance, first int }

// nearEnds finds the k best ends of matches within limit, best first.
func nearEnds(text, pattern string, limit, k int) []matchEnd {
	var found []matchEnd
	order := func(a, b matchEnd) int { return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.at, b.at)) }
	m := newMatcher(pattern)
	for i := range len(text) {
		d := m.step(text[i], 0)
		if d > limit {
			continue
		}
		if n := len(found) - 1; n >= 0 && i+1-found[n].at < len(pattern) { // the same place, or an overlapping one
			switch f := &found[n]; {
			case d < f.distance:
				*f = matchEnd{i + 1, d, i + 1}
			case d == f.distance && i+1-f.first <= d:
				f.at = i + 1 // as near, and the pattern's last letters are matched
			}
			continue
		}
		found = append(found, matchEnd{i + 1, d, i + 1})
		if len(found) >= 4*k+1024 {
			// Keep all that can still be among the best; the last one stays last, because it may still improve.
			tail := found[len(found)-1]
			head := slices.Clone(found[:len(found)-1])
			slices.SortFunc(head, order)
			head = head[:k]
			limit = min(limit, head[k-1].distance)
			slices.SortFunc(head, func(a, b matchEnd) int { return cmp.Compare(a.at, b.at) })
			found = append(head, tail)
		}
	}
	slices.SortFunc(found, order)
	return found[:min(k, len(found))]
}

// alignStart returns the start of the match that ends at the end of text. Of several starts with the same distance
// it takes the one for which the match is as long as the pattern, or closest to that.
func alignStart(text, pattern string) int {
	m := newMatcher(reversed(pattern))
	best, bestDistance := len(text), len(pattern)
	for i := len(text) - 1; i >= max(0, len(text)-2*len(pattern)); i-- {
		// The match has to end at the end of the text, so skipped bytes count here.
		d := m.step(text[i], 1)
		if d < bestDistance || d == bestDistance && len(text)-i <= len(pattern) {
			best, bestDistance = i, d
		}
	}
	return best
}

func reversed(s string) string {
	r := []byte(s)
	slices.Reverse(r)
	return string(r)
}
