package grounding

import (
	"slices"
	"strings"
	"unicode"
)

// misjoined removes the place of names that the answer joins from two outputs wrongly, as in "Essen, led by Ada Lund"
// where one lists the losses of Essen and Hanau and the other says "branch Hanau, lead: Ada Lund".
func (t *tracer) misjoined() {
	for _, c := range t.claims {
		if c.kind != aName || c.place == nil || c.neutral || c.hidden || c.soft || c.met > 3 ||
			c.row < 0 || c.row >= len(t.x.rows) || t.work > maxWork/2 {
			continue
		}
		r := t.x.rows[c.row]
		goesOn := unicode.IsLower(firstRune(strings.TrimLeft(t.x.answer[r.at:r.end], " ")))
		for _, k := range t.claims {
			if k.kind != aName || k.hidden || k.end > c.at || k.place == nil && !k.neutral ||
				k.row != c.row && !(goesOn && k.row == c.row-1) || !unicode.IsUpper(firstRune(k.text)) {
				continue
			}
			list, rivals := t.listedWith(k)
			if of := t.onlyOf(c, k, list, rivals); of != "" {
				c.place, c.why = nil, "stands there of "+of
				break
			}
		}
	}
}

// listedWith returns the number of a text in which a line begins with the key, and the first words of the lines like
// it, but for words that the answer has.
func (t *tracer) listedWith(key *claim) (list int, rivals []string) {
	said := foldedWords(t.x.answer)
	for n, text := range t.texts {
		if t.work += len(text) / 8; t.sources[n].Kind == KindShown || t.work > maxWork/2 {
			continue
		}
		firsts, own := map[string][]string{}, ""
		for line := range strings.SplitSeq(text[:min(len(text), maxJudged)], "\n") {
			if line = strings.TrimLeft(line[:min(len(line), maxRow)], " "); !unicode.IsUpper(firstRune(line)) {
				continue
			}
			first, _, _ := strings.Cut(line, " ")
			ws := appendWords(nil, first[:min(len(first), 64)])
			if len(ws) == 0 {
				continue
			}
			if like := form(columns(line)); ws[0].text == key.pieces[0][0] {
				own = like
			} else if w := ws[0]; telling(w.text) && !slices.Contains(said, w.text) {
				firsts[like] = append(firsts[like], first[w.at:w.end])
			}
		}
		if rivals = firsts[own]; own != "" && len(rivals) > 0 && len(rivals) < maxEntries {
			return n, rivals
		}
	}
	return -1, nil
}

// onlyOf returns the rival in whose lines of other texts a claim stands, if it stands in no others.
func (t *tracer) onlyOf(c, key *claim, list int, rivals []string) (of string) {
	for n, text := range t.texts {
		if len(rivals) == 0 || t.sources[n].Kind == KindShown || t.work > maxWork/2 {
			continue
		}
		t.work += len(text) / 8
		for line := range strings.SplitSeq(text[:min(len(text), maxJudged)], "\n") {
			if !strings.Contains(fold(line[:min(len(line), 2*maxRow)]), c.pieces[0][0]) {
				continue
			}
			ws := foldedWords(line[:min(len(line), 2*maxRow)])
			in := func(w string) bool { return slices.Contains(ws, w) }
			if slices.ContainsFunc(c.pieces[0], func(w string) bool { return !in(w) }) {
				continue
			}
			i := slices.IndexFunc(rivals, func(r string) bool { return in(fold(r)) })
			if n == list || i < 0 || in(key.pieces[0][0]) {
				return ""
			}
			of = rivals[i]
		}
	}
	return of
}
