package layout

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxColumns limits the nesting of columns.
const maxColumns = 8

// write writes rows in reading order.
func (p *page) write(b *strings.Builder, rows []row, depth int) {
	rows, numbers := withoutMargins(rows)
	if len(numbers) > 0 {
		p.line(b, numbers)
		b.WriteString("\n\n")
	}
	next, last := 0, gutter{}
	if depth < maxColumns {
		for _, g := range columns(rows, p.rules.Upright) {
			p.besides(b, rows[next:g.first], g, depth)
			sides := g.sides(rows[g.first : g.end+1])
			if p.rtl {
				slices.Reverse(sides)
			}
			for _, s := range sides {
				p.gap(b)
				p.write(b, s, depth+1)
			}
			p.gap(b)
			next = g.end + 1
			last = g
		}
	}
	p.besides(b, rows[next:], last, depth)
}

// besides writes the rows above or below columns. Rows next to panes may contain columns again.
func (p *page) besides(b *strings.Builder, rows []row, g gutter, depth int) {
	if g.more != nil {
		p.write(b, rows, depth+1)
		return
	}
	p.block(b, rows)
}

// gap writes an empty line unless there already is one.
func (p *page) gap(b *strings.Builder) {
	if s := b.String(); s != "" && !strings.HasSuffix(s, "\n\n") {
		b.WriteByte('\n')
	}
}

// block writes the rows of one column: tables and lines.
func (p *page) block(b *strings.Builder, rows []row) {
	next := 0
	for _, t := range tables(rows, p.rules) {
		p.lines(b, rows[next:t.first])
		p.gap(b)
		p.table(b, t)
		p.gap(b)
		next = t.last + 1
	}
	p.lines(b, rows[next:])
}

// lines writes rows as lines, with an empty line after larger distances. It joins words that are hyphenated across
// lines.
func (p *page) lines(b *strings.Builder, rows []row) {
	usual := pitch(rows)
	var items []item // characters of the row, without those joined to the previous row
	for i, r := range rows {
		if i == 0 {
			items = p.items(r.segments)
		}
		var next []item
		gap := false
		if i+1 < len(rows) {
			gap = parted(r, rows[i+1], usual)
			next = p.items(rows[i+1].segments)
			if !gap && divided(items, next) {
				end := wordEnd(next)
				items = append(items[:len(items)-1], next[:end]...)
				next = next[min(end+1, len(next)):]
			}
		}
		if len(items) > 0 {
			write(b, items)
			b.WriteByte('\n')
		}
		if gap {
			p.gap(b)
		}
		items = next
	}
}

// divided reports whether a row ends in a hyphenated word that the next row continues: "inter-", "national". Before
// a capital or a digit, or in a word with another hyphen, the hyphen may belong to the word.
func divided(items, next []item) bool {
	n := len(items)
	if n < 3 || len(next) == 0 || items[n-1].text != "-" && items[n-1].text != "‐" || !isLower(next[0].text) {
		return false
	}
	for i := n - 2; i >= 0 && items[i].text != " "; i-- {
		if !isLower(items[i].text) && !isLetter(items[i].text) {
			return false
		}
	}
	return isLower(items[n-2].text) && isLower(items[n-3].text)
}

func isLower(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(r)
}

func wordEnd(items []item) int {
	for i, it := range items {
		if strings.HasPrefix(it.text, " ") {
			return i
		}
	}
	return len(items)
}

// line writes the segments of a row in its reading direction.
func (p *page) line(b *strings.Builder, segments []segment) { write(b, p.items(segments)) }

func write(b *strings.Builder, items []item) {
	for _, it := range items {
		b.WriteString(it.text)
	}
}

// items returns the characters of a row in reading order, with spaces between words.
func (p *page) items(segments []segment) []item {
	n := 0
	for _, s := range segments {
		for _, w := range s.words {
			n += len(w.glyphs) + 1
		}
	}
	items := make([]item, 0, n)
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
	return items
}

// apart reports whether there is a space between two words that were not drawn consecutively.
func (p *page) apart(a, b word) bool {
	if p.rtl && a.spaced && a.glyphs[0].rtl {
		return true
	}
	gap := b.x0 - a.x1
	return gap > wordGap*min(a.size, b.size) || gap < -0.5*min(a.size, b.size)
}
