package grounding

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// yearless reports whether a date of a place that has no year is the claim: its year stands elsewhere in the run, or
// the weekday beside it is that of the claim's date.
func (t *tracer) yearless(c, q *quantity) bool {
	d, p := c.date, q.date
	if t.kind == "" || !c.isDate || !q.isDate || d.year < 0 || p.year >= 0 || p.month < 0 || p.day < 0 {
		return false
	}
	if d.day < 0 { // as in "Shearing 2024 (14 and 15 May)"
		s := t.record(q.at)
		return p.month == d.month && d.month > 0 && holdsNumber(t.text[s.at:s.end], strconv.Itoa(d.year))
	}
	day := d.weekday()
	if d.year = -1; !p.covers(d) {
		return false
	}
	if said := weekdayBeside(t.text, q); said > 0 {
		return said == day
	}
	return t.yearSeen(c.date.year)
}

// dayOf reports whether an ordinal such as "the 22nd" is the day d, because the last month before it is d's.
func dayOf(d date, q *quantity, s string) bool {
	if v, ok := q.whole(); !ok || !q.rank || q.isDate || q.label != "the" || v != d.day || d.month < 0 || d.hour >= 0 {
		return false
	}
	ws := appendWords(nil, s[max(0, q.num-maxRow):q.num])
	for i := len(ws) - 1; i >= 0; i-- {
		if m := months()[ws[i].text]; m > 0 {
			return m == d.month
		}
	}
	return false
}

// dotted reports whether a number such as the 12.1 of "12.1." is the day d without its year.
func dotted(d date, q *quantity, s string) bool {
	if q.tail <= q.num || byteAt(s, q.tail) != '.' {
		return false
	}
	day, month, ok := strings.Cut(s[q.num:q.tail], ".")
	a, i := number(day, 0, 2)
	b, k := number(month, 0, 2)
	return ok && i == len(day) && k == len(month) && d.year < 0 && d.hour < 0 && d.day == a && d.month == b
}

// weekdayBeside returns the day of the week that stands in brackets behind a date, 0 if none does.
func weekdayBeside(s string, q *quantity) int {
	rest := strings.TrimLeft(s[q.end:min(len(s), q.end+24)], " ")
	for _, open := range []string{"(", "（"} {
		if in, ok := strings.CutPrefix(rest, open); ok {
			at, end := wordAfter(in, 0)
			if at != 0 {
				return 0
			}
			return max(weekdays()[fold(in[:end])], hanWeekday(in))
		}
	}
	return 0
}

// hanWeekday returns the day of the week that a letter in brackets names, 1 for Monday.
func hanWeekday(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	if !strings.HasPrefix(s[n:], "）") && !strings.HasPrefix(s[n:], ")") && !strings.HasPrefix(s[n:], "曜") {
		return 0
	}
	if i := strings.IndexRune("月火水木金土日월화수목금토일", r); i >= 0 {
		return i/len("月")%7 + 1
	}
	return 0
}

// yearSeen reports whether a year stands in what the run showed, apart from longer numbers.
func (t *tracer) yearSeen(year int) bool {
	if seen, ok := t.years[year]; ok {
		return seen
	}
	y := strconv.Itoa(year)
	seen := holdsNumber(t.run.Shown, y) || holdsNumber(t.run.Question, y)
	for _, turn := range t.run.Turns {
		for k := range turn.Cells {
			cell := &turn.Cells[k]
			seen = seen || !cell.Failed && (holdsNumber(cell.Output, y) || holdsNumber(cell.Value, y))
		}
	}
	if t.years == nil {
		t.years = map[int]bool{}
	}
	t.years[year] = seen
	return seen
}

// holdsNumber reports whether a text has a number that is no part of a longer one.
func holdsNumber(s, n string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], n)
		if i < 0 {
			return false
		}
		i += from
		if from = i + len(n); !isDigit(byteAt(s, from)) && (i == 0 || !isDigit(s[i-1])) {
			return true
		}
	}
}

// monthSlash reads a day such as 8/20（火）, whose weekday shows that it is one, or "le 23/12", and returns its end.
func monthSlash(s string, p int) (d date, end int, ok bool) {
	d = noDate
	a, i := number(s, p, 2)
	if a < 0 || byteAt(s, i) != '/' {
		return d, p, false
	}
	b, end := number(s, i+1, 2)
	q := quantity{at: p, end: end}
	if b < 0 || isDigit(byteAt(s, end)) || byteAt(s, end) == '/' || weekdayBeside(s, &q) == 0 && !slashed(s, p, end) {
		return d, p, false
	}
	if d.month, d.day = a, b; a > 12 {
		d.month, d.day = b, a
	}
	d.swap = a <= 12 && b <= 12 && hanWeekday(strings.TrimLeft(s[end:], " (（")) == 0
	return d, end, validDay(d.month, d.day)
}

// slashed reports whether the word before two numbers, or a nought in them, shows that they are a day and a month.
func slashed(s string, p, end int) bool {
	if end == p+5 && (s[p] == '0' || s[p+3] == '0') { // as in 12/07
		return !isWord(firstRune(s[end:]))
	}
	from, to := wordBefore(s, p)
	return from >= 0 && to == p-1 && slashWords.has(fold(s[from:to])) && !isWord(firstRune(s[end:]))
}

var slashWords = words("le du au dès depuis el del al desde il dal am ab vom bis zum den seit dem on until till")

// hanClock reads a time such as 15時30分, 午後3時 or 9時半 whose hour ends at the cursor.
func (c *cursor) hanClock(d *date, at int) bool {
	if !c.skip("時", "时", "點", "点", "시") || strings.ContainsRune("間间", firstRune(c.s[c.i:])) {
		return false
	}
	d.minute = 0
	if c.skip("半") {
		d.minute = 30
	} else if end := c.i; true {
		c.spaces()
		if m, n := c.num(2); n > 0 && m < 60 && c.skip("分", "분") {
			d.minute = m
		} else {
			c.i = end
		}
	}
	for _, noon := range []string{"午後", "下午", "晚上", "오후"} {
		if strings.HasSuffix(strings.TrimRight(c.s[:at], " "), noon) && d.hour < 12 {
			d.hour += 12
		}
	}
	return true
}
