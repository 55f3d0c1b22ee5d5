package grounding

import (
	"slices"
	"strings"
	"unicode"
)

// looked records a cell that looked for an answer to the question, and whether its search found nothing. A look
// prints more than sizes, beginnings and the model's own words, and its pattern, names or output relate to the
// question; or it prints a passage.
func (t *tracer) looked(c *code, cell *Cell, out string, w Where) {
	out = strings.TrimSpace(out)
	ws := firstWords(out)
	patterns := firstWords(withoutClasses(c.literals[asked].String()))
	longer := func(w word) bool { return len(w.text) > 1 } // than the flag of "(?i)" before each of a list
	if c.looks && !slices.ContainsFunc(patterns, longer) {
		patterns = firstWords(c.literals[said].String())
	}
	if (out == "true" || out == "false") && !strings.Contains(cell.Code, "!") && within(patterns, t.q.words) &&
		t.denied(out, patterns) {
		return
	}
	t.judged(out)
	t.weigh(out, w)
	pattern := t.about(patterns) || slices.ContainsFunc(patterns, t.q.names)
	shares := t.shares(ws)
	if c.looks && !c.partial() && (pattern || shares) && nothing(c, cell, out) {
		t.voids = append(t.voids, w)
	}
	if c.heads || c.skims && !pattern || out == "" && (len(cell.Variables) == 0 || len(patterns) == 0) {
		return
	}
	names := t.about(firstWords(strings.Join(c.names[:min(len(c.names), 1000)], " ")))
	form := strings.HasPrefix(strings.TrimSpace(plain(c.literals[asked].String())), "<") // it only asks for a format
	said := !form && slices.ContainsFunc(ws, func(w word) bool { return w.text == truth || w.text == "false" })
	said = said || len(patterns) > 0 &&
		slices.ContainsFunc(cell.Variables, func(v Variable) bool { return v.Value == "true" || v.Value == "false" })
	if pattern || said || names && len(ws) == 0 || shares || names || t.passage(ws) {
		t.looks = append(t.looks, w)
	}
}

// taken records a hand-in that a search of the same cell decides as a look, and as a search that may have found
// nothing. What a question compares is not decided by whether something is there, nor is a choice by what none of its
// alternatives has.
func (t *tracer) taken(hands made, w Where) {
	ws := firstWords(withoutClasses(strings.Join(hands.patterns, " ")))
	if !t.about(ws) {
		return
	}
	t.voids = append(t.voids, w)
	choice := func(c *claim) bool { return c.kind == aChoice }
	chosen := func(w word) bool {
		return slices.ContainsFunc(t.q.words, func(q word) bool { return q.text == w.text }) &&
			t.q.choice([]string{w.text})
	}
	if hands.weighs || !t.q.compares() && (!slices.ContainsFunc(t.claims, choice) || slices.ContainsFunc(ws, chosen)) {
		t.looks = append(t.looks, w)
	}
}

// escapes removes the escapes of a regular expression, so that their letters do not count as words.
var escapes = strings.NewReplacer(`\b`, " ", `\B`, " ", `\s`, " ", `\w`, " ", `\d`, " ", "\\", " ")

// withoutClasses replaces each character class of a pattern with its first letter, as in s[ée]rie.
func withoutClasses(p string) string {
	p = escapes.Replace(p[:min(len(p), 8<<10)])
	for n := 0; n < 64; n++ {
		i := strings.IndexByte(p, '[')
		if i < 0 {
			break
		}
		k := strings.IndexByte(p[i:], ']')
		if k < 2 {
			break
		}
		p = p[:i] + string(firstRune(p[i+1:])) + p[i+k+1:]
	}
	return p
}

// firstWords returns the words at the beginning of a text, which show its subject.
func firstWords(text string) []word { return appendWords(nil, text[:min(len(text), 8<<10)]) }

// about reports whether any word of a cell is related to a word of the question: a variable notPermissive is
// related to a question about permissive licences.
func (t *tracer) about(ws []word) bool {
	return slices.ContainsFunc(ws, func(w word) bool {
		for q := range t.q.focus {
			long, near := len(w.text) >= 4 && len(q) >= 4, len(w.text) >= 3 && strings.HasPrefix(q, w.text)
			near = near || len(q) == 3 && len(w.text) > 5 && strings.HasPrefix(w.text, q) // like "map" and "mapmaker"
			if near || akin(w.text, q) || long && (strings.Contains(q, w.text) || strings.Contains(w.text, q)) {
				return w.text != "context" && w.text != "docs" && !isDigit(w.text[0])
			}
		}
		return false
	})
}

// shares reports whether one of the words is in the question.
func (t *tracer) shares(ws []word) bool {
	return slices.ContainsFunc(ws, func(w word) bool {
		if !telling(w.text) || t.known.has(w.text) && !t.q.focus.has(w.text) {
			return false
		}
		for q := range t.q.focus {
			if akin(w.text, q) {
				return true
			}
		}
		return false
	})
}

// passage reports whether enough of the words come from the text.
func (t *tracer) passage(ws []word) bool {
	n := 0
	for _, w := range ws {
		if telling(w.text) && !t.known.has(w.text) {
			n++
		}
	}
	return n >= 4
}

// replied records a sub-call with some of the text as a look, and as a failed search if its reply misses something.
func (t *tracer) replied(call *Call, w Where, part bool) {
	if !t.denied(call.Reply, firstWords(call.Prompt)) {
		t.looks = append(t.looks, w)
	}
	t.weigh(call.Reply, w)
	if part { // what a part does not say, the rest may
		return
	}
	x := extractor{answer: call.Reply[:min(len(call.Reply), 400)], q: &t.q, texts: map[string]bool{}}
	x.used = make([]bool, len(x.answer))
	if x.absence(0, len(x.answer)) {
		t.voids = append(t.voids, w)
	}
}

// nothing reports whether a search found nothing: no output, only zeros, an empty list, false.
func nothing(c *code, cell *Cell, out string) bool {
	if out == "" {
		return (c.prints || len(cell.Variables) > 0) &&
			!slices.ContainsFunc(cell.Variables, func(v Variable) bool { return !empty(v.Value) })
	}
	if what, nought := strings.CutPrefix(out, "0 "); nought && unicode.IsLetter(firstRune(what)) &&
		!strings.Contains(out, "\n") { // as in "0 hits in 64 documents"
		return true
	}
	only, noughts := true, true // noughts: each line has the count of a file or the like, as in "a.txt 0"
	for line := range strings.SplitSeq(out[:min(len(out), 8<<10)], "\n") {
		line = strings.TrimSpace(line)
		if c.unfound(line) { // one of several searches, which name what they look for
			return true
		}
		key, n, counts := strings.Cut(line, ":")
		n, of, _ := strings.Cut(strings.TrimSpace(n), " ")
		whole, _, _ := strings.Cut(of, " ") // as in "hits: 0 in 212 files"
		none := counts && n == "0" && (of == "" || whole == "in" || ofs.has(whole)) && hits.has(fold(key))
		if none || line == "0" || line == "[]" || line == "false" {
			return true // one of several searches that found nothing
		}
		only = only && empty(line)
		fields := strings.Fields(line)
		noughts = noughts && len(fields) == 2 && (fields[1] == "0" ||
			fields[0] == "0" && strings.Contains(cell.Code, "len(context)")) // its size may follow
	}
	return only || noughts
}

var hits = words("hit hits match matches found count n occurrences results lines treffer anzahl trouvé")

// unfound reports whether a line has one of the cell's literals and a count of nought or an empty list: "hanoi 0".
func (c *code) unfound(line string) bool {
	what, nought := strings.CutSuffix(line, "0")
	if !nought {
		what, nought = strings.CutSuffix(line, "[]")
	}
	end := strings.TrimRight(what, " \t:=>-")
	if !nought || end == what {
		return false
	}
	what = "\n" + strings.Trim(end, "\"'`")
	return len(what) > 2 && slices.ContainsFunc([]use{said, asked}, func(u use) bool { // as in Println("expelled:", n)
		all := "\n" + c.literals[u].String()
		return strings.Contains(all, what+"\n") || strings.Contains(all, what+":\n")
	})
}

// partial reports whether the cell used only the beginning or the size of the text.
func (c *code) partial() bool { return c.begun > 0 && c.texts <= c.begun }

// empty reports whether a line of output says that nothing was found: its numbers are zero, and it has no passage.
func empty(s string) bool {
	words, noughts := 0, 0
	if rest, list := strings.CutPrefix(strings.TrimSpace(s), "[]"); list && len(rest) < 20 { // a size may follow
		return true
	}
	ws := appendWords(nil, s[:min(len(s), 2000)])
	for i, w := range ws {
		if i > 1 && ws[i-2].text == "0" && ofs.has(ws[i-1].text) { // as in "0 of 88"
			continue
		}
		switch w.text {
		case "0", "false", "nil", "none", "nothing", "no", "not":
			noughts++
		case "map", "string", "hit":
		default:
			if w.text == truth || isDigit(w.text[0]) && !(w.text == "1" && strings.Contains(s, "-1")) {
				return false
			}
			words++
		}
	}
	return noughts > 0 && words <= 8 || words == 0
}
