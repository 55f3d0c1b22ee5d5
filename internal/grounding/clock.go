package grounding

import (
	"math"
	"slices"
	"strings"
)

// clock reports whether d is a time without a date, and its seconds as a duration.
func (d date) clock() (seconds float64, ok bool) {
	if d.year > 0 || d.month > 0 || d.day > 0 || d.hour < 0 || d.sec < 0 {
		return 0, false
	}
	return float64(d.hour*3600 + d.minute*60 + d.sec), true
}

// clockYear reads the time and the year after a day, as in "Feb 6 17:20:44 2018".
func (c *cursor) clockYear(d *date) bool {
	t := *d
	c.spaces()
	if !c.time(&t) || t.sec < 0 {
		return false
	}
	c.spaces()
	if !c.year(&t) {
		return false
	}
	*d = t
	return true
}

// time reads a time of day.
func (c *cursor) time(d *date) bool {
	from := c.i
	if v, end := number(c.s, from, 4); end == from+4 && byteAt(c.s, end) == 'Z' && v/100 < 24 && v%100 < 60 { // 0412Z
		d.hour, d.minute, c.i = v/100, v%100, end+1
		return !c.worded()
	}
	h, n := c.num(2)
	if n == 0 || h > 24 {
		return n > 0 && c.minutes(d, h, from)
	}
	d.hour = h
	i := c.i
	if c.hanClock(d, from) {
		return true
	}
	c.spaces()
	clock := c.skip("Uhr") // as in "18 Uhr 30"
	spaced := c.i > i
	if !clock {
		clock = c.skip("h")
		clock = clock && (!spaced || c.byte() == ' ')
	}
	if !clock {
		c.i = i
	}
	sep := isDigit(byteAt(c.s, c.i+1)) && c.skip(":", ".")
	point := sep && byteAt(c.s, c.i-1) == '.'
	if clock {
		c.spaces()
	}
	at := c.i
	m, n := c.num(2)
	switch {
	case n == 2 && m < 60 && (sep || clock):
		d.minute = m
		if rest := c.s[c.i:]; clock && (c.worded() || c.byte() == '\'' ||
			strings.HasPrefix(strings.TrimLeft(rest, " "), "m")) {
			return false // it is a duration
		}
		if c.byte() == ':' && isDigit(byteAt(c.s, c.i+1)) {
			c.i++
			if d.sec, n = c.num(2); n != 2 || d.sec > 60 {
				return false
			}
			if isDigit(byteAt(c.s, c.i+1)) && c.skip(".", ",") {
				c.num(9)
			}
		}
		at = c.i
	case sep ||
		clock && c.s[i:c.i] != " Uhr" && !strings.HasPrefix(c.s[i:], " Uhr") && !strings.HasPrefix(c.s[i:], "Uhr"):
		return false
	default:
		c.i = at
	}
	c.spaces()
	switch {
	case !strings.HasSuffix(strings.TrimRight(c.s[:c.i], " "), "Uhr") &&
		c.skip("a.m.", "p.m.", "am", "pm", "AM", "PM", "a.m", "p.m") && !c.worded():
		half := c.s[at:c.i]
		if d.hour %= 12; strings.ContainsAny(half, "pP") {
			d.hour += 12
		}
		return true
	case c.skip("Uhr"):
		return true
	case d.hour < 13 && c.skip("o'clock", "o’clock"):
		d.minute, d.either = 0, true
		return true
	}
	c.i = at
	for _, half := range dayParts {
		if sep && half.hours >= 0 && d.hour < 13 && c.skip(half.words) {
			d.hour = d.hour%12 + half.hours
			return true
		}
	}
	if !sep && !clock || point {
		return false
	}
	for c.i > 0 && c.s[c.i-1] == ' ' {
		c.i--
	}
	c.skip(" UTC", " GMT", "Z")
	return true
}

// stopped reads minutes and seconds with a fraction, as a stopwatch has them: 5:42.07.
func (q *quantity) stopped(s string) bool {
	m, i := number(s, q.num, 3)
	if h := m; i == q.num+1 && byteAt(s, i+3) == ':' { // as in 1:12:44.8, unlike the 01:12:44.812 of a log
		if m, i = number(s, i+1, 2); m < 0 || m > 59 {
			return false
		}
		m += 60 * h
	}
	sec, point := number(s, i+1, 2)
	n, end := number(s, point+1, 3)
	if m < 0 || byteAt(s, i) != ':' || point != i+3 || sec > 59 || n < 0 ||
		byteAt(s, point) != '.' && !(byteAt(s, point) == ',' && end == point+3) || // as in "2:00,37"
		byteAt(s, end) == ':' || byteAt(s, end) == '.' && isDigit(byteAt(s, end+1)) || isWord(firstRune(s[end:])) ||
		q.num > 0 && s[q.num-1] == ':' {
		return false
	}
	last := math.Pow(10, float64(point+1-end))
	q.values = []reading{{float64(m*60+sec) + float64(n)*last, last / 2}}
	q.units, q.end, q.tail, q.digits = []unit{{"time", 1}}, end, end, end-q.num-2
	return true
}

// minutes reads the rest of a time in minutes and seconds such as 41:07, as in recordings.
func (c *cursor) minutes(d *date, m, from int) bool {
	if m < 60 && c.skip(":") {
		if sec, n := c.num(2); n == 2 && sec < 60 && !c.worded() && c.byte() != ':' {
			d.hour, d.minute, d.sec, d.either = 0, m, sec, true // or hours and minutes
			return true
		}
	}
	c.i = from
	return false
}

// fourDigits reports whether a number such as 0655 is the time d: it has a nought, or words around it say so.
func fourDigits(d date, q *quantity, s string) bool {
	return q.tail-q.num == 4 && d.day < 0 && d.minute >= 0 && d.sec < 0 &&
		int(q.values[0].value) == d.hour*100+d.minute &&
		(s[q.num] == '0' || departures.has(q.label) || strings.HasPrefix(strings.TrimLeft(s[q.tail:], " "), "h"))
}

var departures = words("dep arr departs arrives departure arrival depart at ab an um von bis time zeit std sta etd eta")

// pointedTime reports whether a number such as 8.30 is the time d: a nought or its label or the question says so.
func (t *tracer) pointedTime(c *claim, q *quantity, r *row) bool {
	d := c.q.date
	p, ok := pointed(t.text[q.num:max(q.num, q.tail)])
	return ok && d.day < 0 && p.covers(d) &&
		(t.text[q.num] == '0' || departures.has(q.label) || clockWords.has(q.label) || spoken(t.q.words, hours) ||
			spoken(t.q.words, whenWords) || t.accompanied(c, r))
}

// asTime reports whether a claim such as "12.30 uur" is the time d of a place.
func (c *claim) asTime(d date) bool {
	i := strings.IndexAny(c.text, "0123456789")
	digits, _, _ := strings.Cut(c.text[max(i, 0):], " ")
	p, ok := pointed(digits)
	return ok && d.hour >= 0 && d.covers(p) && (len(c.q.units) == 0 || c.q.units[0] == unit{"time", 3600})
}

// hours are words of questions that an hour can answer.
var hours = words("hour hours time uhrzeit stunde heure hora ora uur")

// clockWords precede a time.
var clockWords = words("at um alle ore à às las kl klockan om gegen vers verso")

// pointed reads a time with a point, such as 18.40.
func pointed(s string) (d date, ok bool) {
	hour, minute, ok := strings.Cut(s, ".")
	h, end := number(hour, 0, 2)
	m, end2 := number(minute, 0, 2)
	d = noDate
	d.hour, d.minute = h, m
	return d, ok && end == len(hour) && end2 == 2 && len(minute) == 2 && h < 25 && h >= 0 && m >= 0 && m < 60
}

// noons maps words for times of day to hours.
var noons = map[string]int{
	"noon": 12, "midday": 12, "midnight": 24, "mittags": 12, "mitternacht": 24, "midi": 12,
	"minuit": 24, "mediodia": 12, "mezzogiorno": 12, "mezzanotte": 24,
}

// dayParts are phrases after an hour in words, with the hours to add; -1: either half of the day is possible.
var dayParts = []struct {
	words string
	hours int
}{
	{" o'clock", -1},
	{" o’clock", -1},
	{" in the morning", 0},
	{" in the afternoon", 12},
	{" in the evening", 12},
	{" at night", -1},
}

// spokenClock reads a time in words at the word i, in either half of the day: "quarter to six", "halb neun".
func spokenClock(s string, ws []word, i int, langs []map[string]numberWord) (q quantity, ok bool) {
	for _, half := range dayParts {
		if rest, is := strings.CutPrefix(s[ws[i].end:], half.words); is && !isWord(firstRune(rest)) {
			if n, found := numeralIn(langs, ws[i].text); found && !n.ordinal && n.value > 0 && n.value < 13 {
				d := noDate
				d.hour, d.minute, d.either = n.value%12+max(half.hours, 0), 0, half.hours < 0
				return quantity{at: ws[i].at, num: ws[i].at, end: len(s) - len(rest), isDate: true, date: d}, true
			}
		}
	}
	minutes, k, sign := 0, i+1, 0
	switch first := ws[i].text; {
	case first == "half" || first == "halb":
		minutes = 30
	case first == "quarter" || first == "viertel":
		minutes = 15
	default:
		n, found := numeralIn(langs, first)
		if minutes = n.value; !found || n.ordinal || minutes%5 != 0 || minutes == 0 || minutes > 25 {
			return q, false
		}
	}
	if k < len(ws) && (ws[k].text == "minutes" || ws[k].text == "minuten") {
		k++
	}
	if k+1 >= len(ws) {
		return q, false
	}
	switch between := ws[k].text; {
	case ws[i].text == "halb":
		sign, k = -1, k-1
	case between == "past" || between == "nach":
		sign = 1
	case between == "to" || between == "vor":
		sign = -1
	default:
		return q, false
	}
	hour, named := numeralIn(langs, ws[k+1].text)
	if n, end := number(ws[k+1].text, 0, 2); end == len(ws[k+1].text) {
		hour, named = numberWord{value: n}, true
	}
	if !named || hour.ordinal || hour.value < 1 || hour.value > 12 ||
		strings.ContainsAny(s[ws[i].at:ws[k+1].at], ",;.\n") {
		return q, false
	}
	at := (hour.value%12*60 + sign*minutes + 720) % 720
	d := noDate
	d.hour, d.minute, d.either = at/60, at%60, true
	return quantity{at: ws[i].at, num: ws[i].at, end: ws[k+1].end, isDate: true, date: d}, true
}

// cut reports whether v, a length of time of several parts, is seconds with more parts, as 1:17:42 is 1 h 17 min.
func (q *quantity) cut(v reading, seconds float64) bool {
	return q.least > 0 && seconds > v.value && seconds-v.value < 2*v.half
}

// lasts compares a duration with one written as a time, such as 01:30:00.
func lasts(c, p *quantity) agreement {
	q, d := c, p.date
	if c.isDate {
		q, d = p, c.date
	}
	short := d.sec < 0              // as in "takes 6:40", which can be minutes
	long := d.hour == 0 && d.either // as in "31:00", which can be hours
	d.sec = max(d.sec, 0)
	seconds, ok := d.clock()
	if !ok || c.isDate == p.isDate {
		return differs
	}
	for _, u := range q.units {
		for _, v := range q.values {
			v = v.times(u.factor * q.factor(u))
			if d := math.Abs(v.value - seconds); u.kind == "time" &&
				(d < 1e-6 || q == c && v.half > 0.5 && d <= v.half || c.cut(v, seconds) ||
					short && math.Abs(v.value-seconds/60) < 1e-6 || long && math.Abs(v.value-seconds*60) < 1e-6) {
				return agrees
			}
		}
	}
	return differs
}

// hoursFrom reports whether a number of a place is an end of a span of hours such as 10–17: the other end is one of
// the answer's sentence, too, or the place has words of it there.
func (t *tracer) hoursFrom(c *claim, q *quantity, r *row) bool {
	k := slices.IndexFunc(r.quantities(t), func(o quantity) bool { return o.at == q.at })
	for _, n := range []int{k - 1, k + 1} {
		if k < 0 || n < 0 || n >= len(r.qs) {
			continue
		}
		o := &r.qs[n]
		h, ok := o.whole()
		if !ok || h > 24 || !dashed(t.text, q, o) {
			continue
		}
		same := func(i int) bool {
			p := t.claims[i]
			return p.row == c.row && p.at != c.at &&
				(p.q.date.hour == h || p.q.digits > 0 && compare(&p.q, o) == agrees)
		}
		return slices.ContainsFunc(t.filter.numbers, same) || t.akin(c, t.near(q, r))
	}
	return false
}

// dashed reports whether only a dash, or a word for it, joins two numbers of a text, in any order.
func dashed(s string, a, b *quantity) bool {
	if a.at > b.at {
		a, b = b, a
	}
	return a.end <= b.at && dashes(s[a.end:b.at])
}

// dashes reports whether a text between two numbers is a dash or a word for it.
func dashes(gap string) bool {
	switch strings.TrimSpace(gap) {
	case "-", "–", "—", ":", "to", "bis", "à", "tot", "al", "alle", "hasta", "até", "do", "till", "until":
		return true
	}
	return false
}
