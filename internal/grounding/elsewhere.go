package grounding

import (
	"fmt"
	"slices"
	"strings"
)

// noughts returns the place where a 0 is beside a word of an absence, as "failures 0" of "none of the bars failed", if
// the question asks how many there are.
func (t *tracer) noughts(c *claim) []Where {
	ws := slices.DeleteFunc(t.x.words(c.at, c.end), func(w word) bool {
		return !telling(w.text) || negations.has(w.text)
	})
	for n, text := range t.texts {
		if t.sources[n].Kind == KindShown || len(ws) == 0 || !t.q.counts {
			continue
		}
		text = text[:min(len(text), maxJudged)]
		if t.work += len(text); t.work > maxWork/2 {
			return nil
		}
		said := func(w word) bool {
			return slices.ContainsFunc(ws, func(o word) bool { return akin(o.text, w.text) })
		}
		all := appendWords(nil, text)
		for i, w := range all {
			before := i > 0 && said(all[i-1]) && !labels.has(all[i-1].text) &&
				slices.Contains([]string{" ", ": ", ":", "="}, text[all[i-1].end:w.at])
			behind := i+1 < len(all) && text[w.end:all[i+1].at] == " " && said(all[i+1])
			decimal := strings.IndexByte(".,", byteAt(text, w.end)) >= 0 && isDigit(byteAt(text, w.end+1))
			if index := byteAt(text, w.end) == ':'; w.text == "0" && !decimal && !index && (before || behind) {
				return t.sources[n : n+1]
			}
		}
	}
	return nil
}

// mute reports whether a look showed one line that a search found, of a few words with at most one number: too little
// to choose by.
func (t *tracer) mute(w Where) bool {
	n := slices.Index(t.sources, w)
	if w.Kind != KindOutput || n < 0 || strings.Contains(strings.TrimSpace(t.texts[n]), "\n") {
		return false
	}
	line := strings.TrimSpace(t.texts[n])
	doc, at := reference(line)
	if doc == "" { // it may be a passage to judge by
		return false
	}
	_, line, _ = strings.Cut(line, fmt.Sprintf(":%d:", at))
	told, numbers := 0, 0
	for _, word := range appendWords(nil, line[:min(len(line), maxRow)]) {
		if word.text == truth || word.text == "false" {
			return false
		}
		if isDigit(word.text[0]) {
			numbers++
		} else if telling(word.text) && !t.q.holds(word.text) {
			told++
		}
	}
	return told > 0 && told < 5 && numbers < 2
}

// graded returns the text that has the letter of a name such as "class C" in a column of that head, -1 if none does.
func (t *tracer) graded(c *claim) int {
	if c.kind != aName || len(c.pieces) != 1 || len(c.pieces[0]) != 2 || len(c.pieces[0][1]) != 1 {
		return -1
	}
	letter := strings.ToUpper(c.pieces[0][1])
	return slices.IndexFunc(t.texts, func(text string) bool {
		text = text[:min(len(text), maxJudged)]
		if t.work += len(text); t.work > maxWork/2 {
			return false
		}
		for p := range len(text) {
			if text[p] == letter[0] && !isWord(rune(byteAt(text, p+1))) && p > 0 && !isWord(rune(text[p-1])) &&
				slices.Contains(foldedWords(columnHead(text, p)), c.pieces[0][0]) {
				return true
			}
		}
		return false
	})
}

// filed reports whether a label and its number or letter are the name of a document that the first message lists, as
// "Flat 2" of flat-2.txt.
func (t *tracer) filed(c *claim) bool {
	label, number := c.q.label, strings.TrimLeft(strings.ToLower(c.text), " ")
	if c.kind == aName && len(c.pieces) == 1 && len(c.pieces[0]) == 2 && oneRune(c.pieces[0][1]) {
		label, number = c.pieces[0][0], c.pieces[0][1]
	} else if c.kind != aNumber || c.q.units != nil {
		return false
	}
	shown := strings.ToLower(t.run.Shown[:min(len(t.run.Shown), maxSentence)])
	return len(label) > 2 && slices.ContainsFunc([]string{"-", "_", ""}, func(joint string) bool {
		before, after, found := strings.Cut(shown, label+joint+number+".")
		return found && !isWord(lastRune(before)) && isWord(firstRune(after))
	})
}

// chosenOther reports whether what was seen has another alternative of the question, and never the one of the answer,
// as "cause=door" where the answer is "the brake".
func (t *tracer) chosenOther(c *claim) bool {
	if c.kind != aChoice || len(c.pieces[0]) > 1 || sides.has(c.pieces[0][0]) || t.work > maxWork/2 {
		return false
	}
	if slices.ContainsFunc(t.claims, func(o *claim) bool {
		named := o != c && !o.hidden && (o.kind == aName || o.kind == aChoice)
		return named && o.place != nil && t.q.choice(o.pieces[0])
	}) {
		return false
	}
	said := func(w string) bool { // the answer is about several
		return slices.ContainsFunc(appendWords(nil, t.x.answer), func(o word) bool { return akin(o.text, w) })
	}
	other := false
	for k, text := range t.texts {
		if k == 0 || t.sources[k].Kind == KindVariable { // the first message has the question
			continue
		}
		if t.work += 8 * min(len(text), maxJudged); t.work > maxWork/2 {
			return false
		}
		for _, w := range appendWords(nil, text[:min(len(text), maxJudged)]) {
			if akin(w.text, c.pieces[0][0]) {
				return false
			}
			other = other || telling(w.text) && t.q.choice([]string{w.text}) && !said(w.text)
		}
	}
	return other
}
