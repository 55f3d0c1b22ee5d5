package grounding

import (
	"slices"
	"strings"
)

// mislabelled returns the label of the number of a place at p if the answer gives the claim another label of that
// place: the number stands there, but as something else, as if columns were swapped.
func (t *tracer) mislabelled(c *claim, p int) (string, bool) {
	if c.row < 0 || c.row >= len(t.x.rows) || c.dated() {
		return "", false
	}
	if _, _, _, day := dateAt(t.text, p); day {
		return "", false
	}
	t.work += 1 << 10
	own, others := label(t.text, p, c.q.units)
	if own == "" || len(others) == 0 {
		return "", false
	}
	is := foldedWords(humps(own))
	share := len(c.q.units) > 0 && c.q.units[0].kind == percent && slices.ContainsFunc(is, shareWords.has)
	behind := t.x.answer[c.at:min(len(t.x.answer), c.end+16)]
	factor := slices.ContainsFunc(is, factorWords.has) && slices.ContainsFunc(foldedWords(behind), multiples.has)
	changed := bys.has(c.q.label) && slices.ContainsFunc(is, changeWords.has) // as in "missed the plan by 12"
	if share || factor || changed {
		return "", false
	}
	said, all, keyed := t.labelsOf(c)
	for _, other := range others {
		ws := foldedWords(other)
		apart := func(ws, of []string) []string {
			return slices.DeleteFunc(slices.Clone(ws), func(w string) bool { return slices.Contains(of, w) })
		}
		mine, its := apart(is, ws), apart(ws, is)
		whole := len(its) > 0 && !slices.ContainsFunc(its, func(w string) bool {
			return telling(w) && lookUnit(w) == nil && !named([]string{w}, said, keyed)
		})
		if len(mine) > 0 && whole && named(its, said, keyed) && !named(mine, all, keyed) {
			return own, true
		}
	}
	return "", false
}

// besideAsked reports whether the word before a number at p is neither in the answer nor in the question, while that
// before another of its row is what the question asks for, as "rye" in "rye 47 oats 210".
func (t *tracer) besideAsked(c *claim, r *row, p int) bool {
	qs := r.quantities(t)
	k := slices.IndexFunc(qs, func(q quantity) bool { return q.at == p || q.num == p })
	if k < 0 || c.dated() || qs[k].isDate || t.shapeOf(r) == 0 || !t.onlyLabel(&qs[k]) || t.q.holds(qs[k].label) ||
		slices.ContainsFunc(t.answerWords(c), func(w string) bool { return akin(w, qs[k].label) }) {
		return false
	}
	return slices.ContainsFunc(qs, func(o quantity) bool {
		return o.at != qs[k].at && !o.isDate && t.onlyLabel(&o) && t.q.holds(o.label) && !t.gives(&o)
	})
}

// gives reports whether the answer has a number.
func (t *tracer) gives(q *quantity) bool {
	return slices.ContainsFunc(t.claims, func(c *claim) bool {
		return c.kind == aNumber && (c.q.tells(q) || c.nearly(q))
	})
}

// otherCount reports whether a number at p is behind words that neither answer nor question has, while a line near it
// has the words that the answer gives the number, and another number, as "imaged 42" near "above 30 degrees 59".
func (t *tracer) otherCount(c *claim, r *row, p int) bool {
	if c.q.units != nil || c.row < 0 || c.dated() || t.shapeOf(r) != 0 || !t.lastOf(r, p) {
		return false
	}
	said := firstWords(t.x.answer[c.end:max(c.until, c.end)])
	known := func(w word, of []word) bool { return common([]word{w}, of) > 0 }
	label := slices.DeleteFunc(slices.Clone(r.words), func(w word) bool {
		return !telling(w.text) || isDigit(w.text[0])
	})
	if len(label) == 0 || slices.ContainsFunc(label, func(w word) bool {
		return known(w, said) || known(w, t.q.words) || t.akin(c, []word{w})
	}) {
		return false
	}
	t.work += 1 << 10
	for line := range strings.Lines(t.text[max(0, r.at-maxRecord):min(len(t.text), r.end+maxRecord)]) {
		ws := appendWords(nil, line)
		n := len(ws) - 1
		if n < 1 || !isDigit(ws[n].text[0]) || slices.ContainsFunc(ws[:n], func(w word) bool {
			return !telling(w.text) || !known(w, said)
		}) {
			continue
		}
		qs := quantities(nil, line, ws, t.q.langs)
		if len(qs) == 1 && qs[0].units == nil && !qs[0].isDate && !t.gives(&qs[0]) {
			return true
		}
	}
	return false
}

// lastOf reports whether a number at p ends its row.
func (t *tracer) lastOf(r *row, p int) bool {
	qs := r.quantities(t)
	n := len(qs) - 1
	return n >= 0 && (qs[n].at == p || qs[n].num == p) &&
		strings.TrimSpace(t.text[qs[n].end:max(r.end, qs[n].end)]) == ""
}

// onlyLabel reports whether a number is bare and a word stands right before it.
func (t *tracer) onlyLabel(q *quantity) bool {
	return q.units == nil && !q.inside && telling(q.label) && !labels.has(q.label) &&
		strings.HasSuffix(strings.TrimRight(t.text[max(0, q.at-64):q.at], " =:"), q.label)
}

// humps puts spaces between the words of a name such as maxRetries.
func humps(name string) string {
	var b strings.Builder
	for i := range len(name) {
		if c := name[i]; i > 0 && c >= 'A' && c <= 'Z' && name[i-1] >= 'a' && name[i-1] <= 'z' {
			b.WriteByte(' ')
		}
		b.WriteByte(name[i])
	}
	return b.String()
}

var bys = words("by um de di med")

// A number of times is a factor.
var (
	factorWords = words("factor faktor facteur fattore fator multiple ratio times x")
	multiples   = words("times fold x mal fois veces volte vezes keer ganger razy")
)

// labelsOf returns the words of the answer that label a claim, and all that may: these are of its clause, or of the
// question if its sentence has no other number. With keyed, the claim has a key or a column.
func (t *tracer) labelsOf(c *claim) (said, all []string, keyed bool) {
	r := t.x.rows[c.row]
	first, last := c.since <= r.at, c.until >= r.end
	before, behind := t.x.answer[min(c.since, c.at):c.at], t.x.answer[c.end:max(c.until, c.end)]
	all = foldedWords(c.text)
	if first && last {
		all = append(all, texts(t.q.words[:min(len(t.q.words), 200)])...)
	}
	if i, _ := breaks(behind); i >= 0 {
		behind, last = behind[:i], true
	}
	if first {
		all = append(all, foldedWords(before)...)
	}
	if _, i := breaks(before); i >= 0 {
		before, first = before[i:], true
	}
	all = append(all, foldedWords(before+" "+behind)...)
	if key, _ := label(t.x.answer, c.at, nil); key != "" {
		said = foldedWords(key)
		return said, append(all, said...), true
	}
	nouns := behindWhole(appendWords(nil, behind))
	k := slices.IndexFunc(nouns, func(w word) bool { return prepositions.has(w.text) })
	if k == 0 && len(nouns) == 2 && nouns[0].text == "at" { // as in "530 ms at p95"
		nouns = nouns[1:]
	} else if k >= 0 {
		nouns = nouns[:k]
	}
	// Words between two numbers of a clause may belong to either.
	if first {
		said = foldedWords(before)
	} else if spoken(appendWords(nil, before), ofs) { // the number before c is a part of it
		return nil, all, false
	}
	if !last {
		nouns = nouns[:min(1, len(nouns))]
	}
	return append(said, texts(nouns)...), all, false
}

// behindWhole drops the whole that a number is a part of, as from "of the 8 trains were late".
func behindWhole(ws []word) []word {
	if len(ws) == 0 || !ofs.has(ws[0].text) {
		return ws
	}
	k := slices.IndexFunc(ws, func(w word) bool { return isDigit(w.text[0]) })
	if k < 0 || k > 2 {
		return ws
	}
	return ws[min(len(ws), k+2):]
}

// breaks returns where the first break between clauses of s starts, and where the last one ends, -1 if there is none.
func breaks(s string) (int, int) {
	from, to := strings.IndexAny(s, ",;.()\n"), strings.LastIndexAny(s, ",;.()\n")
	if to >= 0 {
		to++
	}
	for _, w := range appendWords(nil, s) {
		if ands.has(w.text) {
			if from < 0 || w.at < from {
				from = w.at
			}
			to = max(to, w.end)
		}
	}
	return from, to
}

// named reports whether one of the words of a label is among some words, short ones only among those of a key.
func named(label, among []string, keyed bool) bool {
	return slices.ContainsFunc(label, func(w string) bool {
		return slices.ContainsFunc(among, func(s string) bool {
			if len(w) < 3 || len(s) < 3 {
				return keyed && w == s
			}
			return akin(w, s) || strings.HasPrefix(s, w) && lookUnit(s) == nil || abbreviates(w, s)
		})
	})
}

// abbreviates reports whether a word has the first letter of another and consonants of it in order: "avg", "average".
func abbreviates(short, long string) bool {
	if len(short) > 4 || short[0] != long[0] || strings.ContainsAny(short[1:], "aeiou") {
		return false
	}
	for i := range len(long) {
		if short != "" && short[0] == long[i] {
			short = short[1:]
		}
	}
	return short == ""
}

// label returns what names the number at p in s, the head of a column or a key, and the names of others like it nearby.
func label(s string, p int, like []unit) (own string, others []string) {
	q, _ := numeric(s, p)
	sized := len(q.units) > 0
	if own = keyAt(s, p); own == "" {
		if own, others = headAt(s, p, like, sized); own == "" {
			return listedAt(s, p)
		}
		return own, others
	}
	const near = 600
	for i, end := max(0, p-near), min(len(s), p+near); i < end; i++ {
		if s[i] != ':' && s[i] != '=' {
			continue
		}
		n := i + 1
		for n < len(s) && n < i+24 && strings.IndexByte(" \t\"'-$", s[n]) >= 0 {
			n++
		}
		if key := keyAt(s, n); n != p && key != "" && key != own && countable(s, n, like, sized) {
			others = append(others, key)
		}
	}
	return own, others
}

// listedAt returns the words before the number at p in a line of words with a number each, as in "verum 2, placebo 5",
// and those before the other numbers.
func listedAt(s string, p int) (own string, others []string) {
	at := strings.LastIndexByte(s[:p], '\n') + 1
	line, _, _ := strings.Cut(s[at:min(len(s), at+200)], "\n")
	for field := range strings.SplitAfterSeq(line, ", ") {
		key, from := strings.TrimRight(field, ",. "), at+strings.LastIndexByte(strings.TrimRight(field, ",. "), ' ')+1
		at += len(field)
		key = key[strings.LastIndex(key, ": ")+1:]
		number := key[strings.LastIndexByte(key, ' ')+1:]
		key = strings.TrimSpace(strings.TrimSuffix(key, number))
		switch {
		case number == "" || strings.Trim(number, "0123456789.,%") != "" || len(key) < 3 ||
			strings.ContainsAny(key, "0123456789()[]{}<>\"|") || strings.Count(key, " ") > 2:
		case from == p:
			own = key
		default:
			others = append(others, key)
		}
	}
	return own, others
}

// keyAt returns the words before the colon or the equals sign that precedes p, or "".
func keyAt(s string, p int) string {
	before := strings.TrimRight(s[max(0, p-80):p], " \t\"'-$€£")
	before = before[strings.LastIndexByte(before, '\n')+1:]
	if before == "" || strings.IndexByte(":=", before[len(before)-1]) < 0 {
		return ""
	}
	equals := before[len(before)-1] == '='
	before = before[:len(before)-1]
	fields := strings.Fields(before[strings.LastIndexAny(before, ",;|{[(")+1:])
	n := len(fields)
	if equals && n > 1 && before[len(before)-1] != ' ' { // what precedes "n=12" names the row
		return strings.Trim(fields[n-1], "\"'*-•")
	}
	for n > 0 && !strings.ContainsAny(fields[n-1], "0123456789:=") {
		n--
	}
	if len(fields)-n > 4 { // it is prose
		return ""
	}
	if equals && len(fields) > n && !strings.HasSuffix(before, " ") { // as in "HELM n=229"
		n = len(fields) - 1
	}
	if equals && n > 0 && n < len(fields) && strings.HasSuffix(fields[n-1], ":") { // as in "DEPTH: usize = 4"
		return strings.TrimSuffix(fields[n-1], ":")
	}
	return strings.Trim(strings.Join(fields[n:], " "), "\"'*-• ")
}

// headAt returns the head of the column of the number at p, and those of the other columns with numbers.
func headAt(s string, p int, like []unit, sized bool) (own string, others []string) {
	heads, row, column := columnAt(s, p, func(head, mark string) bool {
		return !strings.ContainsAny(head, "[]") && !(mark == " " && spoken(appendWords(nil, head), articles)) &&
			(!strings.ContainsAny(head, "0123456789") || headingYears(head) != nil) // other heads have no numbers
	})
	if heads == nil || column == 0 && len(heads) > 2 { // the first column is a part of the row's name
		return "", nil
	}
	for k, cell := range row {
		i := len(cell) - len(strings.TrimLeft(cell, "-−+$€£(~"))
		if k != column && (k > 0 || len(row) == 2) && !labels.has(fold(heads[k])) && countable(cell, i, like, sized) {
			others = append(others, heads[k])
		}
	}
	return heads[column], others
}

// columnAt returns the cells of the line that heads the table around p, those of p's line, and which is at p, or nil.
func columnAt(s string, p int, fits func(head, mark string) bool) (heads, row []string, column int) {
	at := strings.LastIndexByte(s[:p], '\n') + 1
	line, _, _ := strings.Cut(s[at:min(len(s), at+400)], "\n")
	from := max(0, at-4<<10)
	first := 0 // where its first line starts
	if k := strings.LastIndex(s[from:at], "\n\n"); k >= 0 {
		first = from + k + 2
	}
	head, _, _ := strings.Cut(s[first:min(len(s), first+400)], "\n")
	if at == first || len(head) > 398 || p-at > len(line) || strings.ContainsAny(head, "{}:=") {
		return nil, nil, 0
	}
	for _, mark := range []string{"\t", "|", ";", ",", "  ", " "} {
		if strings.Count(head, mark) == 0 {
			continue
		}
		heads, row = cells(head, mark), cells(line, mark)
		if len(heads) == len(row) && len(heads) > 1 && fits(head, mark) {
			return heads, row, min(len(cells(line[:p-at]+"0", mark)), len(heads)) - 1
		}
	}
	return nil, nil, 0
}

// cells splits a line at a mark.
func cells(line, mark string) []string {
	out := strings.Split(strings.Trim(line, " |\r"), mark)
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	if mark[0] == ' ' {
		out = slices.DeleteFunc(out, func(c string) bool { return c == "" })
	}
	return out
}

// countable reports whether s has a number at p that is no date, and of no other unit than some; sized, it needs one.
func countable(s string, p int, like []unit, sized bool) bool {
	if !isDigit(byteAt(s, p)) {
		return false
	}
	q, ok := numeric(s, p)
	other := len(like) > 0 && (len(q.units) > 0 && like[0].kind != q.units[0].kind || sized && len(q.units) == 0)
	return ok && !q.isDate && !q.inside && !other
}

var ofs = words("of von sur de di van из")
