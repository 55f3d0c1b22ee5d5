package layout

import (
	"cmp"
	"math"
	"slices"
)

// segmentGap is the largest gap between words of one segment, in units of the font's size. Columns in print are
// never closer than this. Widely justified text is split too but joined again later, because its gaps do not
// continue through several rows.
const segmentGap = 0.75

// segment is a sequence of words in a row without a wide gap.
type segment struct {
	words  []word
	x0, x1 float64
	size   float64
}

// row is the text on one base line, from left to right.
type row struct {
	segments []segment
	y        float64
	size     float64 // size of its largest letters
	entry    bool    // text with a leader and a number
}

// page is the rows of one text direction.
type page struct {
	rows  []row
	rules Rules
	rtl   bool // its reading direction is right to left
}

func newPage(words []word, rules Rules) *page {
	p := &page{rules: rules}
	right, left := 0, 0
	for _, w := range words {
		for _, g := range w.glyphs {
			if g.rtl {
				left++
			} else if isLetter(g.text) {
				right++
			}
		}
	}
	p.rtl = left > right
	slices.SortStableFunc(words, func(a, b word) int { return cmp.Compare(b.y, a.y) })
	for start := 0; start < len(words); {
		end := start + 1
		for end < len(words) && words[start].y-words[end].y <= 0.25*min(words[start].size, words[end].size) {
			end++
		}
		p.rows = append(p.rows, newRow(words[start:end], rules.Upright))
		start = end
	}
	return p
}

func newRow(words []word, rules []Rule) row {
	r := row{y: words[0].y}
	slices.SortStableFunc(words, func(a, b word) int { return cmp.Compare(a.x0, b.x0) })
	words, leads := shortened(words)
	start, end := 0, words[0].x1
	var at float64 // position of the rule before the segment
	parted := false
	for i := 1; i <= len(words); i++ {
		x, isRuled := 0.0, false
		if i < len(words) {
			size := max(words[i].size, words[i-1].size)
			x, isRuled = ruled(rules, end, words[i].x0, r.y, size)
			if !isRuled && (words[i].x0-end < segmentGap*size && !words[i-1].leader || words[i].leader) {
				end = max(end, words[i].x1)
				continue
			}
		}
		r.segments = append(r.segments, newSegment(words[start:i]))
		if n := len(r.segments); parted {
			part(&r.segments[n-2], &r.segments[n-1], at)
		}
		if at, parted = x, isRuled; i < len(words) {
			start, end = i, words[i].x1
		}
	}
	if leads {
		r.join()
	}
	for _, s := range r.segments {
		r.size = max(r.size, s.size)
	}
	return r
}

func newSegment(words []word) segment {
	s := segment{words: words, x0: words[0].x0}
	for _, w := range words {
		s.x1 = max(s.x1, w.x1)
		s.size = max(s.size, w.size)
	}
	return s
}

// side returns the part of each row between two positions, without empty rows.
func side(rows []row, from, to float64) []row {
	out := make([]row, 0, len(rows))
	for _, r := range rows {
		i := 0
		for i < len(r.segments) && middle(r.segments[i]) < from {
			i++
		}
		j := i
		for j < len(r.segments) && middle(r.segments[j]) < to {
			j++
		}
		if i == j {
			continue
		}
		part := row{segments: r.segments[i:j], y: r.segments[i].words[0].y, entry: r.entry}
		for _, s := range part.segments {
			part.size = max(part.size, s.size)
		}
		out = append(out, part)
	}
	return out
}

func middle(s segment) float64 { return (s.x0 + s.x1) / 2 }

// pitch returns the usual distance between rows.
func pitch(rows []row) float64 {
	if len(rows) < 2 {
		return math.Inf(1)
	}
	gaps := make([]float64, 0, len(rows)-1)
	for i := 1; i < len(rows); i++ {
		gaps = append(gaps, rows[i-1].y-rows[i].y)
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// parted reports whether there is an empty line between two rows, given the usual distance.
func parted(a, b row, usual float64) bool {
	down := a.y - b.y
	return down > 1.45*max(a.size, b.size) && down > 1.25*usual
}
