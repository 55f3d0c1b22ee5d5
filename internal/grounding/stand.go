package grounding

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// stands returns the offsets of an anchor's words around the word between at and end, or -1.
func (t *tracer) stands(c *claim, a *anchor, w string, at, end int) (int, int) {
	if c.kind == anID {
		return t.identified(c, at)
	}
	from, to := t.consecutive(c, a, at, end)
	if from < 0 && c.kind == anAbsence && len(a.words) == 2 && akin(w, a.words[1]) && t.deniedAt(at) {
		return at, end // as "no rent review" for "no review"
	}
	if from < 0 && c.told && a.comma == 0 && t.retold(c, at) {
		return at, end
	}
	return from, to
}

// deniedAt reports whether one of the three words before p denies what stands there.
func (t *tracer) deniedAt(p int) bool {
	for n := 0; n < 3; n++ {
		b, e := wordBefore(t.text, p)
		if b < 0 || strings.ContainsAny(t.text[e:p], ".,;:|\n(") {
			return false
		}
		if w := fold(t.text[b:e]); negations.has(w) || lacking.has(w) {
			return true
		}
		p = b
	}
	return false
}

// consecutive returns the offsets of an anchor's words if they stand one after the other, or -1.
func (t *tracer) consecutive(c *claim, a *anchor, at, end int) (int, int) {
	last := len(a.words) - 1
	if !t.same(c, a.words[a.off], at, end, a.off == last) {
		return -1, 0
	}
	from, to := at, end
	for k := a.off - 1; k >= 0; k-- {
		t.work++
		b, e := t.partOf(a, from, false)
		if c.kind == aQuote && b >= 0 && isDigit(t.text[b]) && byteAt(t.text, e) == ':' {
			if line, text := t.prefix(b); line >= 0 && e < text {
				b, e = wordBefore(t.text, line)
			}
		}
		if b >= 0 && t.middle(c, a, e, b, e) && !t.same(c, a.words[k], b, e, false) &&
			strings.Trim(t.text[e:from], " .") == "" {
			from = b
			b, e = wordBefore(t.text, from)
		}
		fields := 0
		if c.kind == aName && (b < 0 || !t.same(c, a.words[k], b, e, false)) {
			if fields = keyBefore(t.text, from); fields > 0 {
				b, e = wordBefore(t.text, fields)
			}
		}
		if b < 0 || !t.same(c, a.words[k], b, e, false) || fields == 0 && !t.together(c, a, k, e, from) {
			return -1, 0
		}
		from = b
	}
	for k := a.off + 1; k <= last; k++ {
		t.work++
		b, e := t.partOf(a, to, true)
		if c.kind == aQuote && b >= 0 && strings.Contains(t.text[to:b], "\n") {
			if line, text := t.prefix(b); line >= to {
				b, e = wordAfter(t.text, text)
			}
		}
		// "Ingrid M. Sørensen" matches "Ingrid Sørensen".
		if b >= 0 && t.middle(c, a, to, b, e) && !t.same(c, a.words[k], b, e, k == last) {
			to = e
			b, e = wordAfter(t.text, to)
		}
		fields := 0
		if c.kind == aName && (b < 0 || !t.same(c, a.words[k], b, e, k == last)) {
			if fields = keyAfter(t.text, to); fields > 0 {
				b, e = wordAfter(t.text, fields)
			}
		}
		if b < 0 || !t.same(c, a.words[k], b, e, k == last) || fields == 0 && !t.together(c, a, k-1, to, b) {
			return -1, 0
		}
		to = e
	}
	if b, e := wordBefore(t.text, from); a.comma > 0 && b >= 0 && t.text[e:from] == " " &&
		unicode.IsUpper(firstRune(t.text[b:])) {
		return -1, 0 // as in "Edda Falk, Ivo Renz"
	}
	return from, to
}

// partOf returns the word before or after p, for "Last, First" without titles, as in "Falk, Dr. Edda".
func (t *tracer) partOf(a *anchor, p int, after bool) (at, end int) {
	for {
		if after {
			at, end = wordAfter(t.text, p)
			p = end
		} else {
			at, end = wordBefore(t.text, p)
			p = at
		}
		if at < 0 || a.comma == 0 || !titles.has(fold(t.text[at:end])) {
			return at, end
		}
	}
}

// keyAfter returns where the value of the next field of a record starts behind the value that ends at p, as in
// "First:Ada Last:Falk" and in JSON, or 0.
func keyAfter(s string, p int) int {
	near := s[p:min(len(s), p+32)]
	rest := strings.TrimLeft(near, "\"', ;|\t")
	at := p + len(near) - len(rest)
	n := strings.IndexAny(rest, ":=")
	if n <= 0 || at == p || !isKey(rest[:n]) {
		return 0
	}
	return at + n + 1
}

// keyBefore returns where the value of the field before that of the value at p ends, or 0.
func keyBefore(s string, p int) int {
	head := strings.TrimRight(s[max(0, p-32):p], "\"' ")
	key := strings.TrimRight(head, ":=")
	at := strings.LastIndexAny(key, " ,;|\t") + 1
	value := strings.TrimRight(key[:at], "\"', ;|\t")
	if key == head || at == 0 || value == "" || !isKey(key[at:]) {
		return 0
	}
	return max(0, p-32) + len(value)
}

// isKey reports whether a text is the key of a part of a name.
func isKey(s string) bool {
	s = strings.TrimSpace(s)
	return !strings.Contains(s, " ") && spoken(appendWords(nil, humps(s)), nameKeys)
}

var nameKeys = words(`first last middle given family surname vorname nachname prenom apellido cognome nazwisko voornaam`)

// prefix returns the bounds of grep's reference before the line at p if the line above has the one before it, or -1.
func (t *tracer) prefix(p int) (int, int) {
	at := max(0, p-maxRow)
	at += strings.LastIndexByte(t.text[at:p], '\n') + 1
	above := max(0, at-maxRow)
	above += strings.LastIndexByte(t.text[above:max(above, at-1)], '\n') + 1
	line := t.text[at:min(len(t.text), at+maxRow)]
	doc, n := reference(line)
	if other, m := reference(t.text[above:at]); n == 0 || other != doc || m != n-1 {
		return -1, 0
	}
	return at, at + len(doc) + 2 + strings.IndexByte(line[len(doc)+1:], ':')
}

// middle reports whether the word between b and e, behind the one that ends at p, is a middle name or initial.
func (t *tracer) middle(c *claim, a *anchor, p, b, e int) bool {
	w := fold(t.text[b:e])
	key := strings.IndexByte(":=", byteAt(t.text, e)) >= 0 // as in "Owner:Ada Deputy:Falk"
	given := unicode.IsUpper(firstRune(t.text[b:])) && !hollow.has(w) && !key || born.has(w)
	return c.kind == aName && a.comma == 0 && len(a.words) > 1 && given && (p >= b || t.text[p:b] == " ")
}

// born are words between a first name and a birth name.
var born = words("geb geborene née born")

// wordAfter returns the next word after p, -1 if there is none nearby.
func wordAfter(s string, p int) (int, int) {
	for at := p; at < len(s) && at-p < 64; {
		r, n := utf8.DecodeRuneInString(s[at:])
		if !isWord(r) {
			at += n
			continue
		}
		end := at + n
		for end < len(s) && !alone(r) && end-at < 256 {
			m, n := utf8.DecodeRuneInString(s[end:])
			if !isWord(m) || alone(m) {
				break
			}
			end += n
		}
		return at, end
	}
	return -1, 0
}

// wordBefore returns the last word before p, -1 if there is none nearby.
func wordBefore(s string, p int) (int, int) {
	for end := p; end > 0 && p-end < 64; {
		r, n := utf8.DecodeLastRuneInString(s[:end])
		if !isWord(r) {
			end -= n
			continue
		}
		at := end - n
		for at > 0 && !alone(r) && end-at < 256 {
			m, n := utf8.DecodeLastRuneInString(s[:at])
			if !isWord(m) || alone(m) {
				break
			}
			at -= n
		}
		return at, end
	}
	return -1, 0
}

// same reports whether the word of the text between two offsets is the word w of a claim: in another case of a language
// that inflects names, or abbreviated with a point.
func (t *tracer) same(c *claim, w string, at, end int, last bool) bool {
	p := fold(t.text[at:end])
	if c.kind == aName && len(c.pieces[0]) == 1 && len(w) < min(4, len(c.pieces[0][0])) &&
		weekdays()[c.pieces[0][0]] > 0 {
		return p == w && t.timetable(at, end)
	}
	if c.equalWord(w, p, last) {
		return true
	}
	if c.kind != aName || len(p) < 2 || len(w) < 2 || p[0] != w[0] {
		return false
	}
	return t.q.cased && inflected(w, p) || len(c.pieces[0]) > 1 && (byteAt(t.text, end) == '.' && shortens(p, w) ||
		shortens(w, p) && strings.Contains(fold(c.text), w+"."))
}

// timetable reports whether the short name of a day between two offsets is beside a time or another day, as in
// "Mo-Fr 08:00", or begins a short line.
func (t *tracer) timetable(at, end int) bool {
	before, behind := strings.TrimRight(t.text[:at], " "), strings.TrimLeft(t.text[end:], " .:")
	line, _, _ := strings.Cut(behind[:min(len(behind), 40)], "\n")
	return isDigit(byteAt(behind, 0)) || strings.ContainsRune("-–/", firstRune(behind)) ||
		before != "" && strings.ContainsRune("-–/", lastRune(before)) ||
		len(line) < 40 && (before == "" || before[len(before)-1] == '\n')
}

// inflected reports whether two words are equal but for endings.
func inflected(a, b string) bool {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n >= 4 && len(a)-n <= 4 && len(b)-n <= 4 && n*10 >= 6*max(len(a), len(b))
}

// shortens reports whether a word has letters of a longer one in their order, with the first two or the first and the
// last, as Saml. of Samuel and Wm. of William.
func shortens(short, long string) bool {
	n := len(short)
	if n >= len(long) || short[0] != long[0] || short[1] != long[1] && short[n-1] != long[len(long)-1] {
		return false
	}
	for i := 0; i < len(long) && short != ""; i++ {
		if short[0] == long[i] {
			short = short[1:]
		}
	}
	return short == ""
}

// mostApart is how many words may stand between those of a name that stand apart.
const mostApart = 3

// apart returns the offsets of the words of a name that stand in another order, joined by a few small words, as in
// "the 2019 Riesling from Steinhang"; none is a part of another name.
func (t *tracer) apart(c *claim, a *anchor, w string, at, end int) (int, int) {
	n := len(a.words)
	if c.kind != aName || c.told || n < 2 || n > 4 || a.piece > 0 || a.comma > 0 || !like(a.words[a.off], w) {
		return -1, 0
	}
	from, to := at, end
	for k, other := range a.words {
		found := k == a.off
		for _, next := range []func(b, e int) (int, int){
			func(b, _ int) (int, int) { return wordBefore(t.text, b) },
			func(_, e int) (int, int) { return wordAfter(t.text, e) },
		} {
			b, e := at, end
			for i := 0; i < mostApart+n-1 && !found; i++ {
				was := span{at: b, end: e}
				b, e = next(b, e)
				t.work++
				if b < 0 || strings.ContainsAny(t.text[min(was.end, e):max(was.at, b)], ",;:|.\t\n(") {
					break
				}
				if p := fold(t.text[b:e]); like(p, other) {
					found, from, to = true, min(from, b), max(to, e)
				} else if unicode.IsUpper(firstRune(t.text[b:])) && !slices.Contains(a.words, p) {
					break
				}
			}
		}
		if !found {
			return -1, 0
		}
	}
	named := func(b int) bool { return b >= 0 && unicode.IsUpper(firstRune(t.text[b:])) }
	b, e := wordBefore(t.text, from)
	if named(b) && t.text[e:from] == " " {
		return -1, 0
	}
	if b, _ = wordAfter(t.text, to); named(b) && t.text[to:b] == " " {
		return -1, 0
	}
	return from, to
}

func (c *claim) equalWord(w, p string, last bool) bool {
	if w == p || c.kind == aQuote {
		return w == p
	}
	if !last && utf8.RuneCountInString(w) == 1 && !isDigit(w[0]) {
		return strings.HasPrefix(p, w) // w is an initial
	}
	if m, d := months()[w], weekdays()[w]; len(w) > 3 && (m > 0 && m == months()[p] || d > 0 && d == weekdays()[p]) {
		return true
	}
	return last && like(w, p) || w == "saint" && p == "st" || w == "st" && p == "saint"
}

// together reports whether the words k and k+1 of an anchor, with a gap from end to at, are like parts of a name.
func (t *tracer) together(c *claim, a *anchor, k, end, at int) bool {
	gap := t.text[end:at]
	if a.comma == k+1 {
		titled := strings.HasPrefix(gap, ", ") && strings.ContainsFunc(gap, unicode.IsLetter)
		return titled || strings.TrimSpace(gap) == "," || gap == ";" || gap == "\t" || gap == "|" ||
			gap == " " && unicode.IsUpper(firstRune(t.text[at:]))
	}
	head, _, _ := strings.Cut(t.text[:min(len(t.text), maxRow)], "\n")
	cell := len(gap) == 1 && strings.Contains(",;|\t", gap) && c.kind == aName && len(a.words) == 2 &&
		spoken(appendWords(nil, humps(head)), nameKeys) // as in a row of CSV
	if gap == " " || gap == "" || cell || c.kind == aQuote || gap == ", " && t.apposed(c, a, k, end) {
		return true
	}
	if len(gap) > 24 {
		return false
	}
	if strings.ContainsRune(gap, '\n') { // a line that was wrapped
		line := strings.LastIndexByte(t.text[:end], '\n') + 1
		return end-line >= minWrapped && strings.Trim(gap, " \n\r-.&>") == ""
	}
	if strings.ContainsRune(c.text, ',') {
		gap = strings.ReplaceAll(gap, ",", "")
	}
	return strings.Trim(gap, " .&+-–'’/_\"“”*`\u00a0(:[") == ""
}
