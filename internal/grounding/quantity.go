package grounding

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quantity is a number, a date or a time in a text.
type quantity struct {
	at, end int  // its offsets, including unit and currency
	num     int  // start of its digits
	tail    int  // end of its digits
	first   int  // index of its first word
	date    date // the date or time, if isDate
	isDate  bool
	clock   int // start of the time after a day, unless both are written as one

	values []reading // possible values of its digits, without the scale
	scale  float64   // 1 if there is none
	units  []unit    // possible units, nil if there is none
	either bool      // a scale or a unit follows, such as the m of "3 m"
	minus  bool
	word   bool // it is in words or a Roman numeral
	rank   bool // it is an ordinal
	round  bool // "about" precedes it
	bound  int8 // "less than" (-1) or "more than" (1) precedes it
	packed bool // a date of eight digits, which may be part of an identifier
	inside bool // its digits are part of an identifier: only the identifier counts
	head   bool // it numbers an item at the start of a line
	span   bool // a percentile such as p90
	label  string
	digits int     // number of digits
	least  float64 // the last unit of a duration of several parts
	column *column // what the head of its column says, nil until it is read
}

// quantities appends the numbers, dates and times of s to dst; ws are the words of s.
func quantities(dst []quantity, s string, ws []word, langs []map[string]numberWord) []quantity {
	done := 0
	for i, w := range ws {
		if w.at < done {
			continue
		}
		var q quantity
		ok := false
		switch {
		case isDigit(s[w.at]):
			q, ok = numeric(s, w.at)
		case noons[w.text] != 0 && !(i > 0 && ws[i-1].text == "after"):
			q, ok = quantity{at: w.at, num: w.at, end: w.end, isDate: true, date: noDate}, true
			q.date.hour, q.date.minute = noons[w.text]%24, 0
		case months()[w.text] != 0:
			if q.date, q.end, ok = monthFirst(s, w.at); ok {
				q.isDate, q.at, q.num = true, w.at, w.at
			}
		}
		if part, at := vulgar(s, w.at); part > 0 && !isDigit(s[w.at]) {
			q, ok = quantity{at: at, num: at, end: at + 2, scale: 1, values: []reading{{part, 0}}, digits: 2}, true
			q.behind(s)
		}
		if !ok && !isDigit(s[w.at]) {
			spells := spellable(s, ws, i)
			if spells {
				if q, ok = spokenClock(s, ws, i, langs); ok {
					dst, done = append(dst, q), q.end
					dst[len(dst)-1].first = i
					continue
				}
			}
			if q, ok = prefixed(s, w); !ok && spells {
				if q, ok = spelled(s, ws, i, langs); ok {
					q.dated(s)
				}
			}
		}
		if !ok {
			continue
		}
		q.first, done = i, q.end
		if i > 0 && !q.isDate && !strings.ContainsAny(s[ws[i-1].end:w.at], ",;()[]|\n") {
			n := len(dst)
			if q.label = ws[i-1].text; ws[i-1].at > 0 && s[ws[i-1].at-1] == '/' || // as in "ns/op 48210"
				n > 0 && dst[n-1].units != nil && dst[n-1].end == ws[i-1].end { // as in "longer than 900 s: 73"
				q.label = ""
			}
			// As in "page 9 of 30".
			if n > 0 && ofs.has(q.label) && dst[n-1].first == i-2 && labels.has(dst[n-1].label) {
				q.label = dst[n-1].label
			}
			q.labelled(s, ws[i-1])
		} else if i > 0 && !q.isDate && strings.TrimPrefix(s[ws[i-1].end:w.at], " ") == "(" && ws[i-1].at > 0 {
			// As in from_secs(20) and result_keur (412).
			if r := lastRune(s[:ws[i-1].at]); r == '_' || r == '.' || !capless(s[ws[i-1].at:ws[i-1].end]) {
				q.labelled(s, ws[i-1])
			}
		}
		if strings.HasPrefix(s[q.end:], "行目") {
			q.label = "line"
		}
		if strings.HasSuffix(strings.TrimRight(s[:q.at], " \u00a0"), "§") {
			q.label = "§"
		}
		if n := len(dst); n > 0 && dst[n-1].lengthen(q, s) {
			continue
		}
		if dialled(s, q.num) && !(q.isDate && q.date.day > 0 && q.date.year > 0) {
			q.inside = true
			dst = append(dst, q)
			continue
		}
		for n := 0; times(s, q.end) && n < 4; n++ { // as in 1170x2532
			dst = append(dst, q)
			if q, ok = numeric(s, q.end+1); !ok {
				break
			}
			q.first, done = i, q.end
		}
		if dst = append(dst, q); q.tail <= q.num || !strings.Contains(s[q.num:q.tail], " ") {
			continue
		}
		for j := i; j < len(ws) && ws[j].at < q.tail; j++ { // groups that may be columns
			part := quantity{at: ws[j].at, num: ws[j].at, first: j, scale: 1}
			end, r := ws[j].end, firstRune(s[ws[j].end:])
			if (r == '.' || r == ',') && j > i {
				end = q.tail
			} else if r == '.' || r == ',' || r == '\'' {
				continue
			}
			if part.values, part.end, part.digits = digitsAt(s[:end], ws[j].at); part.values != nil {
				dst = append(dst, part)
			}
		}
	}
	for i := len(dst) - 2; i >= 0; i-- { // as in "203 x 59.5 x 66.3 cm"
		q, next := &dst[i], &dst[i+1]
		if q.units == nil && next.units != nil && !q.isDate && q.scale == 1 && q.end < next.at &&
			crosses.has(strings.TrimSpace(s[q.end:next.at])) {
			q.units = next.units
		}
	}
	return dst
}

// crosses stand between the sides of a thing.
var crosses = words("x × * by")

// dated turns an ordinal in words into the day of the month that follows it, as in "the third day of March 2027".
func (q *quantity) dated(s string) {
	day, whole := q.whole()
	if !q.rank || !q.word || !whole || day > 31 {
		return
	}
	c, d := cursor{s, q.end}, noDate
	c.spaces()
	if d.day, d.month = day, c.dayMonth(); d.month == 0 {
		return
	}
	q.end = c.i
	if c.skip(","); c.year(&d) {
		q.end = c.i
	}
	q.isDate, q.date = true, d
}

// numeric reads the quantity that starts with the digit at p.
func numeric(s string, p int) (quantity, bool) {
	q := quantity{at: p, num: p, scale: 1}
	if q.stopped(s) {
		return q, true
	}
	// The 1 of "1.2009 s" and "sd 1.2093" is no month.
	measured := func(d date, end int) bool {
		if d.day >= 0 || d.hour >= 0 || byteAt(s, p+1) != '.' {
			return false
		}
		if at, end := wordBefore(s, p); at >= 0 && end+1 >= p && statistics.has(fold(s[at:end])) {
			return true
		}
		u, _ := unitsAt(strings.TrimPrefix(s[end:], " "))
		return u != nil || isWord(firstRune(s[end:])) // as in 1.1975e6
	}
	if d, end, clock, ok := dateAt(s, p); ok && !measured(d, end) {
		return quantity{at: p, num: p, end: end, isDate: true, date: d, clock: clock}, true
	}
	q.values, q.end, q.digits = digitsAt(s, p)
	if q.values == nil {
		if k := strings.IndexByte(s[p:q.end], '.'); k > 0 { // the first two parts of a version
			n := p + k + 1
			for isDigit(byteAt(s, n)) {
				n++
			}
			q.values, _, q.digits = digitsAt(s[:n], p)
			q.inside, q.tail = true, q.end
		}
		return q, q.values != nil
	}
	q.tail = q.end
	if q.decade(s) {
		return q, true
	}
	if part, ok := vulgars[firstRune(s[q.end:])]; ok { // as in "4¾"
		q.values, q.end, q.digits = []reading{{q.values[0].value + part, 0}}, q.end+len("½"), q.digits+2
	}
	q.exponent(s)
	q.quotient(s)
	q.inside = joined(s, p) && !times(s, p-1) || byteAt(s, q.end) == '-' && isDigit(byteAt(s, q.end+1)) &&
		!ranged(s, q.end) || byteAt(s, q.end) == '_' || coded(s[q.end:]) || filed(s, p, q.end)
	q.before(s, p)
	if !q.duration(s) {
		q.behind(s)
	}
	if c := byteAt(s, q.end); q.units == nil && q.digits < 4 && (c == '.' || c == ')') && byteAt(s, q.end+1) == ' ' {
		at := strings.LastIndexByte(s[:p], '\n') + 1
		at = max(at, strings.LastIndex(s[at:p], ": ")+at+1) // the place of a line that grep found may be before it
		q.head = strings.Trim(s[at:p], " \t-*([") == "" && strings.TrimLeft(s[q.end+1:], " ") != ""
	}
	return q, true
}

// filed reports whether digits are the first part of a number of a file or the like, as in "call no. 1874/12".
func filed(s string, p, end int) bool {
	if end-p > 2 && s[p] == '0' && p > 1 && s[p-1] == '/' && isDigit(s[p-2]) { // as in "2018/0927"
		return true
	}
	if end-p < 3 || byteAt(s, end) != '/' || !isDigit(byteAt(s, end+1)) {
		return false
	}
	at, to := wordBefore(s, p)
	if at < 0 || strings.Trim(s[to:p], " .:°") != "" {
		return false
	}
	switch fold(s[at:to]) {
	case "no", "nr", "n", "num", "number", "nummer", "numero", "№":
		return true
	}
	return false
}

// prefixed reads a number with letters before it: EUR29, p90, v1.2.
func prefixed(s string, w word) (quantity, bool) {
	i := w.at
	for i < w.end && s[i] < utf8.RuneSelf && !isDigit(s[i]) {
		i++
	}
	letters := s[w.at:i]
	if d := isoDuration(s[w.at:w.end]); d > 0 {
		return quantity{
			at: w.at, num: i, end: w.end, tail: w.end, scale: 1, digits: 2,
			values: []reading{{d, 0}}, units: units("s"),
		}, true
	}
	if i == w.end || !isDigit(s[i]) {
		return quantity{}, false
	}
	often := letters == "q" && strings.HasSuffix(w.text, "h") // as in "q12h"
	known := option(s, w.at) || money(letters) != "" || letters == "x" || often
	if !known && letters != "p" && letters != "P" && !strings.HasSuffix(letters, "v") &&
		strings.IndexByte(s[i:min(i+64, len(s))], '.') < 0 {
		return quantity{}, false // as in b99a
	}
	q, ok := numeric(s, i)
	if strings.Count(s[i:q.end], ".") > 1 {
		return q, ok
	}
	q.inside = false
	switch {
	case known:
	case letters == "p" || letters == "P":
		if q.span = true; strings.Contains(s[q.num:q.tail], " ") { // "p99 885 ms" has two numbers
			q, ok = numeric(s[:w.end], i)
			q.span, q.inside = true, false
		}
	case strings.HasSuffix(letters, "v") && strings.Contains(s[i:q.end], "."): // a version
	default:
		ok = false
	}
	return q, ok
}

// isoDuration returns the seconds of a duration such as PT1H30M or P14D, 0 for other texts.
func isoDuration(s string) (total float64) {
	rest, ok := strings.CutPrefix(s, "P")
	for timed := false; ok && rest != ""; {
		if cut, is := strings.CutPrefix(rest, "T"); is && !timed {
			rest, timed = cut, true
			continue
		}
		n, end := number(rest, 0, 6)
		k := strings.IndexByte("WDHMS", byteAt(rest, end))
		if n < 0 || k < 0 || timed != (k > 1) {
			return 0
		}
		total += float64(n) * durations[k]
		rest = rest[end+1:]
	}
	return total
}

// before reads the sign and currency before the digits at p.
func (q *quantity) before(s string, p int) {
	at := len(strings.TrimRight(s[:p], " \u00a0\u202f"))
	sign := func() {
		r, n := utf8.DecodeLastRuneInString(s[:at])
		if strings.ContainsRune("-−–", r) && !isWord(lastRune(s[:at-n])) {
			q.minus = true
		}
		if q.minus || r == '+' {
			at -= n
			q.at = at
		}
	}
	if at == p {
		sign()
	}
	r, n := utf8.DecodeLastRuneInString(s[:at])
	from := at
	if n > 0 && strings.ContainsRune("$€£¥￥₹₽₩₺", r) {
		from -= n
	}
	symbol := from
	for from > 0 && at-from < 4 && s[from-1] >= 'A' && s[from-1] <= 'Z' {
		from--
	}
	if u := units(s[from:at]); u == nil || money(s[from:at]) == "" ||
		symbol == at && (at-from != 3 || from > 0 && isWord(lastRune(s[:from]))) {
		from = symbol
	}
	if u := units(s[from:at]); u != nil && from < at {
		q.units, q.at = u, from
		q.inside = q.inside && symbol < at
		if at = from; !q.minus {
			sign()
		}
	}
	if p > 0 && s[p-1] == 'p' && !isWord(lastRune(s[:p-1])) {
		q.span, q.inside = true, false
	}
}

// behind reads what follows the digits: ordinal ending, scale, unit.
func (q *quantity) behind(s string) {
	for _, ratio := range []string{":1", "x"} { // as in "3.75:1" and "3.75x"
		if rest, is := strings.CutPrefix(s[q.end:], ratio); is && !isWord(firstRune(rest)) &&
			(ratio == "x" || q.values[0].half < 0.5) {
			q.units, q.end = []unit{{"times", 1}}, q.end+len(ratio)
			return
		}
	}
	if c := byteAt(s, q.end); strings.IndexByte("\x00,.:;/=|<>[]{}\"\n\t", c) >= 0 {
		q.beside(s)
		return
	}
	for _, o := range []string{"st", "nd", "rd", "th", "ème", "er", "e", "º", "ª"} {
		if byteAt(s, q.end) != o[0] {
			continue
		}
		if rest, ok := strings.CutPrefix(s[q.end:], o); ok && !isWord(firstRune(rest)) {
			q.rank = true
			q.end += len(o)
			return
		}
	}
	gap := func() int {
		rest := s[q.end:]
		for _, by := range []string{" * time.", "*time."} { // as Go writes durations
			if strings.HasPrefix(rest, by) {
				return len(by)
			}
		}
		if n := len(rest) - len(strings.TrimLeft(rest, " \u00a0\u202f")); n > 0 && n <= 2 {
			return n
		}
		if rest != "" && rest[0] == '-' && unicode.IsLetter(firstRune(rest[1:])) {
			return 1
		}
		return 0
	}
	if q.at > 0 && s[q.at-1] == '(' && strings.HasPrefix(s[q.end:], ") ") { // as in "(4.1) m"
		if f, n := scaleAt(s[q.end+2:]); f != 0 {
			q.scale = f
			q.end += 2 + n
			return
		}
		if us, n := unitsAt(s[q.end+2:]); n > 3 && q.units == nil { // as in "ninety (90) days"
			q.units = us
			q.end += 2 + n
			return
		}
		if f, us, _ := shortScale(s[q.end+2:]); f != 0 && q.units == nil { // as in "(8,214) kEUR"
			q.scale, q.units = f, us
			return
		}
	}
	if r := byteAt(s, q.end); r != 0 && strings.IndexByte("NSEWO", r) >= 0 && !isWord(firstRune(s[q.end+1:])) &&
		q.values[0].half < 0.5 {
		return // a coordinate, such as 52.1N
	}
	g := gap()
	next := firstRune(s[q.end:])
	attached := g == 0 && isWord(next) && !alone(next)
	// A unit that is also a scale ("40.2 m") remains both.
	us, un := unitsAt(s[q.end+g:])
	if q.digits > 3 && strings.HasPrefix(s[q.end+g:], "год") { // as in "2019 года"
		us, un = nil, 0
	}
	if f, coin, n := shortScale(s[q.end+g:]); f != 0 && us == nil && q.units == nil { // as in "8,214 kEUR"
		q.scale, q.units, q.end = f, coin, q.end+g+n
		return
	}
	rate := us != nil && byteAt(s, q.end+g+un) == '/' && !isDigit(byteAt(s, q.end+g+un+1)) // m/s is no scale
	if f, n := scaleAt(s[q.end+g:]); f != 0 && !rate && (us == nil || un <= n) {
		q.scale = f
		if q.end += g + n; strings.HasPrefix(s[q.end:], ". ") { // as in "Mio. Euro"
			if u, _ := unitsAt(s[q.end+2:]); u != nil {
				q.end++
			}
		}
		if us != nil && un == n && q.units == nil {
			q.units, q.either = orBare(us), true
			return
		}
		if g, attached = elided(s[q.end:]), false; g == 0 {
			g = gap()
		}
		us, un = unitsAt(s[q.end+g:])
	}
	after := byteAt(s, q.end+g+un)
	if un == 1 && after == '.' && unicode.IsLetter(firstRune(s[q.end+g+2:])) { // an abbreviation, as in "12 p.a."
		us = nil
	}
	switch {
	case us == nil && attached && (s[q.end] == 'C' || s[q.end] == 'F') && !isWord(firstRune(s[q.end+1:])): // "21.4C"
		q.units = units("°" + s[q.end:q.end+1])
		q.end++
	case us == nil:
		q.inside = q.inside || attached && !times(s, q.end) && !(s[q.end] == 'x' && !isWord(firstRune(s[q.end+1:])))
	// A key, as in "n=20 min=3 p95=4".
	case g > 0 && (isDigit(after) || after == '=' || after == ':' && isDigit(byteAt(s, q.end+g+un+1))):
	default:
		if q.units == nil {
			q.units = us
		}
		counts := s[q.end+g:q.end+g+un] == "p" && after == ' '          // as in "lift 0.16 p 0.003"
		if after == ' ' && un > 2 && isDigit(byteAt(s, q.end+g+un+1)) { // a key may follow, as in "abv 6.4 days 12"
			_, end := number(s, q.end+g+un+1, 9)
			counts = byteAt(s, end) == '\n' || end == len(s)
		}
		if counts || s[q.end+g:q.end+g+un] == "pp" || s[q.end+g:q.end+g+un] == "с" { // percentage points, or pages
			q.units = orBare(us)
		}
		q.end += g + un
		if per := strings.IndexFunc(s[q.end:], func(r rune) bool {
			return r != '/' && r != '²' && r != '³' && !(r < utf8.RuneSelf && unicode.IsLetter(r))
		}); after == '/' && per != 0 && per < 8 {
			if per < 0 {
				per = len(s) - q.end
			}
			if c := byteAt(s, q.end+per); per > 1 && s[q.end+per-1] == 'm' && (c == '2' || c == '3') &&
				!isDigit(byteAt(s, q.end+per+1)) { // as in "kg/m3"
				per++
			}
			if per > 1 {
				if by := lookUnit(s[q.end+1 : q.end+per]); by != nil && len(q.units) > 0 {
					q.units = append(slices.Clone(q.units), ratio(q.units, by)...)
				}
				q.end += per
			}
		}
	}
}

// whole returns the value of a whole number without unit or scale, and whether it is one.
func (q *quantity) whole() (int, bool) {
	if q.isDate || q.units != nil || q.scale != 1 || len(q.values) == 0 {
		return 0, false
	}
	v, half := q.values[0].value, q.values[0].half
	return int(v), v == math.Trunc(v) && v < 1e9 && (half == 0 || half >= 0.5) // 8.0 is not whole
}
