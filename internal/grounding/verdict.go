package grounding

import (
	"slices"
	"strings"
)

// noWords are those of yesWords that deny.
var noWords = words("no nein non nee нет false いいえ não nie falsch faux")

// maxJudged bounds the text of an output that is read for truth values.
const maxJudged = 16 << 10

// judged records for each yes or no of the answer whether an output gives what it is about that truth value or the
// opposite, as in "job succeeded: false", and for a choice whether it gives that one or another. Only the lines that
// are most like the question count.
func (t *tracer) judged(out string) {
	out = out[:min(len(out), maxJudged)]
	for _, c := range t.claims {
		if c.kind != aStance && (c.kind != aChoice || len(c.pieces[0]) > 1) {
			continue
		}
		about, leaf := t.q.words, keyAt(t.x.answer, c.at)
		if leaf != "" {
			about = appendWords(nil, leaf)
		} else if spoken(about, negations) {
			continue
		} else if c.kind == aStance {
			about = t.q.first()
		}
		best, agreed, opposed := 0, false, false
		for line := range strings.Lines(out) {
			ws := appendWords(nil, line)
			for _, w := range ws {
				stance := w.text == truth || w.text == "false" || w.text == "yes" || w.text == "no"
				if c.kind == aStance && !stance || c.kind == aChoice && !t.q.choice([]string{w.text}) {
					continue
				}
				key := appendWords(nil, keyAt(line, w.at))
				if leaf != "" && !within(about, key) || leaf == "" && !(within(key, about) && covers(key, about)) {
					continue
				}
				if n := common(about, ws); n > best {
					best, agreed, opposed = n, false, false
				} else if n < best {
					continue
				}
				same := noWords.has(w.text) == noWords.has(c.pieces[0][0])
				if c.kind == aChoice {
					same = like(w.text, c.pieces[0][0])
				}
				agreed, opposed = agreed || same, opposed || !same
			}
		}
		c.agreed, c.opposed = c.agreed || agreed, c.opposed || opposed
	}
}

// denied reports whether a truth value, which a search for words of the question or a sub-call with the question
// returned, is the opposite of the answer's only yes or no.
func (t *tracer) denied(value string, asked []word) bool {
	if spoken(t.q.words, negations) || spoken(asked, negations) || !covers(asked, t.q.words) {
		return false
	}
	said := appendWords(nil, value[:min(len(value), 80)])
	if len(said) == 0 || !yesWords.has(said[0].text) {
		return false
	}
	stance := slices.IndexFunc(t.claims, func(c *claim) bool { return c.kind == aStance })
	return stance >= 0 && keyAt(t.x.answer, t.claims[stance].at) == "" &&
		noWords.has(said[0].text) != noWords.has(t.claims[stance].pieces[0][0])
}

// within reports whether some words mean something, and all that do are akin to others.
func within(ws, others []word) bool {
	n := 0
	for _, w := range ws {
		if telling(w.text) {
			if n++; common([]word{w}, others) == 0 {
				return false
			}
		}
	}
	return n > 0
}

// covers reports whether about half of the telling words of a question, or more, are akin to some words.
func covers(ws, question []word) bool {
	n := 0
	for _, w := range question {
		if telling(w.text) {
			n++
		}
	}
	k := common(question, ws)
	return k > 0 && 2*k+1 >= n
}

// common counts the words that are akin to one of others, except hollow ones.
func common(ws, others []word) int {
	n := 0
	for _, w := range ws {
		if !hollow.has(w.text) && slices.ContainsFunc(others, func(o word) bool { return akin(w.text, o.text) }) {
			n++
		}
	}
	return n
}

// first returns the words of the first of several questions, as of "Is it signed, and by whom?"
func (q *question) first() []word {
	for i, w := range q.words {
		if i > 2 && (interrogatives.has(w.text) || i+1 < len(q.words) && interrogatives.has(q.words[i+1].text)) &&
			strings.ContainsAny(q.body[q.words[i-1].end:w.at], ",;?") ||
			i > 2 && ands.has(w.text) && i+1 < len(q.words) && interrogatives.has(q.words[i+1].text) {
			return q.words[:i]
		}
	}
	return q.words
}

var interrogatives = words(`what which who whom whose when where why how was welche welcher welches welchem wer wem wann wo warum wie
 quel quelle quand où comment combien qui que qué cuál cuándo dónde cómo cuánto quién quale quando dove come quanto`)
