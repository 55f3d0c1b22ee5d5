package grounding

import (
	"slices"
	"strings"
	"unicode"
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
				if numbering(line, w) || c.kind == aStance && !stance ||
					c.kind == aChoice && !t.q.choice([]string{w.text}) {
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

// numbering reports whether a word is the "no" of "no. 12".
func numbering(s string, w word) bool {
	return w.text == "no" && isDigit(byteAt(strings.TrimLeft(s[w.end:], ". "), 0))
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

// supposed reports whether the words before a status only ask for it or suppose it, as in "a motion to approve" and
// "whether it would pass": then nothing says that it is so.
func (t *tracer) supposed(s string, ws []word, i int) bool {
	for k := i - 1; k >= max(0, i-4) && !pausing(s[ws[k].end:ws[k+1].at], ",;:|()\n"); k-- {
		w := ws[k].text
		wanted := w == "to" && (k == i-1 && !strings.HasSuffix(ws[i].text, "ed") || having.has(ws[k+1].text)) &&
			!spoken(ws[max(0, k-2):k], deciding)
		if (wanted || unreal.has(w)) && !t.asked(w) {
			return true
		}
	}
	return false
}

var (
	unreal   = words("should would could might may can whether if unless ob sollte sollten würde würden könnte falls")
	having   = words("be have get")
	deciding = words("decided decides voted votes agreed agrees resolved chose managed able allowed")
)

// unlisted is the family of what a question without a word of status asks: a sentence denies it or not.
const unlisted = 1 << 30

// denies returns whether a sentence denies a word of the question, as in "H1 is not supported"; it does neither if it
// names an exception. With lone, it denies the last word of the question of what it only calls "it" or "the" something.
func (t *tracer) denies(s string, ws []word) (st status, at int, lone bool) {
	asked := slices.DeleteFunc(slices.Clone(t.q.first()), func(w word) bool { return !telling(w.text) })
	for i, w := range ws {
		if exceptions.has(w.text) {
			return st, -1, false
		}
		if !negations.has(w.text) && !lacking.has(w.text) || numbering(s, w) {
			continue
		}
		for k := i + 1; k < min(i+5, len(ws)) && !pausing(s[ws[k-1].end:ws[k].at], ",;:|()\n"); k++ {
			if telling(ws[k].text) && common(ws[k:k+1], t.q.words) > 0 {
				st.side, at = 1, k
				lone = lone || common(ws[k:k+1], asked[max(0, len(asked)-1):]) > 0 && t.unnamed(s, ws, i)
			}
		}
	}
	st.families = unlisted
	return st, at, lone
}

// unnamed reports whether the clause of the word i is of "it", or of "the" thing in words of the question or one other.
func (t *tracer) unnamed(s string, ws []word, i int) bool {
	from, _ := clause(s, ws, i)
	if from == i || !pointing.has(ws[from].text) && !anaphors.has(ws[from].text) {
		return false
	}
	others, asked := 0, 0
	for k, w := range ws[from:i] {
		switch {
		case !telling(w.text), k > 0 && from+k == i-1 && (others+asked > 0 || anaphors.has(ws[from].text)): // its verb
		case common([]word{w}, t.q.words) > 0:
			asked++
		default:
			others++
		}
	}
	return others == 0 || others == 1 && asked == 0
}

var (
	lacking  = words("lacks lack lacking dispenses dispense dispensing free ohne verzichtet verzichten sans senza sin zonder")
	pointing = words("the this our its der die das dieser diese dieses le la cette el il")
)

var exceptions = words("unless except excepting only until but if otherwise ausser nur wenn")

// anaphors stand for what was named before; matters often do.
var (
	anaphors = words("it this that they he she these both")
	matters  = words("motion proposal application request bill matter antrag vorlage gesuch proposition demande solicitud")
)

// refers reports whether the status i of a sentence is of something that the passage before it names, as in "The motion
// was rejected": a pronoun, or words that the passage has, too.
func refers(s string, ws []word, i int, before []word) bool {
	from, _ := clause(s, ws, i)
	if spoken(ws[from:i], anaphors) {
		return true
	}
	named := false
	for _, w := range ws[from:i] {
		switch {
		case copulas.has(w.text):
			return named
		case matters.has(w.text):
			named = true
		case !telling(w.text) || ands.has(w.text) || buts.has(w.text):
		case common([]word{w}, before) == 0:
			return false
		default:
			named = true
		}
	}
	return named
}

// maxPassage bounds how far back a sentence may refer.
const maxPassage = 1000

// passageFrom returns where the part of a text starts that the sentence at p continues: at a line with a label or a
// number of its own at its head, or behind an empty line and the heading above it.
func passageFrom(text string, p int) int {
	least := max(0, p-maxPassage)
	at := strings.LastIndexByte(text[:p], '\n') + 1
	for at > least && !labelled(text[at:]) {
		from := strings.LastIndexByte(text[:at-1], '\n') + 1
		if strings.TrimSpace(text[from:at-1]) == "" {
			if from == 0 {
				break
			}
			head := strings.LastIndexByte(text[:from-1], '\n') + 1
			line := strings.TrimSpace(text[head : from-1])
			if line != "" && len(line) < 60 && line[len(line)-1] != '.' {
				at = head
			}
			break
		}
		at = from
	}
	return max(at, least)
}

// labelled reports whether a text starts with a line that names a thing of its own, as in "Item 5: …" or "Claim 2 …".
func labelled(s string) bool {
	line, _, _ := strings.Cut(s[:min(len(s), 200)], "\n")
	line = strings.TrimLeft(line, " \t-*>|")
	if strings.HasPrefix(line, "#") || strings.ContainsRune(line[:min(len(line), 24)], ':') {
		return true
	}
	for n, w := range strings.Fields(line) {
		if n < 3 && strings.ContainsFunc(w, unicode.IsDigit) {
			return true
		}
	}
	return false
}
