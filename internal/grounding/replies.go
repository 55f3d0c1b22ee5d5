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
		if label := t.labelOf(c); label != "" && t.repliedOther(c, label) {
			c.place, c.why = nil, "stands in the reply about something else than "+label
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

// labelOf returns what stands before a claim and a colon in its clause, as "Ward 9" in "Ward 9: 0.25 mg".
func (t *tracer) labelOf(c *claim) string {
	if c.row < 0 || c.row >= len(t.x.rows) {
		return ""
	}
	s := t.x.answer[max(t.x.rows[c.row].at, c.at-120):c.at]
	label, rest, found := strings.Cut(s[strings.LastIndexAny(s, ";|\n")+1:], ": ")
	label = strings.Trim(label, " -*_\"'")
	if !found || len(lettersOf(label)) < 4 || len(label) > 40 || strings.ContainsAny(rest, ":;,.\n|()") {
		return ""
	}
	return label
}

// repliedOther reports whether only the prompt of one other sub-call of the cell has a label of the answer, and the
// short reply to it gives another number of the claim's kind.
func (t *tracer) repliedOther(c *claim, label string) bool {
	var its *Call
	letters := lettersOf(label)
	for k := range t.run.Turns {
		if t.run.Turns[k].Number != c.place.Turn {
			continue
		}
		for i := range t.run.Turns[k].Cells {
			cell := &t.run.Turns[k].Cells[i]
			if cell.Number != c.place.Cell {
				continue
			}
			for n := range cell.Calls {
				call := &cell.Calls[n]
				if t.work += min(len(call.Prompt), maxReply); t.work > maxWork/2 {
					return false
				}
				if !strings.Contains(lettersOf(call.Prompt[:min(len(call.Prompt), maxReply)]), letters) {
					continue
				}
				if its != nil || call.Number == c.place.Call {
					return false
				}
				its = call
			}
		}
	}
	if its == nil || len(its.Reply) > maxReply {
		return false
	}
	rivals := quantities(nil, its.Reply, appendWords(nil, its.Reply), t.q.langs)
	return !slices.ContainsFunc(rivals, func(q quantity) bool { return c.q.tells(&q) || c.nearly(&q) }) &&
		slices.ContainsFunc(rivals, func(q quantity) bool { return q.sort() == c.q.sort() })
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
