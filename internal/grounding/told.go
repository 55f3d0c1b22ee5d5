package grounding

import (
	"slices"
	"strings"
	"unicode"
)

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
			return strings.Trim(a, "0123456789.,") == "" && strings.Trim(b, "0123456789.,") == "" && !dateLike(s)
		}
	}
	return false
}

// dateLike reports whether a text is a date.
func dateLike(s string) bool {
	_, end, _, ok := dateAt(s, 0)
	return ok && end == len(s)
}
