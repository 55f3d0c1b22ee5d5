package grounding

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// numeral reports whether a chunk is a number, a date or a time with its unit, rather than an identifier.
func numeral(s string) bool {
	if phone(s) && strings.ContainsRune("+0123456789", rune(s[0])) && strings.Trim(s[1:], "0123456789") == "" {
		return false
	}
	s = strings.ReplaceAll(s, "’", "'")
	if word, number, elided := strings.Cut(s, "'"); elided && isDigit(byteAt(number, 0)) && lettered(word) { // l'11
		s = number
	} else if number, ending, ended := strings.Cut(s, "'"); ended && lettered(ending) && len(ending) < 6 { // 07:50'de
		s = number
	}
	s = strings.TrimLeft(s, "+")
	qs := quantities(nil, s, appendWords(nil, s), nil)
	inside := func(q quantity) bool { return q.inside }
	if len(qs) == 0 || slices.ContainsFunc(qs, inside) || len(qs) > 1 && roman(s[qs[0].num:qs[0].end]) > 0 ||
		strings.Trim(s[:qs[0].at], "$€£¥₹=<>~-") != "" {
		return false
	}
	rest := s[qs[len(qs)-1].end:]
	return rest == "" || rest[0] == '/' || rest[0] == '-' && unicode.IsLetter(firstRune(rest[1:])) && !coded(rest) ||
		alone(firstRune(rest)) || len(rest) == 1 && strings.IndexByte(":%)", rest[0]) >= 0
}

// lettered reports whether a text has letters only.
func lettered(s string) bool { return s != "" && strings.IndexFunc(s, notLetter) < 0 }

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// numbers adds the numbers, dates and times between at and end, and reports whether there are any.
func (x *extractor) numbers(at, end int, item bool) bool {
	s := x.answer[at:end]
	some := false
	qs := quantities(nil, s, appendWords(nil, s), x.q.langs)
	for i, q := range qs {
		if i+1 < len(qs) && perOne(s, &q, &qs[i+1]) {
			qs[i+1].at = q.at
			if rest := s[qs[i+1].end:]; qs[i+1].units == nil && rest != "" &&
				strings.ContainsRune("回次錠片粒包枚個杯本", firstRune(rest)) {
				qs[i+1].end += len(string(firstRune(rest)))
			}
			continue
		}
		if q.inside || q.head && !item || !x.free(at+q.at, at+q.end) {
			continue
		}
		if q.isDate && q.clock > 0 { // day and time may be in different places
			day := q
			day.end, day.date.hour, day.date.minute, day.date.sec = q.clock, -1, -1, -1
			for _, join := range []string{" ", ",", " at", " um"} {
				day.end = len(strings.TrimSuffix(s[:day.end], join))
			}
			x.number(at, s, day, item)
			q.at, q.num, q.date.year, q.date.month, q.date.day = q.clock, q.clock, -1, -1, -1
		}
		if x.number(at, s, q, item) {
			some = true
			if i+1 < len(qs) && len(x.claims) > 0 {
				x.claims[len(x.claims)-1].share(&qs[i+1], s)
			}
		}
	}
	return some
}

// spans gives a number the unit of the number after it, if they are a range, as in "2 to 8 °C".
func (q *quantity) spans(next *quantity, s string) {
	if q.isDate || q.inside || q.units != nil || q.scale != 1 || next.isDate || next.units == nil || next.at < q.end {
		return
	}
	if gap := s[q.end:next.at]; dashes(gap) && strings.TrimSpace(gap) != ":" {
		q.units = next.units
	}
}

// share gives a number the unit and scale of the number after it, as in "from 12.4 to 13.1 billion".
func (c *claim) share(next *quantity, s string) {
	bare := c.kind == aNumber && !c.q.isDate && c.q.units == nil && c.q.scale == 1 && c.year == 0
	timed := next.isDate && next.date.hour >= 0 && next.date.day < 0
	if !bare || next.isDate && !timed || !timed && next.units == nil && next.scale == 1 || next.at < c.q.end {
		return
	}
	if gap := strings.TrimSpace(s[c.q.end:next.at]); dashes(gap) && gap != ":" || ands.has(gap) || gap == "a" {
		q := c.q
		if c.plain = &q; timed { // as in "from 9.15 to 9.35 h"
			d, ok := pointed(s[q.num:q.end])
			if v, whole := q.whole(); !ok && whole && v < 25 {
				d, ok = noDate, true
				d.hour, d.minute = v, 0
			}
			if ok {
				c.q = q.timed(d)
			}
			return
		}
		c.q.units, c.q.scale, c.q.either = next.units, next.scale, next.either
		c.noun = ""
	}
}

// zeros stand before the zero of "17 degrees below zero".
var zeros = words("below above sub unter über sous bajo sotto onder")

var yearWords = words(`in since until by of from to year before after during im seit bis jahr vor nach ab en depuis annee an desde hasta
 ano dal nel dal anno a respecto frente sinds tot jaar`)

// fors precede the year for which something is.
var fors = words("for für pour para per voor")

// english reports whether both question and answer are in English.
func (x *extractor) english() bool {
	the := func(w word) bool { return w.text == "the" }
	return slices.ContainsFunc(x.q.words, the) && spoken(firstWords(x.answer), englishWords)
}

// number adds a number of s, which starts at at in the answer, and reports whether it is a claim.
func (x *extractor) number(at int, s string, q quantity, item bool) bool {
	c := claim{kind: aNumber, at: at + q.at, end: at + q.end, q: q}
	if from, end := wordBefore(s, q.at); from >= 0 && q.isDate && strings.Trim(s[end:q.at], ", ") == "" {
		if n := weekdays()[fold(s[from:end])]; n > 0 && n == q.date.weekday() { // the weekday follows from the date
			c.at = at + from
		}
	}
	if from, end := wordAfter(s, q.end); from >= 0 && q.isDate && strings.Trim(s[q.end:from], ", (") == "" {
		if n := weekdays()[fold(s[from:end])]; n > 0 && n == q.date.weekday() {
			c.end = at + end
		}
	}
	for _, half := range []string{"午後", "午前", "下午", "上午", "오후", "오전"} {
		if q.isDate && q.date.hour >= 0 && strings.HasSuffix(s[:q.at], half) {
			c.at -= len(half)
		}
	}
	if !q.isDate {
		c.q.round, c.q.bound = vague(s[:q.at])
	}
	if len(q.values) > 1 && q.units != nil && strings.Contains(s[q.num:q.end], ",") && x.english() {
		c.q.values = q.values[:1] // the "23,460 t" of an English answer are not 23.46 t
	}
	d, ok := pointed(s[q.num:q.end])
	if h := q.hour(); h >= 0 { // as in "à 15 heures"
		d, ok = noDate, true
		d.hour, d.minute = h, 0
	}
	if ok && clockWords.has(q.label) {
		number := q
		c.plain, c.q = &number, q.timed(d)
		q = c.q
	}
	if q.word && !item && temporal(q.units) && q.values[0].value == 1 {
		if first, end := wordAfter(s, q.num); s[first:end] != "one" && singles.has(fold(s[first:end])) {
			return false // "un mes" may be any
		}
	}
	v, whole := q.whole()
	only := strings.Trim(s, " .!\n") == strings.TrimSpace(s[q.at:q.end])
	if q.word && !q.isDate && !only {
		numeral := roman(s[q.num:q.end]) > 0
		// As in "the 4-eyes principle".
		if rest := s[q.end:]; strings.HasPrefix(rest, "-") && unicode.IsLetter(firstRune(rest[1:])) && q.units == nil {
			return false
		}
		if whole && v <= 1 && (!item || zeros.has(q.label)) || numeral && !labels.has(q.label) ||
			han(firstRune(s[q.at:])) && q.units == nil && han(lastRune(s[:q.at])) {
			return false
		}
		next, end := wordAfter(s, q.end)
		asked := spoken(x.q.words, ranks) || next >= 0 && x.q.which(fold(s[next:end])) // "the third edition"
		c.soft = q.rank && !(numeral && labels.has(q.label)) && !asked ||
			slices.Contains(halves, fold(s[q.num:q.end])) ||
			v == 2 && !q.rank && definites.has(q.label) // as in "the two differ"
	}
	if part := q.word && len(q.values) == 1 && q.values[0].value < 1 && q.units == nil && !q.isDate; part {
		at, end := wordAfter(s, q.end)
		next := fold(s[max(at, 0):max(end, 0)])
		c.soft = c.soft || q.num > q.at && !ofs.has(next) // "a quarter" may be of a year
		c.q.values = []reading{{q.values[0].value, 0.0105}}
		if vagueWords.has(q.label) { // as in "almost half" for 48 %
			c.q.values[0].half = 0.025
		}
		c.soft = c.soft && !compared.has(next) && !spoken(x.q.words, shareWords) && !spoken(x.q.words, percentWords)
	}
	if whole && v < 100 && (x.q.enumerates(q.label) || tops.has(q.label) && q.units == nil) &&
		strings.TrimSpace(s[q.end:]) != "" {
		c.soft = true
	}
	if q.isDate {
		// The name of a month may be another word, if not as in "by September".
		from, end := wordBefore(s, q.at)
		when := from >= 0 && q.end-q.at > 3 && yearWords.has(fold(s[from:end]))
		c.soft = c.soft || q.date.bare() && !when
	} else {
		rest := strings.TrimLeft(s[q.end:], " ")
		if ws := appendWords(nil, rest[:min(len(rest), 40)]); len(ws) > 0 && ws[0].at == 0 && !isDigit(rest[0]) &&
			!hollow.has(ws[0].text) && len(ws[0].text) > 1 {
			c.noun = ws[0].text
		}
		verb := strings.HasPrefix(rest, "(")
		if ws := firstWords(rest[:min(len(rest), 24)]); len(ws) > 0 && ws[0].at == 0 {
			verb = hollow.has(ws[0].text) && !ands.has(ws[0].text)
		}
		subject := c.noun == "" && v >= 1900 && (verb && !telling(q.label) || fors.has(q.label)) // as in "2021 has 15"
		if whole && v >= 1000 && v <= 2100 && q.end-q.num == 4 &&
			(yearWords.has(q.label) || subject || c.noun == "" && !x.q.counts && (x.q.years || !telling(q.label))) {
			c.year = v
		}
		if y := yearBefore(s, &q); y > 0 {
			c.year, c.q.values, c.q.digits = y, []reading{{float64(y), 0.5}}, 4
		}
	}
	x.add(c)
	return true
}

// tops precede the number of those that an answer goes on to name, as in "the top three are".
var tops = words("top leading largest biggest highest best worst")

// compared are words behind a share by which two numbers differ, as in "a fifth less".
var compared = words(`less more fewer lower higher smaller larger bigger cheaper weniger mehr niedriger höher kleiner größer billiger
 teurer moins plus menos más meno più minder meer`)

// definites are articles before a two that only points back at what was named.
var definites = words("the first last other die der den ersten letzten anderen les premiers los las gli le de")

// yearBefore returns the year that two digits behind another year and a dash mean, as in 1993–97, or 0.
func yearBefore(s string, q *quantity) int {
	v, whole := q.whole()
	before := strings.TrimRight(s[:q.num], "-–/")
	if !whole || q.tail-q.num != 2 || len(before) == q.num || len(before) < 4 {
		return 0
	}
	y, end := number(before, len(before)-4, 4)
	if end != len(before) || !validYear(y) || v <= y%100 ||
		len(before) > 4 && isWord(lastRune(before[:len(before)-4])) {
		return 0
	}
	return y/100*100 + v
}

// perOne reports whether a number is the one of "1日2回" or "1回5mg": the value is the number after it.
func perOne(s string, q, next *quantity) bool {
	v, whole := q.whole()
	return whole && v == 1 && !next.isDate && q.end < next.at && oneRune(s[q.end:next.at])
}

// timed returns a number read as a time.
func (q *quantity) timed(d date) quantity {
	return quantity{at: q.at, num: q.num, end: q.end, isDate: true, date: d, first: q.first}
}

// hour returns the value of a whole number of hours that a day has, -1 for other quantities.
func (q *quantity) hour() int {
	if q.isDate || len(q.units) == 0 || q.units[0] != (unit{"time", 3600}) || len(q.values) != 1 ||
		q.values[0].half < 0.5 || q.values[0].value > 24 {
		return -1
	}
	return int(q.values[0].value)
}

func han(r rune) bool { return r >= 0x3400 && r <= 0x9fff }

// quantity adds the text between at and end if it is exactly one number.
func (x *extractor) quantity(at, end int) bool {
	s := x.answer[at:end]
	qs := quantities(nil, s, appendWords(nil, s), x.q.langs)
	return len(qs) == 1 && !qs[0].inside && qs[0].at == 0 && qs[0].end == len(s) && roman(s) == 0 &&
		x.number(at, s, qs[0], true)
}

var vagueWords = words(`about around roughly nearly almost approximately approx circa ca rund etwa ungefähr knapp gut fast über over under than
 environ presque près cerca oltre d'environ some aproximadamente unos unas casi alrededor circa quasi ongeveer bijna około blisko prawie ponad ungefär nästan omkring около примерно
 約 近 およそ`)

// belows and aboves say that the number after them is a bound.
var (
	belows = words(`under below almost nearly less fewer fast knapp unter weniger moins presque près menos casi presque meno quasi
 bijna minder`)
	aboves = words("over above more exceeding über mehr gut plus más oltre più meer ruim")
)

// vague reports whether a sign or one of the last two words of s marks the next number as approximate, and whether
// as a bound: -1 if the exact number is below it, 1 if it is above it.
func vague(s string) (round bool, bound int8) {
	s = strings.TrimRight(s, " \u00a0")
	r, n := utf8.DecodeLastRuneInString(s)
	arrow := n == len(s) || strings.IndexByte("-=", s[len(s)-n-1]) >= 0
	switch {
	case r == '~' || r == '≈':
		return true, 0
	case r == '<' && !arrow:
		return true, -1
	case r == '>' && !arrow:
		return true, 1
	}
	ws := appendWords(nil, s[max(0, len(s)-32):])
	ws = ws[max(0, len(ws)-2):]
	for i, w := range ws {
		than := i+1 < len(ws) && thans.has(ws[i+1].text)
		switch {
		case belows.has(w.text) && (than || vagueWords.has(w.text) && i == len(ws)-1):
			return true, -1
		case aboves.has(w.text) && (than || vagueWords.has(w.text) && i == len(ws)-1):
			return true, 1
		}
	}
	return spoken(ws, vagueWords), 0
}

var thans = words("than als de di que dan")
