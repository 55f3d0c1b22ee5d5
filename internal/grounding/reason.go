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

// singular are copulas behind what a question asks for.
var singular = words("is was ist war wurde era fue est était è")

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

// reasons makes claims of reasons and of answers to "which" in lower case of which nothing shown has a word, as in
// "mostly because of leaks", "the trade was farming" and "farming was the trade".
func (t *tracer) reasons() {
	for n, r := range t.x.rows[:min(len(t.x.rows), maxReasonRows)] {
		ws := t.x.words(r.at, min(r.end, r.at+maxRow))
		for i := range ws {
			k := cueAt(ws[i:])
			if i+1 < len(ws) && singular.has(ws[i+1].text) && t.q.asks(ws[i].text) {
				k = 2
			}
			if t.answers(ws, i) && !t.resembled(ws[i].text, nil) {
				t.claims = append(t.claims, t.missed(n, ws[i:i+1]))
			}
			if k == 0 {
				continue
			}
			if np := t.reasonAt(ws[i+k:]); len(np) > 0 {
				t.claims = append(t.claims, t.missed(n, np))
			}
		}
	}
}

// answers reports whether the word i begins a clause that says that it is what the question asks for.
func (t *tracer) answers(ws []word, i int) bool {
	s := t.x.answer
	if i+2 >= len(ws) || !copulas.has(ws[i+1].text) || !articles.has(ws[i+2].text) ||
		!telling(ws[i].text) || t.q.holds(ws[i].text) ||
		i > 0 && !strings.ContainsAny(s[ws[i-1].end:ws[i].at], ",;.:\n") {
		return false
	}
	asked := false
	for k := i + 3; k < len(ws) && !strings.ContainsAny(s[ws[k-1].end:ws[k].at], ",;.:()\n"); k++ {
		asked = t.q.asks(ws[k].text)
		if telling(ws[k].text) && !t.q.holds(ws[k].text) {
			return false
		}
	}
	return asked && !slices.ContainsFunc(t.claims, func(c *claim) bool {
		return c.row >= 0 && !c.hidden && !(c.soft && c.place == nil) && c.at < ws[i].end && ws[i].at < c.end
	})
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
