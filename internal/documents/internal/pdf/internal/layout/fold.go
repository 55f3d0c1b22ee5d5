package layout

import (
	"math"
	"slices"
	"unicode"
	"unicode/utf8"
)

// folds reports whether lines that begin with a small letter may go on with others: cells begin with capital letters.
func (t table) folds() bool {
	cells, small := 0, 0
	for i, r := range t.rows {
		if len(r.segments) <= len(t.edges) || i > 0 && t.beginsAbove(t.rows[i-1], r) {
			continue
		}
		for _, s := range r.segments {
			if !isNumber(s) {
				cells++
			}
			if isSmall(s) {
				small++
			}
		}
	}
	return cells >= 4 && small*5 <= cells
}

// folded returns the end of the row of the table that begins at a line.
func (t table) folded(lines []row, from int) int {
	to, most := from+1, len(lines[from].segments)
	if most == 1 && isSmall(lines[from].segments[0]) {
		return to
	}
	for to < len(lines) && (t.goesOn(most, lines[to-1], lines[to]) ||
		len(lines[to].segments) > most && t.beginsAbove(lines[to-1], lines[to])) {
		most = max(most, len(lines[to].segments))
		to++
	}
	return to
}

// goesOn reports whether a line only goes on with cells of the line above, in a row whose fullest line has most
// cells.
func (t table) goesOn(most int, above, line row) bool {
	n := len(line.segments)
	return (n < most || n == 1 && most == 1) && !slices.ContainsFunc(line.segments, func(s segment) bool {
		o, ok := t.beside(above, s)
		return !ok || !isSmall(s) || !t.full(o, s)
	})
}

// beginsAbove reports whether the line above only begins cells that a line goes on with, as where the other cells of
// a row stand in its middle.
func (t table) beginsAbove(above, line row) bool {
	return len(above.segments) < len(line.segments) && !slices.ContainsFunc(above.segments, func(o segment) bool {
		s, ok := t.beside(line, o)
		return !ok || isNumber(o) || !isSmall(s) || !t.full(o, s)
	})
}

// beside returns the only segment of a row in the column of another row's segment.
func (t table) beside(r row, other segment) (found segment, ok bool) {
	n := 0
	for _, s := range r.segments {
		if t.column(s) == t.column(other) {
			found = s
			n++
		}
	}
	return found, n == 1
}

// full reports whether a segment had no room for the first word of the one below it.
func (t table) full(above, s segment) bool {
	return math.Abs(above.x0-s.x0) <= 0.3*s.size &&
		above.x1+0.2*s.size+s.words[0].x1-s.words[0].x0 > t.ends[t.column(s)]
}

// isSmall reports whether a segment begins with a small letter.
func isSmall(s segment) bool {
	c, _ := utf8.DecodeRuneInString(wordText(s.words[0]))
	return unicode.IsLower(c)
}
