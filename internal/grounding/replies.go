package grounding

import (
	"slices"
	"strings"
)

const maxReply = 400 // bytes of a reply that tells of one thing

// replies removes the place of numbers that stand in the reply to another sub-call than the name beside them in the
// answer, where the reply with the name gives another number of that kind: "launched in 1911 at Sestri" of "1904,
// Sestri" and "1911, Ancona".
func (t *tracer) replies() {
	for _, c := range t.claims {
		if !c.paired() || c.place == nil || c.neutral || c.place.Kind != KindCall {
			continue
		}
		for _, name := range t.claims {
			if name.kind != aName || name.hidden || name.neutral || name.place == nil || !t.besides(c, name) ||
				name.place.Kind != KindCall || name.place.Turn != c.place.Turn || name.place.Cell != c.place.Cell {
				continue
			}
			if mine, its := t.replyAt(c.place), t.replyAt(name.place); t.tellsOther(mine, its, c, name) {
				c.place, c.why = nil, "stands in another reply than "+name.text
				break
			}
		}
	}
}

// besides reports whether nothing that ends a clause is between two claims of the answer.
func (t *tracer) besides(a, b *claim) bool {
	from, to := min(a.end, b.end), max(a.at, b.at)
	return a.row == b.row && from <= to && to-from < 40 && !strings.ContainsAny(t.x.answer[from:to], ",;:.\n|()")
}

// replyAt returns the reply to a sub-call.
func (t *tracer) replyAt(w *Where) string {
	for n, at := range t.sources {
		if at.Kind == KindCall && at.Turn == w.Turn && at.Cell == w.Cell && at.Call == w.Call {
			return t.texts[n]
		}
	}
	return ""
}

// tellsOther reports whether a short reply, with a name but without the number of a claim, gives another number of its
// kind, and the one with the number does not have the name.
func (t *tracer) tellsOther(mine, its string, c, name *claim) bool {
	if mine == its || len(mine) > maxReply || len(its) > maxReply || its == "" {
		return false
	}
	rivals := quantities(nil, its, appendWords(nil, its), t.q.langs)
	if slices.ContainsFunc(rivals, func(q quantity) bool { return c.q.tells(&q) || c.nearly(&q) }) ||
		(&line{words: appendWords(nil, mine)}).all(slices.Concat(name.pieces...), 1, akin) {
		return false
	}
	return slices.ContainsFunc(rivals, func(q quantity) bool { return q.sort() == c.q.sort() })
}
