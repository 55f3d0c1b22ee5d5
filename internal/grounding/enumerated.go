package grounding

import (
	"slices"
	"strings"
)

// enumerated makes claims of words in lower case in a list, as in "it is played by violin, viola and horn", of which
// most are keys of rows that were shown: one that nothing shown is like is made up.
func (t *tracer) enumerated() {
	var list []*claim
	flush := func() {
		t.strangers(list)
		list = nil
	}
	cs := slices.DeleteFunc(slices.Clone(t.claims), func(c *claim) bool { return c.row < 0 || !c.hidden })
	slices.SortStableFunc(cs, func(a, b *claim) int { return a.at - b.at })
	for _, c := range cs {
		if n := len(list); n > 0 && (c.row != list[n-1].row || !t.x.lists(list[n-1].end, c.at)) {
			flush()
		}
		list = append(list, c)
	}
	flush()
}

// lists reports whether only the mark or the word between two items of a list, and articles, stand there.
func (x *extractor) lists(at, end int) bool {
	if at >= end || end-at > 16 {
		return false
	}
	mark := strings.ContainsAny(x.answer[at:end], ",、")
	for _, w := range x.words(at, end) {
		if !ands.has(w.text) && !articles.has(w.text) {
			return false
		}
		mark = mark || ands.has(w.text)
	}
	return mark && !strings.ContainsAny(x.answer[at:end], ".;:()\n")
}

// strangers makes claims of the items of a list that nothing shown is like, if most others are keys.
func (t *tracer) strangers(list []*claim) {
	found := map[string]bool{}
	var open []*claim
	for _, c := range list {
		if len(c.pieces) == 0 || len(c.pieces[0]) != 1 {
			continue
		}
		switch w := c.pieces[0][0]; {
		case c.place != nil && c.promoted:
			found[w] = true
		case !c.neutral && c.place == nil && telling(w) && !t.q.holds(w):
			open = append(open, c)
		}
	}
	if len(found) < 2 || len(found) < len(open) {
		return
	}
	for _, c := range open {
		if !t.resembled(c.pieces[0][0], found) {
			c.hidden, c.soft, c.why = false, false, c.missing()
		}
	}
}

// resembled reports whether what was shown has a word that begins like another, except for some, or is too much to
// read.
func (t *tracer) resembled(w string, besides map[string]bool) bool {
	left := mildBytes
	for _, text := range t.texts {
		if left -= len(text); left < 0 {
			return true
		}
		for _, o := range appendWords(nil, text) {
			if (akin(w, o.text) || len(w) > 4 && strings.HasPrefix(o.text, w[:4])) && !besides[o.text] {
				return true
			}
		}
	}
	return false
}
