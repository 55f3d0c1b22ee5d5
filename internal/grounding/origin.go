package grounding

import (
	"slices"
	"strings"
	"unicode"
)

// adds reports whether a row has something that the model did not write, so that a literal in it was found
// rather than stated: other words of the text, or a non-zero count of a search. Without a look, the name of a file adds
// nothing, and a number that no search had stands beside a passage only because the model put it there. Beside an echo
// of a literal, neither adds anything.
func (t *tracer) adds(c *claim, r *row, from, to int, looks bool) bool {
	if t.echoed(c, from, to) {
		return false
	}
	found := c.kind != aNumber || c.sought || c.q.units == nil && labels.has(c.q.label) // as in "chapter 10"
	count, nought := t.picks && looks && c.kind != aNumber, false
	for _, w := range r.words {
		switch {
		case w.at >= from && w.end <= to: // the claim itself
		case w.text == truth:
			count = count || looks
		case w.text == "false", w.text == "0":
			nought = true
		case telling(w.text) && w.text != "map" && !t.known.has(w.text) &&
			(looks && found || c.kind != aNumber && !t.ofFile(w)):
			return true
		}
	}
	for i, qs := 0, r.quantities(t); i < len(qs); i++ {
		q, counted := &qs[i], c.kind != aNumber || c.sought && c.q.digits > 3 // as of each of several years
		if looks && counted && len(q.values) > 0 && !q.inside && !(q.at < to && q.end > from) {
			n := q.values[0].value
			nought = nought || n == 1 && q.minus && t.indexes // of what is not there
			count = count || n != 0 && !t.saidNums[n]
		}
	}
	return count && !nought
}

// ofFile reports whether a word is part of the name of a file, such as log.txt.
func (t *tracer) ofFile(w word) bool {
	next, before := firstRune(t.text[min(w.end+1, len(t.text)):]), lastRune(t.text[:max(w.at-1, 0)])
	return byteAt(t.text, w.end) == '.' && isWord(next) || w.at > 0 && t.text[w.at-1] == '.' && isWord(before)
}

// unsaid reports whether the number at p, of which the claim is a rounded form, was never written by the model.
func (t *tracer) unsaid(c *claim, r *row, p int) bool {
	return c.kind == aNumber && slices.ContainsFunc(r.quantities(t), func(q quantity) bool {
		return q.at == p && !q.isDate && !q.inside && q.digits > c.q.digits && q.digits > 3 &&
			!slices.ContainsFunc(q.values, func(v reading) bool { return t.saidNums[v.value] })
	})
}

// formatted returns the part of a format, between its verbs, that has the number at p.
func formatted(s string, p int) (part string, ok bool) {
	from, end := strings.LastIndexByte(s[:p], '\n')+1, len(s)
	if k := strings.IndexByte(s[p:], '\n'); k >= 0 {
		end = p + k
	}
	line := s[from:end]
	if !strings.Contains(line, "%") {
		return "", false
	}
	at := max(0, strings.LastIndexByte(line[:p-from], '%'))
	rest, _, _ := strings.Cut(line[p-from:], "%")
	verb := strings.IndexFunc(line[at:p-from], unicode.IsLetter) // of the verb before it
	if line[at] == '%' {
		if verb < 0 {
			return "", false
		}
		at += verb + 1
	}
	return line[at:p-from] + rest, true
}

// unformatted reports whether a number that the model wrote only into formats stands in a row without the text that
// each of them has around it.
func (t *tracer) unformatted(c *claim, r *row) bool {
	return len(c.formats) > 0 && !c.stated && !slices.ContainsFunc(c.formats, func(p string) bool {
		return strings.Contains(t.text[r.at:r.end], strings.TrimSpace(p))
	})
}

// joins reports whether a name can be composed of words that the model wrote.
func (t *tracer) joins(c *claim) bool {
	return c.kind == aName && len(c.pieces[0]) > 1 &&
		!slices.ContainsFunc(c.pieces[0], func(w string) bool { return !t.known.has(w) })
}

// notes are phrases of the runtime's notes on omissions.
var notes = []string{"left out", "omitted", "truncated", "not shown", "characters shown", "bytes shown"}

// noting are parts of notes, one of which every note has.
var noting = []string{"%!", " more", " out", "omitted", "truncated", " shown"}

// withoutNotes removes the runtime's notes from a text: on omissions and bad formats.
func withoutNotes(s string) string {
	s = withoutSubfields(withoutPointers(s))
	if !slices.ContainsFunc(noting, func(n string) bool { return strings.Contains(s, n) }) {
		return s
	}
	var b strings.Builder
	for line := range strings.SplitAfterSeq(s, "\n") {
		b.WriteString(withoutNote(line))
	}
	return b.String()
}

// withoutSubfields removes the marks of subfields from records of libraries, as in "=260  $aBergen :$bLie,$c1988".
func withoutSubfields(s string) string {
	tag := strings.IndexByte(s, '=')
	if _, end := number(s, tag+1, 3); tag < 0 || end != tag+4 || byteAt(s, end) != ' ' || !strings.Contains(s, "$a") {
		return s
	}
	b := []byte(s)
	for i := range len(b) - 2 {
		if b[i] == '$' && b[i+1] >= 'a' && b[i+1] <= 'z' {
			b[i], b[i+1] = ' ', ' '
		}
	}
	return string(b)
}

// withoutPointers removes addresses of Go's heap, which start with 0xc0 and have ten digits. If the text is just
// an address, such as of a function, nothing remains.
func withoutPointers(s string) string {
	if hex, ok := strings.CutPrefix(strings.TrimSpace(s), "0x"); ok && len(hex) > 4 &&
		strings.Trim(hex, "0123456789abcdef") == "" {
		return ""
	}
	for from := 0; ; {
		i := strings.Index(s[from:], "xc0") // a nought is found too often
		if i < 0 {
			return s
		}
		from += i
		end := from + 1
		for end < len(s) && strings.IndexByte("0123456789abcdef", s[end]) >= 0 {
			end++
		}
		if end-from == 11 && from > 0 && s[from-1] == '0' {
			from--
			s = s[:from] + s[end:]
		} else {
			from = end
		}
	}
}

// withoutNote removes notes from a line, in brackets or as the whole line, and the errors of fmt ("%!d(…)").
func withoutNote(line string) string {
	trimmed := strings.TrimLeft(line, " .…-")
	if trimmed != line && strings.HasPrefix(trimmed, "and ") && strings.Contains(trimmed, " more") {
		return "\n"
	}
	for _, note := range notes {
		i := strings.Index(line, note)
		if i < 0 {
			continue
		}
		from, end := strings.LastIndexAny(line[:i], "[(<…"), len(line)
		if dots := strings.LastIndex(line[:i], "..."); dots > from {
			from = dots
			if k := strings.Index(line[i:], "..."); k >= 0 {
				line = line[:from] + line[i+k+3:]
				continue
			}
		}
		if from < 0 {
			return "\n"
		}
		if k := strings.IndexAny(line[i:], "])>…"); k >= 0 {
			end = i + k + len(string(firstRune(line[i+k:])))
		}
		line = line[:from] + line[end:]
	}
	for range 32 {
		head, tail, complaint := strings.Cut(line, "%!")
		if !complaint {
			break
		}
		depth, end := 0, len(tail)
		for i := range len(tail) {
			if tail[i] == '(' {
				depth++
			} else if tail[i] == ')' {
				if depth--; depth <= 0 {
					end = i + 1
					break
				}
			}
		}
		line = head + tail[end:]
	}
	return line
}

// passages returns the lines of a failed cell's output that are in the text.
func (t *tracer) passages(out string) string {
	var b strings.Builder
	known := func(line string) bool {
		line = strings.Trim(line, " \t\r[]") // a list of hits has brackets
		return line != "" && (strings.Contains(t.run.Shown, line) || t.run.Stands != nil && t.run.Stands(line))
	}
	lines := strings.SplitN(out, "\n", 2001)
	for _, line := range lines[:min(len(lines), 2000)] {
		line = strings.TrimPrefix(line, "[") // the first of a list of hits
		passage := line
		if doc, _ := reference(line); doc != "" {
			_, passage, _ = strings.Cut(line[len(doc)+1:], ":")
		}
		// fmt.Println(i, line) prints a number before it, which the cell may have computed.
		indexed := strings.TrimLeft(strings.TrimLeft(strings.TrimLeft(line, " "), "0123456789"), ": \t")
		switch {
		case len(strings.TrimSpace(line)) > 3 && (known(line) || known(passage)):
			b.WriteString(line + "\n")
		case len(indexed) > 3 && known(indexed):
			b.WriteString(indexed + "\n")
		}
	}
	return b.String()
}

// reference reads the document and line at the start of a row, as grep prints them.
func reference(row string) (string, int) {
	doc, rest, _ := strings.Cut(row, ":")
	n, end := number(rest, 0, 9)
	if len(doc) > 200 || strings.ContainsAny(doc, " \t[{") || !strings.ContainsAny(doc, "./") || n < 0 ||
		byteAt(rest, end) != ':' {
		return "", 0
	}
	return doc, n
}

// given reports whether a sub-call was given some of the text: words that the model did not write in a cell.
func (t *tracer) given(call *Call) bool {
	if call.Given {
		return true
	}
	for w := range wordsOf(call.Prompt[:min(len(call.Prompt), 64<<10)]) {
		if !t.literals.has(w.text) && (telling(w.text) || len(w.text) > 2 && isDigit(w.text[0])) && !t.asked(w.text) {
			return true
		}
	}
	return false
}

// asked reports whether the question contains a word.
func (t *tracer) asked(w string) bool {
	return t.q.folded.has(w) || slices.ContainsFunc(t.q.words, func(q word) bool { return q.text == w })
}
