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
	if c.row < 0 || c.row >= len(t.x.rows) || c.dated() || c.q.rank || t.work > maxWork/2 {
		return "", false
	}
	list, n := t.entriesAt(p)
	if n < 0 {
		return "", false
	}
	has := func(ws []string, w string) bool {
		return slices.ContainsFunc(ws, func(o string) bool { return akin(o, w) || strings.HasPrefix(o, w) })
	}
	named := func(e *entry, ws []string) bool {
		return !slices.ContainsFunc(e.words, func(w string) bool { return telling(w) && !has(ws, w) })
	}
	own := func(w string) bool { return has(list[n].words, w) }
	r := t.x.rows[c.row]
	row := foldedWords(t.x.answer[r.at:min(r.end, r.at+maxSentence)])
	scope := foldedWords(t.x.answer[min(c.since, c.at):c.at] + " " + t.x.answer[c.end:max(c.until, c.end)])
	some := slices.ContainsFunc(list, func(e entry) bool { return named(&e, scope) })
	if !some {
		if t.q.relates() || slices.ContainsFunc(t.claims, func(o *claim) bool {
			return o != c && o.row >= 0 && !o.hidden && !o.neutral
		}) {
			return "", false
		}
		scope = texts(t.q.words)
		row = append(row, scope...)
	}
	if named(&list[n], row) {
		return "", false
	}
	others := false
	for i := range list {
		if e := &list[i]; named(e, scope) && !slices.ContainsFunc(e.words, own) {
			if compare(&c.q, &e.q) != differs {
				return "", false
			}
			others = true
		}
	}
	return list[n].key, others
}

// entriesAt returns the list of entries around the number at p, and the index of its own, -1 if it is in none.
func (t *tracer) entriesAt(p int) ([]entry, int) {
	at, end := lineAt(t.text, p)
	list := t.nestedEntries(at, end, p)
	if list == nil {
		list = t.mapEntries(at, end, p)
	}
	if list == nil {
		list = t.lineEntries(at, end, p)
	}
	keys := set{}
	for _, e := range list {
		if !slices.ContainsFunc(e.words, telling) || slices.ContainsFunc(e.words, sums.has) {
			return nil, -1
		}
		keys.add(strings.Join(e.words, " "))
	}
	if len(list) < minEntries || len(keys) < len(list) {
		return nil, -1
	}
	return list, slices.IndexFunc(list, func(e entry) bool { return e.at == p })
}

// sums are keys of numbers that are of all other keys.
var sums = words(`total sum count lines rows all overall average mean median bytes characters matches errors hits len
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
	for field := range strings.SplitSeq(t.text[from:to], mark) {
		key, value, ok := strings.Cut(field, ":")
		number := from + len(field) - len(strings.TrimLeft(value, " \""))
		from += len(field) + 1
		q, is := numeric(t.text[:to], number)
		key = strings.Trim(key, " \"")
		if !ok || !is || strings.Trim(value, " 0123456789.") != "" || strings.ContainsAny(key, "0123456789") ||
			len(list) == maxEntries {
			return nil
		}
		list = append(list, entry{key, foldedWords(key), number, q})
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
				group = append(group, entry{key, foldedWords(key), number, q})
			}
			n += len(field)
		}
		if from = open + to; strings.ContainsAny(key, "0123456789") {
			return nil
		}
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

// lineEntries returns the entries of the lines around the line from at to end that begin with one key each, and have as
// many numbers: those of the column of p.
func (t *tracer) lineEntries(at, end, p int) []entry {
	own := t.lineEntry(at, end)
	column := slices.IndexFunc(own, func(e entry) bool { return e.at == p })
	if column < 0 {
		return nil
	}
	list := []entry{own[column]}
	add := func(from, to int) bool {
		es := t.lineEntry(from, to)
		if len(es) != len(own) || len(list) == maxEntries || !t.alike(span{at, end, p}, span{from, to, from}) ||
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
	first := strings.IndexAny(line, "0123456789")
	if first <= 0 {
		return nil
	}
	key := line[:first]
	if i := strings.IndexAny(key, "|:=,;\t"); i >= 0 && strings.TrimSpace(key[:i]) != "" {
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
	ws := foldedWords(key)
	if len(ws) == 0 || len(ws) > 3 || !unicode.IsLetter(firstRune(key)) || !telling(ws[0]) && len(ws) == 1 {
		return nil
	}
	for _, q := range quantities(nil, line, appendWords(nil, line), t.q.langs) {
		if !q.inside && !q.isDate && len(q.values) > 0 && q.tail > q.num {
			list = append(list, entry{key, ws, at + q.num, q})
		}
	}
	return list
}
