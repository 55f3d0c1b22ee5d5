package grounding

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An answer of which most has a place is read mildly: the values left over are then rather written in a form that the
// strict reading does not know than made up.
const (
	mildLeast = 3       // values with a place
	mildShare = 0.5     // and their share of all values
	mildBytes = 1 << 20 // of the texts that are read
	mildSpan  = 12      // bytes between a date and the other day that it is for
)

// mild gives the values that are left over in such an answer the first line with the same number, or with words of the
// same stems, that the run showed before the model wrote them.
func (t *tracer) mild() {
	open, left := t.leftOver(), mildBytes
	if len(open) == 0 {
		return
	}
	t.filter.set(t.claims, func(c *claim) bool { return c.place == nil })
	t.counting = t.countingStems()
	l, g := line{t: t}, t.glance(open)
	read := func(text string, w Where, n int) {
		for len(open) > 0 && text != "" && left > 0 {
			end := min(len(text), 2*maxRow)
			if i := strings.IndexByte(text[:end], '\n'); i >= 0 {
				end = i + 1
			}
			if !g.mayHave(text[:end]) {
				text, left = text[end:], left-end
				continue
			}
			l = line{t: t, text: text[:end], words: appendWords(l.words[:0], text[:end]), numbers: l.numbers[:0]}
			text, left = text[end:], left-end
			open = slices.DeleteFunc(open, func(o wanted) bool {
				found := (o.wrote == 0 || n < o.wrote) && l.has(&o)
				if found {
					w.Document, w.Line = reference(l.text)
					at := w
					o.place, o.why = &at, "stands there in another form"
				}
				return found
			})
		}
	}
	for n, text := range t.texts {
		read(text, t.sources[n], n)
	}
	for _, v := range t.held {
		read(v.text, v.at, v.n)
	}
}

// wanted is a claim that is left over, with what of it is compared.
type wanted struct {
	*claim
	words   []string // those of an identifier, or the telling ones of a name
	letters string   // of an identifier or a long number
	timely  bool     // a number that the digits of a date or a time may be
}

// leftOver returns the numbers, names and identifiers without a place of an answer of which most has one.
func (t *tracer) leftOver() (open []wanted) {
	placed, all := 0, 0
	for _, c := range t.claims {
		if c.neutral || c.hidden || c.soft && c.place == nil || c.kind == aStatus || c.kind == aBlank {
			continue
		}
		if all++; c.place != nil {
			placed++
		} else if c.why == "" && (c.kind == aNumber || c.kind == aName || c.kind == anID) {
			w := wanted{claim: c, letters: lettersOf(c.text)}
			switch c.kind {
			case anID:
				w.words = foldedWords(c.text)
			case aNumber:
				w.timely = t.timely(c)
			case aName:
				w.words = slices.DeleteFunc(slices.Concat(c.pieces...), func(w string) bool { return !telling(w) })
			}
			open = append(open, w)
		}
	}
	if placed < mildLeast || float64(placed) < mildShare*float64(all) {
		return nil
	}
	return open
}

// line is a line of a text, read mildly, and no further than the claims ask.
type line struct {
	t       *tracer
	text    string
	words   []word
	numbers []quantity // see quantities
	plain   int        // of the numbers before those that are digits of dates and times
	read    bool       // they were read
}

// quantities returns the numbers of a line, with those that the digits of dates, times and identifiers may be.
func (l *line) quantities() []quantity {
	if l.read || !l.led() {
		l.read = true
		return l.numbers
	}
	l.read = true
	s := l.text
	l.numbers = quantities(l.numbers, s, l.words, l.t.q.langs)
	whole := l.numbers
	for _, q := range whole {
		alone := q.at >= q.num && q.tail >= q.end // its unit is not beside it
		if asNumber(&q, l.text) || !q.isDate && (q.inside || alone) {
			l.digits(&q)
		}
	}
	l.plain = len(l.numbers)
	for _, q := range whole {
		if q.isDate && !asNumber(&q, l.text) {
			l.digits(&q)
		}
	}
	return l.numbers
}

// asNumber reports whether a date may be a number with a point, as 4.2062.
func asNumber(q *quantity, s string) bool {
	whole, part, point := strings.Cut(s[q.num:max(q.end, q.tail)], ".")
	return q.isDate && point && strings.Trim(whole+part, "0123456789") == ""
}

// digits adds the runs of digits of a number.
func (l *line) digits(q *quantity) {
	for p := q.num; p < max(q.end, q.tail); p++ {
		bare := quantity{scale: 1}
		if q.units == nil {
			bare.label = q.label
		}
		if !isDigit(l.text[p]) || p > 0 && isDigit(l.text[p-1]) {
			continue
		}
		bare.num = p
		if bare.values, bare.tail, bare.digits = digitsAt(l.text, p); bare.values != nil {
			l.numbers = append(l.numbers, bare)
		}
	}
}

// timely reports whether a number of the answer may be a part of a date, a time or a duration: it is in words, or
// joined to another number, or its unit or the word behind it is one of time.
func (t *tracer) timely(c *claim) bool {
	before, after := t.x.answer[:c.at], t.x.answer[c.end:]
	joined := func(mark, digit string) bool {
		return mark != "" && digit != "" && isDigit(digit[0]) && strings.ContainsAny(mark, ":.-–—/")
	}
	r, n := utf8.DecodeRuneInString(after)
	b, m := utf8.DecodeLastRuneInString(before)
	before = before[:len(before)-m]
	next := firstWords(strings.TrimLeft(after[:min(len(after), 24)], ". "))
	return c.q.word || c.q.isDate || joined(string(r), after[n:]) ||
		joined(string(b), before[max(0, len(before)-1):]) ||
		len(next) > 0 && (months()[next[0].text] != 0 || hours.has(next[0].text) || departures.has(next[0].text) ||
			len(next) > 1 && dashes(next[0].text) && isDigit(next[1].text[0])) // as in "dalle 16 alle 18.30"
}

// led reports whether the line may have a number in words, or one that is left over.
func (l *line) led() bool {
	for p := range len(l.text) {
		if isDigit(l.text[p]) && !(p > 0 && isDigit(l.text[p-1])) && l.t.filter.leading(l.text, p) {
			return true
		}
	}
	return slices.ContainsFunc(l.words, func(w word) bool {
		if w.text[0] >= utf8.RuneSelf || roman(l.text[w.at:w.end]) > 0 {
			return true
		}
		if isDigit(w.text[0]) || !l.t.counting[stemHash(w.text)] {
			return false
		}
		_, number := numberOf(l.t.q.langs, w.text)
		return number || scales[w.text] > 0 || noons[w.text] > 0
	})
}

// countingStems returns the hashes of the stems of words that may stand for numbers, so that most others cost one look.
func (t *tracer) countingStems() (out [1 << 12]bool) {
	for _, l := range t.q.langs {
		for w := range l {
			out[stemHash(w)] = true
		}
	}
	for w := range scales {
		out[stemHash(w)] = true
	}
	for w := range noons {
		out[stemHash(w)] = true
	}
	for _, w := range append([]string{"ein", "een"}, powers...) { // at the beginning of a compound
		out[stemHash(w)] = true
	}
	return out
}

// has reports whether a line has the date or the number of a claim, its letters, or words of the same stems.
func (l *line) has(c *wanted) bool {
	switch {
	case c.kind == aNumber && c.q.isDate:
		return l.dated(&c.q.date) || l.lasts(&c.q.date)
	case c.kind == aNumber && c.q.digits > 7 && c.q.units == nil: // as in the ISBN 9781555019273
		return strings.Contains(lettersOf(l.text), c.letters)
	case c.kind == aNumber && c.q.digits > 4 && c.q.units == nil && c.q.label != "" && // as EP 1190442 in EP1190442
		strings.Contains(lettersOf(l.text), c.q.label+c.letters):
		return true
	case c.kind == aNumber && c.q.units == nil && c.q.label != "" && // as room 2 in room2
		slices.ContainsFunc(l.words, func(w word) bool { return w.text == c.q.label+c.letters }):
		return true
	case c.kind == aNumber:
		qs := l.quantities()
		if !c.timely {
			qs = qs[:l.plain]
		}
		return slices.ContainsFunc(qs, func(q quantity) bool {
			return !(c.q.units != nil && q.units == nil && telling(thing(l.text, &q))) && c.nearly(&q)
		})
	case c.kind == anID:
		same := func(w, o string) bool { return w == o }
		return len(c.letters) > 4 && strings.Contains(lettersOf(l.text), c.letters) || l.all(c.words, 2, same) ||
			strings.Contains(strings.ToLower(l.text), strings.ToLower(c.text)+"_") // as PM10 in pm10_ug
	}
	if v := roman(c.text); v > 2 && l.part(v) { // chapters XVII and XVIII
		return true
	}
	return l.coded(c.words) || !l.mixes(c.words) && l.all(c.words, 1, func(w, o string) bool {
		return w[0] == o[0] && akin(w, o) || len(w) > 4 && len(o) > len(w) && strings.Contains(o, w)
	})
}

// coded reports whether a line has a word of three capitals that may stand for a name.
func (l *line) coded(name []string) bool {
	return len(name) > 0 && slices.ContainsFunc(l.words, func(w word) bool {
		if w.end-w.at != 3 || w.text[0] != name[0][0] {
			return false
		}
		t, code := l.text[w.at:w.end], telling(w.text) || w.text == "nor"
		return code && strings.ToUpper(t) == t && lettered(t) && codes(w.text, strings.Join(name, ""))
	})
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

// mixes reports whether the first and the last word of a name belong to two others, as Clara and Aumann in "Clara
// Niemann (Luise), Wenzel Aumann".
func (l *line) mixes(name []string) bool {
	n := len(name) - 1
	i := slices.IndexFunc(l.words, func(w word) bool { return n > 0 && w.text == name[0] })
	if i < 0 || i+1 >= len(l.words) {
		return false
	}
	k := i + 1 + slices.IndexFunc(l.words[i+1:], func(w word) bool { return w.text == name[n] })
	capital := func(a, b, w int) bool {
		return l.text[l.words[a].end:l.words[b].at] == " " && unicode.IsUpper(firstRune(l.text[l.words[w].at:]))
	}
	return k > i+2 && capital(i, i+1, i+1) && capital(k-1, k, k-1) &&
		strings.ContainsAny(l.text[l.words[i+1].end:l.words[k-1].at], ",;()|/{}[]")
}

// all reports whether a line has all of some words, which are at least so many.
func (l *line) all(ws []string, least int, same func(w, o string) bool) bool {
	return len(ws) >= least && !slices.ContainsFunc(ws, func(w string) bool {
		return !slices.ContainsFunc(l.words, func(o word) bool { return same(w, o.text) })
	})
}

// dated reports whether a line has all parts of a date, of which there are two or more.
func (l *line) dated(d *date) bool {
	n := 0
	in := func(part, other int) bool {
		if part > 0 {
			n++
		}
		return part <= 0 || l.part(part) || l.part(other)
	}
	// The 9 of "9 March 2021" is no September.
	other := d.month > 0 && d.day <= 0 && !l.part(-d.month) && slices.ContainsFunc(l.words, func(w word) bool {
		return months()[w.text] != 0
	})
	if other ||
		!in(d.year, d.year%100) || !in(d.day, d.day) || !in(d.month, -d.month) || !in(d.minute, d.hour*100+d.minute) ||
		d.day > 0 && d.month > 0 && (l.scattered(d) || l.otherwise(d)) {
		return false
	}
	return d.hour < 0 && n > 1 || d.hour >= 0 && n > 0 && l.timed(d)
}

// otherwise reports whether the line has dates with day and month, of which none is a date: not even with another day
// beside it, as in "from 3 to 5 May 2021".
func (l *line) otherwise(d *date) bool {
	all, some := quantities(nil, l.text, l.words, l.t.q.langs), false
	for _, q := range all {
		if !q.isDate || q.date.day <= 0 || q.date.month <= 0 {
			continue
		}
		some = true
		same := q.date.month == d.month && (d.year <= 0 || q.date.year <= 0 || q.date.year%100 == d.year%100)
		if same && q.date.day == d.day || same && slices.ContainsFunc(all, func(o quantity) bool {
			v, whole := o.whole()
			return whole && v == d.day && !o.isDate && !o.inside && o.units == nil &&
				(o.end <= q.at && q.at-o.end <= mildSpan || o.at >= q.end && o.at-q.end <= mildSpan)
		}) {
			return false
		}
	}
	return some
}

// scattered reports whether day and month stand there in digits only, and not near each other, as 2 and 3 in
// "2020-02-19: off by one in 3.4.1".
func (l *line) scattered(d *date) bool {
	days, months := l.numbered(d.day), l.numbered(d.month)
	return len(days) > 0 && len(months) > 0 && !l.part(-d.month) && !slices.ContainsFunc(days, func(i int) bool {
		return slices.ContainsFunc(months, func(k int) bool { return i != k && max(i-k, k-i) <= 5 })
	})
}

// numbered returns the words that are a number.
func (l *line) numbered(n int) (out []int) {
	for i, w := range l.words {
		if v, end := number(w.text, 0, 4); v == n && end == len(w.text) {
			out = append(out, i)
		}
	}
	return out
}

// part reports whether a number, or a month as a negative one, may be a part of a date.
func (l *line) part(n int) bool {
	return slices.ContainsFunc(l.words, func(w word) bool {
		if isDigit(w.text[0]) {
			v, _ := number(w.text, 0, 4)
			return v == n
		}
		return n < 0 && months()[w.text] == -n
	}) || n > 0 && slices.ContainsFunc(l.quantities(), func(q quantity) bool {
		v, ok := q.whole()
		return ok && q.word && v == n
	})
}

// lasts reports whether the parts of a time stand there one after the other, as in goals of 37:14, or its minutes.
func (l *line) lasts(d *date) bool {
	a, b, all := d.minute, d.sec, d.hour*60+d.minute
	if d.day > 0 || d.year > 0 || d.hour < 0 || !d.either && (d.hour == 0 || d.minute < 0) {
		return false
	}
	for _, q := range l.quantities() {
		if v, ok := q.whole(); ok && q.units == nil {
			if v == all && d.hour > 0 {
				return true
			}
			if v == a && d.either {
				a, b = b, -1
			}
		}
		if a < 0 {
			return true
		}
	}
	return false
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
	case c.q.units == nil && c.q.scale == 1 || c.q.digits < 2, q.end == 0: // these are digits of a date
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
