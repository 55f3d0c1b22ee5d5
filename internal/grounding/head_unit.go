package grounding

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// unitNamed returns the unit that a name such as size_g, latencyMs or request_seconds_sum gives for its value: the
// last of its parts, but for names of statistics. With sure, it is a part of a longer name.
func unitNamed(name string) (us []unit, sure bool) {
	for {
		key := strings.LastIndexByte(name, '_') + 1
		last := name[key:]
		if us = lookUnit(last); us != nil {
			of := strings.TrimSuffix(name[:max(key-1, 0)], "_per") // as in yield_t_ha
			of = of[strings.LastIndexByte(of, '_')+1:]
			if over := lookUnit(of); over != nil && !statistics.has(of) && key > 0 && over[0].kind != us[0].kind {
				us = append(slices.Clone(over), ratio(over, us)...)
			}
			return us, key > 0
		}
		if key > 0 { // TTL_MS, import_wh
			if us = anyCase()[strings.ToLower(last)]; us != nil {
				return us, true
			}
		}
		for i := len(last) - 1; i > 0; i-- { // as in latencyMs
			if last[i-1] >= 'a' && last[i-1] <= 'z' && last[i] >= 'A' && last[i] <= 'Z' {
				if us = lookUnit(last[i:]); us == nil {
					us = anyCase()[strings.ToLower(last[i:])]
				}
				return us, true
			}
		}
		if key == 0 || !statistics.has(fold(strings.TrimRight(last, "0123456789"))) {
			return nil, false
		}
		name = name[:key-1]
	}
}

// anyCase maps units in lower case, as names have them, to those that are not written so.
var anyCase = sync.OnceValue(func() map[string][]unit {
	out := map[string][]unit{}
	all, _ := measures()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		us := all[name]
		if lower := strings.ToLower(name); len(lower) > 1 || all[lower] != nil {
			out[lower] = us
		}
	}
	for name, us := range all { // its own case is likelier
		if strings.ToLower(name) == name {
			out[name] = us
		}
	}
	return out
})

// nameBefore returns the name that ends at p in s, with its underscores.
func nameBefore(s string, p int) string {
	at := p
	for at > 0 && p-at < 80 && (s[at-1] == '_' || isWord(rune(s[at-1]))) {
		at--
	}
	return s[at:p]
}

// labelled takes the unit from the name before the number, as in "size_g: 4096".
func (q *quantity) labelled(s string, w word) {
	if q.units != nil {
		return
	}
	name := nameBefore(s, w.end)
	u, sure := unitNamed(name)
	if k := strings.LastIndexByte(name, '_'); u == nil && k > 0 && q.scale == 1 { // as in net_result_keur
		last := strings.ToUpper(name[k+1:])
		if f := shortScales[fold(last)]; f != 0 && coinOf(last) != "" {
			q.scale, q.units = f, units(coinOf(last))
			return
		}
	}
	before := strings.TrimRight(s[:w.end-len(name)], " ")
	switch {
	case u == nil:
	case !sure && before != "" && isDigit(before[len(before)-1]): // it is the unit of the number before
	case sure:
		q.units = u
	case len(name) > 1:
		q.units = orBare(u)
	}
}

// headUnit returns the unit and the scale in the head of a column such as "Refunds (k€)", "weight_kg" and "Time, ms".
func headUnit(head string) (us []unit, scale float64) {
	head = strings.Trim(head, " *`\"'")
	// As in paid_kEUR.
	if f := max(headingScale(head), shortScales[fold(head[strings.LastIndexByte(head, '_')+1:])]); f != 0 {
		if coin := coinOf(head); coin != "" {
			us = []unit{{"money " + coin, 1}}
		}
		return us, f
	}
	open := strings.LastIndexAny(head, "([")
	if open >= 0 {
		in := strings.TrimPrefix(strings.Trim(head[open+1:], " )]"), "in ")
		if u, n := unitsAt(in); u != nil && !isWord(firstRune(in[n:])) {
			return u, 1
		}
		return nil, 1
	}
	last := head[strings.LastIndexAny(head, " ,")+1:]
	if of, by, ok := strings.Cut(last, "/"); ok && lookUnit(of) != nil && lookUnit(by) != nil { // as in "lead mg/kg"
		return append(slices.Clone(lookUnit(of)), ratio(lookUnit(of), lookUnit(by))...), 1
	}
	if of, by, ok := strings.Cut(last, "/"); ok && len(by) > 1 && lookUnit(of) != nil && lookUnit(by) == nil { // ns/op
		return lookUnit(of), 1
	}
	if i := strings.LastIndexAny(head, " ,/"); i >= 0 {
		if us = lookUnit(head[i+1:]); us != nil {
			return us, 1
		}
		head = head[i+1:]
	}
	us, sure := unitNamed(head)
	if !sure && (len(head) < 2 || head == "lat" || statistics.has(head)) { // as in "min"
		us = nil
	}
	return us, 1
}

// column is the unit and the scale that the head of a column gives; the scale is 0 if it gives none.
type column struct {
	units []unit
	scale float64
}

// under reads what the head of the column of a number says. It reports whether there is a unit.
func (t *tracer) under(q *quantity) bool {
	if q.column == nil {
		t.work += 1 << 9
		us, f := headUnit(cmp.Or(columnHead(t.text, q.num), t.shownHead(q.num)))
		if us == nil && f == 1 { // as in "pressure_psi  max 128.3"
			line := t.text[strings.LastIndexByte(t.text[:q.num], '\n')+1 : q.num]
			if named, sure := unitNamed(append(strings.Fields(line), "")[0]); sure {
				us = named
			}
		}
		if us == nil && f == 1 {
			f = 0
		}
		q.column = &column{us, f}
	}
	return q.column.scale != 0
}

// shownHead returns the head of the column of the number at p if only the first message has it.
func (t *tracer) shownHead(p int) string {
	at := strings.LastIndexByte(t.text[:p], '\n') + 1
	row, _, _ := strings.Cut(t.text[at:], "\n")
	for line := range strings.SplitSeq(t.run.Shown[:min(len(t.run.Shown), maxRow)], "\n") {
		if len(row) < maxRow && strings.Count(line, "_") > 0 && strings.ContainsAny(line, ";,|\t") {
			if head := columnHead(line+"\n"+row, len(line)+1+p-at); head != "" {
				return head
			}
		}
	}
	return ""
}

// columnHead returns the head of the column of the number at p, "" if there is none.
func columnHead(s string, p int) string {
	heads, _, column := columnAt(s, p, func(head, mark string) bool {
		return !slices.ContainsFunc(cells(head, mark), func(h string) bool { return h != "" && isDigit(h[0]) })
	})
	if heads == nil {
		return ""
	}
	return heads[column]
}

// measured returns the units that names in a cell give, such as M3 in row.M3, unless a number there may convert them.
func (c *code) measured() (out []unit) {
	for k := range c.literals {
		for l := range strings.SplitSeq(c.literals[k].String(), "\n") {
			if len(l) > 1 && strings.Trim(l, "0123456789._e") == "" {
				return nil
			}
		}
	}
	for _, name := range c.names[:min(len(c.names), 1000)] {
		us := lookUnit(name)
		if us == nil {
			us = anyCase()[strings.ToLower(name)]
		}
		if len(us) == 1 && len(name) > 1 && us[0].kind != "time" {
			out = append(out, us[0])
		}
	}
	return out
}

// remeasured reports whether the answer gives a bare number of a place another unit than the cell that printed it: its
// names have a unit of that kind, but not this one.
func (t *tracer) remeasured(c *claim, q *quantity) bool {
	if q.units != nil || len(c.q.units) == 0 {
		return false
	}
	other := t.inUnknown(c, q) || t.inOtherCoin(c.q.units[0].kind) || t.ofThings(c, q)
	for _, u := range t.measured {
		if other = other || u.kind == c.q.units[0].kind; u == c.q.units[0] {
			return false
		}
	}
	plain := c.q
	plain.units = nil
	return other && compare(&plain, q) == agrees
}

// ofThings reports whether a number counts what the question names, as the 60 of "a pack of 60 tablets" for a question
// about the iron in a tablet, or what the answer speaks of: the nodes of "48 nodes" do not cost "48 EUR per node".
func (t *tracer) ofThings(c *claim, q *quantity) bool {
	noun := thing(t.text, q)
	united := !isDigit(c.text[len(c.text)-1]) // its unit is beside it
	return len(noun) > 3 && strings.HasSuffix(noun, "s") && (t.q.holds(noun) || united &&
		slices.ContainsFunc(t.answerWords(c), func(w string) bool { return akin(w, noun) }))
}

// thing returns what the number counts that a text has there, as nodes in "48 nodes", "" if nothing.
func thing(s string, q *quantity) string {
	p := max(q.end, q.tail)
	at, end := wordAfter(s, p)
	if q.isDate || at != p+1 || s[p] != ' ' || end < len(s) && strings.IndexByte(":=", s[end]) >= 0 ||
		byteAt(s, end) == ' ' && isDigit(byteAt(s, end+1)) {
		return "" // as in "408 oldest 20418" and "14.2 GustMS:23.8"
	}
	if v, ok := q.whole(); ok && validYear(v) && unicode.IsUpper(firstRune(s[at:])) {
		return "" // as in "1901 Paris"
	}
	return fold(s[at:end])
}

// inUnknown reports whether a heading before a number gives it a unit that is none of the known ones, as in "(in
// yokes)", while the text never has the claim's unit, nor the answer that one.
func (t *tracer) inUnknown(c *claim, q *quantity) bool {
	above := t.text[max(0, q.num-maxAround):q.num]
	i := strings.LastIndex(above, "(in ")
	if t.work += len(above) / 16; i < 0 {
		return false
	}
	unit, _, ok := strings.Cut(above[i+len("(in "):], ")")
	if !ok || unit == "" || strings.Trim(unit, "abcdefghijklmnopqrstuvwxyz") != "" || !strings.HasSuffix(unit, "s") ||
		lookUnit(unit) != nil || headingScale("(in "+unit+")") != 0 {
		return false
	}
	own := strings.Trim(c.text, "0123456789.,' ")
	return len(own) > 1 && !strings.Contains(t.text, own) && !strings.Contains(t.x.answer, unit)
}

// dollars are currencies that a text calls dollars.
const dollars = "money usd aud cad"

// inOtherCoin reports whether bare amounts are in another currency than some kind of unit: the run was shown the one,
// and neither the question nor the text has the other.
func (t *tracer) inOtherCoin(kind string) bool {
	coin, cash := strings.CutPrefix(kind, "money ")
	of := coinOf(t.run.Shown[:min(len(t.run.Shown), maxRow)])
	if !cash || of == "" || of == coin || of == "krw" || // "won" is also a verb
		strings.Contains(dollars, of) && strings.Contains(dollars, coin) {
		return false
	}
	t.work += maxRow
	named := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.Sc, r) }
	for _, w := range strings.FieldsFunc(t.q.body+" "+t.text[:min(len(t.text), maxJudged)], named) {
		if money(w) == coin {
			return false
		}
	}
	return true
}

// titled gives a row of the answer's table the words of its heads, and its numbers, from the claim n on, their units.
func (x *extractor) titled(n, from int, heads []string) {
	row := &x.rows[len(x.rows)-1]
	for _, w := range foldedWords(strings.Join(heads, " ")) {
		if telling(w) && len(row.words) < 64 {
			row.words = append(row.words, w)
		}
	}
	for i := n; i < len(x.claims); i++ {
		c := x.claims[i]
		k := strings.Count(x.answer[from:c.at], "|")
		if strings.HasPrefix(strings.TrimLeft(x.answer[from:], " "), "|") {
			k--
		}
		if c.kind != aNumber || c.q.isDate || c.q.units != nil || c.q.scale != 1 || c.year > 0 || k < 0 ||
			k >= len(heads) {
			continue
		}
		if us, f := headUnit(heads[k]); us != nil || f != 1 {
			q := c.q
			c.plain, c.q.units, c.q.scale = &q, us, f
		}
	}
}

// option reports whether the word at p is an option of a command, to which a value may be attached, as in "-Xmx4096m",
// or a line of a link, as in "#L44".
func option(s string, p int) bool {
	if p > 0 && s[p-1] == '#' && s[p] == 'L' {
		return true
	}
	return p > 0 && s[p-1] == '-' && (p == 1 || strings.IndexByte(" \"'`[,=\n\t", s[p-2]) >= 0)
}

// sized adds the reading as a size in bytes to a number with a letter behind it, as in "max_body 20m".
func (q *quantity) sized(s string) {
	c := byteAt(s, q.tail)
	if q.isDate || q.tail == 0 || c == 0 || strings.IndexByte("kKmMgG", c) < 0 || isWord(firstRune(s[q.tail+1:])) {
		return
	}
	if q.units == nil {
		q.units = bare
	} else if strings.HasPrefix(q.units[0].kind, "money") {
		return
	}
	m := strings.ToUpper(string(c))
	q.units, q.either = slices.Concat(q.units, units(m+"iB"), units(m+"B")), true
	q.inside = false
}

// beside gives a number the unit that fills the next column, as in "Pb;38.6;mg".
func (q *quantity) beside(s string) {
	if q.units != nil || q.end >= len(s) || strings.IndexByte(";|\t,", s[q.end]) < 0 {
		return
	}
	cell := s[q.end+1:]
	if s[q.end] != ',' {
		cell = strings.TrimLeft(cell, " ")
	}
	us, n := unitsAt(cell)
	if end := byteAt(cell, n); n > 1 && strings.IndexByte("\x00;|\t,\n \r", end) >= 0 {
		q.units = us
	}
}
