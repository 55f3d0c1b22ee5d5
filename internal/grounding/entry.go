package grounding

import (
	"slices"
	"strings"
	"unicode"
)

// entry is the number of one key in a list of alike keys: an entry of a printed map, or a number of a line.
type entry struct {
	key   string
	words []string // of the key
	at    int      // where the number starts
	q     quantity
}

// Bounds of a list of entries.
const (
	minEntries = 3
	maxEntries = 64
)

// ofOtherEntry returns the key of the number at p in a list of alike keys if the answer, or a question that it just
// answers with a number, names other keys of the list and not that one, and none of these has the number.
func (t *tracer) ofOtherEntry(c *claim, p int) (string, bool) {
	if c.row < 0 || c.row >= len(t.x.rows) || c.q.isDate || c.q.rank || t.work > maxWork/2 {
		return "", false
	}
	list, n := t.entriesAt(p)
	if n < 0 {
		return "", false
	}
	r := t.x.rows[c.row]
	row := t.withPeriods(t.x.answer[r.at:min(r.end, r.at+maxSentence)])
	scope := t.withPeriods(t.x.answer[min(c.since, c.at):c.at] + " " + t.x.answer[c.end:max(c.until, c.end)])
	count := func(ws []string) (n int) {
		for i := range list {
			if list[i].named(ws) {
				n++
			}
		}
		return n
	}
	last := r // a clause before this one may name the key, as in "Gilmere has 8867 voters; turnout was 15.2 percent"
	if c.row > 0 && unicode.IsLower(firstRune(strings.TrimLeft(t.x.answer[r.at:r.end], " "))) {
		last = t.x.rows[c.row-1]
	}
	before := foldedWords(t.x.answer[last.at:min(r.at, last.at+maxSentence)])
	if count(row) == 0 && t.unseenSubject(c) && !list[n].touched(append(before, row...)) && !shortCode(list[n].key) {
		return list[n].key, true
	}
	switch {
	case count(scope) > 0:
	case count(row) == 1 && c.q.units == nil && !slices.ContainsFunc(row, comparing):
		scope = row // all numbers of the sentence are of one key
	default:
		if t.q.relates() || slices.ContainsFunc(t.claims, func(o *claim) bool {
			return o != c && o.row >= 0 && !o.hidden && !o.neutral
		}) {
			return "", false
		}
		scope = t.withPeriods(t.q.body)
		row = append(row, scope...)
	}
	if list[n].touched(row) {
		return "", false
	}
	others := false
	for i := range list {
		if e := &list[i]; e.named(scope) {
			if compare(&c.q, &e.q) != differs {
				return "", false
			}
			others = true
		}
	}
	return list[n].key, others
}

// unseenSubject reports whether a claim's sentence begins with a word of the question that nothing shown has, and that
// no article precedes, as it does what is measured.
func (t *tracer) unseenSubject(c *claim) bool {
	r := t.x.rows[c.row]
	if strings.Contains(t.x.answer[r.at:min(r.end, r.at+maxSentence)], "|") {
		return false
	}
	ws := appendWords(nil, t.x.answer[r.at:min(c.at, r.at+64)])
	article := false
	for len(ws) > 0 && !telling(ws[0].text) {
		article = articles.has(ws[0].text)
		ws = ws[1:]
	}
	if article || len(ws) == 0 || !t.asked(ws[0].text) || slices.ContainsFunc(texts(ws), comparing) {
		return false
	}
	for i, text := range t.texts {
		if i == 0 { // the first message
			text = strings.ReplaceAll(text, t.run.Question, "")
		}
		if t.work += len(text) / 8; t.work > maxWork/2 || strings.Contains(strings.ToLower(text), ws[0].text) {
			return false
		}
	}
	return true
}

// shortCode reports whether a key is a code such as DE, which may stand for a name.
func shortCode(key string) bool { return len(key) < 4 && strings.ToUpper(key) == key }

// comparing reports whether a word tells that a number may be of another key than the one that is named, or of all.
func comparing(w string) bool {
	return relations.has(w) || superlative(w) || aggregates.has(w) || rivals.has(w) || sums.has(w)
}

// entriesAt returns the list of entries around the number at p, and the index of its own, -1 if it is in none.
func (t *tracer) entriesAt(p int) ([]entry, int) {
	at, end := lineAt(t.text, p)
	list := t.nestedEntries(at, end, p)
	if list == nil {
		list = t.mapEntries(at, end, p)
	}
	if list == nil {
		list = t.blockEntries(at, end, p)
	}
	if list == nil {
		list = t.lineEntries(at, end, p)
	}
	keys := set{}
	for _, e := range list {
		named := e.numbered() || e.letter() || e.code() || slices.ContainsFunc(e.words, keyWord)
		if !named || slices.ContainsFunc(e.words, sums.has) {
			return nil, -1
		}
		keys.add(strings.Join(e.words, " "))
	}
	if len(list) < minEntries || len(keys) < len(list) {
		return nil, -1
	}
	return list, slices.IndexFunc(list, func(e entry) bool { return e.at == p && !e.letter() })
}

// letter reports whether the key is a letter alone, which words of an answer neither name nor rule out.
func (e *entry) letter() bool { return len(e.key) == 1 && unicode.IsLetter(rune(e.key[0])) }

// code reports whether the key is a code of two letters, which is named only as it is: DE is no "de".
func (e *entry) code() bool { return len(e.key) == 2 && shortCode(e.key) }

// numbered reports whether the key has a number, as a version or a year does: it is named only as a whole.
func (e *entry) numbered() bool {
	return len(e.words) > 0 && strings.ContainsAny(e.key, "0123456789") && len(e.key) > 2 && !isPeriod(e.words[0])
}

// named reports whether some words have all of the key.
func (e *entry) named(ws []string) bool {
	if e.code() {
		return slices.Contains(ws, e.key)
	}
	if e.numbered() {
		return e.touched(ws)
	}
	return !e.letter() && !slices.ContainsFunc(e.words, func(w string) bool { return keyWord(w) && !hasKey(ws, w) })
}

// touched reports whether some words have a part of the key.
func (e *entry) touched(ws []string) bool {
	if e.code() {
		return slices.Contains(ws, e.key)
	}
	if label, n, ok := strings.Cut(e.key, " "); ok && lettered(label) && strings.Trim(n, "0123456789") == "" {
		return hasKey(ws, e.words[0]) && slices.Contains(ws, n) // as in "Ports 5432 and 27017"
	}
	if e.numbered() {
		for i := range ws {
			if n := len(e.words); i+n <= len(ws) && slices.Equal(ws[i:i+n], e.words) {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(e.words, func(w string) bool { return keyWord(w) && hasKey(ws, w) })
}

// hasKey reports whether one of some words is akin to a word of a key, or begins with it.
func hasKey(ws []string, w string) bool {
	return slices.ContainsFunc(ws, func(o string) bool { return akin(o, w) || len(w) > 2 && strings.HasPrefix(o, w) })
}

// keyWord reports whether a word of a key has a meaning of its own: short ones may, too.
func keyWord(w string) bool { return telling(w) || len(w) == 2 && !hollow.has(w) && !isDigit(w[0]) }

// sums are keys of numbers that are of all other keys.
var sums = words(`difference diff lead margin gap total sum count lines rows all overall average mean median bytes characters matches errors hits len
 summa summe gesamt anzahl zeilen mittel durchschnitt somme totale moyenne lignes suma media líneas somma righe`)

// mapEntries returns the entries of the flat map that a line prints, as Go or JSON does.
func (t *tracer) mapEntries(at, end, p int) (list []entry) {
	from := strings.LastIndexAny(t.text[at:p], "[{")
	if from < 0 {
		return nil
	}
	from += at + 1
	to := strings.IndexAny(t.text[p:end], "]}[{")
	if to < 0 {
		return nil
	}
	to += p
	mark := ","
	if t.text[from-1] == '[' {
		if !strings.HasSuffix(t.text[at:from], "map[") {
			return nil
		}
		mark = " "
	}
	t.work += to - from
	words := "" // of a key of several words
	for field := range strings.SplitSeq(t.text[from:to], mark) {
		if mark == " " && !strings.Contains(field, ":") {
			words += field + " "
			from += len(field) + 1
			continue
		}
		key, value, ok := strings.Cut(field, ":")
		number := from + len(field) - len(strings.TrimLeft(value, " \""))
		from += len(field) + 1
		q, is := numeric(t.text[:to], number)
		key, words = words+strings.Trim(key, " \""), ""
		if !ok || !is || strings.Trim(value, " 0123456789.") != "" || len(list) == maxEntries {
			return nil
		}
		list = append(list, entry{key, keyWords(key), number, q})
	}
	if words != "" {
		return nil
	}
	return list
}

// nestedEntries returns the entries of a printed map of groups, such as "a:{12 3} b:{9 4}": the numbers of all groups
// that stand where the one at p does in its own.
func (t *tracer) nestedEntries(at, end, p int) (list []entry) {
	column := -1
	for from := at; from < end && len(list) < maxEntries; {
		open := strings.Index(t.text[from:end], ":{")
		if m := strings.Index(t.text[from:end], ":map["); m >= 0 && (open < 0 || m < open) {
			open = m + len("map[") - 1
		}
		if open < 0 {
			break
		}
		open += from + 2
		key := strings.TrimSuffix(strings.TrimSuffix(t.text[from:open], "{"), "map[")
		key = strings.Trim(key[strings.LastIndexAny(strings.TrimRight(key, " :\""), " ,{[\"")+1:], " :\"")
		to := strings.IndexAny(t.text[open:end], "}]")
		if to < 0 {
			to = end - open
		}
		t.work += to + open - from
		var group []entry
		for n := open; n < open+to; {
			field := t.text[n : open+to]
			if k := strings.IndexAny(field, " ,"); k >= 0 {
				field = field[:k+1]
			} else if open+to == end { // it may be cut off
				break
			}
			number := n + strings.LastIndexByte(field, ':') + 1
			q, ok := numeric(t.text[:n+len(field)], number)
			if ok && strings.Trim(t.text[number:n+len(field)], " ,0123456789.") == "" {
				group = append(group, entry{key, keyWords(key), number, q})
			}
			n += len(field)
		}
		from = open + to
		for i := range group {
			if group[i].at == p {
				column = i
			}
		}
		list = append(list, group...)
	}
	return ofColumn(list, column)
}

// ofColumn returns of each key of groups of entries the one with an index.
func ofColumn(list []entry, column int) (out []entry) {
	n := 0
	for i := range list {
		if n++; i > 0 && list[i].key != list[i-1].key {
			n = 1
		}
		if n-1 == column {
			out = append(out, list[i])
		}
	}
	return out
}

// blockEntries returns the entries of the line of a field, as in YAML: the fields of this name of all blocks near it.
func (t *tracer) blockEntries(at, end, p int) (list []entry) {
	field, _, ok := strings.Cut(t.text[at:p], ":")
	indent := len(field) - len(strings.TrimLeft(field, " "))
	if !ok || indent == 0 {
		return nil
	}
	from, to := max(0, at-maxAround), min(len(t.text), end+maxAround)
	if from > 0 {
		from += strings.IndexByte(t.text[from:at], '\n') + 1
	}
	t.work += (to - from) / 4
	parent := ""
	for line := range strings.Lines(t.text[from:to]) {
		start := from
		from += len(line)
		text := strings.TrimLeft(line, " ")
		name, value, _ := strings.Cut(strings.TrimRight(text, "\r\n"), ":")
		switch depth := len(line) - len(text); {
		case depth < indent && strings.TrimSpace(value) == "":
			parent = strings.Trim(name, "\"' ")
		case depth < indent:
			parent = ""
		case depth == indent && name == field[indent:] && parent != "" && len(list) < maxEntries:
			number := start + len(line) - len(strings.TrimLeft(line[depth+len(name)+1:], " \""))
			if q, is := numeric(t.text, number); is && isDigit(byteAt(t.text, number)) {
				list = append(list, entry{parent, keyWords(parent), number, q})
			}
		}
	}
	return list
}

// lineEntries returns the entries of the lines around the line from at to end that begin with one key each, and have as
// many numbers: those of the column of p.
func (t *tracer) lineEntries(at, end, p int) []entry {
	own := t.lineEntry(at, end)
	column := slices.IndexFunc(own, func(e entry) bool { return e.at == p })
	if column < 0 {
		return nil
	}
	list, shape := []entry{own[column]}, formOf(t.text[at:end])
	add := func(from, to int) bool {
		es := t.lineEntry(from, to)
		if len(es) != len(own) || len(list) == maxEntries || formOf(t.text[from:to]) != shape ||
			t.pointed(&es[column]) != t.pointed(&own[column]) { // as in a table of which each row has an attribute
			return false
		}
		list = append(list, es[column])
		return true
	}
	for from := at; from > 1; {
		to := from - 1
		if from, _ = lineAt(t.text, to); !add(from, to) {
			break
		}
	}
	for to := end; to+1 < len(t.text); {
		from := to + 1
		if _, to = lineAt(t.text, from); !add(from, to) {
			break
		}
	}
	return list
}

// numberedEntry returns the number of a line that has nothing else but a key that is a number of three digits or more,
// or an address, as in "404 255" or "203.0.113.9: 1109".
func (t *tracer) numberedEntry(at int, line string) (entry, bool) {
	key, rest, ok := strings.Cut(strings.TrimLeft(line, " -"), " ")
	if fields := strings.Fields(rest); !ok || len(fields) != 1 {
		return entry{}, false
	}
	key = strings.TrimRight(key, ":")
	number := at + strings.LastIndexByte(strings.TrimRight(line, " "), ' ') + 1
	if len(key) < 3 || strings.Trim(key, "0123456789.") != "" || !isDigit(byteAt(t.text, number)) {
		return entry{}, false
	}
	q, ok := numeric(t.text, number)
	return entry{key, keyWords(key), number, q}, ok && !q.isDate && q.end <= at+len(line)
}

// formOf returns the kinds of a line's fields, without the number at its start.
func formOf(line string) string {
	return form(strings.Fields(strings.TrimLeft(columnMarks.Replace(line), " \t0123456789.)")))
}

// pointed reports whether the number of an entry has a point.
func (t *tracer) pointed(e *entry) bool {
	return strings.Contains(t.text[e.at:min(len(t.text), e.at+e.q.tail-e.q.num)], ".")
}

// lineEntry returns the numbers of a line that begins with a key of at most three words.
func (t *tracer) lineEntry(at, end int) (list []entry) {
	line := t.text[at:end]
	if len(line) > maxRecord/2 {
		return nil
	}
	t.work += len(line)
	if e, ok := t.numberedEntry(at, line); ok {
		return []entry{e}
	}
	ranked := len(line) - len(strings.TrimLeft(line, "0123456789.) "))
	if strings.TrimLeft(line[:ranked], " ") != "" && !strings.HasSuffix(line[:ranked], " ") {
		return nil
	}
	at, line = at+ranked, line[ranked:]
	first := strings.IndexAny(line, "0123456789")
	if first <= 0 {
		return nil
	}
	key, own := line[:first], numberInKey(line, first)
	if i := strings.IndexAny(key, "|:=,;\t"); own > 0 {
		key = line[:own]
	} else if i >= 0 && strings.TrimSpace(key[:i]) != "" {
		key = key[:i]
	} else if i == 0 {
		key = strings.Trim(key, "| ")
		key, _, _ = strings.Cut(key, "|")
	} else if isWord(lastRune(key)) { // as in "otter n=12", else the number is a part of the key
		return nil
	}
	key = strings.Trim(key, " -*•\"'`")
	if fields := strings.Fields(key); strings.Contains(line, "=") && len(fields) > 1 { // as in "otter n=12"
		key = strings.Join(fields[:len(fields)-1], " ")
	}
	ws, code := keyWords(key), len(key) == 2 && shortCode(key)
	if len(ws) == 0 || len(ws) > 3 || !unicode.IsLetter(firstRune(key)) || !telling(ws[0]) && len(ws) == 1 && !code {
		return nil
	}
	for _, q := range quantities(nil, line, appendWords(nil, line), t.q.langs) {
		if !q.inside && !q.isDate && len(q.values) > 0 && q.tail > q.num && q.num >= own {
			list = append(list, entry{key, ws, at + q.num, q})
		}
	}
	return list
}

// numberInKey returns the end of a key that has a number, as in "Item 3: 8499", if the first digit of a line is in one.
func numberInKey(line string, first int) int {
	end := first
	for isDigit(byteAt(line, end)) {
		end++
	}
	word, spaced := strings.CutSuffix(strings.TrimLeft(line[:first], " -*•|"), " ")
	value := strings.TrimLeft(line[end:], " ")
	if !spaced || !lettered(word) || value == "" || strings.IndexByte("|:=,;\t", value[0]) < 0 ||
		!isDigit(byteAt(strings.TrimLeft(value[1:], " "), 0)) {
		return 0
	}
	return end
}
