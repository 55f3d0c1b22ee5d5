package grounding

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// capitals returns the runs of capitalised words after a word that is not, as in "director at Sandoz, Basel".
func (x *extractor) capitals(ws []word) (out [][]string) {
	lower := false
	for i, w := range ws {
		switch capital := unicode.IsUpper(firstRune(x.answer[w.at:])); {
		case !capital:
			lower = lower || telling(w.text)
		case len(out) > 0 && i > 0 && x.joined(ws, i) && unicode.IsUpper(firstRune(x.answer[ws[i-1].at:])):
			out[len(out)-1] = append(out[len(out)-1], w.text)
		case lower:
			out = append(out, []string{w.text})
		}
	}
	return out
}

// unasked drops leading words of an item that the question contains: "route" in "the route Ulm-Riva". A noun before
// a single letter stays ("vitamin D").
func (x *extractor) unasked(ws []word) []word {
	if len(ws) < 2 || len(ws) == 2 && len(ws[1].text) == 1 || x.q.choice(texts(ws)) || x.repeats(ws) {
		return ws
	}
	for len(ws) > 1 && x.lower(ws[0]) && telling(ws[0].text) && x.q.holds(ws[0].text) && x.answer[ws[0].end] == ' ' {
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
