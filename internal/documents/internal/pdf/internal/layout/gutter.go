package layout

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// maxGutters limits the gutters that are tracked at the same time.
const maxGutters = 64

// gutter is a vertical gap through several rows.
type gutter struct {
	x0, x1      float64
	first, last int       // rows with text on both sides, or alternating sides
	end         int       // the last row that it passes through
	both        int       // number of rows with text on both sides
	right       float64   // where text starts on its right side, in these rows
	half        bool      // text in the middle of a gutter parts it from that
	more        []float64 // positions of further gaps to the right
}

// sides splits rows at the gutter, from left to right.
func (g gutter) sides(rows []row) [][]row {
	from := math.Inf(-1)
	parts := make([][]row, 0, 2)
	for _, to := range append([]float64{(g.x0 + g.x1) / 2}, append(g.more, math.Inf(1))...) {
		parts = append(parts, side(rows, from, to))
		from = to
	}
	return parts
}

// gutters finds the gaps that pass through several rows.
func gutters(rows []row) []gutter {
	var done, active []gutter
	for i, r := range rows {
		segments, narrow := r.segments, 0.5*r.size
		if i+1 < len(rows) && r.y-rows[i+1].y < 0.7*min(r.size, rows[i+1].size) {
			segments = beside(segments, rows[i+1].segments)
		}
		taken := make(map[int]bool, 4) // gaps through which a gutter continues without narrowing much
		kept := active[:0]
		var halves []gutter
		for _, g := range active {
			gap, x0, x1 := through(segments, g)
			if gap < 0 && len(segments) != len(r.segments) { // the gutter may end here; the next row decides
				segments := r.segments
				gap, x0, x1 = through(segments, g)
				if gap > 0 && gap < len(segments) {
					gap = 0
				}
			}
			if gap < 0 || x1-x0 < narrow {
				done = append(done, g)
				continue
			}
			g.end = i
			halves = append(halves, g.halves(segments, x0, narrow)...)
			if gap > 0 && gap < len(segments) {
				g.right = min(g.right, segments[gap].x0)
				taken[gap] = taken[gap] || x1-x0 > 0.6*(g.x1-g.x0) && x1 > g.right-r.size // no heading enters it
				g.last = i
				g.both++
			}
			g.x0, g.x1 = x0, x1
			kept = append(kept, g)
		}
		active = append(kept, halves[:min(len(halves), maxGutters-len(kept))]...)
		for gap := 1; gap < len(segments) && len(active) < maxGutters; gap++ {
			if x0, x1 := segments[gap-1].x1, segments[gap].x0; !taken[gap] && x1-x0 >= narrow {
				active = append(active, gutter{x0: x0, x1: x1, first: i, last: i, end: i, both: 1, right: x1})
			}
		}
	}
	return append(done, active...)
}

// halves returns the gaps beside text in the middle of a gutter, without the one that starts at x.
func (g gutter) halves(segments []segment, x, narrow float64) (out []gutter) {
	i := sort.Search(len(segments), func(i int) bool { return segments[i].x0 >= g.x0 })
	j := sort.Search(len(segments), func(i int) bool { return segments[i].x1 > g.x1 })
	if i >= j || segments[i].x0-g.x0 < narrow || g.x1-segments[j-1].x1 < narrow {
		return nil
	}
	for _, gap := range [][2]float64{{g.x0, segments[i].x0}, {segments[j-1].x1, g.x1}} {
		if gap[0] != x {
			half := g
			half.x0, half.x1, half.half = gap[0], gap[1], true
			out = append(out, half)
		}
	}
	return out
}

// through returns the index of the segment after the gutter. 0 and len(segments) mean that the gutter is beside the
// row, and -1 that it is blocked.
func through(segments []segment, g gutter) (gap int, x0, x1 float64) {
	center := (g.x0 + g.x1) / 2
	gap = sort.Search(len(segments), func(i int) bool { return middle(segments[i]) > center })
	x0, x1 = g.x0, g.x1
	if gap > 0 {
		x0 = max(x0, segments[gap-1].x1)
	}
	if gap < len(segments) {
		x1 = min(x1, segments[gap].x0)
	}
	if x1 <= x0 {
		return -1, 0, 0
	}
	return gap, x0, x1
}

// beside merges the segments of two rows that overlap in height, unless they also overlap in width.
func beside(a, b []segment) []segment {
	all := append(slices.Clone(a), b...)
	slices.SortFunc(all, func(a, b segment) int { return cmp.Compare(a.x0, b.x0) })
	for i := 1; i < len(all); i++ {
		if all[i].x0 < all[i-1].x1 {
			return a
		}
	}
	return all
}

// columns returns the gutters between columns of running text, from top to bottom. They share no rows.
func columns(rows []row, rules []Rule) []gutter {
	all := gutters(rows)
	if g, ok := panes(rows, all, rules); ok {
		return []gutter{g}
	}
	all = slices.DeleteFunc(all, func(g gutter) bool { return g.both < 4 || g.half })
	slices.SortStableFunc(all, func(a, b gutter) int {
		if a.both != b.both {
			return cmp.Compare(b.both, a.both)
		}
		return cmp.Compare(b.x1-b.x0, a.x1-a.x0)
	})
	var out []gutter
	for _, g := range all[:min(len(all), maxGutters)] {
		g = trimTables(rows, trim(rows, g))
		overlaps := slices.ContainsFunc(out, func(o gutter) bool { return g.first <= o.end && o.first <= g.end })
		if !overlaps && g.both >= 4 && separates(rows[g.first:g.end+1], g) {
			out = append(out, g)
		}
	}
	slices.SortFunc(out, func(a, b gutter) int { return cmp.Compare(a.first, b.first) })
	return out
}

// trim removes isolated lines at the ends, such as page headers and footers, and one-sided text that does not
// continue the rows before it.
func trim(rows []row, g gutter) gutter {
	usual := pitch(rows[g.first : g.end+1])
	far := func(i int) bool { return rows[i].y-rows[i+1].y > 2.2*max(usual, rows[i].size) }
	for i := g.first; i < min(g.first+2, g.end); i++ {
		if far(i) {
			g.both -= i + 1 - g.first
			g.first = i + 1
			break
		}
	}
	for i := g.last; i < g.end; i++ {
		if far(i) {
			g.end = i
			break
		}
	}
	for i := g.end - 1; i >= max(g.end-2, g.first); i-- {
		if far(i) {
			g.both -= g.end - i
			g.end = i
			break
		}
	}
	g.last = min(g.last, g.end)
	return g
}

// separates reports whether there is running text, not a table, on both sides of a gutter.
func separates(rows []row, g gutter) bool {
	sides := g.sides(rows)
	left, right := sides[0], sides[1]
	return runs(left) && runs(right) && !inStep(rows, left, right)
}

// runs reports whether rows are running text: most lines are long and of similar length.
func runs(rows []row) bool {
	widest := 0.0
	for _, r := range rows {
		for _, s := range r.segments {
			widest = max(widest, s.x1-s.x0)
		}
	}
	lines, long, all := 0, 0.0, 0.0
	least := 0.55
	if len(rows) < minPaneRows { // a few lines of a list are often about as long as each other
		least = 0.8
	}
	for _, r := range rows {
		for _, s := range r.segments {
			w := s.x1 - s.x0
			if all += w; w > 9*s.size && (w > least*widest && len(s.words) > 1 || w > 0.8*widest) {
				long += w
				lines++
			}
		}
	}
	return lines >= 3 && long > 0.6*all
}

// inStep reports whether the blocks of text on both sides start at the same heights, as in a table with long cells.
func inStep(rows, left, right []row) bool {
	usual := pitch(rows)
	bands, together := 0, 0
	starts := func(rows []row) map[float64]bool {
		m := map[float64]bool{}
		for i, r := range rows {
			if i == 0 || rows[i-1].y-r.y > 1.25*usual {
				m[r.y] = true
			}
		}
		return m
	}
	l, r := starts(left), starts(right)
	for y := range l {
		bands++
		for d := range r {
			if math.Abs(d-y) < 2 {
				together++
				break
			}
		}
		if bands > 200 {
			break
		}
	}
	return bands >= 3 && together*5 >= bands*4 && len(r) <= bands*5/4+1
}
