package grounding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// text finds the claims of a text that is not JSON, line by line and sentence by sentence.
func (x *extractor) text(at, end int) {
	if s := strings.TrimSpace(x.answer[at:end]); blank(s) {
		x.begin(at, end)
		from := at + strings.Index(x.answer[at:end], s)
		x.add(claim{kind: aBlank, at: from, end: from + len(s)})
		return
	}
	x.quotes(at, end)
	list, table := x.listed(at, end, strings.HasSuffix(strings.TrimRight(x.answer[at:end], " \n\t"), ".")), false
	fenced, headed := false, x.headings(at, end)
	labelled := false // the first column names the rows
	var heads []string
	for from := at; from < end; {
		to := end
		if i := strings.IndexByte(x.answer[from:end], '\n'); i >= 0 {
			to = from + i
		}
		line := strings.TrimSpace(x.answer[from:to])
		bars := strings.Count(line, "|") >= 2
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case fenced && strings.Contains(line, " "):
			x.begin(from, to)
			x.quote(from, to, false)
		case line == "" || !headed && strings.HasPrefix(strings.TrimLeft(line, "#"), " ") || ruled(line):
		case bars:
			below, rows, _ := strings.Cut(x.answer[min(to+1, end):end], "\n")
			if table || !ruled(below) {
				x.begin(from, to)
				n := len(x.claims)
				// The first cell only names the row.
				if cell := strings.IndexByte(x.answer[from+1:to], '|'); labelled && cell > 0 {
					x.items(from+1+cell, to, "|")
				} else {
					x.items(from, to, "|")
				}
				x.titled(n, from, heads)
			} else {
				heads = strings.Split(strings.Trim(line, "|"), "|")
				first, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
				first = strings.TrimSpace(first)
				labelled = first == "" || first == "#" && strings.HasPrefix(strings.TrimLeft(rows, "| "), "1 ")
			}
		default:
			if headed {
				from += len(x.answer[from:to]) - len(strings.TrimLeft(x.answer[from:to], " \t#"))
			}
			x.line(from, to, list)
		}
		table = bars
		from = to + 1
	}
	x.whole(at, end, 0, false)
}

// headings reports whether an answer has nothing but headings, which then are its claims.
func (x *extractor) headings(at, end int) bool {
	for line := range strings.SplitSeq(x.answer[at:end], "\n") {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return false
		}
	}
	return true
}

// whole adds an answer without other claims as one value: the words from the first to the last telling word. It
// counts only if it is found, because the answer may claim nothing. Claims before since are of other parts.
func (x *extractor) whole(at, end, since int, item bool) {
	ws := x.words(at, min(end, at+256))
	for len(ws) > 0 && hollow.has(ws[0].text) {
		ws = ws[1:]
	}
	for len(ws) > 0 && hollow.has(ws[len(ws)-1].text) {
		ws = ws[:len(ws)-1]
	}
	if len(ws) == 0 || len(ws) > 12 || end-at > 256 ||
		slices.ContainsFunc(x.claims[since:], func(c *claim) bool { return !c.hidden }) {
		return
	}
	c := claim{kind: aQuote, soft: true, at: ws[0].at, end: ws[len(ws)-1].end, pieces: [][]string{texts(ws)}}
	for _, w := range ws {
		if telling(w.text) && !x.q.holds(w.text) {
			c.alt = append(c.alt, []string{w.text})
		}
	}
	c.soft = item || len(c.alt) != 1 || !x.says(c.alt[0][0])
	x.add(c)
}

// says reports whether the only word that the question does not have answers it, as in "it is made of porphyry", unlike
// "it failed" and "it is unclear".
func (x *extractor) says(w string) bool {
	_, status := statuses()[w]
	back := strings.HasSuffix(strings.TrimSpace(x.answer), "?")
	return !status && !back && !strings.HasPrefix(w, "un") && spoken(x.q.words, interrogatives)
}

// ruled reports whether a line separates a table's header.
func ruled(line string) bool {
	return strings.Contains(line, "-") && strings.Contains(line, "|") && strings.Trim(line, "|-: \t") == ""
}

// bracketed reports whether a text ends within brackets.
func bracketed(s string) bool { return strings.LastIndexByte(s, '(') > strings.LastIndexByte(s, ')') }

// light are hollow words that an item may contain.
var light = words(`and und et with mit avec times time mal fois in on at of per pro total von vom im am about
 rund etwa ca an the a`)

// short reports whether a text is an item: a few words, and none that occur only in sentences.
func (x *extractor) short(at, end, most int, stop bool) bool {
	if end-at > 512 {
		return false
	}
	n, lower := 0, 0
	ws := slices.DeleteFunc(x.words(at, end), func(w word) bool { // "dark-mode" is one word
		return bracketed(x.answer[at:w.at]) || w.at > at+1 && x.answer[w.at-1] == '-' && isWord(rune(x.answer[w.at-2]))
	})
	if len(ws) > 1 && relatives.has(ws[0].text) {
		return false
	}
	for i, w := range ws {
		r := firstRune(x.answer[w.at:])
		if isDigit(w.text[0]) || alone(r) {
			continue
		}
		n++
		if !unicode.IsLower(r) {
			continue
		}
		if i > 0 && hollow.has(w.text) && !particles.has(w.text) && !light.has(w.text) {
			return false
		}
		if telling(w.text) {
			lower++
		}
	}
	if len(ws) > 0 && articles.has(ws[0].text) {
		ws = ws[1:]
	}
	return n <= most && len(ws) < 16 && !(stop && lower > 0 && len(ws) > 2)
}

// statistics are names of statistics and measures next to a number.
var statistics = words(`sd std min max minimum maximum median mode mean average avg sum total p quartile percentile
 mittelwert mittel gross net brutto netto length duration width height depth weight länge dauer breite höhe tiefe gewicht
 longueur durée largeur hauteur profondeur poids`)

// relatives start clauses.
var relatives = words("who which that where whose qui dont donde que che welche welcher welches")

// bullet returns the length of a line's bullet or number as a list item, 0 if there is none.
func bullet(line string) int {
	trimmed := strings.TrimLeft(line, " \t>")
	n := len(line) - len(trimmed)
	r, k := utf8.DecodeRuneInString(trimmed)
	if strings.ContainsRune("-*•–+·", r) && k > 0 && byteAt(trimmed, k) == ' ' {
		return n + k + 1
	}
	if _, i := number(trimmed, 0, 3); i > 0 && (byteAt(trimmed, i) == '.' || byteAt(trimmed, i) == ')') &&
		byteAt(trimmed, i+1) == ' ' {
		if at, end := wordAfter(trimmed, i); at == i+2 && months()[fold(trimmed[at:end])] > 0 { // as in "31. Mai 2018"
			return 0
		}
		return n + i + 2
	}
	return 0
}

// counter returns the length of the number of a list before the name of a month, if the lines around it count on: then
// "1. January" is no day.
func (x *extractor) counter(at, end int) int {
	n, i := number(x.answer[:end], at, 2)
	if n < 1 || !strings.HasPrefix(x.answer[i:end], ". ") {
		return 0
	}
	next := strings.HasPrefix(x.answer[end:], fmt.Sprintf("\n%d. ", n+1))
	if !next && !strings.Contains(x.answer[max(0, at-maxSentence):at], fmt.Sprintf("\n%d. ", n-1)) {
		return 0
	}
	return i + len(". ") - at
}

// line finds the claims of a line.
func (x *extractor) line(at, end int, list bool) {
	b := cmp.Or(bullet(x.answer[at:end]), x.counter(at, end))
	for i := at; i < at+b; i++ {
		x.used[i] = true
	}
	at += b
	switch {
	case at >= end:
	case b > 0 && x.short(at, end, 6, false):
		x.begin(at, end)
		x.segment(at, end, true, true)
	case list:
		x.begin(at, end)
		x.items(at, end, listMarks)
	default:
		n, item := len(x.claims), at
		for at < end {
			to := sentenceEnd(x.answer[:end], at)
			if to-at > maxSentence {
				to = at + maxSentence
				for to < end && x.answer[to]&0xc0 == 0x80 {
					to++
				}
			}
			x.sentence(at, to)
			at = max(to, at+1)
		}
		if b > 0 {
			x.whole(item, end, n, true)
		}
	}
}

// sentence finds the claims of a sentence. A list may follow a colon.
func (x *extractor) sentence(at, end int) {
	if strings.TrimSpace(x.answer[at:end]) == "" {
		return
	}
	x.begin(at, end)
	if i := strings.LastIndex(x.answer[at:end], ": "); i > 0 {
		colon := at + i + 1
		tail := strings.TrimRight(x.answer[colon:end], " .")
		if strings.ContainsAny(tail, listMarks) && x.listed(colon, colon+len(tail), true) {
			x.segment(at, colon, false, false)
			x.items(colon, colon+len(tail), listMarks)
			return
		}
	}
	x.segment(at, end, false, false)
}

// segment finds the claims of a sentence, or of an item: a short answer, an entry of a list, a cell of a table.
// All words of an item count, except those that a number counts.
func (x *extractor) segment(at, end int, item, bulleted bool) {
	if len(x.claims) >= maxClaims {
		x.beyond++
		return
	}
	if s := strings.TrimSpace(x.answer[at:end]); item && strings.HasPrefix(s, "<") && blank(s) {
		from := at + strings.Index(x.answer[at:end], s)
		x.add(claim{kind: aBlank, at: from, end: from + len(s)})
		return
	}
	for _, but := range contrasts {
		if i := strings.Index(x.answer[at:end], but); !item && i > 0 && x.free(at+i, at+i+len(but)) {
			x.segment(at, at+i, item, bulleted)
			x.segment(at+i, end, item, bulleted)
			return
		}
	}
	x.blanks(at, end)
	at = x.stance(at, end)
	x.side(at, end)
	x.identifiers(at, end)
	if x.absence(at, end) {
		return
	}
	numbers := x.numbers(at, end, item)
	if !item {
		x.hanNames(at, end)
		x.names(at, end)
		x.others(at, end)
		return
	}
	for from := at; from < end; {
		for from < end && (x.used[from] || strings.IndexByte(" \t\n(){}[]:;,.!?|*_`\"'", x.answer[from]) >= 0) {
			from += max(1, dash(x.answer[from:end]))
		}
		to := from
		for to < end && !x.used[to] && strings.IndexByte("(){}[]:;!?|*`\"\n", x.answer[to]) < 0 && !strings.HasPrefix(
			x.answer[to:], ", ") && dash(x.answer[to:end]) == 0 {
			to++
		}
		if to > from {
			x.phrase(from, to, numbers, bulleted)
		}
		from = max(to, from+1)
	}
}

// dash returns the length of a dash between spaces, or of a wide colon or bracket, at the start of s, 0 if there is
// none.
func dash(s string) int {
	for _, d := range []string{" – ", " — ", "：", "（", "）"} {
		if strings.HasPrefix(s, d) {
			return len(d)
		}
	}
	return 0
}

// contrasts start a clause that may be affirmative after a negative one, or the reverse.
var contrasts = []string{
	", but ", "; but ", ", however", ", aber ", ", sondern ", ", mais ", ", pero ", ", sino ",
	", ma ", ", maar ", ", mas ",
}

// blanks adds placeholders of several words in angle brackets, and those of formats and templates.
func (x *extractor) blanks(at, end int) {
	for i := at; i < end; i++ {
		if n := unfilled(x.answer[:end], i); n > 0 && x.free(i, i+n) && !strings.Contains(x.q.body, x.answer[i:i+n]) {
			x.add(claim{kind: aBlank, at: i, end: i + n})
			continue
		}
		n := strings.IndexByte(x.answer[i:end], '>') + 1
		if x.answer[i] != '<' || n == 0 || !x.free(i, i+n) {
			continue
		}
		if s := x.answer[i : i+n]; strings.Contains(s, " ") && !strings.ContainsAny(s, "=/") && blank(s) {
			x.add(claim{kind: aBlank, at: i, end: i + n})
		}
	}
}

// phrase adds the words of an item between its numbers.
func (x *extractor) phrase(from, to int, numbers, bulleted bool) {
	ws := x.words(from, to)
	for len(ws) > 0 && ((hollow.has(ws[0].text) || vagueWords.has(ws[0].text)) && !x.acronym(ws[0]) &&
		byteAt(x.answer, ws[0].end) != '-' ||
		labels.has(ws[0].text) && x.numeric(ws[0].end)) {
		ws = ws[1:]
	}
	for n := len(ws) - 1; n >= 0 && hollow.has(ws[n].text) && !x.acronym(ws[n]) && !(n > 0 &&
		x.answer[ws[n-1].end:ws[n].at] == " " && isCapital(x.answer[ws[n].at:ws[n].end])); n-- {
		ws = ws[:n]
	}
	ws = x.trimmed(ws)
	labelled := x.labels(ws)
	if labelled {
		from, ws = ws[1].at, ws[1:]
	}
	if n := len(ws) - 1; n > 1 && numbers && x.lower(ws[n]) && x.numeric(ws[n].end) && !slices.ContainsFunc(
		ws[:n], x.lower) && !unicode.IsDigit(firstRune(ws[0].text)) { // as in "Hull Rovers came third"
		ws = ws[:n]
	}
	if len(ws) == 1 && numbers && (lossWords.has(ws[0].text) || riseWords.has(ws[0].text)) { // the number's sign
		return
	}
	all := len(ws)
	ws = x.unasked(ws)
	verb := len(ws) == 1 && all > 1 && x.lower(ws[0]) && x.numeric(ws[0].end) // as in "the file has 12 lines"
	if len(ws) == 0 || to-from > 256 {
		return
	}
	if day := func(w word) bool { return weekdays()[w.text] > 0 }; len(ws) > 1 && !slices.ContainsFunc(
		ws, func(w word) bool { return !day(w) && telling(w.text) }) && slices.ContainsFunc(ws, day) {
		for _, w := range ws { // as in "Monday to Friday"
			if day(w) {
				x.phrase(w.at, w.end, numbers, bulleted)
			}
		}
		return
	}
	at, end := ws[0].at, ws[len(ws)-1].end
	text := x.answer[at:end]
	behind, row := strings.TrimRight(x.answer[:from], " -*_–—"), x.rows[len(x.rows)-1]
	// As in "Mara – our first guest".
	described := strings.ContainsRune("–—", lastRune(strings.TrimRight(x.answer[:from], " ")))
	counted := numbers && x.counted(len(behind))
	k := slices.IndexFunc(ws, func(w word) bool { return prepositions.has(w.text) })
	if counted && k > 0 && k+1 < len(ws) {
		x.phrase(ws[k+1].at, to, numbers, bulleted) // as in "3 rooms in Leipzig"
		return
	}
	first := from == row.at
	lower := strings.ToLower(text) == text
	if _, rest, ok := strings.Cut(text, " "); ok && first {
		lower = strings.ToLower(rest) == rest
	}
	lower = lower || x.german && (counted && len(ws) == 1 || numbers && x.lower(ws[0]) && !particles.has(ws[0].text))
	if cjk(text) {
		if at, text = bareHan(at, text, at > 0 && x.used[at-1]); text == "" {
			return
		}
		for _, is := range []string{"的是", "为", "是", "は"} { // "the party is …": the part before only says of what
			before, after, ok := strings.Cut(text, is)
			if ok && before != "" && (x.repeats(appendWords(nil, before)) || is == "は" || is == "的是" || role(before)) {
				at, text = bareHan(at+len(before)+len(is), after, false)
			}
		}
		if strings.HasSuffix(text, "によると") || strings.HasSuffix(text, "によれば") { // it says by what
			return
		}
		if name, ok := strings.CutSuffix(text, "で"); ok && han(lastRune(name)) { // "is …, and"
			text = name
		}
		left := strings.TrimLeft(text, " ")
		if at, text = at+len(text)-len(left), left; !cjk(text) { // as in "… は cart で"
			text = strings.TrimRightFunc(text, func(r rune) bool { return kana(r) || r == ' ' })
		}
		if numbers && strings.Trim(text, "からまでよりにはをのがと間頃ごろほど") == "" { // particles beside a number
			return
		}
		if text == "" || numbers && utf8.RuneCountInString(text) == 1 || counted {
			return // the thing counted, or the end of a sentence
		}
		if numbers && x.used[min(at+len(text), len(x.used)-1)] { // it describes the number after it
			return
		}
		end = at + len(text)
		lower = false
	}
	switch {
	// It names what an identifier belongs to, or is the GET of "GET /users".
	case len(ws) == 1 && !lower && (x.labelsID(end) || x.acronym(ws[0]) && strings.HasPrefix(x.answer[end:], " /")):
		x.add(claim{kind: aName, at: at, end: end, soft: true, hidden: true, pieces: [][]string{texts(ws)}})
		return
	case lower && (counted || !x.q.choice(texts(ws)) && x.repeats(ws) && telling(ws[0].text)):
		// not a value, but possibly a key
		x.add(claim{
			kind: aName, at: at, end: end, soft: true, hidden: true, counted: counted,
			pieces: [][]string{texts(ws)},
		})
		return
	case counted && strings.Contains(text, "/") && len(text) < 10: // it is a unit
		return
	case len(ws) == 1 && numbers &&
		(lookUnit(text) != nil && (x.counted(len(behind)) || x.numeric(end)) || len(text) == 1 ||
			x.counted(len(behind)) && len(text) < 6 && isID(text) && !strings.ContainsAny(text, "0123456789")):
		return
	}
	// Lower-case words next to a number, which may only describe it, and headings count only if they are found.
	soft := verb || numbers && lower &&
		(strings.Contains(text, " ") || bulleted && !x.free(row.at, at) || x.aside(row.at, at))
	// In a row of a table with numbers, a cell in lower case describes.
	soft = soft || lower && strings.Contains(x.answer[row.at:at], "|") &&
		strings.ContainsAny(x.answer[row.at:row.end], "0123456789")
	column := false
	rest := strings.TrimLeft(x.answer[end:row.end], ".*_ ")
	if value := strings.TrimLeft(rest, ":："); len(value) < len(rest) && value != "" {
		column, soft = !soft && isDigit(byteAt(strings.TrimLeft(value, " *_"), 0)), true
	} else if len(rest) > 0 && rest[0] == '|' { // the first cell may be the name of a row, or of a field
		column = strings.Trim(x.answer[row.at:at], "| *_") == ""
	}
	soft = soft || lower && (bracketed(x.answer[row.at:at]) || strings.HasSuffix(behind, ")")) || bulleted && lower &&
		strings.HasSuffix(behind, ":") || described && lower
	if w := ws[0].text; numbers && len(ws) == 1 {
		// As in "PID 12".
		labels := !labelled && x.acronym(ws[0]) && isDigit(byteAt(strings.TrimLeft(x.answer[end:], " "), 0))
		done := len(w) > 5 && strings.HasSuffix(w, "ed") && x.used[min(end+1, len(x.used)-1)] // "reported 8 May"
		// As in "departs 7:18 am".
		d, _, _, timed := dateAt(x.answer, min(end+1, len(x.answer)))
		soft = soft || labels || statistics.has(w) ||
			lower && (done || strings.HasSuffix(w, "ing") || timed && d.hour >= 0 && d.day < 0) ||
			weekdays()[w] > 0 || x.german && commonNoun(w)
	}
	if c := x.named(at, end, soft); c != nil && c.kind == aName {
		if c.column = column; c.alt == nil {
			c.alt = x.capitals(ws)
		}
		n := len(ws) - 1
		if n > 0 && c.alt == nil && x.q.holds(ws[n].text) && unicode.IsLower(firstRune(x.answer[ws[n].at:])) {
			c.alt = [][]string{texts(ws[:n])} // as in "the mail service", if the question asks for a service
		}
	}
}

// aside reports whether what stands at p of a row is no key of a list of pairs, such as "otter 12, lynx 3": a label or
// another cell is before it, a number, or an item that is no pair.
func (x *extractor) aside(row, p int) bool {
	row = max(row, p-512)
	before := strings.TrimRight(x.answer[row:p], " -*_–—")
	if before == "" || strings.ContainsAny(before, ":|") || x.used[row+len(before)-1] {
		return before != ""
	}
	last := strings.TrimRight(before, listMarks)
	last = strings.TrimLeft(last[strings.LastIndex(last, ", ")+1:], " ")
	return last != "" && (isDigit(last[0]) || !strings.ContainsAny(last, "0123456789"))
}
