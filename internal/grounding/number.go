package grounding

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

var (
	percentWords = words("% abv percent percentage percentages pct prozent prozentsatz pourcentage porcentaje percentuale")
	shareWords   = words("share rate ratio fraction threshold thresholds probability confidence anteil quote part taux tasa tasso proportion 率 割合")
)

// foundings are words before a year that name an event of that year.
var foundings = words(`founded established built erected opened closed born died published printed report copyright update
 updated revised edition season gegründet erbaut
 eröffnet geboren gestorben bericht fondé fondée construit fundado fundada fondato`)

// equals reports whether a number of a row is the claim c, judging by its value and the words around it.
func (t *tracer) equals(c *claim, q *quantity, r *row) bool {
	if c.month > 0 {
		return q.isDate && q.date.month == c.month
	}
	if d := q.date; c.year > 0 && q.isDate && !q.packed { // "2003-05" may be two years
		return d.year == c.year || d.day < 0 && d.month > d.year%100 && d.year/100*100+d.month == c.year
	}
	if c.year > 0 && q.inside && q.tail-q.num == 4 && lastRune(t.text[:q.num]) == '_' { // as in "population_2023"
		return int(q.values[0].value) == c.year && !isWord(firstRune(t.text[q.tail:]))
	}
	if c.year > 0 && q.tail-q.num == 2 && strings.ContainsRune("'’", lastRune(t.text[:q.num])) { // as in '87
		v, ok := q.whole()
		return ok && c.year%100 == v
	}
	if c.year > 0 && yearBefore(t.text, q) == c.year {
		return true
	}
	if q.inside && t.glued(c, q, r) {
		return true
	}
	if q.inside && !t.sameUnit(c, q) ||
		q.packed && !(c.q.isDate && (c.q.date.day > 0 || c.q.date.month > 0 && c.q.date.year > 0)) {
		return false
	}
	a := compare(&c.q, q)
	if a == differs && t.yearless(&c.q, q) {
		return true
	}
	// The 3 of "3, 10 and 17 June" is a date, as is that of "the 3rd"; the 3 of "at 3" is a time.
	if v, ok := c.q.whole(); a == differs && ok && q.isDate && (q.date.day == v && t.inMonth(c, q.date.month) ||
		q.date.swap && q.date.month == v && t.inMonth(c, q.date.day) ||
		c.noun == "" && clockWords.has(c.q.label) && q.date.minute == 0 && (q.date.hour == v || q.date.hour == v+12)) {
		return true
	}
	if a == differs && c.plain != nil && !q.isDate && (c.q.units == nil || q.units == nil) {
		a = compare(c.plain, q)
	}
	if (a == differs || a == agrees) && c.q.isDate && !q.isDate {
		d := c.q.date
		v, ok := q.whole()
		alike := ok && v%12 == d.hour%12 && v < 25 && (spoken(t.q.words, hours) || q.word && clockWords.has(q.label))
		hour := d.hour >= 0 && d.minute <= 0 && d.day < 0 &&
			(alike || q.hour() == d.hour || ok && v == d.hour && t.hoursFrom(c, q, r))
		if a != differs || hour || fourDigits(d, q, t.text) || t.pointedTime(c, q, r) || dotted(d, q, t.text) ||
			dayOf(d, q, t.text) {
			return true
		}
	}
	if a == differs && q.isDate && !c.q.isDate && c.asTime(q.date) && (c.q.units != nil || t.accompanied(c, r)) {
		return true
	}
	if a == differs && !q.isDate && !c.q.isDate && q.scale == 1 {
		if c.led(q) {
			a = t.headed(c, q, r)
		}
		if a == differs && t.rescaled(c, q, r) {
			a = agrees
		}
	}
	if c.q.units != nil && q.units == nil && !q.isDate && !c.q.isDate && c.led(q) && t.under(q) {
		headed := *q
		headed.units, headed.scale = q.column.units, q.column.scale
		a = compare(&c.q, &headed)
	}
	if a == differs || q.isDate || c.q.isDate {
		return a != differs
	}
	if a < agrees && !t.proportion(a, c, r) {
		return false
	}
	return !t.remeasured(c, q) && t.signed(c, q, r) && t.counts(c, q, r) && t.chance(c, q, r)
}

// sameUnit reports whether the letters glued to a number of the row are behind the claim, too: an unknown unit.
func (t *tracer) sameUnit(c *claim, q *quantity) bool {
	if c.noun == "" || q.tail <= q.num || joined(t.text, q.num) {
		return false
	}
	at, end := wordAfter(t.text, q.tail)
	return at == q.tail && fold(t.text[at:end]) == c.noun
}

// glued reports whether a version in an identifier such as MPL-2.0 or d3-shape@3.2.1 is the number that the answer
// gives after the same name, perhaps without its last part.
func (t *tracer) glued(c *claim, q *quantity, r *row) bool {
	if c.q.units != nil || c.q.scale != 1 || len(c.q.values) == 0 || len(q.values) == 0 ||
		c.q.values[0].half == 0 || c.q.values[0].half >= 0.5 || math.Abs(c.q.values[0].value-q.values[0].value) > 1e-9 {
		return false
	}
	before := strings.TrimRight(strings.TrimSuffix(t.text[r.at:q.num], "v"), "-_@^~>=<:\"' ")
	at, end := wordBefore(before, len(before))
	return at >= 0 && q.num-r.at-end < 8 && slices.Contains(t.answerWords(c), fold(before[at:end]))
}

// proportion reports whether the row or the question says that a bare number is a percentage, or a share if that does.
func (t *tracer) proportion(a agreement, c *claim, r *row) bool {
	if t.speaks(r, percentWords) || strings.Contains(t.text[r.at:r.end], "%") {
		return true
	}
	asked := spoken(t.q.words, shareWords) || spoken(t.q.words, percentWords) || strings.Contains(t.q.body, "%")
	suffix := func(w word) bool { // as in errorRate
		i := strings.LastIndexFunc(t.text[w.at:w.end], unicode.IsUpper)
		last := fold(t.text[w.at+max(i, 0) : w.end])
		return i > 0 && (shareWords.has(last) || percentWords.has(last))
	}
	alone := !slices.ContainsFunc(r.words, func(w word) bool { return !isDigit(w.text[0]) })
	return a == ifShare && (t.speaks(r, shareWords) || slices.ContainsFunc(r.words, suffix) ||
		asked && alone || t.accompanied(c, r))
}

// inMonth reports whether the sentence of a number has a date in a month; for an ordinal, any sentence or the question.
func (t *tracer) inMonth(c *claim, month int) bool {
	in := func(q quantity) bool { return q.isDate && q.date.month == month }
	return month > 0 && (slices.ContainsFunc(t.dated, func(i int) bool {
		o := t.claims[i]
		return (o.row == c.row || c.q.rank || theDay.has(c.q.label)) && in(o.q)
	}) || c.q.rank && !c.q.word && slices.ContainsFunc(t.q.numbers, in))
}

// theDay are words before a day without its month.
var theDay = words("le am el il op den dem dia giorno")

// speaks reports whether the row, or the first line of the place, has a word of the vocabulary.
func (t *tracer) speaks(r *row, of *vocabulary) bool {
	for w := range t.heading() {
		if of.has(w) {
			return true
		}
	}
	return spoken(r.words, of)
}

// heading returns the words of the first line of the place.
func (t *tracer) heading() set {
	if t.header == nil {
		head, _, _ := strings.Cut(t.text[:min(len(t.text), 400)], "\n")
		t.header = set{}
		t.header.add(foldedWords(head)...)
		if strings.Contains(head, "%") {
			t.header.add("%")
		}
	}
	return t.header
}

func spoken(ws []word, of *vocabulary) bool {
	for _, w := range ws {
		if of.has(w.text) {
			return true
		}
	}
	return false
}

func (t *tracer) answerWords(c *claim) []string {
	if c.row < 0 || c.row >= len(t.x.rows) {
		return nil
	}
	return t.x.rows[c.row].words
}

// counts reports whether the number of the place counts what the claim does, and is no ordinal, year or other measure.
func (t *tracer) counts(c *claim, q *quantity, r *row) bool {
	v, whole := c.q.whole()
	y, bareYear := q.whole()
	counts := c.noun != "" || c.q.units != nil || t.q.counts
	part := clauses.has(c.q.label) || c.q.label == "§" // as in "section 9"
	switch {
	case t.lineNumber(q) && !spoken(r.words, lineWords) &&
		!slices.ContainsFunc(append(t.answerWords(c), c.q.label), lineWords.has) && !spoken(t.q.words, lineWords):
		return false
	case c.noun != "" && strings.HasSuffix(t.text[:q.num], " :"), // a port
		q.head && bareYear && y < 100 && !(c.q.rank && t.accompanied(c, r)) && !part,
		whole && v < 13 && len(q.units) > 0 && q.units[0].kind == "bytes":
		return false
	case c.noun != "" && q.rank && q.word && !c.q.rank && roman(t.text[q.num:q.end]) == 0 &&
		!t.akin(c, t.near(q, r)): // "first lines" are not one night
		return false
	case counts && c.q.rank && t.akin(c, t.near(q, r)):
		return true
	case counts && q.units == nil && bareYear && y < 1000 && t.text[max(0, q.num-2):q.num] != "  " &&
		(labels.has(q.label) || q.label == "§" && c.q.label != "§") &&
		!labels.has(c.q.label) && !t.q.folded.has(q.label) && q.label != c.noun && !t.keys(c, q, r) &&
		!slices.ContainsFunc(t.answerWords(c), func(w string) bool { return strings.HasPrefix(w, q.label) }):
		return false
	case counts && c.year == 0 && bareYear && y >= 1000 && y < 2100 && q.digits == 4 && t.dates(q, r):
		return slices.ContainsFunc(t.near(q, r), func(w word) bool { return akin(w.text, c.noun) })
	case t.numbers(c, q, r), c.q.units != nil && q.units == nil && t.things(c, q, r):
		return false
	case !whole || c.noun == "" || len(q.units) == 0:
		return true
	}
	return q.units[0].kind == "" || strings.HasPrefix(q.units[0].kind, "money") || like(q.label, c.noun) ||
		lookUnit(c.noun) == nil && t.accompanied(c, r)
}

// keys reports whether the word before a number is a key of one of several rows, such as mail of "map[cart:2 mail:4]",
// and not a label: the sentence of the claim has it.
func (t *tracer) keys(c *claim, q *quantity, r *row) bool {
	quoted := strings.HasSuffix(strings.TrimRight(t.text[r.at:q.num], " "), `":`)
	return (r.entry || quoted || t.shapeOf(r) != 0) && slices.Contains(t.answerWords(c), q.label)
}

// lineNumber reports whether a number is the line of a reference, as grep prints it.
func (t *tracer) lineNumber(q *quantity) bool {
	return q.num > 1 && t.text[q.num-1] == ':' && byteAt(t.text, q.tail) == ':' && q.tail > q.num &&
		isWord(lastRune(t.text[:q.num-1]))
}

var lineWords = words("line lines ln zeile zeilen ligne lignes linea lineas riga regel")

// dates reports whether the context shows that a number such as 1998 is a year. In "12 of 1998" it is not.
func (t *tracer) dates(q *quantity, r *row) bool {
	if q.first > 1 && ofs.has(q.label) && isDigit(r.words[q.first-2].text[0]) {
		return false
	}
	return yearWords.has(q.label) || foundings.has(q.label) ||
		strings.HasSuffix(strings.TrimRight(t.text[:q.at], " "), "©") || spansYears(t.text, q)
}

// numbers reports whether a number of the place numbers a thing, such as "sensor 23", while the claim counts or
// measures another thing: the word before it is in neither the answer nor the question.
func (t *tracer) numbers(c *claim, q *quantity, r *row) bool {
	v, whole := q.whole()
	if !whole || v >= 1000 || q.word || q.units != nil || c.noun == "" && c.q.units == nil || !telling(q.label) ||
		q.first == 0 {
		return false
	}
	w := r.words[q.first-1]
	return t.text[w.end:q.num] == " " && t.shapeOf(r) == 0 && !t.akin(c, t.near(q, r)) && !t.accompanied(c, r)
}

// things reports whether a bare number counts things, as in "60 files", of which neither answer nor question speaks.
func (t *tracer) things(c *claim, q *quantity, r *row) bool {
	if q.first+1 >= len(r.words) {
		return false
	}
	w := r.words[q.first+1]
	return w.at == q.end+1 && t.text[q.end] == ' ' && len(w.text) > 3 && w.text[len(w.text)-1] == 's' &&
		telling(w.text) && t.shapeOf(r) == 0 && !t.akin(c, []word{w})
}

// spansYears reports whether a number is one of two years such as 1998-2016.
func spansYears(s string, q *quantity) bool {
	year := func(s string, p int) bool { y, end := number(s, p, 4); return end == p+4 && y >= 1000 && y < 2100 }
	before := strings.TrimRight(s[:q.num], "-–")
	return len(before) < q.num && len(before) >= 4 && year(before, len(before)-4) ||
		len(s) > q.end+4 && (s[q.end] == '-' && year(s, q.end+1) ||
			strings.HasPrefix(s[q.end:], "–") && year(s, q.end+3))
}

// titled reports whether a small number in a place belongs to a word with a capital before it, as in "Matchday 4", of
// which neither the answer nor the question speaks, while the answer counts something.
func (t *tracer) titled(c *claim, q *quantity, r *row) bool {
	next := byteAt(strings.TrimPrefix(t.text[q.end:min(len(t.text), q.end+2)], " ("), 0)
	if c.noun == "" || c.q.units != nil || c.q.rank || q.first < 1 || q.first >= len(r.words) || q.isDate ||
		next != 0 && strings.IndexByte(",;:)\n", next) < 0 {
		return false
	}
	w := r.words[q.first-1]
	gap := t.text[min(w.end, q.at):q.at]
	return unicode.IsUpper(firstRune(t.text[w.at:])) && (gap == " " || gap == ". ") && !akin(w.text, c.noun) &&
		!slices.ContainsFunc(t.answerWords(c), func(o string) bool { return akin(o, w.text) }) && !t.q.holds(w.text)
}

// chance reports whether the two numbers are probably not equal by chance. Small numbers occur everywhere, and
// others in long places: they need nearby words of the answer or the question, or no other words there.
func (t *tracer) chance(c *claim, q *quantity, r *row) bool {
	size := len(t.text)
	if t.heads && t.q.counts && telling(c.noun) && t.q.holds(c.noun) && t.shapeOf(r) != 0 {
		return false // the first rows of a table do not say how many there are
	}
	if unit := c.q.units != nil && q.units != nil; unit && (c.q.digits > 1 || size < 2000) {
		return true
	}
	if t.glued(c, q, r) || c.q.span && q.values[0].value < 1 { // quantile="0.99"
		return true
	}
	if q.label != "" && q.label == c.q.label && (!hollow.has(q.label) && !isDigit(q.label[0])) { // as in "xz 6"
		return true
	}
	v, whole := c.q.whole()
	if c.q.units != nil && q.units == nil && !c.q.isDate && len(c.q.values) > 0 { // its unit is not there
		v, whole = int(c.q.values[0].value), c.q.values[0].value == math.Trunc(c.q.values[0].value)
	}
	small := whole && v < 13
	likely := 0.05
	if size < 600 {
		likely = 0.3
	}
	if small && t.titled(c, q, r) {
		return false
	}
	digits := c.q.digits
	if v := q.values[0]; c.q.units != nil && c.q.units[0].kind == percent && v.value < 1 && v.half < 0.005 {
		digits++ // few numbers are fractions
	}
	if !small && float64(size)/8 < likely*math.Pow10(digits) {
		return !t.listing(c, q, r) || t.akin(c, r.words) || t.accompanied(c, r)
	}
	letters, numbers := 0, 0
	for _, w := range r.words {
		if isDigit(w.text[0]) {
			if !t.asked(w.text) && (numbers == 0 || w.at == 0 || t.text[w.at-1] != '.') { // 5.1 is one number
				numbers++
			}
		} else if telling(w.text) {
			letters++
		}
	}
	if letters == 0 && (numbers <= 2 || size < 200) ||
		size < 400 && t.lines <= 6 && letters <= 3 && (numbers <= 1 || !small) {
		return true
	}
	ws := r.words
	if q.head && clauses.has(c.q.label) { // what the part is about may be on its next line
		return t.akin(c, ws) || t.akin(c, t.aroundLine(q, r, false))
	}
	if (small || size > 4000 && c.q.digits < 4) && !c.q.rank {
		ws = t.near(q, r)
	}
	// In a column with the head "line", 5 is "line 5".
	if head := columnHead(t.text, q.num); head != "" && named(foldedWords(head), c.around, false) {
		return true
	}
	if q.word { // it is not akin to itself
		ws = slices.DeleteFunc(slices.Clone(ws), func(w word) bool { return w.at >= q.num && w.end <= q.end })
	}
	if small && t.lines > 50 && t.q.counts && t.q.holds(c.noun) { // the count is no field of one of many records
		return t.about(ws)
	}
	return t.akin(c, ws) || t.accompanied(c, r) || t.parted(c, q, r) || t.akin(c, t.enclosing(r)) ||
		q.digits <= c.q.digits && t.akin(c, t.aroundLine(q, r, small))
}

// parted reports whether answer and row join the same number to the number: "3 of 8" and "late=3 of=8", 4–2 and 4-2.
func (t *tracer) parted(c *claim, q *quantity, r *row) bool {
	k := slices.IndexFunc(r.quantities(t), func(o quantity) bool { return o.at == q.at })
	for _, n := range []int{k - 1, k + 1} {
		if k < 0 || n < 0 || n >= len(r.qs) {
			continue
		}
		other := &r.qs[n]
		if slices.ContainsFunc(t.claims, func(o *claim) bool {
			if o.kind != aNumber || o.row != c.row || o.q.isDate || o.at == c.at || o.at < c.at != (n < k) {
				return false
			}
			gap := t.x.answer[min(o.end, c.end):max(o.at, c.at, min(o.end, c.end))]
			ws := foldedWords(gap)
			of := len(ws) > 0 && len(ws) < 4 && slices.ContainsFunc(ws, ofs.has) && (n < k || ofs.has(other.label))
			return (of || dashes(gap) && dashed(t.text, q, other)) && compare(&o.q, other) == agrees
		}) {
			return true
		}
	}
	return false
}

// listing reports whether a number is in a table of many rows, while the answer counts what the question asks for.
func (t *tracer) listing(c *claim, q *quantity, r *row) bool {
	if t.lines < 8 || !t.q.counts || !telling(c.noun) || !t.q.holds(c.noun) || q.units != nil || t.kind != KindOutput ||
		t.shapeOf(r) == 0 {
		return false
	}
	named := 0
	for i, w := range r.words {
		if !isDigit(w.text[0]) && i+1 < len(r.words) && strings.IndexByte("=:", t.text[w.end]) >= 0 &&
			isDigit(t.text[min(w.end+1, len(t.text)-1)]) {
			named++
		}
	}
	return named > 1
}

// accompanied reports whether a row tells what the claim's sentence or the whole answer does: it has a name, a date, a
// longer number or two others of the one, or three values of the other.
func (t *tracer) accompanied(c *claim, r *row) bool {
	beside, all := 0, 0
	for _, o := range t.claims {
		if o == c || o.hidden || o.neutral || o.at < c.end && o.end > c.at || !t.inRowOf(o, r) {
			continue
		}
		all++
		switch {
		case o.row != c.row:
		case o.kind != aNumber, o.q.isDate, o.q.digits > 2, o.q.digits > 1 && (o.q.units != nil || len(r.words) < 12):
			beside += 2
		default:
			beside++
		}
		if beside > 1 || all > 2 {
			return true
		}
	}
	return false
}

// inRowOf reports whether a row has a name, an identifier or a number of the answer.
func (t *tracer) inRowOf(o *claim, r *row) bool {
	switch o.kind {
	case aName, anID:
		return len(o.pieces) == 1 && len(o.pieces[0]) < 9 &&
			!slices.ContainsFunc(o.pieces[0], func(w string) bool { return !r.holds(w) })
	case aNumber:
		qs := r.quantities(t)
		t.work += len(qs)
		for k := range qs {
			if !qs[k].inside && compare(&o.q, &qs[k]) == agrees {
				return true
			}
		}
	}
	return false
}

// near returns the words of a row near a number, within the same cell of a table.
func (t *tracer) near(q *quantity, r *row) []word {
	parted := func(i int) bool { return strings.ContainsAny(t.text[r.words[i-1].end:r.words[i].at], ";|") }
	i, j := q.first, q.first+1
	// Its key names it, unless it is the n of "n=412".
	if i > 0 && q.num == r.words[i-1].end+1 && t.text[q.num-1] == '=' && len(r.words[i-1].text) > 1 {
		return r.words[i-1 : j]
	}
	const most = 4 // telling words on each side
	for n := 0; i > 0 && n < most && q.first-i < 2*most && !parted(i); n += toll(r.words[i]) {
		i--
	}
	for n := 0; j < len(r.words) && n < most && j-q.first < 2*most && !parted(j); n += toll(r.words[j-1]) {
		j++
	}
	return r.words[i:j]
}

// toll is 1 for a word with a meaning of its own, else 0.
func toll(w word) int {
	if telling(w.text) {
		return 1
	}
	return 0
}

// akin reports whether one of some words is akin to a word of the claim's sentence or of the question.
func (t *tracer) akin(c *claim, ws []word) bool {
	said := t.answerWords(c)
	for _, w := range ws {
		if !telling(w.text) && roman(strings.ToUpper(w.text)) == 0 {
			continue
		}
		t.work += len(said) + len(t.q.folded)
		n := roman(t.text[w.at:w.end])
		for _, s := range said {
			if len(w.text) >= 8 && len(s) >= 5 && strings.Contains(w.text, s[:len(s)-1]) { // "retry" and "maxRetries"
				return true
			}
			if rank, ok := numeralIn(t.q.langs, s); akin(w.text, s) || n > 0 && ok && rank.value == n {
				return true
			}
		}
		for s := range t.q.folded {
			if akin(w.text, s) || len(w.text) >= 8 && len(s) >= 5 && strings.Contains(w.text, s[:len(s)-1]) {
				return true
			}
		}
	}
	return false
}
