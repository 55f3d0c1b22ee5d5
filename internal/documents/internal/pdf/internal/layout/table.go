package layout

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// table is rows with vertically aligned cells.
type table struct {
	first, last int // indexes of rows
	rows        []row
	edges       []float64 // positions between its columns
	ends        []float64 // where the widest cell of each column ends
	rules       Rules     // of the page
	bands       [][]row   // between rules, if they divide the table from the start
}

// tables finds the tables among the rows of a column, from top to bottom.
func tables(rows []row, rules Rules) (out []table) {
	next := 0
	for _, r := range append(ruledTables(rows, rules), table{first: len(rows)}) {
		for _, t := range alignedTables(rows[next:r.first], rules) {
			t.first, t.last = t.first+next, t.last+next
			out = append(out, t)
		}
		next = r.last + 1
		out = append(out, r)
	}
	return out[:len(out)-1]
}

// alignedTables finds the tables whose cells leave gutters.
func alignedTables(rows []row, rules Rules) []table {
	all := slices.DeleteFunc(gutters(rows), func(g gutter) bool { return g.both < 2 || g.half })
	slices.SortStableFunc(all, func(a, b gutter) int { return cmp.Compare(b.both, a.both) })
	var out []table
	for len(all) > 0 {
		g := all[0]
		var same, rest []gutter
		for _, o := range all {
			switch overlap := min(g.last, o.last) - max(g.first, o.first) + 1; {
			case overlap <= 0:
				rest = append(rest, o)
			case o.both*3 >= g.both || o.both >= 3:
				same = append(same, o)
			}
		}
		all = rest
		if len(out) >= 256 {
			break
		}
		t := newTable(rows, g, same, rules)
		taken := slices.ContainsFunc(out, t.meets)
		if !taken && t.good() {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b table) int { return cmp.Compare(a.first, b.first) })
	return out
}

// meets reports whether two tables share rows.
func (t table) meets(o table) bool { return t.first <= o.last && o.first <= t.last }

// newTable returns the table of a gutter and of the gutters beside it, as far as the strongest gutter is open.
func newTable(rows []row, g gutter, same []gutter, rules Rules) table {
	t := table{first: g.first, last: g.last, rules: rules}
	for _, o := range same { // adds rows that only other columns have
		t.first = min(t.first, max(o.first, t.first-1))
		t.last = max(t.last, min(o.last, g.end))
	}
	slices.SortFunc(same, func(a, b gutter) int { return cmp.Compare(a.x0, b.x0) })
	last := gutter{x1: -1e18}
	for _, o := range same {
		if o.x0 < last.x1 { // the same gap, wider in some rows
			if o.both > last.both {
				last = o
				t.edges[len(t.edges)-1] = (o.x0 + o.x1) / 2
			}
			continue
		}
		last = o
		t.edges = append(t.edges, (o.x0+o.x1)/2)
	}
	t.take(rows)
	least := 1 // below the first column, it may be a paragraph
	if t.ruledRows() != nil {
		least = 0
	}
	for t.last < g.end && t.continues(t.rows[max(len(t.rows)-2, 0):], rows[t.last+1], least) {
		t.last++
		t.rows = rows[t.first : t.last+1]
	}
	t.take(rows)
	return t
}

// take sets the rows of a table, and where its columns end.
func (t *table) take(rows []row) {
	t.rows = rows[t.first : t.last+1]
	t.ends = make([]float64, len(t.edges)+1)
	for _, r := range t.rows {
		for _, s := range r.segments {
			t.ends[t.column(s)] = max(t.ends[t.column(s)], s.x1)
		}
	}
}

// continues reports whether the row below the last ones is a further line of one of their cells, in a column from
// least on.
func (t table) continues(last []row, below row, least int) bool {
	s := below.segments[0]
	c := t.column(s)
	if len(below.segments) != 1 || c < least ||
		c > 0 && s.x0 <= t.edges[c-1] || c < len(t.edges) && s.x1 >= t.edges[c] {
		return false
	}
	return slices.ContainsFunc(last, func(r row) bool {
		return r.y-below.y <= 1.4*r.size && below.size <= 1.05*r.size &&
			slices.ContainsFunc(r.segments, func(o segment) bool {
				return t.column(o) == c && math.Abs(o.x0-s.x0) < 0.1*s.size
			})
	})
}

// column returns the column of a segment, measured near its start: gaps may be narrow.
func (t table) column(s segment) int {
	c, _ := slices.BinarySearch(t.edges, (s.x0*3+s.x1)/4)
	return c
}

// listSign matches list markers.
var listSign = startup.Regexp(
	`^([•◦▪▫■□●○‣·–—*+§✓➢▶▷☐☑\x{F020}-\x{F0FF}o-]|\(?[0-9]{1,3}[.)]|\(?[a-zA-Z]{1,4}[.)]|\[[0-9]+\])$`)

// good reports whether it is a table, not a list with its markers or a few lines with accidental gaps.
func (t table) good() bool {
	multiple, signs, entries := 0, 0, 0
	for _, r := range t.rows {
		if r.entry {
			entries++
		}
		if len(r.segments) < 2 {
			continue
		}
		multiple++
		if s := r.segments[0]; len(s.words) == 1 && listSign().MatchString(wordText(s.words[0])) {
			signs++
		}
	}
	if entries >= 2 && entries*5 >= len(t.rows) { // a table of contents
		return false
	}
	if len(t.edges) == 1 {
		return (multiple >= 3 || len(t.ruledRows()) >= 3) && signs*2 < multiple
	}
	return multiple >= 2 && signs*10 < multiple*9
}

func wordText(w word) string {
	var b strings.Builder
	for _, g := range w.glyphs {
		b.WriteString(g.text)
	}
	return b.String()
}

// table writes a table in Markdown.
func (p *page) table(b *strings.Builder, t table) {
	for i, cells := range p.cells(t) {
		if p.rtl {
			slices.Reverse(cells)
		}
		b.WriteByte('|')
		for _, c := range cells {
			b.WriteByte(' ')
			b.WriteString(strings.ReplaceAll(c, "|", `\|`))
			b.WriteString(" |")
		}
		b.WriteByte('\n')
		if i == 0 {
			b.WriteString("|" + strings.Repeat("---|", len(cells)) + "\n")
		}
	}
}

// cells returns the text of a table's cells. Lines of the same row are merged.
func (p *page) cells(t table) [][]string {
	var out [][]string
	for _, group := range t.groups() {
		cells := make([]strings.Builder, len(t.edges)+1)
		for _, r := range group {
			for from := 0; from < len(r.segments); {
				c, to := t.column(r.segments[from]), from+1
				for to < len(r.segments) && t.column(r.segments[to]) == c {
					to++
				}
				if cells[c].Len() > 0 {
					cells[c].WriteByte(' ')
				}
				p.line(&cells[c], r.segments[from:to])
				from = to
			}
		}
		texts := make([]string, len(cells))
		for i := range cells {
			texts[i] = cells[i].String()
		}
		out = append(out, texts)
	}
	return out
}

// groups merges lines that form one row of the table: they are closer to each other than to other rows, and at most
// one of them has text in the first column, or only one has text in the other columns; or the words of a line had no
// room in the line above. Rules between all rows settle it.
func (t table) groups() [][]row {
	if t.bands != nil {
		return t.bands
	}
	if bands := t.ruledRows(); bands != nil {
		return bands
	}
	closest := 0.0
	for i := 1; i < len(t.rows); i++ {
		if gap := t.rows[i-1].y - t.rows[i].y; closest == 0 || gap < closest {
			closest = max(gap, 0.8*t.rows[i].size)
		}
	}
	var bands [][]row
	for from := 0; from < len(t.rows); {
		to := from + 1
		for to < len(t.rows) && t.rows[to-1].y-t.rows[to].y <= 1.12*closest {
			to++
		}
		bands = append(bands, t.rows[from:to])
		from = to
	}
	wrapped, folds := t.wrapped(bands), t.folds()
	var out [][]row
	for _, band := range bands {
		if len(bands) > 1 && (wrapped || t.oneRow(band)) {
			out = append(out, band)
			continue
		}
		for from := 0; from < len(band); {
			to := from + 1
			if folds {
				to = t.folded(band, from)
			}
			out = append(out, band[from:to])
			from = to
		}
	}
	return out
}

// wrapped reports whether only cells of the first column have several lines: next to each is one line with all the
// other cells, at its top, middle or end.
func (t table) wrapped(bands [][]row) bool {
	long := 0
	for _, band := range bands {
		others := 0
		for _, r := range band {
			if t.column(r.segments[len(r.segments)-1]) > 0 {
				others++
			}
		}
		if others != 1 {
			return false
		}
		if len(band) > 1 {
			long++
		}
	}
	return long > 1 && long*2 > len(bands)
}

// oneRow reports whether adjacent lines form one row of a table. Numbers below each other belong to different rows.
func (t table) oneRow(band []row) bool {
	first := 0
	for _, r := range band {
		if t.column(r.segments[0]) == 0 {
			first++
		}
	}
	full, stacked := t.fullness(band)
	return first <= 1 && full <= 1 && !stacked
}

// fullness returns how many lines have text in most columns, and whether a column has several numbers.
func (t table) fullness(band []row) (full int, stacked bool) {
	numbers := make([]int, len(t.edges)+1)
	for _, r := range band {
		if len(r.segments) > (len(t.edges)+1+1)/2 {
			full++
		}
		for _, s := range r.segments {
			if c := t.column(s); isNumber(s) {
				numbers[c]++
				stacked = stacked || numbers[c] > 1
			}
		}
	}
	return full, stacked
}

// isNumber reports whether a segment is only a number, such as a dotted one, an amount or a percentage.
func isNumber(s segment) bool {
	digits := 0
	for _, w := range s.words {
		for _, g := range w.glyphs {
			switch {
			case g.text >= "0" && g.text <= "9":
				digits++
			case isLetter(g.text):
				return false
			}
		}
	}
	return digits > 0
}
