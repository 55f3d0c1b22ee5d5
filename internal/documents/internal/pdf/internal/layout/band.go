package layout

import (
	"cmp"
	"slices"
)

// ruledRows returns the rows of a table that has rules between all of them: the lines between two rules are one row,
// although each of its cells has its own lines. It returns nil if there are no such rules, or only some between groups
// of rows.
func (t table) ruledRows() [][]row {
	var bands [][]row
	from, cuts, single, uneven := 0, 0, 0, 0
	for i := 1; i <= len(t.rows); i++ {
		if i < len(t.rows) {
			whole, part := t.ruledOff(t.rows[i-1], t.rows[i])
			if part {
				return nil // a cell beside several rows
			}
			if whole {
				cuts++
			} else if t.rows[i-1].y-t.rows[i].y < 2.5*t.rows[i-1].size { // not a heading
				continue
			}
		}
		band := t.rows[from:i]
		full, stacked := t.fullness(band)
		if stacked || full > 3 || t.complete(band) > 1 {
			return nil
		}
		if full <= 1 {
			single++
			if len(band) > 1 {
				uneven++
			}
		}
		bands = append(bands, band)
		from = i
	}
	if cuts == 0 || uneven == 0 || cuts*3 < (len(bands)-1)*2 || single*2 < len(bands) {
		return nil
	}
	return bands
}

// ruledTables finds the tables of two columns with an upright rule between them and rules between all rows. Text of
// one row need not share base lines there, and so leave no gutter.
func ruledTables(rows []row, rules Rules) []table {
	var all []table
	for _, rule := range rules.Upright {
		for from := 0; from < len(rows); {
			left, right, crossed, to := 0, 0, 0, from
			for ; to < len(rows) && rule.beside(rows[to]); to++ {
				for _, s := range rows[to].segments {
					switch {
					case s.x1 < rule.At+0.1*s.size:
						left++
					case s.x0 > rule.At-0.1*s.size:
						right++
					default:
						crossed++
					}
				}
			}
			t := table{first: from, last: to - 1, edges: []float64{rule.At}, rules: rules}
			if crossed*8 < min(left, right) {
				t.take(rows)
				if t.bands = t.cellRows(); t.bands != nil {
					all = append(all, t)
				}
			}
			from = to + 1
		}
	}
	out := slices.DeleteFunc(slices.Clone(all), func(t table) bool { // with a third column
		return slices.ContainsFunc(all, func(o table) bool { return o.edges[0] != t.edges[0] && t.meets(o) })
	})
	slices.SortFunc(out, func(a, b table) int { return cmp.Compare(a.first, b.first) })
	return out
}

// cellRows returns the rows of a table of two columns with rules between all of them and, if there is only one,
// around it; nil if some may be groups of rows, or running text in columns.
func (t table) cellRows() (bands [][]row) {
	from, sure, wide, uneven := 0, 0, 0, false
	for i := 1; i <= len(t.rows); i++ {
		if i < len(t.rows) {
			if whole, part := t.ruledOff(t.rows[i-1], t.rows[i]); part {
				return nil
			} else if !whole {
				continue
			}
		}
		bands = append(bands, t.rows[from:i])
		from = i
	}
	for _, band := range bands {
		lines := [2]int{}
		for _, r := range band {
			if len(r.segments) > 2 {
				wide++
			}
			for _, s := range r.segments {
				lines[t.column(s)]++
			}
		}
		full, stacked := t.fullness(band)
		if stacked || full > max(3, len(bands)) || len(bands) == 1 && (full == len(band) || full > 1 || !t.framed()) {
			return nil
		}
		if full <= 1 || lines[0] != lines[1] {
			sure++
			uneven = uneven || len(band) > 1
		}
	}
	if !uneven || sure*3 < len(bands) || wide*4 > len(t.rows) {
		return nil
	}
	return bands
}

// framed reports whether there are rules from side to side above and below a table.
func (t table) framed() bool {
	first, last := t.rows[0], t.rows[len(t.rows)-1]
	above, below := first, last
	above.y, below.y = first.y+2*first.size, last.y-2*last.size
	top, _ := t.ruledOff(above, first)
	bottom, _ := t.ruledOff(last, below)
	return top && bottom
}

// beside reports whether an upright rule is as high as a row.
func (u Rule) beside(r row) bool {
	y := r.y + 0.3*r.size
	return u.From <= y && y <= u.To
}

// complete counts the lines with text in all of three or more columns, which hardly all go on in a next line.
func (t table) complete(band []row) (n int) {
	for _, r := range band {
		if len(t.edges) > 1 && len(r.segments) > len(t.edges) {
			n++
		}
	}
	return n
}

// ruledOff reports whether a rule between two rows goes from side to side, or only from another column to the right
// side.
func (t table) ruledOff(above, below row) (whole, part bool) {
	left, right := t.edges[0], t.ends[len(t.ends)-1]
	for _, r := range t.rows {
		left = min(left, r.segments[0].x0)
	}
	for _, r := range t.rules.Level {
		if r.At <= above.y+0.2*above.size && r.At > below.y+0.2*below.size && r.To >= right-above.size {
			whole = whole || r.From <= left+above.size
			part = part || r.From > left+above.size && r.From < t.edges[len(t.edges)-1]
		}
	}
	return whole, part && !whole
}
