package layout

import (
	"math"
	"strings"
)

// maxColumns is how deep columns may stand inside columns.
const maxColumns = 8

// write writes rows in reading order.
func (p *page) write(b *strings.Builder, rows []row, depth int) {
	next := 0
	if depth < maxColumns {
		for _, g := range columns(rows) {
			p.block(b, rows[next:g.first])
			center := (g.x0 + g.x1) / 2
			inside := rows[g.first : g.end+1]
			sides := [2][]row{side(inside, math.Inf(-1), center), side(inside, center, math.Inf(1))}
			if p.rtl {
				sides[0], sides[1] = sides[1], sides[0]
			}
			for _, s := range sides {
				p.gap(b)
				p.write(b, s, depth+1)
			}
			p.gap(b)
			next = g.end + 1
		}
	}
	p.block(b, rows[next:])
}

// gap writes an empty line, once.
func (p *page) gap(b *strings.Builder) {
	if s := b.String(); s != "" && !strings.HasSuffix(s, "\n\n") {
		b.WriteByte('\n')
	}
}

// block writes rows of one column: tables and lines.
func (p *page) block(b *strings.Builder, rows []row) {
	next := 0
	for _, t := range tables(rows) {
		p.lines(b, rows[next:t.first])
		p.gap(b)
		p.table(b, t)
		p.gap(b)
		next = t.last + 1
	}
	p.lines(b, rows[next:])
}

// lines writes rows as lines, with an empty line where they are further apart than usual.
func (p *page) lines(b *strings.Builder, rows []row) {
	usual := pitch(rows)
	for i, r := range rows {
		if i > 0 {
			if gap := rows[i-1].y - r.y; gap > 1.45*max(r.size, rows[i-1].size) && gap > 1.25*usual {
				p.gap(b)
			}
		}
		p.line(b, r.segments)
		b.WriteByte('\n')
	}
}

// line writes the segments of a row, from left to right or from right to left.
func (p *page) line(b *strings.Builder, segments []segment) {
	var items []item
	rtl := false
	for i, s := range segments {
		if i > 0 {
			space := " "
			if s.x0-segments[i-1].x1 > 2*s.size {
				space = "   "
			}
			items = append(items, item{text: space})
		}
		for j, w := range s.words {
			if j > 0 && (w.spaced || p.apart(s.words[j-1], w)) {
				items = append(items, item{text: " "})
			}
			for _, g := range w.glyphs {
				items = append(items, item{g.text, g.rtl})
				rtl = rtl || g.rtl
			}
		}
	}
	if rtl {
		logical(items, p.rtl)
	}
	for _, it := range items {
		b.WriteString(it.text)
	}
}

// apart says that there is a space between two words that were not drawn one after the other.
func (p *page) apart(a, b word) bool {
	if p.rtl && a.spaced && a.glyphs[0].rtl {
		return true
	}
	gap := b.x0 - a.x1
	return gap > wordGap*min(a.size, b.size) || gap < -0.5*min(a.size, b.size)
}
