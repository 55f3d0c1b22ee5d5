package layout

// ruledRows returns the rows of a table that has rules between all of them: the lines between two rules are one row,
// although each of its cells has its own lines. It returns nil if there are no such rules, or only some between groups
// of rows.
func (t table) ruledRows() [][]row {
	var bands [][]row
	from, cuts, single, uneven := 0, 0, 0, 0
	grid := t.isGrid()
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
		if stacked || full > 3 && !grid || t.complete(band) > 1 {
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
	sure := 2 // one in so many rows is certainly one
	if grid {
		sure = 3
	}
	if cuts == 0 || uneven == 0 || cuts*3 < (len(bands)-1)*2 || single*sure < len(bands) {
		return nil
	}
	return bands
}

// isGrid reports whether upright rules separate the first two columns in most of the table.
func (t table) isGrid() bool {
	top, bottom, ruled := t.rows[0].y, t.rows[len(t.rows)-1].y, 0.0
	for _, r := range t.rules.Upright {
		if r.At > t.ends[0] && r.At < t.ends[1] {
			ruled += max(0, min(r.To, top)-max(r.From, bottom))
		}
	}
	return 2*ruled > top-bottom
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
