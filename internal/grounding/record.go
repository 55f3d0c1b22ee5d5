package grounding

import (
	"slices"
	"strings"
	"unicode"
)

// maxRecord bounds the length of a line that is compared with others.
const maxRecord = 400

// span is a record of a text: a line, or a part of it between semicolons.
type span struct {
	at, end int
	p       int // where the claim is in it
}

// relations are words of questions whose answer may be in another record than the one they name.
var relations = words(`before after next previous preceding following than besides except other others more less fewer
 versus vs
 not without between same like most least vor nach ausser andere anderer mehr weniger als meisten compare compares comparison vergleich vergleichen avant apres autre
 plus moins antes despues otro mas menos difference compared gap ratio`)

// relates reports whether the question compares records, or asks for one by its rank.
func (q *question) relates() bool {
	return q.compares() || slices.ContainsFunc(q.words, func(w word) bool { return ors.has(w.text) })
}

// compares reports whether the question does so by a word such as "more" or "largest".
func (q *question) compares() bool {
	for i, w := range q.words {
		if relations.has(w.text) || superlative(w.text) ||
			i > 0 && q.words[i-1].text == "much" && strings.HasSuffix(w.text, "er") {
			return true
		}
	}
	return false
}

func superlative(w string) bool { return len(w) > 5 && strings.HasSuffix(w, "est") && !ests.has(w) }

// ests are no superlatives.
var ests = words("interest request harvest forest contest protest manifest digest suggest arrest invest")

// brief reports whether the answer has few values, so that they are about what the question names.
func (t *tracer) brief() bool {
	n := 0
	for _, c := range t.claims {
		if !c.hidden {
			n++
		}
	}
	return n < 5
}

// lineAt returns the bounds of the line around p, as far as a record may extend.
func lineAt(s string, p int) (at, end int) {
	at, end = max(0, p-maxRecord), min(len(s), p+maxRecord)
	if i := strings.IndexByte(s[p:end], '\n'); i >= 0 {
		end = p + i
	}
	return at + strings.LastIndexByte(s[at:p], '\n') + 1, end
}

// record returns the record at p.
func (t *tracer) record(p int) span {
	at, end := lineAt(t.text, p)
	if !strings.ContainsAny(t.text[at:end], ":=") { // else its parts are attributes
		if i := strings.LastIndex(t.text[at:p], "; "); i >= 0 {
			at += i + 2
		}
		if i := strings.Index(t.text[p:end], "; "); i >= 0 {
			end = p + i
		}
	}
	return span{at, end, p}
}

// recorded keeps the record of a match.
func (c *claim) recorded(s span) {
	if len(c.records) < maxHits && !c.within(s) {
		c.records = append(c.records, s)
	}
}

// within reports whether the claim is in a record.
func (c *claim) within(s span) bool {
	return slices.ContainsFunc(c.records, func(o span) bool { return o.at == s.at })
}

// compareRecords marks the claims that the current text has only in records of another thing than the answer or the
// question names for them, though it has the record of that thing, too.
func (t *tracer) compareRecords() {
	for _, c := range t.claims {
		if c.hidden && !c.promoted || c.neutral || c.row < 0 || len(c.records) == 0 {
			continue
		}
		role := t.inOtherRole(c)
		for _, s := range c.records {
			other := role || len(c.records) < maxHits && c.hits < maxHits &&
				(t.ofOtherKey(c, s) || t.swapped(c, s) || t.outranked(c, s) || t.misaimed(c, s) ||
					t.crosses(c, s) || t.strays(c, s) || t.ofOtherObject(c, s) || t.aimed && t.ofOtherThing(c, s))
			c.strange, c.ordinary = c.strange || other, c.ordinary || !other
		}
	}
	for _, c := range t.claims {
		c.records = c.records[:0]
	}
}

// only returns the record of a key that is like s or s itself, if there is just one.
func (t *tracer) only(key *claim, s span) (out span, ok bool) {
	if len(key.records) == maxHits {
		return out, false
	}
	for _, o := range key.records {
		if o.at == s.at || t.alike(o, s) {
			if ok {
				return out, false
			}
			out, ok = o, true
		}
	}
	if line := t.text[out.at:out.end]; ok { // a head of the records below is none
		ok = !strings.HasSuffix(line, ":") && !(strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"))
	}
	return out, ok
}

// headed reports whether a line has the names of columns, as the name of {"name": "Turin"} is one in "name,count", and
// another line their numbers.
func headed(heads, line string) bool {
	return strings.ContainsAny(heads, ",;\t|") && !strings.ContainsAny(heads, "0123456789") &&
		strings.ContainsAny(line, "0123456789")
}

// ofOtherKey reports whether the record s of a claim is of another thing than the claim's key in the answer.
func (t *tracer) ofOtherKey(c *claim, s span) bool {
	for _, k := range t.claims {
		if k.row < 0 || k.row >= len(t.x.rows) || k.end > c.at || k.row != c.row {
			continue
		}
		gap := strings.Trim(t.x.answer[k.end:c.at], " \"*_")
		before := t.x.answer[t.x.rows[k.row].at:k.at]
		first := strings.HasPrefix(gap, "|") && strings.Count(before, "|") == 1
		if gap != "by" && (gap != ":" || c.kind == aQuote) && !first {
			continue
		}
		o, ok := t.only(k, s)
		by := gap == "by" && k.kind == anID && strings.Count(t.text[o.at:o.end], " ") > 2
		heads := c.kind == aNumber && !t.shows(c, t.text[o.at:o.end])
		above := t.columnOf(o) // as in a table whose rows are fields
		heads = heads || above > 1 && above == t.columnOf(s) ||
			gap == ":" && headed(t.text[o.at:o.end], t.text[s.at:s.end])
		if ok && !heads && o.at != s.at && (gap == ":" && c.kind != aQuote || by || first) &&
			!(k.year > 0 && len(yearsOf(t.text[o.at:o.end])) > 1) { // the head of a column
			return true
		}
	}
	return false
}

// shows reports whether a text has another number of the claim's sort.
func (t *tracer) shows(c *claim, s string) bool {
	return slices.ContainsFunc(quantities(nil, s, appendWords(nil, s), t.q.langs), func(q quantity) bool {
		return !q.inside && q.sort()&c.sorts() != 0 && compare(&c.q, &q) == differs
	})
}

// ofOtherThing reports whether the record s of a claim is of another thing than the keys of the question name.
func (t *tracer) ofOtherThing(c *claim, s span) bool {
	found, named, shares := false, false, false
	for _, k := range t.claims {
		if k.row >= 0 {
			continue
		}
		if slices.ContainsFunc(k.records, func(o span) bool { return t.sibling(c, o, s) }) {
			return !t.introduces(c, s, k.records[0])
		}
		switch o, ok := t.only(k, s); {
		case !ok: // one of several rows with the word may have the name
			found = found || len(k.records) < maxHits && slices.ContainsFunc(k.records, func(o span) bool {
				return o.at != s.at && t.alike(o, s) && t.asksFor(c, o, s) && !t.introduces(c, s, o)
			})
		case o.at == s.at && !unicode.IsUpper(firstRune(k.text)):
			shares = true
		case o.at == s.at:
			return false
		case sentence(t.text[o.at:o.end]) && !t.introduces(c, s, o) && unicode.IsUpper(firstRune(k.text)):
			found, named = true, true
		case t.columnOf(o) != t.columnOf(s) && (k.names(t, o, s) || t.asksFor(c, o, s)): // else it is another key
			if found = !t.introduces(c, s, o); !found {
				return false
			}
		}
	}
	if !found || shares && !named || c.kind == aNumber && t.against(c) {
		return false
	}
	return !slices.ContainsFunc(t.claims, func(o *claim) bool { // the answer names what s is about
		return o.row == c.row && o.at != c.at && !o.hidden && o.within(s) &&
			(o.kind == aName || o.kind == anID || o.kind == aChoice)
	})
}

// introduces reports whether the answer has a word before the claim that is in the record s, but not in o.
func (t *tracer) introduces(c *claim, s, o span) bool {
	own, other := foldedWords(t.text[s.at:s.end]), foldedWords(t.text[o.at:o.end])
	from := c.since
	if from == 0 && c.row >= 0 && c.row < len(t.x.rows) {
		from = t.x.rows[c.row].at
	}
	return slices.ContainsFunc(foldedWords(t.x.answer[min(from, c.at):c.at]), func(w string) bool {
		return len(w) > 1 && !isDigit(w[0]) && slices.Contains(own, w) && !slices.Contains(other, w)
	})
}

// columnOf returns how many columns of a record are before the claim, or words if it has no columns.
func (t *tracer) columnOf(s span) int {
	before := t.text[s.at:s.p] + "x"
	if n := len(columns(t.text[s.at:s.end])); n > 1 {
		return len(columns(before))
	}
	return len(strings.Fields(before))
}

// names reports whether a key of the question tells the record a, which has it, from b: both have a name there. In a
// list of attributes, only the first column names a record; in a log, only an identifier does.
func (c *claim) names(t *tracer, a, b span) bool {
	x, y := t.text[a.at:a.end], t.text[b.at:b.end]
	if strings.ContainsAny(c.text, "0123456789") {
		rival := func(w string) bool { return w != c.id && pattern(w) == pattern(c.id) }
		return slices.ContainsFunc(foldedWords(y), rival)
	}
	if !unicode.IsUpper(firstRune(c.text)) || c.at == 0 || timed(x) {
		return false
	}
	ws := foldedWords(x)
	return len(columns(x)) > 2 || len(columns(x)) < 2 && len(strings.Fields(x)) > 3 ||
		slices.Contains(ws[:min(3, len(ws))], c.pieces[0][0])
}

// asksFor reports whether the question has all words of the name of a row, such as "Wheel bolts", but not those of
// another row's, and both rows have a number of the claim's kind.
func (t *tracer) asksFor(c *claim, row, other span) bool {
	n, is := t.askedFor(row)
	m, its := t.askedFor(other)
	if is < n || n < 2 || its == m || c.kind != aNumber || c.q.isDate {
		return false
	}
	if c.q.units == nil {
		return !strings.ContainsAny(t.text[row.at:row.end], "\"{=") // else it is an attribute
	}
	return t.measures(c, t.text[row.at:row.end])
}

// sibling reports whether the question has all words of the name of a row, such as "Zwarte Kolk", but only some of
// that of the row of a claim, such as "Grote Kolk".
func (t *tracer) sibling(c *claim, row, other span) bool {
	if c.kind != aNumber || row.at == other.at {
		return false
	}
	n, is := t.askedFor(row)
	m, its := t.askedFor(other)
	named := unicode.IsUpper(firstRune(t.text[row.at:])) && unicode.IsUpper(firstRune(t.text[other.at:]))
	return named && n > 1 && is == n && m == n && its < m && common(t.nameOf(row), t.nameOf(other)) > 0
}

// nameOf returns the words of the name of a row.
func (t *tracer) nameOf(s span) (out []word) {
	name := t.text[s.at:s.end]
	if _, line := reference(name); line > 0 { // as in "notes.txt:12: "
		name = strings.SplitN(name, ":", 3)[2]
	}
	if i := strings.IndexAny(name, "0123456789"); i > 0 {
		name = name[:i]
	}
	for _, w := range appendWords(nil, name) {
		nth, _ := numeralIn(t.q.langs, w.text)
		if telling(w.text) || nth.ordinal || len(w.text) == 1 && isCapital(name[w.at:w.end]) { // as in "Loan B"
			out = append(out, w)
		}
	}
	return out
}

// askedFor returns how many words the name of a row has, and how many of these the question has.
func (t *tracer) askedFor(s span) (n, asked int) {
	ws := t.nameOf(s)
	for _, w := range ws {
		if slices.ContainsFunc(t.q.words, func(q word) bool {
			return q.text == w.text || len(w.text) > 1 && akin(q.text, w.text)
		}) {
			asked++
		}
	}
	return len(ws), asked
}

// pattern replaces the digits of an identifier.
func pattern(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, id)
}

// timed reports whether a record starts with a date or a time, as in a log.
func timed(s string) bool {
	_, n, _, ok := dateAt(s, 0)
	return ok && n > 4
}

// alike reports whether two records both start with a time, are objects with one first key, or have the same columns.
func (t *tracer) alike(a, b span) bool {
	x, y := strings.TrimSpace(t.text[a.at:a.end]), strings.TrimSpace(t.text[b.at:b.end])
	if x == "" || y == "" {
		return false
	}
	if x[0] == '{' || y[0] == '{' {
		k, _, ok := strings.Cut(x, ":")
		return ok && strings.HasPrefix(y, k+":")
	}
	if timed(x) && timed(y) {
		return true
	}
	if sentence(x) || sentence(y) {
		return parallel(x, y)
	}
	if f, g := columns(x), columns(y); len(f) > 1 || len(g) > 1 {
		return form(f) == form(g)
	}
	f, g := strings.Fields(x), strings.Fields(y)
	equal := 0
	for i := range min(len(f), len(g)) {
		if f[i] == g[i] {
			equal++
		}
	}
	return len(f) == len(g) && form(f) == form(g) && len(f) < 10 && (len(f) < 4 || 3*equal >= len(f))
}

// parallel reports whether two sentences begin alike but for a name, as in "At Rossi's they …" and "At Holt's the …".
func parallel(x, y string) bool {
	a, b := appendWords(nil, x), appendWords(nil, y)
	i := 0
	for i < min(3, len(a), len(b)) && a[i].text == b[i].text {
		i++
	}
	if i == 0 || i >= min(3, len(a), len(b)) {
		return false
	}
	return unicode.IsUpper(firstRune(x[a[i].at:])) && unicode.IsUpper(firstRune(y[b[i].at:]))
}

// sentence reports whether a record is a sentence rather than a row.
func sentence(s string) bool { return s[len(s)-1] == '.' && strings.Count(s, " ") > 3 }

// columnMarks replaces the marks of columns.
var columnMarks = strings.NewReplacer("  ", "\t", "|", "\t", ";", "\t", "=", "\t", ":", "\t")

// columns splits a record at the marks of columns.
func columns(s string) []string {
	s = columnMarks.Replace(s)
	if strings.Count(s, ",") > max(1, strings.Count(s, ", ")) { // else it separates thousands, or clauses
		s = strings.ReplaceAll(s, ",", "\t")
	}
	return strings.FieldsFunc(s, func(r rune) bool { return r == '\t' })
}

// form returns which columns of a record are numbers; several in a row count as one.
func form(columns []string) string {
	var b strings.Builder
	last := byte(0)
	for _, c := range columns {
		kind := byte('W')
		if c = strings.TrimLeft(c, " $€£-+(\"v"); c == "" {
			continue
		} else if first, _, _ := strings.Cut(c, " "); isDigit(c[0]) && !hashed(first) {
			kind = 'N'
		}
		if kind != last {
			b.WriteByte(kind)
		}
		last = kind
	}
	return b.String()
}

// hashed reports whether a word is of digits and letters such as 7be2c10.
func hashed(w string) bool {
	return len(w) > 6 && strings.Trim(w, "0123456789abcdef") == "" && strings.ContainsAny(w, "abcdef")
}
