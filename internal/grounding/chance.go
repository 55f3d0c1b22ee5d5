package grounding

import (
	"math"
	"slices"
	"strings"
)

// chance reports whether the two numbers are probably not equal by chance. Small numbers occur everywhere, and
// others in long places: they need nearby words of the answer or the question, or no other words there.
func (t *tracer) chance(c *claim, q *quantity, r *row) bool {
	size := len(t.text)
	if t.heads && t.q.counts && telling(c.noun) && t.q.holds(c.noun) && t.shapeOf(r) != 0 {
		return false // the first rows of a table do not say how many there are
	}
	if unit := c.q.units != nil && q.units != nil; unit && (c.q.digits > 1 || size < 2000) {
		return true
	}
	if t.glued(c, q, r) || c.q.span && q.values[0].value < 1 { // quantile="0.99"
		return true
	}
	if q.label != "" && q.label == c.q.label && (!hollow.has(q.label) && !isDigit(q.label[0])) { // as in "xz 6"
		return true
	}
	v, whole := c.q.whole()
	if c.q.units != nil && q.units == nil && !c.q.isDate && len(c.q.values) > 0 { // its unit is not there
		v, whole = int(c.q.values[0].value), c.q.values[0].value == math.Trunc(c.q.values[0].value)
	}
	small := whole && v < 13
	likely := 0.05
	if size < 600 {
		likely = 0.3
	}
	if small && t.titled(c, q, r) {
		return false
	}
	digits := c.q.digits
	if v := q.values[0]; c.q.units != nil && c.q.units[0].kind == percent && v.value < 1 && v.half < 0.005 {
		digits++ // few numbers are fractions
	}
	if !small && float64(size)/8 < likely*math.Pow10(digits) {
		return !t.listing(c, q, r) || t.akin(c, r.words) || t.accompanied(c, r)
	}
	letters, numbers := 0, 0
	for _, w := range r.words {
		if isDigit(w.text[0]) {
			if !t.asked(w.text) && (numbers == 0 || w.at == 0 || t.text[w.at-1] != '.') { // 5.1 is one number
				numbers++
			}
		} else if telling(w.text) {
			letters++
		}
	}
	if letters == 0 && (numbers <= 2 || size < 200) ||
		size < 400 && !t.countsOther(c, q, r) && t.lines <= 6 && letters <= 3 && (numbers <= 1 || !small) {
		return true
	}
	ws := r.words
	if q.head && clauses.has(c.q.label) { // what the part is about may be on its next line
		return t.akin(c, ws) || t.akin(c, t.aroundLine(q, r, false))
	}
	if (small || size > 4000 && c.q.digits < 4) && !c.q.rank {
		ws = t.near(q, r)
	}
	// In a column with the head "line", 5 is "line 5".
	if head := columnHead(t.text, q.num); head != "" && named(foldedWords(head), c.around, false) {
		return true
	}
	if q.word || c.q.word { // it is not akin to itself
		ws = slices.DeleteFunc(slices.Clone(ws), func(w word) bool {
			return w.at >= q.num && w.end <= q.end || c.q.word && w.text == fold(c.text)
		})
	}
	if small && t.lines > 50 && t.q.counts && t.q.holds(c.noun) { // the count is no field of one of many records
		return t.about(ws)
	}
	return t.akin(c, ws) || t.accompanied(c, r) || t.parted(c, q, r) || t.akin(c, t.enclosing(r)) ||
		q.digits <= c.q.digits && t.akin(c, t.aroundLine(q, r, small))
}

// countsOther reports whether a text counts other things than the claim in words, as in "three judges".
func (t *tracer) countsOther(c *claim, q *quantity, r *row) bool {
	i := q.first + 1
	return q.word && c.noun != "" && i < len(r.words) && r.words[i-1].end == q.end &&
		t.text[q.end:r.words[i].at] == " " && telling(r.words[i].text) && !t.akin(c, r.words[i:i+1])
}

// parted reports whether answer and row join the same number to the number: "3 of 8" and "late=3 of=8", 4–2 and 4-2.
func (t *tracer) parted(c *claim, q *quantity, r *row) bool {
	k := slices.IndexFunc(r.quantities(t), func(o quantity) bool { return o.at == q.at })
	for _, n := range []int{k - 1, k + 1} {
		if k < 0 || n < 0 || n >= len(r.qs) {
			continue
		}
		other := &r.qs[n]
		if slices.ContainsFunc(t.claims, func(o *claim) bool {
			if o.kind != aNumber || o.row != c.row || o.q.isDate || o.at == c.at || o.at < c.at != (n < k) {
				return false
			}
			gap := t.x.answer[min(o.end, c.end):max(o.at, c.at, min(o.end, c.end))]
			ws := foldedWords(gap)
			of := len(ws) > 0 && len(ws) < 4 && slices.ContainsFunc(ws, ofs.has) && (n < k || ofs.has(other.label))
			return (of || dashes(gap) && dashed(t.text, q, other)) && compare(&o.q, other) == agrees
		}) {
			return true
		}
	}
	return false
}

// listing reports whether a number is in a table of many rows, while the answer counts what the question asks for.
func (t *tracer) listing(c *claim, q *quantity, r *row) bool {
	if t.lines < 8 || !t.q.counts || !telling(c.noun) || !t.q.holds(c.noun) || q.units != nil || t.kind != KindOutput ||
		t.shapeOf(r) == 0 {
		return false
	}
	named := 0
	for i, w := range r.words {
		if !isDigit(w.text[0]) && i+1 < len(r.words) && strings.IndexByte("=:", t.text[w.end]) >= 0 &&
			isDigit(t.text[min(w.end+1, len(t.text)-1)]) {
			named++
		}
	}
	return named > 1
}

// accompanied reports whether a row tells what the claim's sentence or the whole answer does: it has a name, a date, a
// longer number or two others of the one, or three values of the other.
func (t *tracer) accompanied(c *claim, r *row) bool {
	for _, known := range r.told { // a row is asked for each of its numbers
		if known.claim == c {
			return known.told
		}
	}
	told := t.tellsBeside(c, r)
	if len(r.told) < 16 {
		r.told = append(r.told, companion{c, told})
	}
	return told
}

func (t *tracer) tellsBeside(c *claim, r *row) bool {
	beside, all := 0, 0
	for _, o := range t.claims {
		if o == c || o.hidden || o.neutral || o.at < c.end && o.end > c.at || !t.inRowOf(o, r) {
			continue
		}
		all++
		switch {
		case o.row != c.row:
		case o.kind != aNumber, o.q.isDate, o.q.digits > 2, o.q.digits > 1 && (o.q.units != nil || len(r.words) < 12):
			beside += 2
		default:
			beside++
		}
		if beside > 1 || all > 2 {
			return true
		}
	}
	return false
}

// inRowOf reports whether a row has a name, an identifier or a number of the answer.
func (t *tracer) inRowOf(o *claim, r *row) bool {
	switch o.kind {
	case aName, anID:
		return len(o.pieces) == 1 && len(o.pieces[0]) < 9 &&
			!slices.ContainsFunc(o.pieces[0], func(w string) bool { return !r.holds(w) })
	case aNumber:
		qs := r.quantities(t)
		t.work += len(qs)
		for k := range qs {
			if !qs[k].inside && compare(&o.q, &qs[k]) == agrees {
				return true
			}
		}
	}
	return false
}

// near returns the words of a row near a number, within the same cell of a table.
func (t *tracer) near(q *quantity, r *row) []word {
	parted := func(i int) bool { return strings.ContainsAny(t.text[r.words[i-1].end:r.words[i].at], ";|") }
	i, j := q.first, q.first+1
	// Its key names it, unless it is the n of "n=412".
	if i > 0 && q.num == r.words[i-1].end+1 && t.text[q.num-1] == '=' && len(r.words[i-1].text) > 1 {
		return r.words[i-1 : j]
	}
	const most = 4 // telling words on each side
	for n := 0; i > 0 && n < most && q.first-i < 2*most && !parted(i); n += toll(r.words[i]) {
		i--
	}
	for n := 0; j < len(r.words) && n < most && j-q.first < 2*most && !parted(j); n += toll(r.words[j-1]) {
		j++
	}
	return r.words[i:j]
}

// toll is 1 for a word with a meaning of its own, else 0.
func toll(w word) int {
	if telling(w.text) {
		return 1
	}
	return 0
}

// akin reports whether one of some words is akin to a word of the claim's sentence or of the question.
func (t *tracer) akin(c *claim, ws []word) bool {
	said := t.answerWords(c)
	for _, w := range ws {
		if !telling(w.text) && roman(strings.ToUpper(w.text)) == 0 {
			continue
		}
		t.work += len(said) + len(t.q.folded)
		n := roman(t.text[w.at:w.end])
		for _, s := range said {
			if len(w.text) >= 8 && len(s) >= 5 && strings.Contains(w.text, s[:len(s)-1]) { // "retry" and "maxRetries"
				return true
			}
			if rank, ok := numeralIn(t.q.langs, s); akin(w.text, s) || n > 0 && ok && rank.value == n {
				return true
			}
		}
		for s := range t.q.folded {
			if akin(w.text, s) || len(w.text) >= 8 && len(s) >= 5 && strings.Contains(w.text, s[:len(s)-1]) {
				return true
			}
		}
	}
	return false
}
