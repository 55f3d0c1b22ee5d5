package grounding

import (
	"slices"
	"strings"
	"unicode"
)

// row is a line of a place, an entry of a printed map, or a record of a list; all its offsets are those in the text.
type row struct {
	at, end  int
	words    []word
	qs       []quantity
	measured bool // its quantities were read
	counted  bool // its numbers were compared
	scaled   bool // its scales were searched for
	scales   []float64
	shaped   bool
	form     uint64 // hash of its columns' shape; 0 for prose, and if no row next to it has that shape
	entry    bool   // it is one of several rows in a line
	told     []companion
}

// companion is a claim, and whether the row tells what is beside it in the answer.
type companion struct {
	claim *claim
	told  bool
}

// maxRow is how many bytes a row may extend to each side of a match.
const maxRow = 600

// rowAt returns the row around p.
func (t *tracer) rowAt(p int) *row {
	if p >= t.row.at && p < t.row.end {
		return &t.row
	}
	at, end, entry := bounds(t.text, p, max(0, t.row.end))
	t.row, t.side = t.side, t.row
	t.row.fill(t, at, end)
	t.row.entry = entry
	return &t.row
}

// fill reads the words of a row, unless it has them.
func (r *row) fill(t *tracer, at, end int) {
	if r.at == at && r.end == end {
		return
	}
	s := t.text[at:end]
	t.work += len(s)
	*r = row{at: at, end: end, words: appendWords(r.words[:0], s), qs: r.qs[:0], told: r.told[:0]}
	r.shift(at)
}

func (r *row) shift(by int) {
	for i := range r.words {
		r.words[i].at += by
		r.words[i].end += by
	}
}

// quantities returns the row's quantities. They are read at first use, because most rows need only their words.
func (r *row) quantities(t *tracer) []quantity {
	if r.measured {
		return r.qs
	}
	r.measured = true
	s, at := t.text[r.at:r.end], r.at
	if t.commas > 0 && strings.Count(s, ",") == t.commas || commaColumns(s) { // they do not separate thousands
		s = strings.ReplaceAll(s, ",", ";")
	}
	r.shift(-at)
	r.qs = quantities(r.qs[:0], s, r.words, t.q.langs)
	r.shift(at)
	for i := range r.qs[:len(r.qs):len(r.qs)] { // backup-20230917 is a date too
		if i > 0 {
			r.qs[i-1].spans(&r.qs[i], s)
		}
		r.qs[i].wrapped(s, t.text[at+len(s):])
		r.qs[i].sized(s)
		q := r.qs[i]
		if q.isDate || q.digits != 8 {
			continue
		}
		if d, ok := compact(s, q.num); ok {
			end := q.num + 8
			if v, to := number(s, end+1, 6); (to == end+7 || to == end+5) && s[end] == 'T' { // as in 20230917T183000
				if to == end+5 {
					v *= 100
				}
				d.hour, d.minute, d.sec, end = v/10000, v/100%100, v%100, to
			}
			r.qs = append(r.qs, quantity{
				at: q.num, num: q.num, end: end, first: q.first, isDate: true, date: d, packed: d.hour < 0,
			})
		}
	}
	for i := range r.qs {
		q := &r.qs[i]
		q.at, q.end, q.num, q.tail = q.at+at, q.end+at, q.num+at, q.tail+at
	}
	return r.qs
}

// commaColumns reports whether commas separate the columns of a row, as in "West,4,35,341".
func commaColumns(s string) bool {
	columns := strings.Split(s, ",")
	if len(columns) < 3 || strings.Contains(s, ", ") {
		return false
	}
	for i, c := range columns[1:] {
		number := c != "" && strings.Trim(c, "0123456789") == ""
		if number && (len(c) > 3 || unicode.IsLetter(lastRune(columns[i]))) {
			return true
		}
	}
	return false
}

// wrapped gives a number at the end of a long line the unit or scale at the head of the next, which may be numbered.
func (q *quantity) wrapped(line, next string) {
	next, ok := strings.CutPrefix(next, "\n")
	if !ok || len(line) < minWrapped || q.isDate || q.inside || q.units != nil || q.scale != 1 ||
		strings.Trim(line[q.end:], " )") != "" {
		return
	}
	next = next[:min(len(next), 64)]
	if a, _ := number(line, 0, 6); a >= 0 {
		if b, end := number(next, 0, 6); b == a+1 {
			next = strings.TrimLeft(next[end:], ":|\t")
		}
	}
	line = strings.TrimRight(line, " ")
	whole := *q
	if whole.behind(line + " " + strings.TrimLeft(next, " ")); whole.end > len(line)+len(" min") {
		whole.end = q.end
		*q = whole
	}
}

// minWrapped is the length of the shortest line that can be one of wrapped prose.
const minWrapped = 36

// bounds returns where the row around p starts and ends, and if its line has others; it reads nothing before from.
func bounds(s string, p, from int) (int, int, bool) {
	at, end := max(0, p-maxRow), min(len(s), p+maxRow)
	if i := strings.LastIndexByte(s[at:p], '\n'); i >= 0 {
		at += i + 1
	} else if at > 0 {
		at = max(at, min(from, p))
		for at < p && (isWord(lastRune(s[:at])) || s[at]&0xc0 == 0x80) {
			at++
		}
	}
	if i := strings.IndexByte(s[p:end], '\n'); i >= 0 {
		end = p + i
	} else {
		for end > p+1 && end < len(s) && s[end] != ' ' && end > p+maxRow/2 {
			end--
		}
		for end < len(s) && s[end]&0xc0 == 0x80 {
			end++
		}
	}
	line := s[at:end]
	if strings.Count(line, "{") > 1 {
		a, b := strings.LastIndexByte(s[at:p+1], '{'), strings.IndexByte(s[p:end], '}')
		if a >= 0 && b >= 0 && strings.IndexByte(s[at+a:p], '}') < 0 {
			return at + a, p + b + 1, true
		}
	}
	if i := strings.LastIndex(s[at:p], ":map["); i >= 0 && strings.IndexByte(s[at+i+5:p], ']') < 0 { // "a:map[x:1 y:2]"
		a := strings.LastIndexAny(s[at:at+i], " [") + 1
		b := strings.IndexByte(s[p:end], ']') + 1
		if b == 0 {
			b = end - p
		}
		return at + a, p + b, true
	}
	if i := strings.Index(line, "map["); i > 0 && at+i > p {
		return at, at + i, false
	} else if i >= 0 && at+i+4 <= p || i < 0 && at > 0 && s[at-1] != '\n' && strings.Contains(line, ":") {
		a, b, cut := at, end, false
		if i >= 0 {
			a = at + i + 4
		}
		for k := max(at, at+i+4); k < end; k++ { // a word that ends in a colon starts an entry
			if s[k] != ' ' {
				continue
			}
			if n := strings.IndexAny(s[k+1:end], " :]"); n > 0 && s[k+1+n] == ':' {
				cut = true
				if k := keyStart(s, a, k); k < p {
					a = k + 1
				} else {
					b = k
					break
				}
			}
		}
		return a, b, cut
	}
	if assigned(line) { // as in "a=12 b=9"
		a := strings.LastIndexByte(s[at:p], ' ')
		if b := strings.IndexByte(s[p:end], ' '); b >= 0 {
			end = p + b
		}
		return at + a + 1, end, true
	}
	if listed(line) { // as in "Oslo 12, Bergen 9"
		a := strings.LastIndex(s[at:p], ", ")
		if b := strings.Index(s[p:end], ", "); b >= 0 {
			end = p + b
		}
		if a >= 0 {
			at += a + 2
		}
		return at, end, true
	}
	return at, end, false
}

// keyStart returns the space before the key whose last word is behind the space at k: the words behind the number of
// the entry before belong to it, as in "map[K21 Mia:198 TMG Ada:214]", unless they are its unit.
func keyStart(s string, from, k int) int {
	for j := k; j > from; {
		i := strings.LastIndexByte(s[from:j], ' ') + from + 1
		_, value, ok := strings.Cut(s[i:j], ":")
		switch {
		case ok && numeral(value):
			u, _, _ := strings.Cut(s[j+1:k+1], " ")
			if lookUnit(u) != nil || shortScales[fold(u)] != 0 || coinOf(u) != "" {
				return k
			}
			return j
		case ok || i == j || isDigit(s[i]):
			return k
		}
		j = i - 1
	}
	return from - 1
}

// assigned reports whether a line consists of names with one number each, as in "a=12 b=9".
func assigned(line string) bool {
	if len(line) > 400 || strings.Count(line, "=") < 2 {
		return false
	}
	for part := range strings.FieldsSeq(line) {
		name, value, ok := strings.Cut(part, "=")
		if !ok || name == "" || value == "" || !isDigit(value[0]) || ofs.has(name) { // "late=3 of=8" is one row
			return false
		}
	}
	return true
}

// listed reports whether a line is a list of names with one number each.
func listed(line string) bool {
	if !strings.Contains(line, ", ") {
		return false
	}
	n := 0
	for part := range strings.SplitSeq(strings.Trim(line, " .{}"), ", ") {
		n++
		part = strings.TrimLeft(part, "\"")
		if len(part) > 40 || !unicode.IsLetter(firstRune(part)) {
			return false
		}
		numbers := slices.DeleteFunc(strings.FieldsFunc(
			part, func(r rune) bool { return !strings.ContainsRune("0123456789.,", r) }), func(n string) bool {
			return strings.Trim(n, ".,") == ""
		})
		word := part[strings.LastIndexByte(part[:max(0, strings.IndexAny(part, "0123456789"))], ' ')+1:]
		if len(numbers) != 1 || strings.Contains(word, "-") && unicode.IsLetter(firstRune(word)) { // as in Apache-2.0
			return false
		}
	}
	return n > 1
}

// shape returns a hash of a row's columns, 0 for prose: a run of words is one column, each number or date another.
func (r *row) shape(t *tracer) uint64 {
	if len(r.words) == 0 || len(r.words) > 60 {
		return 0
	}
	s := t.text
	if len(r.words) > 5 && strings.HasSuffix(strings.TrimRight(s[:r.end], " \r"), ".") { // it is a sentence
		return 0
	}
	r.quantities(t)
	h := uint64(14695981039346656037)
	mix := func(b byte) { h = (h ^ uint64(b)) * 1099511628211 }
	run, numbers, k, prev := 0, 0, 0, r.at
	for i := 0; i < len(r.words); {
		w := r.words[i]
		for k < len(r.qs) && r.qs[k].first < i {
			k++
		}
		for _, b := range []byte(s[prev:w.at]) {
			if strings.IndexByte("|;=\t", b) >= 0 {
				mix(b)
				run = 0
			}
		}
		version := isDigit(w.text[0]) && byteAt(s, w.end) == '.' && isDigit(byteAt(s, w.end+1))
		if k < len(r.qs) && r.qs[k].first == i && !r.qs[k].inside && !(version && r.qs[k].short(s)) {
			if mix('N'); r.qs[k].isDate {
				mix('D')
			}
			for _, u := range r.qs[k].units[:min(len(r.qs[k].units), 1)] {
				for _, b := range []byte(u.kind) {
					mix(b)
				}
			}
			run = 0
			numbers++
			end := r.qs[k].end
			if space := strings.IndexByte(s[w.at:max(w.at, r.qs[k].tail)], ' '); space > 0 && byteAt(s, r.at) == '{' {
				end = w.at + space // {auth 677 144.4} has two numbers
			}
			for n := i; i < len(r.words) && (i == n || r.words[i].at < end); i++ {
				prev = r.words[i].end
			}
			continue
		}
		if version {
			mix('V')
			for run = 0; i < len(r.words) && (r.words[i].at == w.at || r.words[i].at == prev+1 && s[prev] == '.'); i++ {
				prev = r.words[i].end
			}
			numbers++
			continue
		}
		if run == 0 {
			mix('W')
		}
		if run++; run > 8 {
			return 0
		}
		prev = w.end
		i++
	}
	if numbers == 0 {
		return 0
	}
	return h
}

// short reports whether a date may as well be a version, as 2.9.14.
func (q *quantity) short(s string) bool {
	text := s[q.num:q.end]
	return q.isDate && len(text) < 9 && strings.Count(text, ".") == 2 && !strings.ContainsAny(text, " :")
}

// shapeOf returns the shape of a row of a table, 0 if no neighbouring row has the same shape.
func (t *tracer) shapeOf(r *row) uint64 {
	if r.shaped {
		return r.form
	}
	r.shaped = true
	if r.at == 0 && r.end+1 >= len(t.text) { // it has no neighbours
		return 0
	}
	form := r.shape(t)
	if form == 0 {
		return 0
	}
	for _, p := range []int{r.at - 2, r.at - 1, r.end + 1, r.end + 2} {
		if p < 0 || p >= len(t.text) {
			continue
		}
		at, end, _ := bounds(t.text, p, 0)
		if at == r.at || end <= at {
			continue
		}
		line := t.text[at:end]
		if strings.Contains(line, "  - ") || strings.Contains(line, "| - |") { // a cell is empty
			if q := at - 1; p < r.at && q > 0 {
				at, end, _ = bounds(t.text, q-1, 0)
			} else if q := end + 1; p > r.at && q < len(t.text) {
				at, end, _ = bounds(t.text, q, 0)
			}
		}
		if t.side.fill(t, at, end); t.side.shape(t) == form {
			r.form = form
			break
		}
	}
	return r.form
}

// holds reports whether a row has a word.
func (r *row) holds(w string) bool {
	return slices.ContainsFunc(r.words, func(o word) bool { return o.text == w })
}

// leads reports whether at most a few words precede p in a row of a table, before its numbers.
func (t *tracer) leads(r *row, p int) bool {
	n := 0
	for _, w := range r.words {
		if w.at >= p {
			break
		}
		if n++; n > 3 || isDigit(w.text[0]) && n > 2 {
			return false
		}
	}
	return t.shapeOf(r) != 0 // last, because it costs most
}

// keyed reports whether the text between two offsets is in the position of a key: at the head of a row, before
// a number or a separator, as the whole row, or as the name of a file.
func (t *tracer) keyed(r *row, from, to int) bool {
	head := strings.Trim(t.text[r.at:from], " \t-*•|[{(\"'`")
	if n := strings.TrimLeft(head, "0123456789"); n == "." || n == ")" { // the number of an item
		head = ""
	}
	if to > r.end { // the text was wrapped
		return head == ""
	}
	tail := t.text[to:r.end]
	if len(tail) > 2 && tail[0] == '.' && isWord(firstRune(tail[1:])) {
		return true
	}
	if t.element(r, from, to) || t.headsItem(r, from, to) {
		return true
	}
	if strings.Trim(head, " map:[") != "" {
		return false
	}
	if strings.HasPrefix(tail, "  ") || strings.HasPrefix(tail, "\t") { // the end of a column
		return true
	}
	rest := strings.TrimLeft(tail, " \"'`")
	if strings.Trim(rest, " ]})\"'") == "" {
		return len(t.text) < 200
	}
	return strings.IndexByte(":=|\t;,", rest[0]) >= 0 || isDigit(rest[0]) && t.shapeOf(r) != 0
}

// element reports whether the text between two offsets is an item of a list of words that Go printed.
func (t *tracer) element(r *row, from, to int) bool {
	at, end := strings.LastIndexByte(t.text[r.at:from], '['), strings.IndexByte(t.text[to:r.end], ']')
	if at < 0 || end < 0 {
		return false
	}
	others := "[]:;"
	if at > 0 { // only a list at the start of the row may contain numbers
		others += ".0123456789"
	}
	return !strings.ContainsAny(t.text[r.at+at+1:to+end], others)
}

// proper reports whether the word at p is capitalised and not at the start of a row.
func (t *tracer) proper(r *row, p int) bool {
	c := firstRune(t.text[p:])
	return strings.ToLower(string(c)) != string(c) && strings.Trim(t.text[r.at:p], " \t-*•\"'") != ""
}
