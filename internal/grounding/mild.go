package grounding

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// An answer of which most has a place is read mildly: the values left over are then rather written in a form that the
// strict reading does not know than made up.
const (
	mildLeast = 3   // values with a place
	mildShare = 0.5 // and their share of all values
)

// mild gives the values that are left over in an answer, of which most has a place, the lines that have the same number
// or words of the same stems, wherever the run showed them before the model wrote them.
func (t *tracer) mild() {
	open := t.leftOver()
	if len(open) == 0 {
		return
	}
	var l line
	for n, text := range t.texts {
		for s := range strings.Lines(text) {
			if t.work += len(s); t.work > maxWork {
				return
			}
			l.read(s, t.q.langs)
			for _, c := range open {
				if c.place == nil && (c.wrote == 0 || n < c.wrote) && l.has(c) {
					at := t.sources[n]
					at.Document, at.Line = reference(s)
					c.place, c.why = &at, "stands there in another form"
				}
			}
		}
	}
}

// leftOver returns the numbers and names without a place of an answer of which most has one.
func (t *tracer) leftOver() (open []*claim) {
	placed, all := 0, 0
	for _, c := range t.claims {
		if c.neutral || c.hidden || c.soft && c.place == nil || c.kind == aStatus || c.kind == aBlank {
			continue
		}
		if all++; c.place != nil {
			placed++
		} else if c.why == "" && (c.kind == aNumber || c.kind == aName || c.kind == anID) {
			open = append(open, c)
		}
	}
	if placed < mildLeast || float64(placed) < mildShare*float64(all) {
		return nil
	}
	return open
}

// line is a line of a text, read mildly.
type line struct {
	words []word
	qs    []quantity // also those that the digits of dates and identifiers may be
	letters string // all letters and digits
	parts map[int]bool // what may be a part of a date or a time
}

func (l *line) read(s string, langs []map[string]numberWord) {
	l.words = appendWords(l.words[:0], s)
	l.qs = quantities(l.qs[:0], s, l.words, langs)
	l.parts, l.letters = nil, lettersOf(s)
	for _, q := range l.qs {
		if !q.isDate && !q.inside && (q.at < q.num || q.tail < q.end) { // its unit is beside it
			continue
		}
		for p := q.num; p < max(q.end, q.tail); p++ {
			if !isDigit(s[p]) || p > 0 && isDigit(s[p-1]) {
				continue
			}
			bare := quantity{scale: 1, label: q.label}
			if bare.values, _, bare.digits = digitsAt(s, p); bare.values != nil {
				l.qs = append(l.qs, bare)
			}
		}
	}
}

// has reports whether a line has the number of a claim in any unit that it may mean, or words of the same stems.
func (l *line) has(c *claim) bool {
	switch {
	case c.kind == aNumber && c.q.isDate:
		return l.dates(&c.q.date)
	case c.kind == aNumber:
		return slices.ContainsFunc(l.qs, func(q quantity) bool { return c.nearly(&q) })
	}
	if c.kind == anID {
		id := lettersOf(c.text)
		if len(id) > 4 && strings.Contains(l.letters, id) {
			return true
		}
		ws := foldedWords(c.text) // as in linux/amd64
		return len(ws) > 1 && !slices.ContainsFunc(ws, func(w string) bool {
			return !slices.ContainsFunc(l.words, func(o word) bool { return w == o.text })
		})
	}
	telling := slices.DeleteFunc(slices.Concat(c.pieces...), func(w string) bool { return !telling(w) })
	return len(telling) > 0 && !slices.ContainsFunc(telling, func(w string) bool {
		return !slices.ContainsFunc(l.words, func(o word) bool { return sharesStem(w, o.text) })
	})
}

// sharesStem reports whether two words are the same in another form, or one is in a compound.
func sharesStem(w, o string) bool {
	return akin(w, o) || len(w) > 4 && strings.Contains(o, w)
}

// dates reports whether a line has all parts of a date or a time, of which there are two or more, anywhere.
func (l *line) dates(d *date) bool {
	if l.parts == nil {
		l.parts = map[int]bool{}
		for _, w := range l.words {
			if n, end := number(w.text, 0, 4); end > 0 {
				l.parts[n] = true
			}
			if m := months()[w.text]; m > 0 {
				l.parts[-m] = true
			}
		}
		for _, q := range l.qs {
			if n, ok := q.whole(); ok && q.word {
				l.parts[n] = true
			}
		}
	}
	n := 0
	in := func(part int, forms ...int) bool {
		if part < 0 {
			return true
		}
		n++
		return slices.ContainsFunc(forms, func(f int) bool { return l.parts[f] })
	}
	return in(d.year, d.year, d.year%100) && in(d.month, d.month, -d.month) && in(d.day, d.day) && l.hasTime(d, &n) && n > 1
}

// hasTime reports whether the hour and the minute stand there one after the other, or there are none.
func (l *line) hasTime(d *date, n *int) bool {
	if d.hour < 0 {
		return true
	}
	minute := max(d.minute, 0)
	if *n++; minute > 0 {
		*n++
	}
	for i, w := range l.words {
		h, end := number(w.text, 0, 4)
		switch {
		case h >= 0 && end > 2 && h == d.hour*100+minute:
			return true
		case h < 0 || h > 24 || h%12 != d.hour%12:
			continue
		}
		m, _ := number(w.text, min(end+1, len(w.text)), 2) // as in 10h30
		if m < 0 && i+1 < len(l.words) {
			m, _ = number(l.words[i+1].text, 0, 2)
		}
		if m == minute || minute == 0 {
			return true
		}
	}
	return false
}

// nearly reports whether a number may be the claim, perhaps rounded, with a unit or scale that stands elsewhere.
func (c *claim) nearly(q *quantity) bool {
	if q.isDate || q.inside || c.q.minus && !q.minus || len(c.q.values) == 0 || len(q.values) == 0 {
		return false
	}
	if c.q.units != nil && q.units != nil {
		return compare(&c.q, q) == agrees
	}
	if c.q.units != nil && labels.has(q.label) { // as in "room 9" for nine days
		return false
	}
	x := c.q.values[0].times(c.q.scale)
	fits := func(f float64) bool {
		return slices.ContainsFunc(q.values, func(r reading) bool {
			y := math.Abs(r.value * q.scale * f)
			d := math.Abs(math.Abs(x.value) - y)
			return d <= 1e-9*y || c.q.digits > 1 && q.digits > c.q.digits && d <= x.half*(1+1e-9)
		})
	}
	switch {
	case fits(1):
		return true
	case c.q.units == nil && c.q.scale == 1 || c.q.digits < 2:
		return false
	case c.q.units != nil && c.q.units[0].kind == percent:
		return fits(100)
	case temporal(c.q.units):
		return fits(60) || fits(1./60) || fits(1e-3)
	}
	return fits(1e3) || fits(1e6) || fits(1e-3)
}

// lettersOf returns the letters and digits of a text in lower case.
func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if !isWord(r) || r == '_' {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}
