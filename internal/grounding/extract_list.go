package grounding

import (
	"strings"
	"unicode/utf8"
)

// listMarks separate the items of a list.
const listMarks = ",;、，；\n"

// items finds the claims of items separated by marks.
func (x *extractor) items(at, end int, marks string) {
	x.split(at, end, marks, func(from, to int) bool {
		x.segment(from, to, true, false)
		return true
	})
}

var ands = words("and und et y e en и と &")

// split splits a list at marks outside of numbers and, unless it is a row of a table, at "and".
func (x *extractor) split(at, end int, marks string, item func(from, to int) bool) {
	s, from, inside := x.answer, at, false // inside of brackets
	for i := at; i < end; {
		r, n := utf8.DecodeRuneInString(s[i:end])
		inside = (inside || r == '(') && r != ')'
		cut := strings.ContainsRune(marks, r) && !inside && !(r == ',' && weekdayed(s, i)) &&
			!(r == ',' && i > at && isDigit(s[i-1]) && (isDigit(byteAt(s, i+1)) || dated(s, i)))
		if r == ' ' && marks != "|" {
			if k := strings.IndexByte(s[i+1:end], ' '); k > 0 && k < 4 && s[i+1] != '&' &&
				ands.has(fold(s[i+1:i+1+k])) && halfAt(s[i:]) == 0 && !lasting(s, i, i+2+k) && !between(s[at:i]) {
				cut, n = true, k+2
			}
		}
		if cut {
			if !item(from, i) {
				return
			}
			from = i + n
		}
		i += n
	}
	item(from, end)
}

// between reports whether a text ends with "between" and a number, so that an "and" joins it to another.
func between(s string) bool {
	ws := strings.Fields(s[max(0, len(s)-24):])
	return len(ws) > 1 && isDigit(ws[len(ws)-1][0]) && betweens.has(fold(ws[len(ws)-2]))
}

var betweens = words("between zwischen entre tra tussen")

// lasting reports whether a duration that ends at i continues at p, as in "17 minutes and 29 seconds".
func lasting(s string, i, p int) bool {
	from, _ := wordBefore(s, i)
	_, end := number(s, p, 4)
	at, to := wordAfter(s, end)
	return end > p && from >= 0 && at >= 0 && factorOf(s[from:i]) > factorOf(s[at:to]) && factorOf(s[at:to]) > 0
}

// factorOf returns the seconds of a unit of time, 0 for other texts.
func factorOf(name string) float64 {
	if u := lookUnit(name); len(u) > 0 && u[0].kind == "time" {
		return u[0].factor
	}
	return 0
}

// dated reports whether the comma at i precedes the year of a date such as March 5, 2023.
func dated(s string, i int) bool {
	day, _ := wordBefore(s, i)
	m, end := wordBefore(s, max(day, 0))
	_, year := number(s, i+2, 4)
	return m >= 0 && months()[fold(s[m:end])] != 0 && year == i+6
}

// weekdayed reports whether the comma at i separates a day of the week from a date.
func weekdayed(s string, i int) bool {
	at, end := wordBefore(s, i)
	next := firstRune(strings.TrimLeft(s[i+1:], " "))
	return at >= 0 && end == i && weekdays()[fold(s[at:end])] != 0 && isWord(next)
}

// listed reports whether a text is a short answer or a list of short items, rather than a sentence. With stop, the
// text ends with a full stop, so it is more likely to be a sentence.
func (x *extractor) listed(at, end int, stop bool) bool {
	ok, n := end-at < 32<<10 && strings.TrimSpace(x.answer[at:end]) != "", 0
	x.split(at, end, listMarks, func(from, to int) bool {
		n++
		ok = x.short(from, to, 4, stop)
		return ok && n < 200
	})
	return ok
}
