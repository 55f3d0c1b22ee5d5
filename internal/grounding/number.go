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

// What a bare number is that a word labels: a percentage, as of "humidity=42", or a count, as of "tested=42".
var (
	relative = words("humidity moisture turnout luftfeuchte luftfeuchtigkeit wahlbeteiligung humidité humedad umidità")
	tallies  = words("tested checked passed failed sampled inspected examined counted reviewed rejected accepted approved")
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
	if pointed := strings.Contains(t.text[q.num:max(q.num, q.tail)], "."); pointed && hyphened(t.text, q.num) &&
		!strings.Contains(c.text, ".") {
		return false // the 2.0 of Apache-2.0 is not 2
	}
	if a < agrees && !t.proportion(a, c, q, r) {
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
		c.q.values[0].half == 0 || math.Abs(c.q.values[0].value-q.values[0].value) > 1e-9 {
		return false
	}
	before := strings.TrimRight(strings.TrimSuffix(t.text[r.at:q.num], "v"), "-_@^~>=<:\"' ")
	at, end := wordBefore(before, len(before))
	if at < 0 || q.num-r.at-end >= 8 {
		return false
	}
	name := fold(before[at:end])
	if c.q.values[0].half >= 0.5 { // as Form 2207 in form-2207.txt
		return c.q.digits > 1 && c.q.label == name && q.num-r.at-end == 1
	}
	return slices.Contains(t.answerWords(c), name)
}

// proportion reports whether the row or the question says that a bare number is a percentage, or a share if that does.
func (t *tracer) proportion(a agreement, c *claim, q *quantity, r *row) bool {
	if relative.has(q.label) || t.speaks(r, percentWords) || strings.Contains(t.text[r.at:r.end], "%") {
		return true
	} else if tallies.has(q.label) {
		return false
	}
	all, part := strings.CutPrefix(t.text[q.end:], " of ")
	if part && isDigit(byteAt(all, 0)) && !strings.HasPrefix(all, "100") {
		return false // 41 of 153 is not 41 %
	}
	asked := spoken(t.q.words, shareWords) || spoken(t.q.words, percentWords) || strings.Contains(t.q.body, "%")
	suffix := func(w word) bool { // as in errorRate
		i := strings.LastIndexFunc(t.text[w.at:w.end], unicode.IsUpper)
		last := fold(t.text[w.at+max(i, 0) : w.end])
		return i > 0 && (shareWords.has(last) || percentWords.has(last))
	}
	alone := !slices.ContainsFunc(r.words, func(w word) bool { return !isDigit(w.text[0]) })
	return a == ifShare && (t.speaks(r, shareWords) || slices.ContainsFunc(r.words, suffix) ||
		asked && alone || !t.tallied(c, q) && t.accompanied(c, r))
}

// tallied reports whether a number is what a cell has counted of a key, as it was asked to: it has no unit that the
// answer may add, unless units were counted, as days are.
func (t *tracer) tallied(c *claim, q *quantity) bool {
	_, whole := q.whole()
	if c.q.units[0].kind == "times" {
		return false
	}
	return t.counted && t.q.counts && whole && telling(q.label) && !t.q.folded.has(q.label) &&
		c.q.values[0].value == q.values[0].value &&
		!slices.ContainsFunc(t.q.words, func(w word) bool {
			us := lookUnit(t.q.body[w.at:w.end])
			return len(us) > 0 && len(c.q.units) > 0 && us[0].kind == c.q.units[0].kind
		})
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
	case c.quantile(t.text, q.num):
		return true
	case t.ofLines(c, q, r), t.ofPages(c, q, r):
		return false
	case c.noun != "" && strings.HasSuffix(t.text[:q.num], " :"), // a port
		q.head && bareYear && y < 100 && !(c.q.rank && t.accompanied(c, r)) && !part,
		c.noun != "" && bareYear && y < 100 && !c.q.rank && t.itemNumber(q, y),
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
	case t.numbers(c, q, r), c.q.units != nil && q.units == nil && (t.things(c, q, r) || t.tallied(c, q)):
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

var lineWords = words("line lines ln zeile zeilen ligne lignes linea lineas riga righe regel regels wiersz wierszy rad rader")

// ofLines reports whether a number counts lines, while the answer counts things of which the row says nothing, and only
// some of them: the question says more of these than how many there are.
func (t *tracer) ofLines(c *claim, q *quantity, r *row) bool {
	at, end := wordAfter(t.text, q.end)
	behind := at == q.end+1 && t.text[q.end] == ' ' && lineWords.has(fold(t.text[at:end])) && byteAt(t.text, end) != '='
	phrase := strings.HasSuffix(t.text[r.at:q.num], ": ") && q.first > 0 && q.first <= len(r.words) &&
		spoken(r.words[:q.first], lineWords) // as in "righe di registro a novembre: 64"
	some := slices.ContainsFunc(t.q.words, func(w word) bool {
		return telling(w.text) && !akin(w.text, c.noun) && !wholes.has(w.text) && !countWords.has(w.text)
	})
	return some && telling(c.noun) && (behind || phrase || lineWords.has(q.label)) &&
		!slices.ContainsFunc(r.words, func(w word) bool { return akin(w.text, c.noun) }) &&
		!slices.ContainsFunc(append(t.answerWords(c), texts(t.q.words)...), lineWords.has)
}

// ofPages reports whether a number is that of the pages, as in "page 1 of 61", while nobody speaks of pages.
func (t *tracer) ofPages(c *claim, q *quantity, r *row) bool {
	if q.first < 3 || q.first > len(r.words) || !ofs.has(q.label) && q.label != "av" && q.label != "z" {
		return false
	}
	return isDigit(r.words[q.first-2].text[0]) && pageWords.has(r.words[q.first-3].text) &&
		!slices.ContainsFunc(append(t.answerWords(c), texts(t.q.words)...), pageWords.has)
}

var pageWords = words("page pages seite seiten página páginas pagina pagine pagina's strona stron sida sidor sheet sheets blatt feuille")

// wholes are words for a text, and for all that it has.
var wholes = words(`file files log logs list lists table csv data dataset text document contain contains hold holds record records
 total altogether datei protokoll liste tabelle enthält insgesamt fichier journal contient fichero archivo contiene file elenco`)

// dates reports whether the context shows that a number such as 1998 is a year. In "12 late of 1998" it is not.
func (t *tracer) dates(q *quantity, r *row) bool {
	for k := 2; k < 4 && k <= q.first && ofs.has(q.label); k++ {
		if w := r.words[q.first-k].text; isDigit(w[0]) {
			return false
		} else if months()[w] != 0 {
			break
		}
	}
	return yearWords.has(q.label) || foundings.has(q.label) ||
		strings.HasSuffix(strings.TrimRight(t.text[:q.at], " "), "©") || spansYears(t.text, q)
}

// numbers reports whether a number of the place numbers a thing, such as "sensor 23", while the claim counts or
// measures another thing: the word before it is in neither the answer nor the question.
func (t *tracer) numbers(c *claim, q *quantity, r *row) bool {
	v, whole := q.whole()
	if !whole || v >= 1000 || q.word || q.units != nil || c.noun == "" && c.q.units == nil || !telling(q.label) ||
		q.first == 0 || headcounts.has(q.label) {
		return false
	}
	w := r.words[q.first-1]
	return t.text[w.end:q.num] == " " && t.shapeOf(r) == 0 && !t.akin(c, t.near(q, r)) && !t.accompanied(c, r)
}

// headcounts are words for how many people there are.
var headcounts = words(`attendance audience headcount turnout spectators visitors present occupancy zuschauer besucher anwesende
 affluence asistencia presenze bezoekers`)

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

// serial are words for things that a number behind them names, as in "revision 3".
var serial = words(`revision version draft round part step phase page figure table chapter section volume issue exhibit annex appendix letter
 attempt lap stage level fassung runde teil schritt seite abbildung tabelle kapitel band anlage brief page partie etape figure tableau annexe lettre`)

// hyphened reports whether the digits at p are joined to a name before them, as in Apache-2.0.
func hyphened(s string, p int) bool {
	return p > 1 && s[p-1] == '-' && unicode.IsLetter(lastRune(s[:p-1]))
}

// itemNumber reports whether a number heads a line of a numbered list, as in "2 Scope", above or below its neighbour.
func (t *tracer) itemNumber(q *quantity, n int) bool {
	heads := func(p, n int) bool { // the line at p starts with the number n and a word with a capital
		v, end := number(t.text, p, 3)
		return v == n && byteAt(t.text, end) == ' ' && unicode.IsUpper(firstRune(t.text[end+1:]))
	}
	at, end := lineAt(t.text, q.num)
	before, _ := lineAt(t.text, max(0, at-1))
	return at == q.num && heads(at, n) && (before < at && heads(before, n-1) || heads(min(end+1, len(t.text)), n+1))
}

// titled reports whether a small number in a place belongs to the word before it, which has a capital or is of things
// with numbers, as in "Matchday 4" and "revision 3", and of which neither the answer nor the question speaks, while the
// answer counts something. The first number of "dive 4 of 6" never counts.
func (t *tracer) titled(c *claim, q *quantity, r *row) bool {
	next := byteAt(strings.TrimPrefix(t.text[q.end:min(len(t.text), q.end+2)], " ("), 0)
	rest, of := strings.CutPrefix(t.text[q.end:], " of ")
	of = of && isDigit(byteAt(rest, 0)) && !strings.HasPrefix(t.x.answer[c.end:], " of ")
	if c.noun == "" || c.q.units != nil || c.q.rank || q.first < 1 || q.first >= len(r.words) || q.isDate ||
		!of && next != 0 && strings.IndexByte(",;:)\n", next) < 0 {
		return false
	}
	w := r.words[q.first-1]
	gap := t.text[min(w.end, q.at):q.at]
	if of && gap == " " && !isDigit(w.text[0]) {
		return true
	}
	names := unicode.IsUpper(firstRune(t.text[w.at:])) || serial.has(w.text)
	if names && gap == " " && strings.HasSuffix(c.noun, "s") && !strings.HasSuffix(w.text, "s") &&
		akin(w.text, c.noun) && !strings.HasPrefix(c.noun, w.text+"s") { // "Dive 5" is not five divers
		return true
	}
	return names && (gap == " " || gap == ". ") && !akin(w.text, c.noun) &&
		!slices.ContainsFunc(t.answerWords(c), func(o string) bool { return akin(o, w.text) }) && !t.q.holds(w.text)
}
