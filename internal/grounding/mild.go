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
	mildLeast = 3       // values with a place
	mildShare = 0.5     // and their share of all values
	mildBytes = 1 << 20 // of the texts that are read
)

// mild gives the values that are left over in such an answer the first line with the same number, or with words of the
// same stems, that the run showed before the model wrote them.
func (t *tracer) mild() {
	open, left := t.leftOver(), mildBytes
	for n, text := range t.texts {
		for len(open) > 0 && text != "" && left > 0 {
			end := min(len(text), 2*maxRow)
			if i := strings.IndexByte(text[:end], '\n'); i >= 0 {
				end = i + 1
			}
			s := text[:end]
			text, left = text[end:], left-end
			l := readLine(s, t.q.langs)
			open = slices.DeleteFunc(open, func(c *claim) bool {
				found := (c.wrote == 0 || n < c.wrote) && l.has(c)
				if found {
					at := t.sources[n]
					at.Document, at.Line = reference(s)
					c.place, c.why = &at, "stands there in another form"
				}
				return found
			})
		}
	}
}

// leftOver returns the numbers, names and identifiers without a place of an answer of which most has one.
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
	words   []word
	codes   []string     // those of three capitals, in lower case
	letters string       // all its letters and digits
	numbers []quantity   // with those that the digits of dates, times and identifiers may be
	parts   map[int]bool // numbers, and months as negative ones, that may be parts of a date
}

func readLine(s string, langs []map[string]numberWord) *line {
	l := &line{words: appendWords(nil, s), letters: lettersOf(s)}
	for _, w := range l.words {
		if t := s[w.at:w.end]; len(t) == 3 && strings.ToUpper(t) == t && lettered(t) && telling(w.text) {
			l.codes = append(l.codes, w.text)
		}
	}
	l.numbers = quantities(nil, s, l.words, langs)
	for _, q := range l.numbers {
		if !q.isDate && !q.inside && (q.at < q.num || q.tail < q.end) { // its unit is beside it
			continue
		}
		for p := q.num; p < max(q.end, q.tail); p++ {
			bare := quantity{scale: 1}
			if q.units == nil {
				bare.label = q.label
			}
			if !isDigit(s[p]) || p > 0 && isDigit(s[p-1]) {
				continue
			}
			if bare.values, _, bare.digits = digitsAt(s, p); bare.values != nil {
				l.numbers = append(l.numbers, bare)
			}
		}
	}
	return l
}

// has reports whether a line has the date or the number of a claim, its letters, or words of the same stems.
func (l *line) has(c *claim) bool {
	switch {
	case c.kind == aNumber && c.q.isDate:
		return l.dated(&c.q.date)
	case c.kind == aNumber && c.q.digits > 9 && c.q.units == nil: // as in the ISBN 9781555019273
		return strings.Contains(l.letters, lettersOf(c.text))
	case c.kind == aNumber:
		return slices.ContainsFunc(l.numbers, func(q quantity) bool { return c.nearly(&q) })
	case c.kind == anID:
		id := lettersOf(c.text)
		same := func(w, o string) bool { return w == o }
		return len(id) > 4 && strings.Contains(l.letters, id) || l.all(foldedWords(c.text), 2, same)
	}
	ws := slices.DeleteFunc(slices.Concat(c.pieces...), func(w string) bool { return !telling(w) })
	name := strings.Join(ws, "")
	return name != "" && slices.ContainsFunc(l.codes, func(code string) bool { return codes(code, name) }) ||
		l.all(ws, 1, func(w, o string) bool { return akin(w, o) || len(w) > 4 && strings.Contains(o, w) })
}

// codes reports whether a code has the first letter of a longer name and others in their order, as in CZE and NGR.
func codes(code, name string) bool {
	if len(name) < 4 || code[0] != name[0] {
		return false
	}
	for _, r := range name {
		code = strings.TrimPrefix(code, string(r))
	}
	return code == ""
}

// all reports whether a line has all of some words, which are at least so many.
func (l *line) all(ws []string, least int, same func(w, o string) bool) bool {
	return len(ws) >= least && !slices.ContainsFunc(ws, func(w string) bool {
		return !slices.ContainsFunc(l.words, func(o word) bool { return same(w, o.text) })
	})
}

// dated reports whether a line has all parts of a date, of which there are two or more.
func (l *line) dated(d *date) bool {
	if l.parts == nil {
		l.parts = map[int]bool{}
		for _, w := range l.words {
			if n, end := number(w.text, 0, 4); end > 0 {
				l.parts[n] = true
			}
			l.parts[-months()[w.text]] = true
		}
		for _, q := range l.numbers {
			if n, ok := q.whole(); ok && q.word {
				l.parts[n] = true
			}
		}
	}
	n := 0
	in := func(part, other int) bool {
		if part > 0 {
			n++
		}
		return part <= 0 || l.parts[part] || l.parts[other]
	}
	if !in(d.year, d.year%100) || !in(d.month, -d.month) || !in(d.day, d.day) || !in(d.minute, d.hour*100+d.minute) {
		return false
	}
	return d.hour < 0 && n > 1 || d.hour >= 0 && n > 0 && l.timed(d)
}

// timed reports whether the hour and the minute of a time stand there one after the other.
func (l *line) timed(d *date) bool {
	minute := max(d.minute, 0)
	for i, w := range l.words {
		h, end := number(w.text, 0, 4)
		switch {
		case end > 2 && h == d.hour*100+minute:
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
	switch {
	case q.isDate || q.inside || len(c.q.values) == 0 || len(q.values) == 0 || c.q.minus && !q.minus,
		c.q.units != nil && q.units == nil && labels.has(q.label): // as in "room 9" for nine days
		return false
	case c.q.units != nil && q.units != nil:
		return compare(&c.q, q) == agrees
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
	case fits(1), x.half == 0.005 && q.digits > 2 && fits(0.01): // in cents, or a time
		return true
	case c.q.units == nil && q.units != nil && q.units[0].kind == percent && x.half < 0.5:
		return fits(0.01) // as in a rate of 0.2
	case c.q.units == nil && c.q.scale == 1 || c.q.digits < 2:
		return false
	case c.q.units != nil && c.q.units[0].kind == percent:
		return fits(100)
	case temporal(c.q.units):
		return fits(60) || fits(1./60) || fits(24) || fits(1./24) || fits(1e-3)
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
