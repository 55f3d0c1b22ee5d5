package grounding

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

var titles = words(`mr mrs ms miss dr prof professor sir dame lord lady herr frau herrn señor señora sr sra mme mlle monsieur madame m signor
 signora sig dott dhr dra doña dña dottoressa avv mevrouw ratsherr ratsfrau councillors cllrs messrs mmes herren señores mevr ing dipl mag г councillor cllr mayor captain capt coach colonel col general gen sergeant sgt inspector judge justice
 pfarrer pfr reverend rev pastor abbé abate bishop bischof senator minister president engineer uncle aunt brother sister father mother king queen bürgermeister bürgermeisterin`)

// honours follow a name.
var honours = words("j lj qc kc mp phd md msc bsc mba esq jr sr cbe obe mbe frs rn")

// particles join the parts of a name.
var particles = words("van von de der den da di du la le del della bin ibn ten ter zu al el & y e af")

// names adds the runs of capitalised words between at and end. The first word of a sentence and, in German,
// every noun is capitalised too: such words count only if they are found.
func (x *extractor) names(at, end int) {
	ws := x.words(at, end)
	capital := func(i int) bool {
		r := firstRune(x.answer[ws[i].at:])
		before := lastRune(strings.TrimRight(x.answer[:ws[i].at], " "))
		unit := byteAt(x.answer, ws[i].end) == '/' && unicode.IsDigit(before) // as in "10 Gb/s"
		ofMonth := monthParts.has(ws[i].text) && byteAt(x.answer, ws[i].end) == ' ' && !x.free(ws[i].end+1, ws[i].end+2)
		return (unicode.IsUpper(r) || unicode.IsTitle(r)) && x.free(ws[i].at, ws[i].end) && !ofMonth && !unit
	}
	first := !strings.ContainsRune(";,", lastRune(strings.TrimRight(x.answer[:at], " "))) // whether a sentence begins
	for i := 0; i < len(ws); i++ {
		if i > 0 && strings.ContainsAny(x.answer[ws[i-1].end:ws[i].at], ".!?\n") && !x.joined(ws, i) {
			first = true
		}
		if !capital(i) {
			first = first && !isWord(firstRune(x.answer[ws[i].at:]))
			continue
		}
		j := i + 1
		for k := j; k < len(ws) && k < i+8 && x.joined(ws, k); k++ { // over particles to the next capital
			month := months()[ws[k].text] != 0 && len(ws[k].text) > 3 && !particles.has(ws[k-1].text) // Rio de Janeiro
			if capital(k) && weekdays()[ws[k].text] == 0 && !month {
				j = k + 1
			} else if !particles.has(ws[k].text) && !x.within(ws, k) ||
				k+1 < len(ws) && titles.has(ws[k+1].text) { // as in "Vorsitz von Frau Holt"
				break
			}
		}
		x.name(ws, i, j, first)
		first = false
		i = j - 1
	}
}

// sited are things that a letter behind them names.
var sited = words(`gate class grade group hall block building zone wing category terminal platform variant plan team
 classe catégorie gruppo categoria grupo clase categoría puerta portão klasse groep`)

// monthParts are parts of a month before its name.
var monthParts = words("anfang mitte ende early mid late")

// within reports whether the word k, which is in lower case, is in a name: between hyphens, as in "Stoke-on-Trent",
// before a river, as in "Frankfurt am Main", or a particle that German has as an article.
func (x *extractor) within(ws []word, k int) bool {
	w := ws[k]
	if w.at > 0 && x.answer[w.at-1] == '-' && byteAt(x.answer, w.end) == '-' {
		return true
	}
	for m := k; m < len(ws) && m < k+3 && x.joined(ws, m); m++ {
		if m > k && rivers.has(ws[m].text) {
			return !x.lower(ws[m])
		}
		if !riverside.has(ws[m].text) {
			break
		}
	}
	return !x.german && articled.has(w.text)
}

var (
	riverside = words("am an ob der den upon on the sur sul")
	rivers    = words(`main rhein oder neckar inn see isar lech ruhr saale spree elbe weser donau tauber mosel lahn enns
 thames tyne trent avon severn humber tees mer seine loire marne don`)
	articled = words("do dos das des della delle dei degli los las")
)

// joined reports whether the word i may belong to the same name as the one before it.
func (x *extractor) joined(ws []word, i int) bool {
	gap := x.answer[ws[i-1].end:ws[i].at]
	if strings.HasPrefix(gap, ". ") && (articles.has(ws[i].text) || pronouns.has(ws[i].text)) {
		return false // as in "grade C. The next"
	}
	initial := len(ws[i-1].text) == 1 && !isDigit(ws[i-1].text[0]) || titles.has(ws[i-1].text)
	mark := strings.TrimRight(gap, " ")
	ended := (mark == "'" || mark == "’") && (mark != gap || x.lower(ws[i])) // as in "Jonas' house" and "İzmir'de"
	return len(gap) <= 4 && !ended && !strings.Contains(gap, "\n") && (strings.Trim(gap, " -&'’") == "" ||
		strings.Trim(gap, " .-") == "" && initial)
}

// labels reports whether the first word of a name is a thing that the question asks about, and the others are the name
// in capitals, as in "Flight BA 117".
func (x *extractor) labels(ws []word) bool {
	return len(ws) > 1 && !slices.ContainsFunc(ws[1:], func(w word) bool { return !x.acronym(w) }) &&
		slices.ContainsFunc(x.q.words, func(q word) bool {
			return q.text == ws[0].text && unicode.IsLower(firstRune(x.q.body[q.at:]))
		})
}

// name adds the capitalised words from i to j.
func (x *extractor) name(ws []word, i, j int, first bool) {
	empty := func(w string) bool { return hollow.has(w) || labels.has(w) || voids.has(w) || x.german && heads.has(w) }
	if x.german && j-i == 2 && strings.HasSuffix(ws[i].text, "s") && commonNoun(ws[i+1].text) {
		j-- // as in "Petersens Vertretung"
	}
	if n := len(x.trimmed(ws[i:j])); n > 0 {
		j = i + n
	}
	titled := i > 0 && titles.has(ws[i-1].text)
	short := func(w word) bool { return len(w.text) > 2 && x.acronym(w) } // an acronym such as ING is no title
	for i < j && (titles.has(ws[i].text) && !(j-i == 1 && short(ws[i])) || x.labels(ws[i:j]) ||
		first && empty(ws[i].text) && !(len(ws[i].text) == 1 && j-i > 1 && byteAt(x.answer, ws[i].end) == '.')) {
		titled = titled || titles.has(ws[i].text) || x.labels(ws[i:j])
		first = first && !titled
		i++
	}
	if i >= j {
		return
	}
	from, to := ws[i].at, ws[j-1].end
	text, w := x.answer[from:to], ws[i].text
	single := j-i == 1
	if single && x.german && x.counted(len(strings.TrimRight(x.answer[:from], " "))) { // as in "12 Stimmen"
		return
	}
	if single && len(w) == 1 && i > 0 && sited.has(ws[i-1].text) && x.answer[ws[i-1].end:from] == " " &&
		!x.repeats(ws[i-1:i+1]) {
		x.named(ws[i-1].at, to, false)
		return
	}
	acronym := len(text) <= 4 && strings.ToUpper(text) == text
	if single && (empty(w) && !(len(text) > 2 && x.acronym(ws[i])) || months()[w] != 0 || len(w) == 1) {
		return
	}
	ends := strings.HasPrefix(x.answer[to:], ", ") || strings.HasPrefix(x.answer[to:], "; ")
	replies := from == 0 && ends && x.says(w) && !strings.HasSuffix(w, "ly")
	soft := single && (first && !replies && !x.acts(ws, j) && !x.q.choice(texts(ws[i:j])) ||
		acronym && !x.bracketed(ws, i, from, to) && !x.party(ws, i))
	soft = soft || single && len(text) > 3 && lookUnit(text) != nil // as in "das Kilo"
	if x.german && !titled {
		soft = soft || single || empty(ws[i].text) || x.q.inflects(ws[i:j])
	}
	for k := i + 1; x.german && k+1 < j; k++ { // the team of "Eva Falks Team" is not part of the name
		if n := len(ws[k].text); n > 4 && ws[k].text[n-1] == 's' {
			to = ws[k].end
			break
		}
	}
	c := x.named(from, to, soft)
	if c != nil && c.kind == aName && c.alt == nil && j-i > 2 && (first && !particles.has(ws[i+1].text) ||
		x.german) { // the first word may not belong to the name
		c.alt = [][]string{c.pieces[0][1:]}
	} else if c != nil && c.kind == aName && c.alt == nil && j-i == 2 && first && telling(ws[i+1].text) &&
		strings.Contains(x.q.body, " "+ws[i].text+" ") { // as in "Depot Fenwick" when asked for a depot
		c.alt = [][]string{c.pieces[0][1:]}
	}
}

// apposed reports whether the first word of a name of two, which ends at p in the text, is a noun that the second one
// explains, as in "two sites, Emden and Wismar": the word before it is in lower case or a number.
func (t *tracer) apposed(c *claim, a *anchor, k, p int) bool {
	at, _ := wordBefore(t.text, p)
	from, end := wordBefore(t.text, max(at, 0))
	return c.kind == aName && k == 0 && a.comma == 0 && len(a.words) == 2 && from >= 0 && t.text[end:at] == " " &&
		!unicode.IsUpper(firstRune(t.text[from:]))
}

// party reports whether a word is an abbreviation that names a party, as in "owed to ING".
func (x *extractor) party(ws []word, i int) bool {
	return i > 1 && agents.has(ws[i-1].text) && len(ws[i].text) > 2 && telling(ws[i-2].text) &&
		!generic.has(ws[i].text) &&
		lookUnit(x.answer[ws[i].at:ws[i].end]) == nil && x.answer[ws[i-1].end:ws[i].at] == " "
}

var (
	agents  = words("to by from with bei von an durch par chez da por presso")
	generic = words(`json csv pdf html xml sql api url uri http https ssh tls ssl tcp udp dns cpu gpu ram ssd
 usb ceo cto cfo usa utc gmt cet est pst vat faq`)
)

// bracketed reports whether a word is an abbreviation in brackets after a name, but not of the name's initials.
func (x *extractor) bracketed(ws []word, i, from, to int) bool {
	s := x.answer
	if from < 2 || s[from-1] != '(' || byteAt(s, to) != ')' || i == 0 || ws[i-1].end != from-2 ||
		generic.has(ws[i].text) ||
		lookUnit(s[from:to]) != nil || utf8.RuneCountInString(s[from:to]) < 2 {
		return false
	}
	if !unicode.IsUpper(firstRune(s[ws[i-1].at:])) || hollow.has(ws[i].text) {
		return false
	}
	initials := ""
	for _, w := range ws[max(0, i-8):i] {
		if r := firstRune(s[w.at:]); unicode.IsUpper(r) {
			initials += string(r)
		}
	}
	return !strings.HasSuffix(initials, s[from:to])
}

// trimmed drops the s of a genitive and honours from the end of a name.
func (x *extractor) trimmed(ws []word) []word {
	for n := len(ws); n > 1; n-- {
		last := ws[n-1]
		genitive := last.text == "s" && strings.ContainsRune("'’", lastRune(x.answer[:last.at]))
		if honour := honours.has(last.text) && unicode.IsUpper(firstRune(x.answer[last.at:])); !genitive && !honour {
			return ws[:n]
		}
	}
	return ws[:min(len(ws), 1)]
}

// others adds the words of a sentence that are alternatives of the question and, as hidden claims, those that may
// be keys of a printed table. They count only if they are found.
func (x *extractor) others(at, end int) {
	ws := x.words(at, min(end, at+2048))
	n := 0
	for _, w := range ws {
		if len(w.text) < 2 || isDigit(w.text[0]) || hollow.has(w.text) || !x.free(w.at, w.end) ||
			len(x.claims) >= maxClaims {
			continue
		}
		c := claim{kind: aName, at: w.at, end: w.end, soft: true, hidden: true, pieces: [][]string{{w.text}}}
		if telling(w.text) && x.q.choice(c.pieces[0]) && !yesWords.has(w.text) {
			c.kind, c.soft, c.hidden = aChoice, len(ws) > 12, false
		} else if n++; n > 40 {
			continue
		}
		x.add(c)
	}
}

// acts reports whether the word j is a verb of action, so that the word before it is a name even at a sentence's head.
func (x *extractor) acts(ws []word, j int) bool {
	apposition := j < len(ws) && x.answer[ws[j-1].end:ws[j].at] == ", " && articles.has(ws[j].text) &&
		spoken(x.q.words, nameWords) && !strings.HasSuffix(ws[j-1].text, "ly")
	does := func(w word) bool { // the second as in "Who set most?" and "Quillon set 12."
		return deeds.has(w.text) || spoken(x.q.words, nameWords) && !copulas.has(w.text) && telling(w.text) &&
			slices.Contains(texts(x.q.words), w.text)
	}
	return apposition || j < len(ws) && x.answer[ws[j-1].end:ws[j].at] == " " && does(ws[j]) ||
		j+1 < len(ws) && ands.has(ws[j].text) && unicode.IsUpper(firstRune(x.answer[ws[j+1].at:])) &&
			x.answer[ws[j-1].end:ws[j].at] == " "
}

// nameWords ask for a name.
var nameWords = words("who whom whose name named called wer wen wem name namens heißt qui nom nombre quién nome chi come")

var deeds = words(`has had says said wrote won lost signed got did does held gave took became received beat led leads owns made
 asked paid sent scored hat hatte sagte schrieb gewann unterschrieb dit tiene tuvo dijo firmó ha disse`)

// heads are German prepositions that may start a sentence.
var heads = words("gegen ohne wegen trotz während seit laut gemäß statt zwischen hinter neben innerhalb außerhalb ab bis")

// commonNoun reports whether a German word has the ending of a common noun.
func commonNoun(w string) bool {
	for _, end := range []string{
		"ung", "heit", "keit", "schaft", "tion",
		"partner", "partnerin", "leiter", "leiterin", "vertreter", "vertreterin", "antrag",
		"plan", "vertrag", "brief", "bericht", "kosten", "haus", "anteil",
		"jahr", "nummer", "adresse", "schrift", "angebot", "stelle", "vorschlag", "frage", "konto", "wohnung", "firma",
	} {
		if strings.HasSuffix(w, end) {
			return true
		}
	}
	return false
}

var (
	// sentenceEnds end a Japanese sentence.
	sentenceEnds = []string{"でした", "です", "である", "になります", "となります", "になりました", "だった"}
	// honorifics follow a name, and are no part of it.
	honorifics = []string{"さん", "さま", "くん", "ちゃん", "先生", "女士", "小姐", "氏", "様", "君", "殿"}
	// superlatives say what a name before them is the most of.
	superlatives = []string{"が最", "が一番", "がもっとも", "がいちばん"}
	// cases are particles behind a value.
	cases = []string{"に", "を", "が", "で", "と", "へ", "から", "まで", "より", "の"}
)

// bareHan returns a text at some offset without the end of its sentence and without the honorific of a name. Behind
// a value, a particle and a verb are no text at all, as in "2時に始まり".
func bareHan(at int, text string, behind bool) (int, string) {
	for _, tail := range sentenceEnds {
		text = strings.TrimSuffix(text, tail)
	}
	for _, is := range superlatives { // as in "椿の間が最も多く"
		if i := strings.Index(text, is); i > 0 {
			text = text[:i]
		}
	}
	for _, h := range honorifics {
		name, ok := strings.CutSuffix(strings.TrimSuffix(text, "で"), h)
		if ok && utf8.RuneCountInString(name) > 1 && !kana(lastRune(name)) {
			text = name
			break
		}
	}
	if k := slices.IndexFunc(cases, func(c string) bool { return strings.HasPrefix(text, c) }); behind && k >= 0 {
		verb := strings.TrimLeftFunc(text[len(cases[k]):], func(r rune) bool { return han(r) })
		if strings.IndexFunc(verb, func(r rune) bool { return !kana(r) }) < 0 &&
			strings.ContainsRune("りるれたてしうくむぶすついけせえ", lastRune(verb)) {
			return at, ""
		}
	}
	return at, text
}

// kana reports whether a rune is a letter of hiragana, in which endings and particles are written.
func kana(r rune) bool { return unicode.Is(unicode.Hiragana, r) }

// roles are of people or parties, and a form of "is" and a name follow them.
var roles = sync.OnceValue(func() []string {
	return strings.Fields(`担当 担当者 責任者 氏名 名前 代表 代表者 社長 部長 課長 店長 院長 校長 会長 議長 委員長 司会 司会者 書記 著者 作者 作成者 承認者
 差出人 受取人 医師 講師 監督 契約者 借主 貸主 买方 卖方 负责人 联系人 姓名 经理 总经理 主任 医生 董事长 法定代表人 申请人`)
})

// role reports whether a text ends with a role.
func role(s string) bool {
	return slices.ContainsFunc(roles(), func(r string) bool { return strings.HasSuffix(s, r) })
}

// hanNames adds the names that follow a role in a sentence in Japanese or Chinese, where no capital shows them.
func (x *extractor) hanNames(at, end int) {
	for _, is := range []string{"は", "为", "是", "：", "為"} {
		for from := at; from < end; {
			i := strings.Index(x.answer[from:end], is)
			if i < 0 {
				break
			}
			before := x.answer[at : from+i]
			from += i + len(is)
			n := strings.IndexFunc(x.answer[from:end], func(r rune) bool { return !han(r) && r != '々' })
			if n < 0 {
				n = end - from
			}
			_, name := bareHan(from, x.answer[from:from+n], false)
			if k := utf8.RuneCountInString(name); k > 1 && k < 6 && role(before) && x.free(from, from+len(name)) {
				x.named(from, from+len(name), false)
			}
		}
	}
}
