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

// Bounds of the replies that are looked for.
const (
	maxRecalled = 20
	maxRecall   = 128 // bytes
)

// recalls makes claims of the words of the answer that are a whole reply of a model that was given none of the text, if
// nothing shown has a word of them.
func (t *tracer) recalls() {
	telling := func(w word) bool { return telling(w.text) }
	shown := func(w word) bool { return telling(w) && (!t.plain(w) || t.resembled(w.text, nil)) }
	for _, reply := range t.recalled {
		if !slices.ContainsFunc(reply, telling) {
			continue
		}
		for n, r := range t.x.rows[:min(len(t.x.rows), maxReasonRows)] {
			ws := t.x.words(r.at, min(r.end, r.at+maxRow))
			for i := range max(0, len(ws)-len(reply)+1) {
				np := ws[i : i+len(reply)]
				if slices.Equal(texts(np), texts(reply)) && !slices.ContainsFunc(np, shown) {
					t.claims = append(t.claims, t.missed(n, np))
				}
			}
		}
	}
}

// causes are what comes before a cause in scripts without spaces, causeEnds what follows it.
var (
	causes    = []string{"原因は", "理由は", "要因は", "原因是", "理由是"}
	causeEnds = []string{"です", "でした", "だった", "と", "。", "、", "，", "\n"}
)

// maxCause bounds a cause in a script without spaces, in bytes.
const maxCause = 60

// unspacedReasons makes claims of causes in scripts without spaces of which nothing shown has two characters in a row.
func (t *tracer) unspacedReasons() {
	for n, r := range t.x.rows[:min(len(t.x.rows), maxReasonRows)] {
		s := t.x.answer[r.at:r.end]
		for _, cue := range causes {
			i := strings.Index(s, cue)
			if i < 0 {
				continue
			}
			i += len(cue)
			k := len(s)
			for _, end := range causeEnds {
				if j := strings.Index(s[i:k], end); j >= 0 {
					k = i + j
				}
			}
			if cause := s[i:k]; len(cause) > 3 && len(cause) < maxCause && !t.showsPart([]rune(cause)) {
				t.claims = append(t.claims, t.missed(n, []word{{text: cause, at: r.at + i, end: r.at + k}}))
			}
		}
	}
}

// showsPart reports whether something shown, or the question, has two neighbouring characters of a text.
func (t *tracer) showsPart(cause []rune) bool {
	for i := range len(cause) - 1 {
		if pair := string(cause[i : i+2]); strings.Contains(t.q.body, pair) ||
			slices.ContainsFunc(t.texts, func(s string) bool { return strings.Contains(s, pair) }) {
			return true
		}
	}
	return len(cause) < 2
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
