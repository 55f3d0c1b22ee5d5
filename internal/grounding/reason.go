package grounding

import (
	"slices"
	"strings"
)

// reasonCues are folded words before a reason, a material or a part that somebody has.
var reasonCues = []string{
	"because of", "due to", "thanks to", "caused by", "owing to", "as a result of", "on account of", "the cause was",
	"the reason was", "made of", "built of", "among them", "by the", "by a", "by an", "wegen", "aufgrund", "infolge",
	"dank", "ursache war", "grund war", "darunter", "a cause de", "en raison de", "grace a", "suite a",
	"la cause etait",
	"debido a", "a causa de", "gracias a", "la causa fue", "a causa di", "per via di", "grazie a", "vanwege",
	"mostly", "mainly", "chiefly", "especially", "above all", "vor allem", "hauptsachlich", "uberwiegend", "surtout",
	"principalement", "sobre todo", "principalmente", "soprattutto", "vooral",
	"wegens", "dankzij", "pa grund av", "tack vare", "z powodu", "devido a", "por causa de",
}

// Bounds of what is read for reasons.
const (
	maxReason     = 4   // words of one
	maxReasonRows = 200 // of the answer
)

// cueAt returns how many of some words are a cue, 0 if there is none.
func cueAt(ws []word) int {
	for _, cue := range reasonCues {
		n := 0
		for w := range strings.SplitSeq(cue, " ") {
			if n >= len(ws) || ws[n].text != w {
				n = 0
				break
			}
			n++
		}
		if n > 0 {
			return n
		}
	}
	return 0
}

// reasons makes claims of reasons in lower case of which nothing shown has a word, as in "mostly because of leaks".
func (t *tracer) reasons() {
	for n, r := range t.x.rows[:min(len(t.x.rows), maxReasonRows)] {
		ws := t.x.words(r.at, min(r.end, r.at+maxRow))
		for i := range ws {
			k := cueAt(ws[i:])
			if k == 0 {
				continue
			}
			if np := t.reasonAt(ws[i+k:]); len(np) > 0 {
				t.claims = append(t.claims, t.missed(n, np))
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
