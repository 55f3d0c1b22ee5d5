package grounding

import (
	"slices"
	"strings"
	"unicode"
)

// maxAround bounds the text around a number that is read for other numbers of its kind.
const maxAround = 4 << 10

// swapped reports whether the record s of a claim is that of a name in another row of the answer, while the name in
// the claim's row has a record of the same form with another value, as if two entries were exchanged.
func (t *tracer) swapped(c *claim, s span) bool {
	if !c.paired() || len(c.records) != 1 {
		return false
	}
	here, there := false, false
	for _, k := range t.claims {
		if k.row < 0 || k.hidden || len(k.records) != 1 || k.kind != aName && k.kind != anID && k.kind != aChoice {
			continue
		}
		o := k.records[0]
		switch {
		case k.row == c.row && o.at == s.at:
			return false
		case k.row == c.row:
			here = here || t.sameFrame(o, s)
		case o.at == s.at:
			there = true
		}
	}
	return here && there
}

// outranked reports whether the answer is just the name of a row s and the question asks for the highest or the like,
// but other rows have more and others less of the number whose label shares a word with the question.
func (t *tracer) outranked(c *claim, s span) bool {
	most := func(w word) bool { return superlative(w.text) || w.text == "most" || w.text == "least" }
	if c.kind != aName || len(t.x.answer) > len(c.text)+2 || len(t.text) > maxJudged || t.work > maxWork/2 ||
		!slices.ContainsFunc(t.q.words, most) || slices.ContainsFunc(t.q.words, func(w word) bool {
		nth, _ := numeralIn(t.q.langs, w.text)
		return nth.ordinal || w.text == "second" || relations.has(w.text) && !most(w)
	}) {
		return false
	}
	t.work += 2 * len(t.text)
	number := func(s span) (out []float64) {
		line := t.text[s.at:s.end]
		for _, q := range quantities(nil, line, appendWords(nil, line), t.q.langs) {
			key, _ := label(t.text, s.at+q.num, nil)
			asked := common(appendWords(nil, strings.ReplaceAll(key, "_", " ")), t.q.words) > 0
			if len(q.values) > 0 && !q.isDate && !q.inside && asked {
				out = append(out, q.values[0].value)
			}
		}
		return out
	}
	own, more, less := number(s), false, false
	for at := 0; at < len(t.text) && len(own) == 1; {
		o := t.record(at)
		if v := number(o); len(v) == 1 && t.alike(o, s) {
			more, less = more || v[0] > own[0], less || v[0] < own[0]
		}
		at = o.end + 1
	}
	return more && less
}

// misaimed reports whether all that the answer says is a cell of a row s, while another row of the same columns has
// more words of the question, and a cell of nothing else.
func (t *tracer) misaimed(c *claim, s span) bool {
	if !t.aimed || len(t.text) > maxJudged || t.work > maxWork/2 || slices.ContainsFunc(t.claims, func(o *claim) bool {
		return !o.hidden && !o.neutral && o.at != c.at && o.kind != aStance
	}) {
		return false
	}
	asked := func(cell string) (n, of int) {
		for _, w := range appendWords(nil, cell) {
			if telling(w.text) {
				of++
				n += common([]word{w}, t.q.words)
			}
		}
		return n, of
	}
	own, column := columns(t.text[s.at:s.end]), t.columnOf(s)-1
	for at := 0; at < len(t.text) && len(own) > 2; {
		o := t.record(at)
		at = o.end + 1
		t.work += o.end - o.at
		other := columns(t.text[o.at:o.end])
		if len(other) != len(own) || !t.alike(o, s) {
			continue
		}
		more, less := false, false
		for k := range own {
			n, of := asked(own[k])
			m, its := asked(other[k])
			more = more || k != column && m == its && m > n && of > n
			less = less || n > m || k == column && (m > 0 || own[k] == other[k])
		}
		if more && !less && !t.introduces(c, s, o) {
			return true
		}
	}
	return false
}

// inOtherPart reports whether the name at p has another part in the text than in the answer, which gives the part of
// another name: "moved by Rudge" of "moved by Penholt, seconded by Rudge".
func (t *tracer) inOtherPart(c *claim, p int) bool {
	said, by := partBefore(t.x.answer, c.at)
	if !by {
		return false
	}
	is, _ := partBefore(t.text, p)
	if is == "" || akin(is, said) || len(is) < 4 {
		return false
	}
	from, end := max(0, p-maxAround), min(len(t.text), p+maxAround)
	t.work += (end - from) / 4
	for _, w := range appendWords(nil, t.text[from:end]) {
		if !akin(w.text, said) {
			continue
		}
		end := from + w.end
		if end < p && strings.ToLower(t.text[end:p]) == t.text[end:p] && !pausing(t.text[end:p], ".,;:|\n") {
			return false // as in "the snapshot in bucket pg-snap"
		}
		at, to := wordAfter(t.text, end)
		for at >= 0 && (agents.has(fold(t.text[at:to])) || titles.has(fold(t.text[at:to]))) {
			at, to = wordAfter(t.text, to)
		}
		given := at >= 0 && at < p && capitalised(t.text[at:p]) // its title or given name
		if at >= 0 && at-end < 24 && !given && unicode.IsUpper(firstRune(t.text[at:])) &&
			!strings.ContainsAny(t.text[end:at], ",;") && !slices.Contains(c.pieces[0], fold(t.text[at:to])) {
			return true
		}
	}
	return false
}

// capitalised reports whether a text is nothing but words with capitals.
func capitalised(s string) bool {
	return !slices.ContainsFunc(strings.Fields(s), func(w string) bool {
		return !unicode.IsUpper(firstRune(w)) || strings.ContainsRune(",;:", lastRune(w))
	})
}

// partBefore returns the word for the part of the name at p, "moved" of "moved by Cllr Rudge", and if it has a "by".
func partBefore(s string, p int) (part string, by bool) {
	for at, end := wordBefore(s, p); at >= 0 && !strings.ContainsAny(s[end:p], ",;("); at, end = wordBefore(s, p) {
		w := fold(s[at:end])
		switch {
		case agents.has(w):
			by = true
		case !titles.has(w):
			if !telling(w) || strings.ContainsAny(w, "0123456789") {
				return "", false
			}
			return w, by
		}
		p = at
	}
	return "", false
}

// sameFrame reports whether two records begin with the same word and have as many numbers.
func (t *tracer) sameFrame(a, b span) bool {
	x, y := appendWords(nil, t.text[a.at:a.end]), appendWords(nil, t.text[b.at:b.end])
	digits := func(ws []word) (n int) {
		for _, w := range ws {
			if isDigit(w.text[0]) {
				n++
			}
		}
		return n
	}
	return len(x) > 2 && len(y) > 2 &&
		pattern(x[0].text) == pattern(y[0].text) && !isDigit(x[0].text[0]) && digits(x) == digits(y) && digits(x) > 0
}

// elsewhere reports whether a measure stands in a sentence that shares no word with the answer's clause, while another
// measure of the same kind near it stands in one that shares several: the answer took the number of another term.
func (t *tracer) elsewhere(c *claim, p int) bool {
	if c.kind != aNumber || c.q.units == nil || c.q.isDate || c.row < 0 ||
		t.kind == KindShown || t.kind == KindVariable ||
		!strings.Contains(t.x.answer[c.at:min(len(t.x.answer), c.end+40)], " ") {
		return false
	}
	dull := func(w string) bool { return !telling(w) || lookUnit(w) != nil }
	clause := slices.DeleteFunc(slices.Clone(c.around), dull)
	least := min(2, len(clause)-2)
	if least < 1 || t.work > maxWork/2 {
		return false
	}
	from, end := max(0, p-maxAround), min(len(t.text), p+maxAround)
	t.work += (end - from) / 2
	own, best := -1, 0
	for at := from; at < end; {
		to := passageEnd(t.text[:end], at)
		s := t.text[at:to]
		if n := shared(clause, foldedWords(s)); at <= p && p < to {
			own = n
			if n > 0 || !sentenceLike(s) {
				return false
			}
		} else if n > max(best, least) && t.measures(c, s) {
			best = n
		}
		at = max(to, at+1)
	}
	return own == 0 && best > least
}

// passageEnd returns the end of the sentence or clause that starts at p; a wrapped line continues it.
func passageEnd(s string, p int) int {
	for i := p + 1; i < len(s); i++ {
		switch s[i] {
		case '.', ';', '?', '!':
			if numbers(s, i) {
				continue
			}
			if next := byteAt(s, i+1); i+1 == len(s) || next == '\n' || next == ' ' && i-p > 6 {
				return i + 1
			}
		case '\n':
			if next := byteAt(s, i+1); isDigit(next) || next != 0 && strings.IndexByte("\n(-*|", next) >= 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// numbers reports whether the point at p follows the number of a clause, as in "a.txt: 6. The buyer".
func numbers(s string, p int) bool {
	at := p
	for at > 0 && p-at < 3 && isDigit(s[at-1]) {
		at--
	}
	return at < p && at > 1 && s[at-1] == ' ' && strings.IndexByte(":/|", s[at-2]) >= 0
}

// sentenceLike reports whether a passage is prose rather than a row of a table.
func sentenceLike(s string) bool {
	s = strings.TrimRight(s, " \n")
	return strings.Count(s, " ") > 5 && !strings.Contains(s, "  ") && !strings.ContainsAny(s, "|\t=") &&
		strings.HasSuffix(s, ".")
}

// shared counts the different words of a clause that a passage has.
func shared(clause, ws []string) int {
	n := 0
	for i, w := range clause {
		if !slices.ContainsFunc(clause[:i], func(o string) bool { return like(o, w) }) &&
			slices.ContainsFunc(ws, func(o string) bool { return like(o, w) }) {
			n++
		}
	}
	return n
}

// measures reports whether a passage has another number of the kind of the claim's.
func (t *tracer) measures(c *claim, s string) bool {
	return slices.ContainsFunc(quantities(nil, s, appendWords(nil, s), t.q.langs), func(q quantity) bool {
		return q.units != nil && !q.isDate && q.units[0].kind == c.q.units[0].kind && compare(&c.q, &q) == differs
	})
}

// beforeWords say that a number is of the time before.
var beforeWords = words(`before previous prior earlier last ago against versus vs than from vorjahr zuvor vorher gegenüber vorige vorigen
 letzten nach von précédent précédente dernier contre passé anterior pasado frente desde respecto precedente scorso rispetto dal
 mot innan föregående från tidligere före poprzedni poprzednim zeszłym anterior
 compared up down previously formerly since over year-on-year`)

// otherYear returns the year of the column that has a number of a place, if the answer's sentence names another
// year that has a column there, but not that one.
func (t *tracer) otherYear(c *claim, r *row, p int) int {
	if c.row < 0 || c.row >= len(t.x.rows) || c.q.isDate || c.year > 0 {
		return 0
	}
	sentence := t.x.answer[t.x.rows[c.row].at:t.x.rows[c.row].end]
	said := yearsOf(t.yearClause(c))
	if ys := t.headYears(c); len(ys) > 0 {
		said = ys
	}
	if len(said) == 0 { // a year before it goes on, as in "in 2023 equity was 8 and debt 3"
		said = yearsOf(t.x.answer[t.x.rows[c.row].at:c.at])
	}
	if len(said) == 0 && len(yearsOf(sentence)) == 0 && !spoken(t.q.words, beforeWords) {
		said = yearsOf(t.q.body)
	}
	if len(said) != 1 || spoken(appendWords(nil, sentence), beforeWords) {
		return 0
	}
	columns := t.yearColumns(r)
	if len(columns) < 2 || !slices.Contains(columns, said[0]) {
		return 0
	}
	var qs []quantity
	for _, q := range r.quantities(t) { // without the groups of a number, which may be columns
		if n := len(qs); !q.isDate && !q.inside && q.num <= r.end && !(n > 0 && q.at < qs[n-1].end) {
			qs = append(qs, q)
		}
	}
	k := slices.IndexFunc(qs, func(q quantity) bool { return q.at == p })
	if k < 0 || len(qs) != len(columns) || columns[k] == said[0] {
		return 0
	}
	// The same number may also stand under the year that the answer names.
	for i, q := range qs {
		if columns[i] == said[0] && compare(&c.q, &q) != differs {
			return 0
		}
	}
	return columns[k]
}

// headYears returns the years in the head of the claim's column, if it is in a table of the answer.
func (t *tracer) headYears(c *claim) []int {
	s := t.x.answer
	at := strings.LastIndexByte(s[:c.at], '\n') + 1
	column, head := strings.Count(s[at:c.at], "|"), ""
	for end := at; column > 0 && end > 0; {
		from := strings.LastIndexByte(s[:end-1], '\n') + 1
		if line := s[from:end]; strings.Count(line, "|") < 2 {
			break
		} else if !ruled(strings.TrimSpace(line)) {
			head = line
		}
		end = from
	}
	if cells := strings.Split(head, "|"); column < len(cells) {
		return yearsOf(cells[column])
	}
	return nil
}

// yearClause returns the answer's text that can name the year of a number: from the one before to the next or a comma.
func (t *tracer) yearClause(c *claim) string {
	from, to := t.x.rows[c.row].at, t.x.rows[c.row].end
	for _, o := range t.claims {
		switch {
		case o.row != c.row || o.kind != aNumber || o.q.isDate || len(yearsOf(o.text)) > 0:
		case o.end <= c.at:
			from = max(from, o.end)
		case o.at >= c.end:
			to = min(to, o.at)
		}
	}
	behind := t.x.answer[c.end:max(c.end, to)]
	if k := strings.IndexAny(behind, ",;(\n"); k >= 0 {
		behind = behind[:k]
	}
	return t.x.answer[from:c.at] + " " + behind
}

// yearColumns returns the years in the heading above a row, one for each column of numbers; the heading of rows that
// a cell printed may stand in the first message.
func (t *tracer) yearColumns(r *row) []int {
	above := t.text[max(0, r.at-maxAround):r.at]
	t.work += len(above) / 16
	for above != "" {
		above = strings.TrimSuffix(above, "\n")
		i := strings.LastIndexByte(above, '\n') + 1
		if ys := headingYears(above[i:]); len(ys) > 1 {
			return ys
		}
		if above[i:] == "" {
			break
		}
		above = above[:i]
	}
	line := t.text[r.at:r.end]
	for _, mark := range []string{";", "\t", ","} {
		n := strings.Count(line, mark)
		for head := range strings.Lines(t.run.Shown) {
			if n > 1 && strings.Count(strings.TrimSpace(head), mark) == n {
				return headingYears(head)
			}
		}
	}
	return nil
}

// yearsOf returns the different years of a text.
func yearsOf(s string) (out []int) {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) || i > 0 && isDigit(s[i-1]) {
			continue
		}
		y, end := number(s, i, 4)
		if end == i+4 && y >= 1900 && y < 2100 && !isDigit(byteAt(s, end)) && !slices.Contains(out, y) {
			out = append(out, y)
		}
		if _, end := number(s, i, 18); end > i {
			i = end - 1
		}
	}
	return out
}

// headingYears returns the years of a heading that has no other numbers.
func headingYears(line string) []int {
	ys := yearsOf(line)
	n := 0
	for i := range len(line) {
		if isDigit(line[i]) {
			n++
		}
	}
	if n != 4*len(ys) {
		return nil
	}
	return ys
}

// nots are negations of a verb.
var nots = words("not never nor neither doesn don didn nicht pas non niet ne não нет не")

// reporting are verbs of reporting, by their beginnings.
var reporting = []string{
	"report", "declar", "disclos", "bericht", "meld", "signal", "rapport", "informa", "dichiar", "segnal", "mention",
}

// reportsNot reports whether a text has a negation just before or after a verb of reporting.
func reportsNot(ws []word) bool {
	for i, w := range ws {
		if !slices.ContainsFunc(reporting, func(v string) bool { return strings.HasPrefix(w.text, v) }) {
			continue
		}
		if i > 0 && nots.has(ws[i-1].text) || i > 1 && nots.has(ws[i-2].text) && hollow.has(ws[i-1].text) ||
			i+1 < len(ws) && negations.has(ws[i+1].text) && !nots.has(ws[i+1].text) {
			return true
		}
	}
	return false
}
