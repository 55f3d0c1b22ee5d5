package layout

import (
	"cmp"
	"math"
	"slices"
)

// Panes are columns of similar width side by side, whose lines are at independent heights: cards, newspaper
// columns.
const (
	minPaneRows = 8
	maxPanes    = 5
)

// panes finds the gaps between panes, and returns them as one gutter with several positions.
func panes(rows []row, all []gutter, rules []Rule) (gutter, bool) {
	var gaps []gutter
	for _, g := range all {
		first := g.first
		for first > 0 && g.clear(rows[first-1]) {
			first--
		}
		if g.both >= 3 && g.end-first+1 >= max(minPaneRows, len(rows)/2) {
			gaps = append(gaps, g)
		}
	}
	if len(gaps) > 12 {
		slices.SortStableFunc(gaps, func(a, b gutter) int { return cmp.Compare(b.end-b.first, a.end-a.first) })
		gaps = gaps[:12]
	}
	slices.SortFunc(gaps, func(a, b gutter) int { return cmp.Compare(a.x0, b.x0) })
	for n := 2; n <= maxPanes; n++ {
		for _, chosen := range choices(gaps, n-1) {
			if g, ok := paned(rows, chosen); ok && !gridded(rows[g.first:g.end+1], rules, n) {
				return g, true
			}
		}
	}
	return gutter{}, false
}

// choices returns all ways to choose n gaps, from left to right.
func choices(gaps []gutter, n int) (out [][]gutter) {
	if n == 0 {
		return [][]gutter{nil}
	}
	for i, g := range gaps {
		for _, rest := range choices(gaps[i+1:], n-1) {
			out = append(out, append([]gutter{g}, rest...))
		}
	}
	return out
}

// paned reports whether gaps divide rows into panes, and merges the gaps. Two panes must be far apart, because
// otherwise they may be halves of a table.
func paned(rows []row, gaps []gutter) (gutter, bool) {
	all, from, to := gaps[0], gaps[0].first, gaps[0].end
	for _, g := range gaps[1:] {
		all.first, all.end = max(all.first, g.first), min(all.end, g.end)
		from, to = min(from, g.first), max(to, g.end)
		all.more = append(all.more, (g.x0+g.x1)/2)
	}
	for all.first > from && all.clear(rows[all.first-1]) {
		all.first--
	}
	for all.end < to && all.clear(rows[all.end+1]) {
		all.end++
	}
	if n := all.end - all.first + 1; n < minPaneRows || n*3 < len(rows)*2 {
		return all, false
	}
	parts := all.sides(rows[all.first : all.end+1])
	widest, narrowest, own, level := 0.0, math.Inf(1), 0, 0
	for i, part := range parts {
		if len(part) < minPaneRows {
			return all, false
		}
		for j, other := range parts[:i] {
			switch beside, uneven := levels(other, part); {
			case beside >= minPaneRows/2 && uneven*4 >= beside:
				own++
			case beside >= minPaneRows && j == i-1:
				level++
			}
		}
		w := width(part)
		widest, narrowest = max(widest, w), min(narrowest, w)
	}
	all.last = all.end
	switch {
	case own == 0 || narrowest < 0.85*widest:
		return all, false
	case len(gaps) == 1:
		return all, all.x1-all.x0 > 0.25*widest
	}
	return all, level == 0 || narrowest > 0.96*widest // lines of equally wide panes may share heights
}

// gridded reports whether rows have more vertical rules than are needed to divide and frame the panes, as in a
// table.
func gridded(rows []row, rules []Rule, panes int) bool {
	top, bottom := rows[0].y, rows[len(rows)-1].y
	for _, r := range rules {
		if 3*(min(r.To, top)-max(r.From, bottom)) > 2*(top-bottom) {
			panes--
		}
	}
	return panes < -2
}

// clear reports whether no segment of a row crosses a gutter.
func (g gutter) clear(r row) bool {
	for _, s := range r.segments {
		for _, x := range append([]float64{(g.x0 + g.x1) / 2}, g.more...) {
			if s.x0 < x && x < s.x1 {
				return false
			}
		}
	}
	return true
}

func width(rows []row) float64 {
	left, right := math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		left, right = min(left, r.segments[0].x0), max(right, r.segments[len(r.segments)-1].x1)
	}
	return right - left
}

// levels counts the lines on one side that overlap a line on the other side vertically, and those of them that are not
// level with it. In separate columns of text, these are many; in a table, few.
func levels(a, b []row) (beside, uneven int) {
	for _, r := range a {
		i, _ := slices.BinarySearchFunc(b, r.y, func(o row, y float64) int { return cmp.Compare(y, o.y) })
		nearest := math.Inf(1)
		for _, o := range b[max(i-1, 0):min(i+1, len(b))] {
			nearest = min(nearest, math.Abs(o.y-r.y)/min(o.size, r.size))
		}
		if nearest < 0.8 {
			beside++
		}
		if nearest < 0.8 && nearest > 0.15 {
			uneven++
		}
	}
	return beside, uneven
}
