package grounding

import (
	"slices"
	"strings"
	"unicode"
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
			!(r == ',' && byteAt(s, i+1) == ' ' && x.lasting(i, i+2)) &&
			!(r == ',' && i > at && isDigit(s[i-1]) && (isDigit(byteAt(s, i+1)) || dated(s, i)))
		if r == ' ' && marks != "|" {
			if k := strings.IndexByte(s[i+1:end], ' '); k > 0 && k < 4 && s[i+1] != '&' &&
				ands.has(fold(s[i+1:i+1+k])) && halfAt(s[i:]) == 0 && !x.lasting(i, i+2+k) && !between(s[at:i]) {
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
func (x *extractor) lasting(i, p int) bool {
	s := x.answer
	from, _ := wordBefore(s, i)
	_, end := number(s, p, 4)
	if at, to := wordAfter(s, p); end == p && at == p {
		if _, found := numeralIn(x.q.langs, fold(s[at:to])); found {
			end = to
		}
	}
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

// capitals returns the runs of capitalised words after a word that is not, as in "director at Sandoz, Basel".
func (x *extractor) capitals(ws []word) (out [][]string) {
	lower := false
	for i, w := range ws {
		switch capital := unicode.IsUpper(firstRune(x.answer[w.at:])); {
		case !capital:
			lower = true
		case len(out) > 0 && i > 0 && x.joined(ws, i) && unicode.IsUpper(firstRune(x.answer[ws[i-1].at:])):
			out[len(out)-1] = append(out[len(out)-1], w.text)
		case lower:
			out = append(out, []string{w.text})
		}
	}
	n := len(ws) - 1
	if end := ""; len(out) == 0 && n > 1 && x.lower(ws[n]) && !slices.ContainsFunc(ws[:n], x.lower) {
		end = ws[n].text // as in "Ada Lund replies"
		if verbs.has(end) || strings.HasSuffix(end, "s") || strings.HasSuffix(end, "ed") {
			return [][]string{texts(ws[:n])}
		}
	}
	return out
}

// verbs may follow a name in an item.
var verbs = words("won came took lost led got made became went held had wrote said gewann verlor wurde gagne")

// unasked drops leading words of an item that the question has, such as "route" in "route Ulm-Riva"; "vitamin D" stays.
func (x *extractor) unasked(ws []word) []word {
	if len(ws) < 2 || len(ws) == 2 && len(ws[1].text) == 1 || x.q.choice(texts(ws)) || x.repeats(ws) {
		return ws
	}
	for len(ws) > 1 && (x.lower(ws[0]) || x.lower(ws[1])) && telling(ws[0].text) && x.q.holds(ws[0].text) &&
		x.answer[ws[0].end] == ' ' {
		ws = ws[1:]
	}
	return ws
}

// acronym reports whether a word is in capitals, such as "WHO" and "PIDs", unless the whole answer is.
func (x *extractor) acronym(w word) bool {
	s := x.answer[w.at:w.end]
	if one := strings.TrimSuffix(s, "s"); len(one) > 1 {
		s = one
	}
	return utf8.RuneCountInString(s) > 1 && strings.ToUpper(s) == s && (len(s) == len(x.answer) ||
		strings.ToUpper(x.answer) != x.answer)
}

// isCapital reports whether a text is one capital letter, as in "vitamin D".
func isCapital(s string) bool { return len(s) == 1 && s[0] >= 'A' && s[0] <= 'Z' }

// numeric reports whether a number or another value follows p.
func (x *extractor) numeric(p int) bool {
	for p < len(x.answer) && strings.IndexByte(" .:#", x.answer[p]) >= 0 {
		p++
	}
	return p < len(x.answer) && (isDigit(x.answer[p]) || x.used[p])
}

// lower reports whether a word starts in lower case.
func (x *extractor) lower(w word) bool { return unicode.IsLower(firstRune(x.answer[w.at:])) }

// counted reports whether a number of the row ends at p, so that the next words are what it counts.
func (x *extractor) counted(p int) bool {
	for i := len(x.claims) - 1; i >= 0 && x.claims[i].row == len(x.rows)-1; i-- {
		if c := x.claims[i]; c.kind == aNumber && !c.q.isDate && c.end == p {
			return true
		}
	}
	return false
}

// repeats reports whether the question contains every telling word.
func (x *extractor) repeats(ws []word) bool {
	for i, w := range ws {
		if letter := i > 0 && w.end <= len(x.answer) && isCapital(x.answer[w.at:w.end]); (telling(w.text) || letter) &&
			!x.q.holds(w.text) {
			return false
		}
	}
	return true
}

// cjk reports whether a text is mostly in a script without spaces.
func cjk(s string) bool {
	n := 0
	for _, r := range s {
		if alone(r) {
			n++
		}
	}
	return n*2 > utf8.RuneCountInString(s)
}

// tell marks a claim in words of the answer's own, such as "send the revised quote" or "Averay's Chinese bridge",
// rather than a name: a text may have its words in another form and order.
func (c *claim) tell(text string) {
	words, lower := 0, false
	for _, w := range appendWords(nil, text) {
		if telling(w.text) {
			words++
			lower = lower || unicode.IsLower(firstRune(text[w.at:]))
		}
	}
	c.told = len(c.pieces) == 1 && words > 1 && lower
}

// retold reports whether the record at p has all words of a claim in the answer's own words.
func (t *tracer) retold(c *claim, p int) bool {
	s := t.record(p)
	if s.end-s.at > maxRow/2 {
		return false
	}
	t.work += (s.end - s.at) / 4
	ws, n := foldedWords(t.text[s.at:s.end]), 0
	for _, w := range c.pieces[0] {
		if hollow.has(w) || len(w) == 1 {
			continue
		}
		if n++; !slices.ContainsFunc(ws, func(o string) bool { return akin(w, o) }) {
			return false
		}
	}
	return n > 1
}

// rated reports whether a text is a rating such as "4.3 out of 5" or "7 of 12": two numbers.
func rated(s string) bool {
	for _, of := range []string{" out of ", " of ", " von ", " sur ", " de ", " di ", " van ", " av ", " / ", "/"} {
		if a, b, ok := strings.Cut(s, of); ok && a != "" && b != "" {
			_, end, _, ok := dateAt(s, 0)
			dated := ok && end == len(s)
			return strings.Trim(a, "0123456789.,") == "" && strings.Trim(b, "0123456789.,") == "" && !dated
		}
	}
	return false
}
