package grounding

import (
	"slices"
	"strings"
)

// yesWords start an answer of yes or no.
var yesWords = words(`yes no ja nein oui non si sí no nee да нет true false はい いいえ sim não tak nie wahr falsch
 vrai faux richtig`)

// stance adds a yes or no at the start of the answer, or of a later sentence if the question has several parts, and
// returns where the rest of the text starts.
func (x *extractor) stance(at, end int) int {
	before := strings.TrimSpace(x.answer[:at])
	later := before != ""
	if later && (strings.IndexByte(".:!;", before[len(before)-1]) < 0 || x.q.alsoWhether() == nil ||
		slices.ContainsFunc(x.claims, func(c *claim) bool { return c.kind == aStance })) {
		return at
	}
	s := x.answer[at:end]
	from := end - len(strings.TrimLeft(s, " \t\n*\"'"))
	to := from
	for _, w := range []string{"はい", "いいえ"} {
		if strings.HasPrefix(x.answer[from:], w) {
			to = from + len(w)
		}
	}
	if ws := x.words(from, min(end, from+64)); to == from && len(ws) > 0 && ws[0].at == from &&
		yesWords.has(ws[0].text) {
		rest := strings.TrimLeft(x.answer[ws[0].end:end], "*\"' ")
		if rest == "" && !later || rest != "" && strings.ContainsRune(",.:;!(\n-–—", firstRune(rest)) &&
			!(rest[0] == '.' && isDigit(byteAt(strings.TrimLeft(rest[1:], " "), 0))) && !(later && rest[0] != ',') {
			to = ws[0].end
		}
	}
	if to == from {
		return at
	}
	x.add(claim{kind: aStance, at: from, end: to, pieces: [][]string{foldedWords(x.answer[from:to])}})
	return to
}

// asking start a question for yes or no.
var asking = words(`is are was were does do did has have had can could will would ist sind war hat haben gab gibt wurde steht est sont a ont y
 es son está hay tiene fue è sono ha heeft zijn staat czy`)

// alsoWhether returns the words of the part of a question that asks for yes or no besides something else, as in "How
// long is it, and does it name a keeper?"
func (q *question) alsoWhether() []word {
	for i, w := range q.words {
		if i > 2 && asking.has(w.text) && ands.has(q.words[i-1].text) {
			return q.words[i+1:]
		}
	}
	return nil
}

// untouched reports whether nothing that was seen or searched for has a word of the part of the question that a later
// yes or no answers, as of "and does it name a keeper?"
func (t *tracer) untouched(c *claim) bool {
	part := t.q.alsoWhether()
	if c.kind != aStance || len(part) == 0 || !pronouns.has(part[0].text) ||
		strings.TrimSpace(t.x.answer[:c.at]) == "" {
		return false
	}
	seen := slices.Clone(t.texts)
	for _, turn := range t.run.Turns {
		for _, cell := range turn.Cells {
			code, _, _ := strings.Cut(cell.Code, "FINAL(")
			seen = append(seen, code)
		}
	}
	for _, w := range part {
		if !telling(w.text) {
			continue
		}
		stem := w.text[:max(min(4, len(w.text)), len(w.text)-2)]
		for _, text := range seen {
			text = strings.ReplaceAll(text, t.run.Question, "")
			if t.work += len(text) / 8; t.work > maxWork/2 || strings.Contains(strings.ToLower(text), stem) {
				return false
			}
		}
	}
	return true
}

// sides are words without meaning of their own that a question may offer, as in "before the fire, or after it?".
var sides = words(`before after over under more less vor nach über unter mehr weniger avant après plus moins antes después más menos
 prima dopo più meno voor na meer minder`)

// side adds the first word of a text that is such an alternative of the question.
func (x *extractor) side(at, end int) {
	for _, w := range x.words(at, min(end, at+256)) {
		if sides.has(w.text) && x.free(w.at, w.end) && x.q.choice([]string{w.text}) {
			x.add(claim{kind: aChoice, at: w.at, end: w.end, pieces: [][]string{{w.text}}})
			return
		}
	}
}

// An absence is expressed by a negation and a word for saying or existing.
var (
	negations = words(`no not nothing none never neither nor without cannot unknown unspecified undisclosed unavailable silent doesn don isn aren
 wasn weren didn couldn nicht nichts kein keine keinen keiner keines keinerlei ne pas rien aucun aucune ningun ninguna ninguno nada non nessun
 nessuna nessuno niente nie brak inte ingen inget ikke niet niets geen não nao nenhum nenhuma не нет`)
	sayings = []string{
		"say", "said", "mention", "state", "specif", "give", "found", "find", "inform", "contain", "provid", "disclos",
		"indicat", "name", "appear",
		"record", "evidence", "avail", "about", "includ", "determin", "present", "address", "discuss", "answer",
		"reveal", "such", "there", "list",
		"silent", "unknown", "match", "occur", "exist", "erwahn", "steht", "angabe", "angegeben",
		"hervor", "genannt", "nennt", "enthalt", "enthalten", "sagt", "text",
		"vor", "hinweis", "dazu", "findet", "gefunden", "dit", "mention", "indiqu", "precis", "figure", "contient",
		"menciona", "dice", "indica",
		"consta", "especific", "aparece", "contiene", "dice", "risulta", "compare", "viene", "vermeld", "staat",
		"genoemd", "diz", "podan", "wspom", "zawier", "namns", "anges", "framgar", "fremgar", "oppgi",
		"указан", "сказан", "текст", "упомина", "информац", "сообща",
	}
	unsaid = []string{
		"記載され", "記載がない", "記載はあり", "書かれてい", "言及されてい", "見つかりません", "ありません", "没有提", "未提",
		"없습니다", "지 않습니다", "지 않다",
		"belirtilmi", "bahsedilmi", "yer almıyor", "geçmiyor",
		"لم يُذكر", "لم يذكر", "غير مذكور", "لا يذكر", "उल्लेख नहीं",
	}
	nones = words(`unknown unbekannt inconnu desconocido sconosciuto onbekend none nothing keine nichts aucun aucune ninguno ninguna nessuno
 nessuna n/a nil null なし 無し 不明`)
)

// absence adds the claim that the text lacks something, if a sentence makes it, and reports whether it does.
func (x *extractor) absence(at, end int) bool {
	text := strings.Trim(x.answer[at:end], " \t\n.,;:!*|\"'")
	if text == "" || len(text) > 400 {
		return false
	}
	from := at + strings.Index(x.answer[at:end], text)
	only := nones.has(fold(text)) && x.free(from, from+len(text))
	denied, stated := false, false
	ws := x.words(from, from+len(text))
	for i, w := range ws {
		if x.used[w.at] && !only { // it is part of a quotation
			continue
		}
		other := numbering(x.answer, w) || x.numbered(ws, i) || x.q.negates(ws[i+1:])
		denied = denied || negations.has(w.text) && !other
		for _, s := range sayings {
			stated = stated || strings.HasPrefix(w.text, s) && (len(s) > 4 || len(w.text) < 8)
		}
	}
	if strings.TrimSpace(x.answer[:at]) != "" && !slices.ContainsFunc(
		x.words(from, from+len(text)), func(w word) bool { return telling(w.text) }) &&
		slices.ContainsFunc(x.claims, func(c *claim) bool { return c.kind == aStance }) {
		return false // as in "No, there is none"
	}
	stated = stated || reportsNot(x.words(from, from+len(text)))
	found := only || denied && (stated || !x.echoes(from) && x.denies(from, from+len(text)))
	for _, p := range unsaid {
		i := strings.Index(text, p)
		found = found || i >= 0 && (only || x.free(from+i, from+i+len(p)))
	}
	for _, c := range x.claims { // a sentence about something that exists
		if c.at >= at && c.at < end {
			found = found && c.kind != aQuote && (c.kind != anID || strings.Contains(x.q.body, c.text))
		}
	}
	part := false
	if found && !only && x.measured(from, from+len(text)) { // then only the clause with the negation says so
		at, to := x.deniedClause(from, from+len(text))
		found, part = to > at && !x.measured(at, to), true
		from, text = at, x.answer[at:max(at, to)]
	}
	if found {
		c := claim{kind: anAbsence, at: from, end: from + len(text), soft: only && len(text)+8 < len(x.answer)}
		if n := len(x.claims) - 1; stated && x.echoes(from) && noWords.has(x.claims[n].pieces[0][0]) {
			c.at, x.claims = x.claims[n].at, x.claims[:n] // "No, it does not say" is one claim
		}
		if ws := x.words(from, from+len(text)); !only {
			if k := slices.IndexFunc(ws, func(w word) bool { return negations.has(w.text) }); k >= 0 && k+1 < len(ws) {
				c.pieces, c.told = [][]string{texts(ws[k:])}, true // the text itself may say so
			} else if n := len(ws) - 1; nones.has(ws[n].text) { // as in "maker unknown"
				c.pieces = [][]string{texts(ws[n:])}
			}
		}
		x.add(c)
	}
	return found && !part
}

// numbered reports whether a number is right before the word i, as in "for 3 no cause is given".
func (x *extractor) numbered(ws []word, i int) bool {
	if i == 0 || x.answer[ws[i-1].end:ws[i].at] != " " || i > 1 && labels.has(ws[i-2].text) {
		return false
	}
	before := ws[i-1].text
	n, ok := numeralIn(x.q.langs, before)
	return ok && !n.ordinal || isDigit(before[0]) && len(before) != 4 // else it is a year
}

// negates reports whether the question itself denies the first of some words, as in "Which are not paid?"
func (q *question) negates(ws []word) bool {
	for i := 1; len(ws) > 0 && telling(ws[0].text) && i < len(q.words); i++ {
		if negations.has(q.words[i-1].text) && akin(q.words[i].text, ws[0].text) {
			return true
		}
	}
	return false
}

// measured reports whether a text has a day, a measure or a long number that the question does not name, so that it
// says something. The number of "none of the 1,204 lines" does not count.
func (x *extractor) measured(at, end int) bool {
	s := x.answer[at:end]
	return slices.ContainsFunc(quantities(nil, s, appendWords(nil, s), x.q.langs), func(q quantity) bool {
		before := appendWords(nil, s[max(0, q.at-16):q.at])
		of := spoken(before[max(0, len(before)-2):], ofs)
		long := q.digits > 2 && !q.inside && !of && len(yearsOf(s[q.at:q.end])) == 0
		return (q.isDate && q.date.day > 0 || q.units != nil || long) && !strings.Contains(x.q.body, s[q.at:q.end])
	})
}

// deniedClause returns the clause of a sentence that has its negation; it is empty if that is a finding.
func (x *extractor) deniedClause(at, end int) (int, int) {
	s := x.answer[at:end]
	ws := appendWords(nil, s)
	i := slices.IndexFunc(ws, func(w word) bool { return negations.has(w.text) })
	if i < 0 {
		return at, at
	}
	from, to := clause(s, ws, i)
	if slices.ContainsFunc(ws[from:to], func(w word) bool { return w.text == "there" }) { // "no rain" is a finding
		return at, at
	}
	for _, q := range quantities(nil, s, ws, x.q.langs) {
		if q.first >= from && q.first < to && !q.inside {
			return at, at
		}
	}
	for from < i && (ands.has(ws[from].text) || buts.has(ws[from].text)) {
		from++
	}
	return at + ws[from].at, at + ws[to-1].end
}

// echoes reports whether only a mark is between a yes or no and p: what follows repeats it, as in "No, TLS is off".
func (x *extractor) echoes(p int) bool {
	n := len(x.claims) - 1
	return n >= 0 && x.claims[n].kind == aStance && strings.Trim(x.answer[x.claims[n].end:p], " ,;:*–—-") == ""
}

// denies reports whether a sentence denies only what the question asked.
func (x *extractor) denies(at, end int) bool {
	ws := x.words(at, end)
	return x.repeats(ws) && slices.ContainsFunc(
		ws, func(w word) bool { return telling(w.text) && !negations.has(w.text) }) &&
		!slices.ContainsFunc(ws, func(w word) bool {
			return isDigit(w.text[0]) && !slices.ContainsFunc(x.q.words, func(q word) bool { return q.text == w.text })
		})
}
