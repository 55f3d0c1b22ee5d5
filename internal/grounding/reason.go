package grounding

import (
	"slices"
	"strings"
)

// reasonCues are folded words before a reason, a material or a part that somebody has.
var reasonCues = []string{
	"because of", "due to", "thanks to", "caused by", "owing to", "as a result of", "on account of", "the cause was",
	"the reason was", "made of", "built of", "among them", "by the", "by a", "by an", "wegen", "aufgrund", "infolge",
	"dank", "ursache war", "grund war", "darunter", "a cause de", "en raison de", "grace a", "suite a", "la cause etait",
	"debido a", "a causa de", "gracias a", "la causa fue", "a causa di", "per via di", "grazie a", "vanwege",
	"wegens", "dankzij", "pa grund av", "tack vare", "z powodu", "devido a", "por causa de",
}

// maxReason is how many words of a reason are read.
const maxReason = 4

// reasons makes claims of reasons in lower case of which nothing shown has a word, as in "mostly because of leaks".
func (t *tracer) reasons() {
	for n, r := range t.x.rows {
		ws := t.x.words(r.at, min(r.end, r.at+maxSentence))
		for i := range ws {
			for _, cue := range reasonCues {
				k := i + strings.Count(cue, " ") + 1
				if k >= len(ws) || strings.Join(texts(ws[i:k]), " ") != cue {
					continue
				}
				if np := t.reasonAt(ws[k:]); len(np) > 0 {
					c := &claim{kind: aName, at: np[0].at, end: np[len(np)-1].end, row: n, pieces: [][]string{texts(np)}}
					c.text = t.x.answer[c.at:c.end]
					c.why = c.missing()
					t.claims = append(t.claims, c)
				}
				break
			}
		}
	}
}

// reasonAt returns the words of a reason that nothing shown has, up to the end of its clause.
func (t *tracer) reasonAt(ws []word) (np []word) {
	for i, w := range ws {
		if i > 0 && strings.ContainsAny(t.x.answer[ws[i-1].end:w.at], ",;.:()\n") || len(np) == maxReason {
			break
		}
		if !telling(w.text) {
			if len(np) > 0 && !articles.has(w.text) && !ofs.has(w.text) {
				break
			}
			continue
		}
		if !t.plain(w) {
			return nil
		}
		np = append(np, w)
	}
	if slices.ContainsFunc(np, func(w word) bool { return t.q.holds(w.text) || t.resembled(w.text, nil) }) {
		return nil
	}
	return np
}
