package layout

import "math"

// trimTables removes a table from each end of the columns, because its rows are read across, and from the lower end
// a heading of the following text. If no columns are left, it returns g unchanged.
func trimTables(rows []row, g gutter) gutter {
	center := (g.x0 + g.x1) / 2
	usual := pitch(rows[g.first : g.end+1])
	cut := g
	for i := g.first; i < g.end; i++ {
		if !parted(rows[i], rows[i+1], usual) {
			continue
		}
		if crossed(rows[g.first:i+1], center) {
			for cut.first = i + 1; cut.first < g.end && !onBothSides(rows[cut.first], center); {
				cut.first++
			}
		}
		break
	}
	for i := g.end - 1; i > cut.first; i-- {
		if !parted(rows[i], rows[i+1], usual) {
			continue
		}
		if below := rows[i+1 : g.end+1]; crossed(below, center) || headsNext(rows, i+1, g.end, center) {
			cut.end = i
		}
		break
	}
	for _, part := range [][]row{rows[g.first:cut.first], rows[cut.end+1 : g.end+1]} {
		for _, r := range part {
			if onBothSides(r, center) {
				cut.both--
			}
		}
	}
	cut.last = min(cut.last, cut.end)
	if cut.both < 4 || !separates(rows[cut.first:cut.end+1], cut) {
		return g
	}
	return cut
}

func onBothSides(r row, center float64) bool {
	return middle(r.segments[0]) < center && middle(r.segments[len(r.segments)-1]) > center
}

// crossed reports whether rows belong to a table across both sides: they have cells, not lines of text.
func crossed(rows []row, center float64) bool {
	full, cells := 0, 0
	left, right, width := math.Inf(1), math.Inf(-1), 0.0
	for _, r := range rows {
		if onBothSides(r, center) {
			full++
		}
		if len(r.segments) >= 3 {
			cells++
		}
		left, right = min(left, r.segments[0].x0), max(right, r.segments[len(r.segments)-1].x1)
		for _, s := range r.segments {
			width += s.x1 - s.x0
		}
	}
	return cells >= 2 && full >= len(rows)-1 && width < 0.6*(right-left)*float64(len(rows))
}

// headsNext reports whether rows from..to are on one side only and closer to the text after them than to the text
// before.
func headsNext(rows []row, from, to int, center float64) bool {
	if to+1 >= len(rows) || to > from+1 {
		return false
	}
	for _, r := range rows[from : to+1] {
		if onBothSides(r, center) {
			return false
		}
	}
	return rows[to].y-rows[to+1].y < 0.9*(rows[from-1].y-rows[from].y)
}
