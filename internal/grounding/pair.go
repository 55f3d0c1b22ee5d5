package grounding

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
)

// mate records the claims in the same row as claim i, and whether the row is in a table.
func (t *tracer) mate(i int, r *row, from int) {
	c := t.claims[i]
	if t.mated(c) {
		return
	}
	table := t.shapeOf(r) != 0
	year := c.kind == aNumber && (c.q.digits == 4 || c.dated())
	c.overRows = c.overRows || year && len(headingYears(t.text[r.at:r.end])) > 1 ||
		c.q.isDate && c.q.date.bare() && severalMonths(r)
	c.tabled = c.tabled || table
	c.summed = c.summed || len(r.words) > 0 && sums.has(r.words[0].text)
	before := func(w word) bool { // the name of a field, as in {Name:auth, is no word of the row
		return w.at < from && telling(w.text) && !(w.end < from && strings.IndexByte(":=\"", t.text[w.end]) >= 0)
	}
	c.first = c.first || table && !slices.ContainsFunc(r.words, before)
	c.free = c.free || !table
	if table && (c.inRows == 0 || c.inRow != r.at) {
		c.inRows, c.inRow = c.inRows+1, r.at
		c.inTexts |= 1 << (t.places % 64)
	}
	if !table {
		return
	}
	for _, w := range r.words {
		if (telling(w.text) || len(w.text) > 3) && len(c.besides) < 64 &&
			(!c.paired() || slices.ContainsFunc(c.around, func(o string) bool { return akin(o, w.text) })) {
			if c.besides == nil {
				c.besides = set{}
			}
			c.besides[w.text] = struct{}{}
		}
	}
	if (!c.paired() || c.dated() || c.heads) && c.inRows <= maxHits {
		t.hold(c, r)
	}
	if !c.paired() || c.free {
		return
	}
	beside := append(t.beside[:0], i)
	around := t.enclosing(r)
	for _, w := range append(around, r.words...) {
		for _, a := range t.anchors[stem(w.text)] {
			if k := t.claims[a.claim]; !a.number && t.tells(k, &a, w, r) {
				beside = append(beside, a.claim)
			}
		}
	}
	for _, k := range t.dated {
		for n := range r.quantities(t) {
			if o := t.claims[k]; k != i &&
				(o.year > 0 && r.qs[n].isDate && r.qs[n].date.year == o.year || compare(&o.q, &r.qs[n]) == agrees ||
					t.yearless(&o.q, &r.qs[n])) {
				beside = append(beside, k)
			}
		}
	}
	t.beside = beside[:min(len(beside), 64)]
	for _, a := range t.beside {
		for _, b := range t.beside {
			t.claims[a].mates[b/64] |= 1 << (b % 64)
		}
	}
}

// severalMonths reports whether a row names two months or more.
func severalMonths(r *row) bool {
	n := 0
	for _, w := range r.words {
		if months()[w.text] != 0 {
			n++
		}
	}
	return n > 1
}

// hold records of which kinds the numbers are that are in the row of a key, but not in the answer.
func (t *tracer) hold(c *claim, r *row) {
	_, line := reference(t.text[r.at:r.end])
	for n := range r.quantities(t) {
		q := &r.qs[n]
		if v, ok := q.whole(); ok && v == line && line > 0 { // the number of the line
			continue
		}
		t.work += len(t.claims)
		told := func(o *claim) bool { return o.kind == aNumber && o.q.tells(q) }
		switch text := t.text[q.num:max(q.num, q.tail)]; {
		case q.inside && strings.Count(text, ".") > 1: // a version
			if !strings.Contains(t.x.answer, text) {
				c.untold |= ofVersions
			}
		case !q.inside && !slices.ContainsFunc(t.claims, told):
			c.untold |= q.sort()
		}
	}
}

// tells reports whether a number of the answer may be one of a place, whatever their units and scales are.
func (q *quantity) tells(p *quantity) bool {
	return compare(q, p) != differs || !q.isDate && !p.isDate && slices.ContainsFunc(p.values, func(v reading) bool {
		return len(q.values) > 0 && math.Abs(q.values[0].value) == math.Abs(v.value)
	})
}

// The sorts of numbers; others are the kinds of their units.
const (
	ofDates = 1 << iota // a date, or what may be a year
	ofNone              // it has no unit
	ofVersions
)

// sort returns the bit of the kind of a number's unit; few kinds share one.
func (q *quantity) sort() uint64 {
	switch v, ok := q.whole(); {
	case q.isDate, ok && len(q.units) == 0 && q.digits == 4 && v > 1500 && v < 2100:
		return ofDates
	case len(q.units) > 0:
		kind := q.units[0].kind
		return 8 << (hash(byteAt(kind, 0), byteAt(kind, 1), byteAt(kind, 2)) % 61)
	}
	return ofNone
}

// sorts returns the sorts of numbers that may be rivals of the claim's.
func (c *claim) sorts() uint64 {
	switch s := c.q.sort(); {
	case c.kind != aNumber || c.plain != nil:
		return ^uint64(0)
	case s == ofNone:
		return ^uint64(ofDates | ofVersions)
	case s == ofDates:
		return s
	default:
		return s | ofNone
	}
}

// rival reports whether the rows of a key have another number of the kind of the number i, which the answer does not
// give to that key.
func (t *tracer) rival(i, key int, keyOf func(int) int) bool {
	c, like := t.claims[i], t.claims[i].sorts()
	if t.claims[key].untold&like != 0 {
		return true
	}
	for n, o := range t.claims {
		if o.paired() && n != i && t.mates(n, key) && o.q.sort()&like != 0 &&
			(keyOf(n) != key || t.joined(o, c)) {
			return true
		}
	}
	return false
}

// mated reports whether enough rows of the text show what is beside a claim that only tells rows apart.
func (t *tracer) mated(c *claim) bool {
	return !c.paired() && c.hits > maxHits/3 && c.inRows > 1 && c.inTexts>>(t.places%64)&1 != 0
}

// tells reports whether a word of a row shows that the row may be that of a key: it is the longest word of a name, in
// whatever order its parts stand, or it begins the identifier.
func (t *tracer) tells(key *claim, a *anchor, w word, r *row) bool {
	if key.kind == anID {
		from, to := t.identified(key, w.at)
		key.isHead = key.isHead || from >= 0 && byteAt(t.text, to) == '=' // as in "p95=12"
		return from >= 0
	}
	last := key.pieces[0][len(key.pieces[0])-1] // as in "line B"
	return key.equalWord(a.words[a.off], w.text, true) && (len(last) > 1 && !isDigit(last[0]) || r.holds(last))
}

func (t *tracer) mates(a, b int) bool { return t.claims[a].mates[b/64]&(1<<(b%64)) != 0 }

// pair removes the place of numbers, dates and versions that are only in rows of another key than in the answer.
func (t *tracer) pair() {
	known := map[int]int{}
	keyOf := func(i int) int {
		if _, ok := known[i]; !ok {
			known[i] = t.keyOf(i)
		}
		return known[i]
	}
	for i, c := range t.claims {
		if !c.paired() || c.place == nil || c.neutral || c.free || !c.tabled || c.overRows {
			continue
		}
		if k := keyOf(i); k >= 0 && !t.mates(i, k) && !t.listed(i, t.claims[k]) &&
			!(c.summed && slices.ContainsFunc(c.around, ofAll)) &&
			!c.apart(t.claims[k]) && t.claims[k].sure() && !t.ordinal(t.claims[k]) && t.rival(i, k, keyOf) &&
			c.inTexts&t.claims[k].inTexts != 0 { // else what is beside it may be of the key
			c.place, c.why = nil, fmt.Sprintf("stands in another row than %s", t.claims[k].text)
		}
	}
}

// ordinal reports whether a key is an ordinal in words: the third shift may be shift 3.
func (t *tracer) ordinal(key *claim) bool {
	n, ok := numberOf(t.q.langs, fold(key.text))
	return ok && n.ordinal
}

// listed reports whether the number i and the next are of two keys, its own first, as in "P-1 and P-3 (5.5 and 4 kW)".
func (t *tracer) listed(i int, key *claim) bool {
	first, next := false, false
	for k, o := range t.claims {
		first = first || o.kind == key.kind && t.joined(o, key) && t.mates(i, k)
		next = next || o.kind == aNumber && t.joined(t.claims[i], o)
	}
	return first && next
}

// joined reports whether only an "and" stands between two claims of a sentence.
func (t *tracer) joined(a, b *claim) bool {
	if a.row < 0 || a.row != b.row || a.end >= b.at || b.at-a.end > 32 {
		return false
	}
	ws := foldedWords(t.x.answer[a.end:b.at])
	return len(ws) == 1 && ands.has(ws[0])
}

// apart reports whether the number's row, but not the key's, has a word that is next to the number in the answer.
func (c *claim) apart(key *claim) bool {
	for w := range c.besides {
		if !key.besides.has(w) {
			return true
		}
	}
	return false
}

// surround collects the words next to each number of the answer, up to the next numbers.
func (t *tracer) surround() {
	for _, c := range t.claims {
		if !c.paired() || c.row < 0 || c.row >= len(t.x.rows) {
			continue
		}
		from, to := t.x.rows[c.row].at, min(t.x.rows[c.row].end, c.end+512)
		for _, o := range t.claims {
			if o.paired() && o.row == c.row {
				if o.end <= c.at {
					from = max(from, o.end)
				} else if o.at >= c.end {
					to = min(to, o.at)
				}
			}
		}
		to = t.beyondWhole(c, to)
		c.since, c.until = from, to
		if from > t.x.rows[c.row].at { // exclude words before an "and"
			for _, w := range t.x.words(from, max(from, c.at)) {
				if ands.has(w.text) {
					from = w.end
				}
			}
		}
		if from = max(from, c.at-512); from > t.x.rows[c.row].at { // words before a comma belong to the number before
			from = min(c.at, from+strings.LastIndexAny(t.x.answer[from:max(from, c.at)], ",;")+1)
		}
		behind := t.x.answer[c.end:max(to, c.end)]
		if k := strings.IndexAny(behind, ",;.()\n"); k >= 0 {
			behind = behind[:k]
		}
		if to < t.x.rows[c.row].end { // words behind an "and" belong to the number after them
			for _, w := range appendWords(nil, behind) {
				if ands.has(w.text) {
					behind = behind[:w.at]
					break
				}
			}
		}
		c.around = foldedWords(t.x.answer[from:c.at] + " " + behind)
		if cells := strings.SplitN(t.x.answer[t.x.rows[c.row].at:c.at], "|", 3); len(cells) > 2 && cells[0] == "" {
			c.around = append(c.around, foldedWords(cells[1])...) // the first cell names all numbers of a row
		}
	}
}

// ofAll reports whether a word is of a sum or a difference.
func ofAll(w string) bool { return sums.has(w) || aggregates.has(w) }

// beyondWhole returns where the number behind the whole of a part starts, as for the 3 of "3 of the 8 were late": what
// follows names the part, too.
func (t *tracer) beyondWhole(c *claim, to int) int {
	end := min(t.x.rows[c.row].end, c.end+512)
	gap := foldedWords(t.x.answer[c.end:max(c.end, to)])
	if to >= end || !slices.ContainsFunc(gap, ofs.has) || slices.ContainsFunc(gap, func(w string) bool {
		return !ofs.has(w) && !articles.has(w) && w != "out"
	}) {
		return to
	}
	for _, o := range t.claims {
		if o.paired() && o.row == c.row && o.at > to {
			end = min(end, o.at)
		}
	}
	return end
}

func (c *claim) dated() bool { return c.q.isDate || c.year > 0 }

// keys reports whether c can be the key of the row of the number o.
func (c *claim) keys(o *claim) bool {
	return c.tabled && c != o && !c.overRows && !c.isHead && !(c.month > 0 && o.dated()) &&
		!(c.hidden && (oneRune(c.text) || c.inRows > 1 && results(c.text))) &&
		(c.kind == aName || c.kind == anID && !c.version() || c.kind == aChoice || c.dated() && !o.dated())
}

// keyOf returns the key that the answer gives the number i: the nearest before it in its sentence, or after it
// if a number comes first or a preposition is between; otherwise the only key that the question names. It is -1
// if there is none or it is ambiguous.
func (t *tracer) keyOf(i int) int {
	c := t.claims[i]
	if t.x.answer[0] == '{' && strings.Count(t.x.answer, "{") == 1 && ends.has(fold(keyAt(t.x.answer, c.at))) {
		return -1
	}
	var keys, values, asked []int
	for k, o := range t.claims {
		switch {
		case o.row == c.row && o.keys(c):
			at, end := wordBefore(t.x.answer, o.at)
			ranked := at >= 0 && o.hidden && superlative(fold(t.x.answer[at:end])) // "the longest stop took 4 min"
			if !ranked && !t.aside(o, c) {
				keys = append(keys, k)
			}
		case o.row == c.row && o.paired():
			values = append(values, k)
		case o.row < 0 && o.keys(c):
			asked = append(asked, k)
		}
	}
	for _, k := range values { // as in "404: 12"
		o := t.claims[k]
		if o.heads && !o.overRows && o.end < c.at && strings.Trim(t.x.answer[o.end:c.at], ": ") == "" {
			return k
		}
	}
	byPlace := func(a, b int) int { return t.claims[a].at - t.claims[b].at }
	slices.SortFunc(keys, byPlace)
	slices.SortFunc(values, byPlace)
	single := func(k int) bool { return t.claims[k].inRows == 1 }
	if n := slices.Index(values, i); n >= 0 && len(keys) == len(values) && t.inLists(keys, values) {
		return keys[n]
	}
	if k := max(t.meant(c), t.again(c)); len(keys) == 0 && k >= 0 {
		return k
	}
	if len(keys) == 0 || slices.ContainsFunc(asked, func(k int) bool {
		return t.claims[k].kind == anID && single(k)
	}) && !slices.ContainsFunc(keys, single) {
		if one := slices.DeleteFunc(slices.Clone(asked), func(k int) bool { return t.claims[k].inRows != 1 }); len(
			one) > 0 {
			asked = one
		}
		several := len(t.q.first()) < len(t.q.words) || strings.Count(t.q.body, ",") > 1
		for _, k := range asked {
			if t.mates(i, k) || several && t.claims[k].hidden &&
				(t.x.german || !unicode.IsUpper(firstRune(t.claims[k].text))) {
				return -1
			}
			if o := t.claims[asked[0]]; o.text != t.claims[k].text && o.inRow != t.claims[k].inRow &&
				!t.mates(asked[0], k) {
				return -1
			}
		}
		return append(asked, -1)[0]
	}
	if t.against(c) {
		return -1
	}
	if slices.ContainsFunc(keys, single) { // names of columns are in several rows
		keys = slices.DeleteFunc(keys, func(k int) bool { return !single(k) })
	}
	n := 0
	for n < len(keys) && t.claims[keys[n]].at < c.at {
		n++
	}
	leads := t.claims[keys[0]].at > t.claims[values[0]].at
	if n < len(keys) && (leads && (t.mates(i, keys[n]) || t.claims[keys[n]].at <= c.end+1) ||
		t.prepositioned(c, t.claims[keys[n]]) && (n == 0 || leads || t.mates(i, keys[n]))) {
		taken := func(v int) bool { return t.claims[v].at > t.claims[keys[n]].at && t.mates(v, keys[n]) }
		if t.claims[keys[n]].hidden && slices.ContainsFunc(values, taken) {
			return -1 // as in "a loss of 1.2 on sales of 48.2"
		}
		return keys[n]
	}
	for _, o := range t.claims { // the value may belong to a key that was not found
		lost := o.row == c.row && o.place == nil && !o.neutral && o.kind != aNumber &&
			(!o.soft || !o.hidden && t.x.german && commonNoun(fold(o.text)))
		if n == 0 || lost && o.at > t.claims[keys[n-1]].at && o.at < c.at {
			return -1
		}
	}
	k := t.claims[keys[n-1]]
	for _, v := range values { // a common word names only the number beside it
		if o := t.claims[v]; k.hidden && !c.dated() && o.at < c.at && (o.at > k.at || k.at <= o.end+1) {
			return -1
		}
	}
	return keys[n-1]
}

// ends are keys of results that are in no row of their own.
var ends = words("first last min max earliest latest oldest newest")

// aside reports whether a key stands in brackets before the number, as the date in "3.12 (17 June): 4 GB".
func (t *tracer) aside(key, c *claim) bool {
	between := t.x.answer[key.end:max(key.end, c.at)]
	i := strings.IndexAny(between, "()")
	return i >= 0 && between[i] == ')'
}

// against reports whether a number follows a word of comparison, as in "21 s against 84 s": keys before are of others.
func (t *tracer) against(c *claim) bool {
	ws := appendWords(nil, t.x.answer[max(t.x.rows[c.row].at, c.at-24):c.at])
	return spoken(ws[max(0, len(ws)-2):], rivals)
}

var rivals = words("against versus vs than gegen gegenüber statt als contre contra que rispetto tegenover")

// prepositioned reports whether the key closely follows the number after a preposition, as in "44 in mail".
func (t *tracer) prepositioned(c, key *claim) bool {
	if key.at-c.end > 40 || key.at < c.end || strings.ContainsAny(t.x.answer[c.end:key.at], ".,;(0123456789") {
		return false
	}
	ws := appendWords(nil, t.x.answer[c.end:key.at])
	return len(ws) <= 4 && !spoken(ws, ands) &&
		(spoken(ws[max(0, len(ws)-2):], prepositions) || len(ws) == 1 && copulas.has(ws[0].text))
}

var copulas = words("is are was were ist sind war waren wurde wurden sont son sono")

var prepositions = words(`in from for by at of on to with fur bei aus von im in an de du des dans pour chez en
 del da di per voor van bij dal dalla dallo dai dall della dello dei dell al alla nel nella par por con pelo pela av från för
 durch mit vom przez dla od`)

// sure reports whether a key is one for certain: a common word is only where it begins a row.
func (c *claim) sure() bool { return !c.hidden || c.first || c.kind == anID }
