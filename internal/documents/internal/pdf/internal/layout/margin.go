package layout

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// minNumbers is how many numbers make a margin of line numbers.
const minNumbers = 4

// withoutMargins removes line numbers in the margins from rows of running text, where they would end up between
// words.
func withoutMargins(rows []row) (text []row, numbers []segment) {
	for _, left := range []bool{true, false} {
		var found []int // indexes of rows with a number
		for i, r := range rows {
			if lineNumber(r.edge(left)) > 0 {
				found = append(found, i)
			}
		}
		found = aligned(rows, found, left)
		if len(found) < minNumbers || !counts(rows, found, left) {
			continue
		}
		rest, last := make([]row, 0, len(rows)), found[len(found)-1]
		var taken []segment
		var inside []row // rows next to the numbers
		for i, r := range rows {
			if len(found) > 0 && found[0] == i {
				found = found[1:]
				taken = append(taken, r.edge(left))
				if left {
					r.segments = r.segments[1:]
				} else {
					r.segments = r.segments[:len(r.segments)-1]
				}
			}
			if len(r.segments) == 0 {
				continue
			}
			rest = append(rest, r)
			if len(taken) > 0 && i <= last {
				inside = append(inside, r)
			}
		}
		if outside(taken, inside, left) && flows(inside) {
			rows, numbers = rest, append(numbers, taken...)
		}
	}
	return rows, numbers
}

func (r row) edge(left bool) segment {
	if left {
		return r.segments[0]
	}
	return r.segments[len(r.segments)-1]
}

// aligned returns the rows whose numbers are aligned vertically, unlike the numbers of pages and notes.
func aligned(rows []row, found []int, left bool) []int {
	if len(found) < minNumbers {
		return nil
	}
	places := make([]float64, 0, len(found))
	for _, i := range found {
		places = append(places, middle(rows[i].edge(left)))
	}
	slices.Sort(places)
	usual := places[len(places)/2]
	return slices.DeleteFunc(found, func(i int) bool {
		s := rows[i].edge(left)
		return math.Abs(middle(s)-usual) > 1.5*s.size
	})
}

// lineNumber returns the line number that a segment is ("15", "15R", "32S": longer and shorter pages); 0 if it is
// none.
func lineNumber(s segment) int {
	if len(s.words) != 1 || len(s.words[0].glyphs) > 5 {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimRight(wordText(s.words[0]), "RLS"))
	if err != nil {
		return 0
	}
	return n
}

// counts reports whether the numbers increase down the page and nearly all have text next to them.
func counts(rows []row, found []int, left bool) bool {
	first, last := found[0], found[len(found)-1]
	n := lineNumber(rows[last].edge(left)) - lineNumber(rows[first].edge(left))
	if n <= 0 || n < len(found) && len(found) < 2*minNumbers { // short sequences may be list items
		return false
	}
	alone := 0
	each := (rows[first].y - rows[last].y) / float64(n)
	for _, i := range found {
		if len(rows[i].segments) == 1 {
			alone++
		}
		n := lineNumber(rows[i].edge(left)) - lineNumber(rows[first].edge(left))
		if math.Abs(rows[first].y-rows[i].y-each*float64(n)) > each+0.1 {
			return false
		}
	}
	return each > 0.5*rows[first].size && alone*5 <= len(found)
}

// outside reports whether the numbers are outside all of the text.
func outside(numbers []segment, text []row, left bool) bool {
	inner := math.Inf(-1) // the edge of the numbers towards the text
	for _, s := range numbers {
		if left {
			inner = max(inner, s.x1)
		} else {
			inner = max(inner, -s.x0)
		}
	}
	for _, r := range text {
		edge := r.edge(left)
		if left && edge.x0 < inner || !left && -edge.x1 < inner {
			return false
		}
	}
	return len(text) > 0
}

// flows reports whether rows are running text with sentences that continue from line to line.
func flows(rows []row) bool {
	lower := 0
	for _, r := range rows {
		if isLower(strings.TrimLeft(wordText(r.segments[0].words[0]), `"'([“‘«`)) {
			lower++
		}
	}
	return lower*5 >= len(rows) && runs(rows)
}
