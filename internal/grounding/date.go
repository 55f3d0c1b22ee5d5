package grounding

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// date is a date, a time of day, or both. Missing parts are -1.
type date struct {
	year, month, day  int
	hour, minute, sec int
	swap              bool // day and month may be swapped
	either            bool // the hour may be in either half of the day
}

var noDate = date{-1, -1, -1, -1, -1, -1, false, false}

// bare reports whether only the month is given.
func (d date) bare() bool { return d.month > 0 && d.year < 0 && d.day < 0 && d.hour < 0 }

// covers reports whether all parts that the claim gives are equal in d.
func (d date) covers(claim date) bool {
	part := func(c, p int) bool { return c < 0 || c == p }
	if d.month < 0 && d.day < 0 && d.hour == 0 && d.sec > 0 && claim.sec < 0 && claim.minute >= 0 && claim.day < 0 &&
		claim.hour == d.minute && claim.minute == d.sec { // a position such as 00:07:12 is 7:12
		return true
	}
	if d.hour >= 0 && d.minute < 0 {
		d.minute = 0 // as in "2 pm"
	}
	if (d.either || claim.either) && d.hour >= 0 && claim.hour >= 0 {
		d.hour, claim.hour = d.hour%12, claim.hour%12
	}
	return part(claim.year, d.year) && part(claim.hour, d.hour) && part(claim.minute, d.minute) &&
		part(claim.sec, d.sec) && (part(claim.month, d.month) && part(claim.day, d.day) ||
		(d.swap || claim.swap) && part(claim.month, d.day) && part(claim.day, d.month))
}

// cursor reads a text from left to right.
type cursor struct {
	s string
	i int
}

func (c *cursor) byte() byte { return byteAt(c.s, c.i) }

func (c *cursor) spaces() {
	for c.i < len(c.s) {
		r, n := utf8.DecodeRuneInString(c.s[c.i:])
		if r != ' ' && r != '\u00a0' && r != '\u202f' {
			return
		}
		c.i += n
	}
}

// skip advances past the first of the texts that comes next, and reports whether there is one.
func (c *cursor) skip(texts ...string) bool {
	for _, t := range texts {
		if strings.HasPrefix(c.s[c.i:], t) {
			c.i += len(t)
			return true
		}
	}
	return false
}

// num reads a number of up to most digits, and returns its value and number of digits.
func (c *cursor) num(most int) (v, n int) {
	for isDigit(byteAt(c.s, c.i+n)) {
		if v = v*10 + int(c.s[c.i+n]-'0'); n == most {
			return -1, 0
		}
		n++
	}
	c.i += n
	return v, n
}

// month reads the name of a month; 0 means none.
func (c *cursor) month() int {
	at, end := wordAfter(c.s, c.i)
	if at != c.i || end-at < 3 || isDigit(c.s[at]) {
		return 0
	}
	for end > at && isDigit(c.s[end-1]) { // as in 14MAR2019
		end--
	}
	m := months()[fold(c.s[at:end])]
	if m > 0 {
		c.i = end
	}
	return m
}

// worded reports whether a letter or digit is next.
func (c *cursor) worded() bool { return isWord(firstRune(c.s[c.i:])) }

func byteAt(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

// number reads up to n digits at p, and returns the value, or -1, and the end.
func number(s string, p, n int) (int, int) {
	c := cursor{s, p}
	v, k := c.num(n)
	if k == 0 {
		return -1, p
	}
	return v, c.i
}

func validYear(y int) bool { return y >= 1000 && y <= 2999 }

func validDay(month, day int) bool { return month >= 1 && month <= 12 && day >= 1 && day <= 31 }

// dateAt reads a date or a time that starts with the digit at p. It returns its end and the start of a time after a
// day, unless the two are written as one.
func dateAt(s string, p int) (d date, end, clock int, ok bool) {
	until := p > 1 && s[p-1] == '-' && isDigit(s[p-2]) &&
		(byteAt(s, p+2) == ':' || lastDay(s, p)) // as in "10:00-16:30", "12-19 June"
	// In "minutes-2012-10" the first hyphen only separates the date from a name.
	until = until ||
		p > 1 && strings.IndexByte("-_", s[p-1]) >= 0 && unicode.IsLetter(lastRune(s[:p-1])) && byteAt(s, p+4) == '-'
	// As in "9.30am-5pm".
	half := strings.ToLower(strings.TrimRight(s[max(0, p-5):p], "-–"))
	until = until || len(half) < p-max(0, p-5) && (strings.HasSuffix(half, "am") || strings.HasSuffix(half, "pm"))
	if r := lastRune(s[:p]); !until &&
		(isWord(r) && !alone(r) && r != 'T' || r != 0 && strings.ContainsRune("-/._", r) && isWord(lastRune(s[:p-1]))) {
		return noDate, p, 0, false
	}
	d = noDate
	c := cursor{s, p}
	if !c.day(&d) {
		if d, end, ok = monthSlash(s, p); ok {
			return d, end, 0, true
		}
		d, c.i = noDate, p
		ok = c.time(&d)
		return d, c.i, 0, ok
	}
	end = c.i
	for _, sep := range []string{"T", " ", ", ", ":", " at ", " um "} {
		t := d
		if c.i = end; c.skip(sep) && isDigit(c.byte()) {
			if at := c.i; c.time(&t) && (sep != ":" || t.sec >= 0) {
				if sep == "T" || sep == ":" || sep == " " && byteAt(s, p+4) == '-' {
					at = 0
				}
				return t, c.i, at, true
			}
		}
	}
	return d, end, 0, true
}

// day reads a date.
func (c *cursor) day(d *date) bool {
	p := c.i
	a, n := c.num(4)
	if n == 0 {
		return false
	}
	for _, k := range [][3]string{{"年", "月", "日"}, {"년", "월", "일"}} {
		if n == 4 && c.skip(k[0]) {
			d.year = a
		} else if a <= 12 && strings.HasPrefix(c.s[c.i:], k[1]) {
			c.i = p
		} else {
			continue
		}
		c.spaces()
		at := c.i
		if m, _ := c.num(2); c.skip(k[1]) {
			d.month = m
			c.spaces()
			at = c.i
			if v, _ := c.num(2); c.skip(k[2]) {
				d.day, at = v, c.i
			}
		}
		c.i = at
		return true
	}
	if at := c.i; strings.IndexByte("-./", c.byte()) >= 0 {
		if c.parts(d, a, n) {
			return true
		}
		*d, c.i = noDate, at
	}
	if b := c.byte(); n > 2 || a < 1 || a > 31 ||
		b < utf8.RuneSelf && !isWord(rune(b)) && strings.IndexByte(" .-/", b) < 0 {
		return false
	}
	end := c.i
	if c.until() { // the month follows the last day
		if d.month = c.dayMonth(); d.month == 0 {
			return false
		}
		d.day = a
		c.year(d)
		c.i = end
		return true
	}
	if d.day, d.month = a, c.dayMonth(); d.month == 0 {
		return false
	}
	end = c.i
	glued := isWord(rune(c.s[end-1])) && isDigit(c.byte())
	if y, n := c.num(2); glued && n == 2 && !c.worded() { // as in 12FEB24
		d.year = century(y)
		return true
	}
	c.i = end
	c.skip(".")
	if !c.year(d) {
		c.i = end
	}
	return true
}

// dayMonth reads the name of a month after a day.
func (c *cursor) dayMonth() int {
	c.skip("st", "nd", "rd", "th", ".", "er", "º", "°", "ten", "den", "ste", "te")
	c.spaces()
	c.skip("de ", "day of ", "of ", "d’", "d'")
	if m := c.month(); m > 0 {
		return m
	}
	at := c.i
	c.skip("-", "/")
	if m, n := romanMonth(c.s[c.i:]); m > 0 {
		marked := at > 0 && c.s[at-1] == '.' || c.i > at || n > 1 // 2 x 1500 is no date
		c.i += n
		for range 2 {
			marked = c.skip(".", "-", "/") || marked
			c.skip(" ")
		}
		if year, end := number(c.s, c.i, 4); end == c.i+4 && validYear(year) && marked {
			return m
		}
	}
	c.i = at
	return 0
}

// romanMonth reads a month in Roman numerals, as in 2.IX.1907 and 2 ix 1907, and returns it and its length.
func romanMonth(s string) (month, n int) {
	var capitals [4]byte
	for ; n < min(len(s), 4) && strings.IndexByte("ivxIVX", s[n]) >= 0; n++ {
		capitals[n] = s[n] &^ 0x20
	}
	if month = roman(string(capitals[:n])); month > 12 || isWord(firstRune(s[n:])) {
		return 0, 0
	}
	return month, n
}

// until reads the rest of a span of days after the first, as in "12-19 June" or "12 to 19 June".
func (c *cursor) until() bool {
	at := c.i
	if c.skip("-", "–", " - ", " – ", " to ", " and ", " bis ", " und ", " au ", " et ", " al ", " y ") {
		if day, n := c.num(2); n > 0 && day > 0 && day <= 31 {
			return true
		}
	}
	c.i = at
	return false
}

// lastDay reports whether the digits at p are the last day of a span such as 12-19 June.
func lastDay(s string, p int) bool {
	c := cursor{s, p}
	day, n := c.num(2)
	return n > 0 && day > 0 && day <= 31 && !(p > 3 && isDigit(s[p-4])) && c.dayMonth() > 0
}

// century returns the year that two digits mean.
func century(y int) int {
	if y += 2000; y > 2069 {
		y -= 100
	}
	return y
}

// compact reads a date of eight digits.
func compact(s string, p int) (d date, ok bool) {
	c := cursor{s, p}
	v, n := c.num(8)
	if n != 8 || p > 0 && isDigit(s[p-1]) {
		return noDate, false
	}
	d = noDate
	d.year, d.month, d.day = v/10000, v/100%100, v%100
	return d, d.year >= 1900 && d.year < 2100 && validDay(d.month, d.day)
}

// weekday returns the day of the week, 1 for Monday; 0 if the date is incomplete.
func (d date) weekday() int {
	if d.year <= 0 || d.month <= 0 || d.day <= 0 {
		return 0
	}
	return (int(time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC).Weekday())+6)%7 + 1
}

// parts reads the rest of 2024-05-02, 2.5.2024, 5/2/24, 02-Jan-2024, 05/2023 and 2024-05 after the first part.
func (c *cursor) parts(d *date, a, n int) bool {
	sep, p := c.byte(), c.i-n
	c.i++
	if m := c.month(); m > 0 {
		d.day, d.month = a, m
		if n > 2 || c.byte() != sep { // as in "05-Feb"
			return n < 3 && sep == '-' && validDay(m, a)
		}
		c.i++
		if d.year, n = c.num(4); n == 2 {
			d.year = century(d.year)
		}
		return n == 4 || n == 2
	}
	b, bn := c.num(4)
	if sep == '.' && bn <= 2 && c.byte() == '.' && !isDigit(byteAt(c.s, c.i+1)) && validDay(b, a) { // as in "ab 1.9."
		from, end := wordBefore(c.s, p)
		d.day, d.month = a, b
		if n == 2 && bn == 2 && (p == 0 || strings.IndexByte("\n|;", c.s[p-1]) >= 0) { // "26.12. on", not "3.1. Scope"
			return true
		}
		return from >= 0 && strings.TrimSpace(c.s[end:p]) == "" && dayWords.has(fold(c.s[from:end]))
	}
	if c.byte() != sep || !isDigit(byteAt(c.s, c.i+1)) {
		if sep == '-' {
			d.year, d.month = a, b
			return n == 4 && bn == 2 && validYear(a) && validDay(b, 1) && c.byte() != '-'
		}
		d.month, d.year = a, b
		decimal := sep == '.' && (b > 2099 || p > 0 && byteAt(c.s, p-1) == '=') // as in p95=1.2907
		return n <= 2 && bn == 4 && validYear(b) && validDay(a, 1) && !decimal
	}
	c.i++
	y, yn := c.num(4)
	switch {
	case bn == 0 || bn > 2 || yn == 0 || c.byte() == sep && isDigit(byteAt(c.s, c.i+1)),
		sep == '.' && c.byte() == '-' && unicode.IsLetter(firstRune(c.s[c.i+1:])): // as in 7.4.12-rc3
		return false
	case n == 4 && validYear(a):
		d.year, d.month, d.day = a, b, y
	case n <= 2 && yn == 4 && validYear(y), n <= 2 && yn == 2 && sep != '-':
		if yn == 2 {
			y = century(y)
		}
		d.year, d.month, d.day = y, b, a
		if b > 12 {
			d.month, d.day = a, b
		}
		d.swap = b <= 12 && a <= 12 && sep != '.'
	default:
		return false
	}
	return validDay(d.month, d.day)
}

// dayWords are German words before a day.
var dayWords = words("am ab bis vom zum den seit dem")

// fraction reports whether a text starts with a comma and one or two digits.
func fraction(s string) bool {
	if byteAt(s, 0) != ',' || !isDigit(byteAt(s, 1)) {
		return false
	}
	_, end := number(s, 1, 2)
	return end > 1
}

// wordEnd returns the end of the capitals that start at p.
func wordEnd(s string, p int) int {
	for p < len(s) && s[p] >= 'A' && s[p] <= 'Z' {
		p++
	}
	return p
}

// year reads a year after a month.
func (c *cursor) year(d *date) bool {
	c.skip(",")
	c.spaces()
	c.skip("de ", "del ", "of ")
	y, n := c.num(4)
	if n != 4 || !validYear(y) || c.worded() || c.byte() == ':' && isDigit(byteAt(c.s, c.i+1)) {
		return false
	}
	d.year = y
	return true
}

// counted reports whether the number behind the month at p is none of its days, as in "in May 29 jobs failed".
func counted(s string, p, end int) bool {
	from, to := wordBefore(s, p)
	at, _ := wordAfter(s, end)
	return from >= 0 && to == p-1 && ins.has(fold(s[from:to])) && at == end+1 && s[end] == ' ' &&
		unicode.IsLower(firstRune(s[at:]))
}

var ins = words("in im en em nel nell")

// monthFirst reads what starts with the name of a month: "March 5, 2023", "March 2023", "May 4", "May".
func monthFirst(s string, p int) (date, int, bool) {
	c, d := cursor{s, p}, noDate
	if d.month = c.month(); d.month == 0 {
		return d, p, false
	}
	name, end := s[p:c.i], c.i
	c.skip(".")
	if after := c.i; !c.year(&d) {
		c.i = after
	} else {
		return d, c.i, true
	}
	before := c.i
	c.spaces()
	if c.i > before+2 { // another column starts
		return d, end, false
	}
	day, n := c.num(2)
	if n > 0 && day >= 1 && day <= 31 && c.i > end+n {
		c.skip("st", "nd", "rd", "th")
		timed := c.i < len(s) && strings.IndexByte(":.", s[c.i]) >= 0 && isDigit(byteAt(s, c.i+1))
		if after := c.i; !c.worded() && !timed && !fraction(s[c.i:]) {
			d.day = day
			if !c.year(&d) {
				if c.i = after; !c.clockYear(&d) {
					c.i = after
				}
			}
			if d.year > 0 || !counted(s, p, c.i) {
				return d, c.i, true
			}
			n, d.day = 0, -1
		}
	}
	// A month alone needs a capital, and must not start a sentence, where it may be another word.
	at, _ := wordBefore(s, len(strings.TrimSuffix(s[:p], " de ")))
	place := at >= 0 && strings.HasSuffix(s[:p], " de ") && unicode.IsUpper(firstRune(s[at:])) // Rio de Janeiro
	return d, end, p == 0 && n > 0 || !place && n == 0 && len(name) > 3 && name[0] != 'm' && name != "sept" && p > 0 &&
		!strings.HasSuffix(s[:p], ". ")
}
