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
		t.work += len(text) / 2
		if left -= len(text); left < 0 || t.work > maxWork/2 {
			return true
		}
		for o := range wordsOf(text) {
			if (akin(w, o.text) || len(w) > 4 && strings.HasPrefix(o.text, w[:4])) && !besides[o.text] {
				return true
			}
		}
	}
	return false
}

// Bounds of a list of items in lower case.
const (
	minItems = 3
	maxItems = 600 // bytes
)

// strangeItems makes claims of items in lower case, as in "basset horn, oboe d'amore and cornett", also behind a colon,
// that nothing shown is like, if most others of the list stand there word for word.
func (t *tracer) strangeItems() {
	var shown string
	for n := range t.x.rows {
		at, end := t.x.listAt(n)
		if strings.ContainsAny(t.x.answer[at:end], "0123456789\"") {
			continue
		}
		var items [][]word
		t.x.split(at, end, ",;、，；", func(from, to int) bool {
			ws := t.x.words(from, to)
			if k := slices.IndexFunc(ws, func(w word) bool { return copulas.has(w.text) }); k >= 0 && len(items) == 0 {
				ws = ws[k+1:] // as in "The hazards were"
			}
			for len(ws) > 0 && !telling(ws[0].text) { // as in "They are the"
				ws = ws[1:]
			}
			items = append(items, ws)
			return true
		})
		long := func(ws []word) bool { return len(ws) == 0 || len(ws) > 4 }
		if len(items) < minItems || slices.ContainsFunc(items, long) {
			continue
		}
		plain := func(ws []word) bool { return !slices.ContainsFunc(ws, func(w word) bool { return !t.plain(w) }) }
		if !slices.ContainsFunc(items, plain) {
			continue
		}
		if shown == "" {
			if shown = t.shownWords(); shown == "" {
				return
			}
		}
		stands := func(ws []word) bool { return strings.Contains(shown, " "+strings.Join(texts(ws), " ")+" ") }
		open := slices.DeleteFunc(slices.Clone(items), stands)
		found := len(items) - len(open)
		open = slices.DeleteFunc(open, func(ws []word) bool { return !plain(ws) })
		if found < 2 || found < 2*len(open) {
			continue
		}
		for _, ws := range open {
			if slices.ContainsFunc(ws, func(w word) bool { return telling(w.text) && t.resembled(w.text, nil) }) {
				continue
			}
			t.claims = append(t.claims, t.missed(n, ws))
		}
	}
}

// strangeBullets makes claims of bulleted items in lower case, or of those behind labels, that nothing shown is like,
// if most others of the answer stand there.
func (t *tracer) strangeBullets() {
	var open []*claim
	var shown string
	found := 0
	status := func(w word) bool { _, is := statuses()[w.text]; return is }
	for n := range t.x.rows[:min(len(t.x.rows), maxReasonRows)] {
		at, end := t.x.bulleted(n)
		if at == end {
			continue
		}
		if slices.ContainsFunc(t.claims, func(c *claim) bool {
			return c.row == n && c.at >= at && !c.hidden && c.place != nil
		}) {
			found++
			continue
		}
		ws := slices.DeleteFunc(t.x.words(at, end), func(w word) bool { return !telling(w.text) })
		other := func(w word) bool { return !t.plain(w) || status(w) }
		if len(ws) == 0 || len(ws) > 4 || slices.ContainsFunc(ws, other) {
			continue
		}
		if shown == "" {
			if shown = t.shownWords(); shown == "" {
				return
			}
		}
		if strings.Contains(shown, " "+strings.Join(texts(t.x.words(ws[0].at, ws[len(ws)-1].end)), " ")+" ") {
			found++
		} else if !slices.ContainsFunc(ws, func(w word) bool { return t.resembled(w.text, nil) }) {
			open = append(open, t.missed(n, ws))
		}
	}
	if found > 1 && found >= 2*len(open) {
		t.claims = append(t.claims, open...)
	}
}

// bulleted returns where the item of a bulleted row of the answer stands, or of one of several with labels, as in
// "flat 2: a new boiler; flat 5: a key", without its label.
func (x *extractor) bulleted(row int) (at, end int) {
	r := x.rows[row]
	line, _ := lineAt(x.answer, r.at)
	at, end = x.listAt(row)
	if b := bullet(x.answer[line:r.end]); b > 0 && line+b == r.at {
		return at, r.end
	}
	if at > r.at && strings.Count(x.answer, ";") >= minItems-1 && strings.Count(x.answer[r.at:r.end], ": ") == 1 {
		return at, end
	}
	return 0, 0
}

// missed returns a claim of words in a row of the answer that stand nowhere.
func (t *tracer) missed(row int, ws []word) *claim {
	c := &claim{kind: aName, at: ws[0].at, end: ws[len(ws)-1].end, row: row, pieces: [][]string{texts(ws)}}
	c.text = t.x.answer[c.at:c.end]
	c.why = c.missing()
	return c
}

// listAt returns where the list in a row of the answer may be: behind its last colon.
func (x *extractor) listAt(row int) (at, end int) {
	at, end = x.rows[row].at, x.rows[row].end
	if end-at > maxItems {
		return at, at
	}
	if i := strings.LastIndex(x.answer[at:end], ": "); i >= 0 {
		at += i + 2
	}
	return at, end
}

// plain reports whether a word of the answer is in lower case, of no other claim, and no filler.
func (t *tracer) plain(w word) bool {
	return t.x.lower(w) && !t.q.holds(w.text) && !strings.ContainsAny(w.text, "0123456789") && !fillers.has(w.text) &&
		!slices.ContainsFunc(t.claims, func(c *claim) bool {
			return c.row >= 0 && !c.hidden && !(c.soft && c.place == nil) && c.at < w.end && w.at < c.end
		})
}

// fillers end a list without being items.
var fillers = words(`others other more etc rest several various similar like so on etcetera sonstige andere weitere autres otros
 otras altri altre andra overige`)

// shownWords returns the words of all that was shown, "" if it is too much to read.
func (t *tracer) shownWords() string {
	size := 0
	for _, text := range t.texts {
		size += len(text)
	}
	if size > mildBytes/2 || t.work > maxWork/2 {
		return ""
	}
	t.work += size / 2
	var b strings.Builder
	for _, text := range t.texts {
		for w := range wordsOf(text) {
			b.WriteByte(' ')
			b.WriteString(w.text)
		}
		b.WriteString(" \n")
	}
	return b.String()
}
