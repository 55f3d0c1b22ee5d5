package grounding

import (
	"slices"
	"strings"
)

// otherPair reports whether a number of a score or the like, as the 7 of "7-6", stands at from in one with another.
func (t *tracer) otherPair(c *claim, from, to int) bool {
	own := partner(t.x.answer, c.at, c.end)
	if own == "" || c.q.isDate || c.q.units != nil {
		return false
	}
	other := partner(t.text, from, to)
	return other != "" && other != own
}

// partner returns the number that only a dash or a colon joins to the one between at and end, if both are short.
func partner(s string, at, end int) string {
	if end-at > 3 || strings.Trim(s[at:end], "0123456789") != "" {
		return ""
	}
	longer := func(r rune) bool { return isWord(r) || r != 0 && strings.ContainsRune("-–:/", r) }
	for _, mark := range []string{"-", "–", ":"} {
		if rest, ok := strings.CutPrefix(s[end:], mark); ok {
			if v, n := number(rest, 0, 3); v >= 0 && !longer(firstRune(rest[n:])) {
				return rest[:n]
			}
		}
		if head, ok := strings.CutSuffix(s[:at], mark); ok {
			k := len(strings.TrimRight(head, "0123456789"))
			if n := len(head) - k; n > 0 && n < 4 && !longer(lastRune(head[:k])) {
				return head[k:]
			}
		}
	}
	return ""
}

// exchanged reports whether the number of a place at p and another number of its sentence belong to each other's words
// in the answer, as in "4.6 in the walking group against 3.4 in the control group" of "walking 3.4, control 4.6".
func (t *tracer) exchanged(c *claim, p int) bool {
	if c.row < 0 || c.row >= len(t.x.rows) || c.q.isDate || c.year > 0 || c.q.digits < 2 ||
		strings.HasSuffix(strings.TrimRight(t.text[:p], " \"'$€£"), "=") { // its key names it
		return false
	}
	said := t.x.rows[c.row]
	text := t.x.answer[said.at:said.end]
	if len(text) > maxRecord || t.work > maxWork/2 {
		return false
	}
	var s string
	var at int
	var ours, theirs []word
	var numbers []quantity
	for _, o := range t.claims {
		if o.row != c.row || o.kind != aNumber || o.at == c.at || o.q.isDate || o.year > 0 || o.q.digits < 2 ||
			compare(&o.q, &c.q) != differs || len(o.q.units) > 0 != (len(c.q.units) > 0) {
			continue
		}
		if s == "" {
			s, at = t.passageAt(p)
			if p < at || p >= at+len(s) { // it stands behind the end of its line
				return false
			}
			t.work += 4*len(s) + len(text)
			theirs, ours = appendWords(nil, s), appendWords(nil, text)
			numbers = quantities(nil, s, theirs, t.q.langs)
		}
		other := word{at: -1}
		own := word{at: p - at, end: p - at}
		for _, q := range numbers {
			switch {
			case q.at == p-at:
				own.end = q.end
			case !q.isDate && !q.inside && compare(&o.q, &q) == agrees:
				if other.at >= 0 {
					return false
				}
				other = word{at: q.at, end: q.end}
			}
		}
		if other.at < 0 {
			continue
		}
		same, crossed := false, false
		labels := sharedLabels(ours, theirs)
		t.work += len(labels) * len(labels)
		for n, a := range labels {
			for _, b := range labels[:n] {
				x := paired(text, a[0], b[0], word{at: c.at - said.at, end: c.end - said.at},
					word{at: o.at - said.at, end: o.end - said.at})
				y := paired(s, a[1], b[1], own, other)
				same, crossed = same || x*y > 0, crossed || x*y < 0
			}
		}
		if crossed && !same {
			return true
		}
	}
	return false
}

// strays reports whether what the answer has on both sides of a claim stands in one row, alone, and the claim only in
// other rows of the same columns, of which it has nothing else; or two names before a number, whose row has another.
func (t *tracer) strays(c *claim, s span) bool {
	r := t.x.rows[c.row]
	n := len(columns(t.text[s.at:s.end]))
	if _, line := reference(t.text[s.at:s.end]); n < 2 || line > 0 || c.dated() {
		return false
	}
	if ws := appendWords(nil, t.x.answer[r.at:min(r.end, r.at+maxSentence)]); spoken(ws, beforeWords) ||
		spoken(ws, relations) {
		return false
	}
	var o span
	for _, k := range t.claims {
		if k.row == c.row && k.at != c.at && len(k.records) == 1 && (!k.hidden || k.promoted) {
			switch one := k.records[0]; {
			case !t.alike(one, s) || len(columns(t.text[one.at:one.end])) != n:
			case c.within(one), o.end > 0 && o.at != one.at:
				return false
			default:
				o = one
			}
		}
	}
	before, behind := 0, 0
	names := c.kind == aNumber
	for _, k := range t.claims {
		if o.end == 0 || k.row != c.row || k.at == c.at || k.hidden && !k.promoted {
			continue
		}
		switch in, along := k.within(o), slices.ContainsFunc(k.records, c.within); {
		case along && !in:
			return false
		case in && !along:
			names = names && (k.kind == aName || k.kind == anID)
			if k.at < c.at {
				before++
			} else {
				behind++
			}
		}
	}
	return n > 2 && before > 0 && behind > 0 || names && before > 1 && t.shows(c, t.text[o.at:o.end])
}

// crosses reports whether a number and another one of its sentence stand in two passages whose words the answer has the
// other way round, as in "the winery 12 months, the grower 18" of "The winery … 18 months. The grower … 12 months."
func (t *tracer) crosses(c *claim, s span) bool {
	if c.kind != aNumber || c.dated() || len(c.records) != 1 || c.q.digits < 2 && c.q.units == nil {
		return false
	}
	kind := func(o *claim) string {
		for _, u := range o.q.units {
			return u.kind
		}
		return ""
	}
	for _, o := range t.claims {
		if o.row != c.row || o.kind != aNumber || o.at == c.at || o.dated() || len(o.records) != 1 ||
			kind(o) != kind(c) || compare(&o.q, &c.q) != differs {
			continue
		}
		a, from := t.passageAt(s.p)
		b, to := t.passageAt(o.records[0].p)
		if t.work += len(a) + len(b); from == to || len(a)+len(b) > 2*maxRow {
			continue
		}
		x, y := foldedWords(a), foldedWords(b)
		if leans(c.around, y, x) && leans(o.around, x, y) {
			return true
		}
	}
	return false
}

// leans reports whether a clause has words that only the one of two passages has, and none that only the other has.
func leans(clause, to, from []string) bool {
	has := func(ws []string, w string) bool {
		return slices.ContainsFunc(ws, func(o string) bool { return like(o, w) })
	}
	some := false
	for _, w := range clause {
		if !telling(w) || lookUnit(w) != nil {
			continue
		}
		a, b := has(to, w), has(from, w)
		if b && !a {
			return false
		}
		some = some || a && !b
	}
	return some
}

// passageAt returns the sentence around p within its line, and where it starts.
func (t *tracer) passageAt(p int) (string, int) {
	at, end := lineAt(t.text, p)
	for {
		to := sentenceEnd(t.text[:end], at)
		if to > p {
			return t.text[at:to], at
		}
		at = max(to, at+1)
	}
}

// sharedLabels returns the words that each of two sentences has once.
func sharedLabels(ours, theirs []word) (out [][2]word) {
	once := func(ws []word, w word) (word, bool) {
		k := slices.IndexFunc(ws, func(o word) bool { return like(o.text, w.text) })
		if k < 0 || slices.ContainsFunc(ws[k+1:], func(o word) bool { return like(o.text, w.text) }) {
			return w, false
		}
		return ws[k], true
	}
	for _, w := range ours[:min(len(ours), 60)] {
		if telling(w.text) && lookUnit(w.text) == nil {
			_, one := once(ours, w)
			if o, ok := once(theirs, w); one && ok {
				out = append(out, [2]word{w, o})
			}
		}
	}
	return out
}

// paired returns 1 if in s a label a belongs to a number x and a label b to a number y, -1 if it is the other way
// round, and 0 if that is unclear: labels and numbers alternate, and a label between the numbers is nearer to its own.
func paired(s string, a, b, x, y word) int {
	sign := 1
	if a.at > b.at {
		a, b, sign = b, a, -sign
	}
	if x.at > y.at {
		x, y, sign = y, x, -sign
	}
	between := func(w word) bool { return x.end <= w.at && w.end <= y.at }
	switch {
	case a.end <= x.at && between(b) && gap(s, b, y) < gap(s, x, b), between(a) && b.at >= y.end &&
		gap(s, x, a) < gap(s, a, y), a.end <= x.at && b.at >= y.end && gap(s, a, x)+gap(s, y, b) < parted:
		return sign
	}
	return 0
}

// parted is the least gap between words of different clauses.
const parted = 1000

// gap returns how far two words of s are apart: a colon joins them, a comma or an "and" parts them.
func gap(s string, a, b word) int {
	g := s[a.end:b.at]
	switch ws := appendWords(nil, g); {
	case strings.ContainsAny(g, ",;") || strings.Contains(g, ". ") || spoken(ws, ands) || spoken(ws, rivals):
		return parted + len(g)
	case strings.Trim(g, " :=") == "" && len(g) < 4 && g != " ":
		return 0
	}
	return len(g)
}
