package grounding

import (
	"slices"
	"strings"
	"unicode"
)

// tell drops the articles of a task or a finding in the answer's own words, such as "send the revised quote" and
// "Verlängerung der Miete": notes leave them out. A title keeps them.
func (c *claim) tell(text string) {
	if len(c.pieces) != 1 || len(c.pieces[0]) < 2 ||
		!unicode.IsLower(firstRune(text)) && !slices.ContainsFunc(strings.Fields(text)[1:], articles.has) {
		return
	}
	ws := slices.DeleteFunc(slices.Clone(c.pieces[0]), articles.has)
	if len(ws) > 1 {
		c.pieces, c.told = [][]string{ws}, true
	}
}

// retold reports whether the record at p has all words of a task, in whatever form and order.
func (t *tracer) retold(c *claim, p int) bool {
	s := t.record(p)
	if s.end-s.at > maxRow/2 {
		return false
	}
	t.work += (s.end - s.at) / 4
	ws, n := foldedWords(t.text[s.at:s.end]), 0
	for _, w := range c.pieces[0] {
		if hollow.has(w) {
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
