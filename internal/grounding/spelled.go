package grounding

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// numberLists are the words of each language for zero to nineteen, for the tens, and for the first ordinals,
// and words that are typical of the language.
var numberLists = [...]struct {
	lang  string
	lists [4]string
}{
	{"en", [4]string{
		`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
 seventeen eighteen nineteen`, "twenty thirty forty fifty sixty seventy eighty ninety",
		`first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
 fifteenth sixteenth seventeenth eighteenth nineteenth twentieth`, "",
	}},
	{"de", [4]string{
		`null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn
 siebzehn achtzehn neunzehn`, "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
		"erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte elfte zwölfte", germanMarks,
	}},
	{"fr", [4]string{
		`zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept
 dix-huit dix-neuf`, "vingt trente quarante cinquante soixante soixante-dix quatre-vingts quatre-vingt-dix",
		"premier deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième", `le la les des du est sont dans pour sur avec et combien quel quelle quels quelles une qui il ont été a
 au aux`,
	}},
	{"es", [4]string{
		`cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis
 diecisiete dieciocho diecinueve`, "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
		"primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo",
		"el los las del es son en para con y cuántos cuántas cuál qué una quién fue por se hay",
	}},
	{"it", [4]string{
		`zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici
 sedici diciassette diciotto diciannove`, "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
		"primo secondo terzo quarto quinto sesto settimo ottavo nono decimo",
		"il lo gli della dei delle è sono nel nella per con e quanti quante quale una chi di",
	}},
	{"nl", [4]string{
		`nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien
 zeventien achttien negentien`, "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
		"eerste tweede derde vierde vijfde zesde zevende achtste negende tiende", "het een van zijn met voor niet welke hoeveel wie en de werd op",
	}},
	{"ru", [4]string{
		`ноль один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать
 четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать`, "двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто",
		"", "и в на не что кто сколько какой какая по из с",
	}},
	{"pt", [4]string{
		`zero um dois três quatro cinco seis sete oito nove dez onze doze treze quatorze quinze dezesseis
 dezessete dezoito dezenove`, "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
		"primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono décimo", "os as do da dos das são em para com e quantos quantas qual uma quem foi não no na",
	}},
	{"sv", [4]string{
		`noll ett två tre fyra fem sex sju åtta nio tio elva tolv tretton fjorton femton sexton sjutton arton
 nitton`, "tjugo trettio fyrtio femtio sextio sjuttio åttio nittio",
		"första andra tredje fjärde femte sjätte sjunde åttonde nionde tionde", "och att är på av hur många vilken vem inte också",
	}},
	{"da", [4]string{
		`nul en to tre fire fem seks syv otte ni ti elleve tolv tretten fjorten femten seksten sytten atten
 nitten`, "tyve tredive fyrre halvtreds tres halvfjerds firs halvfems",
		"første anden tredje fjerde femte sjette syvende ottende niende tiende", "og på af hvor hvilken hvad hvornår hvem ikke også blev",
	}},
	{"pl", [4]string{
		`zero jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście trzynaście
 czternaście piętnaście szesnaście siedemnaście osiemnaście dziewiętnaście`, `dwadzieścia trzydzieści
 czterdzieści pięćdziesiąt sześćdziesiąt siedemdziesiąt osiemdziesiąt dziewięćdziesiąt`,
		"", "jest nie się są ile które kto oraz przez dla został",
	}},
	{"tr", [4]string{
		"sıfır bir iki üç dört beş altı yedi sekiz dokuz on", "yirmi otuz kırk elli altmış yetmiş seksen doksan",
		"", "ve bu ile için ne kadar kim kaç hangi olarak",
	}},
}

// numberWord is the value of a number in words.
type numberWord struct {
	value   int
	ordinal bool
}

// numerals are the number words of each language: English ones count in every text, others only in their own.
var numerals = sync.OnceValue(func() map[string]map[string]numberWord {
	out := map[string]map[string]numberWord{}
	for _, n := range numberLists {
		lang, lists := n.lang, n.lists
		m := map[string]numberWord{}
		small := strings.Fields(lists[0])
		for i, w := range small {
			m[fold(w)] = numberWord{value: i}
		}
		for i, w := range strings.Fields(lists[1]) {
			m[fold(w)] = numberWord{value: 20 + 10*i}
			for j, one := range small[1:10] { // as in "dreiundzwanzig"
				switch lang {
				case "de":
					m[fold(strings.TrimSuffix(one, "s")+"und"+w)] = numberWord{value: 21 + 10*i + j}
				case "nl":
					m[fold(one+"en"+w)] = numberWord{value: 21 + 10*i + j}
				case "sv":
					m[fold(w+one)] = numberWord{value: 21 + 10*i + j}
				case "da":
					m[fold(one+"og"+w)] = numberWord{value: 21 + 10*i + j}
				case "it", "es": // as in "ventuno", "veintidós"
					m[fold(w+one)], m[fold(w[:len(w)-1]+one)] = numberWord{value: 21 + 10*i + j},
						numberWord{value: 21 + 10*i + j}
					m[fold(w[:len(w)-1]+"i"+one)] = numberWord{value: 21 + 10*i + j}
				}
			}
		}
		large(lang, m)
		if often := map[string]string{"de": "mal", "nl": "maal"}[lang]; often != "" {
			for i, w := range small[2:13] {
				m[fold(w)+often] = numberWord{value: i + 2}
			}
		}
		for i, w := range strings.Fields(lists[2]) {
			m[fold(w)] = numberWord{i + 1, true}
			for _, end := range []string{"r", "n", "s", "m"} {
				if lang == "de" {
					m[fold(w)+end] = numberWord{i + 1, true}
				}
			}
		}
		if lang == "es" || lang == "pt" || lang == "it" {
			for i, w := range strings.Fields(lists[2]) {
				m[fold(w[:len(w)-1]+"a")] = numberWord{i + 1, true}
			}
		}
		// These are also articles, or "other".
		for _, w := range []string{"andra", "anden", "un", "uno", "um", "een", "ett", "en", "bir"} {
			delete(m, w)
		}
		if lang == "fr" {
			m["quatre-vingt"] = numberWord{value: 80}
		}
		out[lang] = m
	}
	out["en"]["twice"], out["en"]["thrice"] = numberWord{value: 2}, numberWord{value: 3}
	for i, r := range []string{"〇", "一", "二", "三", "四", "五", "六", "七", "八", "九", "十"} {
		out["en"][r] = numberWord{value: i}
	}
	return out
})

// marks maps words to the languages that they are typical of.
var marks = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for _, n := range numberLists {
		for w := range words(n.lists[3]).all() {
			out[w] = append(out[w], n.lang)
		}
	}
	return out
})

// languages returns the number words that count in a text like this.
func languages(s string) []map[string]numberWord {
	counts, best := map[string]int{}, 2
	for w := range wordsOf(s[:min(len(s), 8192)]) {
		if isDigit(w.text[0]) {
			continue
		}
		for _, lang := range marks()[w.text] {
			if counts[lang]++; countWords.has(w.text) {
				counts[lang]++
			}
			best = max(best, counts[lang])
		}
	}
	out := []map[string]numberWord{numerals()["en"]}
	for lang, n := range counts {
		if n >= max(2, best/2) {
			out = append(out, numerals()[lang])
		}
	}
	return out
}

// numberStems has the hashes of the stems of all words that start a number or a time.
var numberStems = sync.OnceValue(func() *[1 << 12]bool {
	var out [1 << 12]bool
	mark := func(w string) { out[stemHash(w)] = true }
	for _, l := range numerals() {
		for w := range l {
			mark(w)
		}
	}
	for _, w := range halves {
		mark(w)
	}
	for w := range parts {
		mark(w)
	}
	for w := range halved {
		mark(w)
	}
	for _, w := range []string{"un", "uno", "una", "um", "uma", "een", "eine"} {
		mark(w)
	}
	return &out
})

// spellable reports at the cost of a glance whether the word i can start a number or a time in words.
func spellable(s string, ws []word, i int) bool {
	w := ws[i]
	return numberStems()[stemHash(w.text)] || roman(s[w.at:wordEnd(s, w.at)]) > 0 ||
		i > 0 && articles.has(ws[i-1].text)
}

// numeralIn returns the number that a word means in the first of some languages that has it.
func numeralIn(langs []map[string]numberWord, w string) (n numberWord, ok bool) {
	for _, l := range langs {
		if n, ok = l[w]; ok {
			return n, ok
		}
	}
	return n, false
}

// spelled reads a Roman numeral or a number in words at the word i: "twenty-three", "three hundred and twelve".
func spelled(s string, ws []word, i int, langs []map[string]numberWord) (quantity, bool) {
	w := ws[i]
	q := quantity{at: w.at, num: w.at, end: w.end, scale: 1, word: true, digits: 1}
	n, ok := numberOf(langs, w.text)
	if whole, half := strings.CutSuffix(w.text, "einhalb"); half && !ok { // as in "zweieinhalb Stunden"
		if n, ok = numberOf(langs, whole); ok {
			q.values, q.digits = []reading{{float64(n.value) + 0.5, 0}}, 2
			q.behind(s)
			return q, true
		}
	}
	next := i + 1
	for k := min(i+3, len(ws)-1); k > i && byteAt(s, w.end) == '-'; k-- { // as in "dix-huit"
		joined := fold(s[w.at:ws[k].end])
		if m, found := numeralIn(langs, joined); found && strings.Contains(joined, "-") {
			n, ok, next, q.end = m, true, k+1, ws[k].end
			break
		}
	}
	if part, found := q.part(s, ws, i); found && !(ok && n.value >= 1000) {
		return part, true
	}
	if !ok {
		end := wordEnd(s, w.at)
		v := roman(s[w.at:end])
		ordinal := end == w.end || end > w.at+1 && slices.Contains(centuries, s[end:w.end]) // XVIIth
		if v <= 0 || !ordinal || end == w.at+1 && !(i > 0 && labels.has(ws[i-1].text)) ||
			byteAt(s, w.end) == '-' && isDigit(byteAt(s, w.end+1)) { // CM-310
			return q, false
		}
		q.values, q.rank, q.digits = []reading{{float64(v), 0}}, true, len(strconv.Itoa(v))
		return q, true
	}
	total, part := 0.0, float64(n.value)
	if n.value >= 1000 {
		total, part = part, 0
	}
	q.rank = n.ordinal
	and := false
	for j := next; j < len(ws) && j < i+12 && !q.rank; j++ {
		gap := strings.TrimSpace(s[ws[j-1].end:ws[j].at])
		v, found := numberOf(langs, ws[j].text)
		f := scales[ws[j].text]
		below := 0.0 // upper bound of the number that may follow
		switch p := int(part); {
		case i+1 == j && p > 14 && p < 21 && total == 0 && v.value > 9 && v.value < 100 && !v.ordinal && gap == "":
			part, below = part*100, 100 // a year, as in "nineteen thirty-six"
		case p == 0 && total > 0 && int(total)%1000 == 0:
			below = 1000
		case p == 60 && (and || ws[j-1].text == "soixante") || p == 80 && ws[j-1].text == "vingt":
			below = 20
		case p >= 100 && p%100 == 0:
			below = 100
		case p >= 20 && p%10 == 0:
			below = 10
		}
		if below >= 10 && ones.has(ws[j].text) && (and || part < 100) {
			v, found = numberWord{value: 1}, true
		}
		switch {
		case gap != "" && gap != "-":
			j = len(ws)
			continue
		case found && v.value > 0 && float64(v.value) < below:
			part += float64(v.value)
			q.rank, and = v.ordinal, false
		case (ws[j].text == "hundred" || found && v.value == 100) && part > 0 && part < 100:
			part *= 100
		case f >= 10 && len(ws[j].text) > 1:
			total, part = (total+part)*f, 0
		case !and && below > 0 && (joins.has(ws[j].text) || ws[j].text == "and" && part >= 100):
			and = true
			continue
		default:
			j = len(ws)
			continue
		}
		q.end = ws[j].end
	}
	q.values, q.digits = []reading{{total + part, 0}}, len(strconv.Itoa(int(total+part)))
	if v := total + part; v > 0 && v < 10 && !q.rank {
		if of, end := partsAt(s, q.end); of > v {
			q.values, q.end, q.digits = []reading{{v / of, 0.005}}, end, 2
			q.ofUnit(s)
			return q, true
		}
	}
	if of, end := oneIn(s, ws, next, langs); total+part == 1 && !q.rank && of > 0 {
		q.values, q.end, q.digits = []reading{{1 / of, 0}}, end, 2
		return q, true
	}
	if !q.rank {
		if n := halfAt(s[q.end:]); n > 0 {
			q.values, q.end = []reading{{total + part + 0.5, 0}}, q.end+n
		}
		if at, end := wordAfter(s, q.end); at < 0 || !joins.has(s[at:end]) { // the y of years is also "and"
			q.behind(s)
		}
		if n := halfAt(s[q.end:]); n > 0 && q.units != nil { // as in "dos horas y media"
			q.values, q.end = []reading{{total + part + 0.5, 0}}, q.end+n
		}
		q.inside = false
	}
	often := strings.HasSuffix(w.text, "mal") || strings.HasSuffix(w.text, "maal")
	if w.text == "twice" || w.text == "thrice" || q.units == nil && often {
		q.units = []unit{{"times", 1}}
	}
	return q, true
}

// part reads a half or a number behind an article at the word i: "half a million", "a dozen", "a quarter of".
func (q quantity) part(s string, ws []word, i int) (quantity, bool) {
	w := ws[i]
	if span, ok := q.spanAt(s, ws, i); ok {
		return span, true
	}
	if slices.Contains(halves, w.text) {
		q.values = []reading{{0.5, 0}}
		if j := i + 1; j+1 < len(ws) && articles.has(ws[j].text) && adjacent(s, ws[i:j+2]) { // as in "half a million"
			end := q.end
			q.end, q.digits = ws[j].end, 2
			if q.behind(s); q.end == ws[j].end {
				q.end = end
			}
			q.inside = false
		}
		return q, true
	}
	if i > 0 && articles.has(ws[i-1].text) { // as in "a dozen", "a quarter of", "an hour and a half"
		if u := lookUnit(s[w.at:w.end]); u != nil && (u[0].kind == "time" || u[0].kind == "months") {
			if n := halfAt(s[w.end:]); n > 0 {
				q.at, q.units, q.values, q.end, q.digits = ws[i-1].at, u, []reading{{1.5, 0}}, w.end+n, 2
				return q, true
			}
		}
		of, f := parts[w.text], scales[w.text]
		if w.text == "hundred" {
			f = 100
		}
		switch {
		case of > 0 && (i+1 == len(ws) || hollow.has(ws[i+1].text) || pausing(s[w.end:ws[i+1].at], ",;:)") ||
			of == 4 && s[w.end:ws[i+1].at] == " " && lookUnit(ws[i+1].text) != nil): // as in "a quarter litre"
			q.at, q.values, q.digits = ws[i-1].at, []reading{{1 / of, 0}}, 2
			q.ofUnit(s)
			return q, true
		case f >= 10 && len(w.text) > 3:
			q.at, q.values, q.digits = ws[i-1].at, []reading{{f, 0}}, 2
			return q, true
		}
	}
	return q, false
}

// oneIn reads what follows the "one" of "one in eight" or "one hive in ten" from the word i on.
func oneIn(s string, ws []word, i int, langs []map[string]numberWord) (of float64, end int) {
	for k := i; k < i+2 && k+1 < len(ws); k++ {
		n, ok := numberOf(langs, ws[k+1].text)
		if ws[k].text == "in" && ok && !n.ordinal && n.value > 1 && n.value < 100 && adjacent(s, ws[i-1:k+2]) {
			return float64(n.value), ws[k+1].end
		}
	}
	return 0, 0
}

// joins join the parts of a number.
var joins = words("et y e")

// centuries are the endings of Roman numerals that are ordinals.
var centuries = []string{"th", "st", "nd", "rd", "e", "ème"}

// halfAt returns the length of a phrase that adds one half to the number before it, 0 if there is none.
func halfAt(s string) int {
	for _, h := range []string{
		" and a half", "-and-a-half", " et demie", " et demi", " y medio", " y media",
		" e mezzo", " e mezza", " e meia", " och en halv", " och ett halvt", " en een half", " en een halve", " i pół",
	} {
		if strings.HasPrefix(s, h) && !isWord(firstRune(s[len(h):])) {
			return len(h)
		}
	}
	return 0
}

// halves are the folded words for one half.
var halves = []string{"half", "halfte", "moitie", "mitad", "meta", "helft", "metade", "половина"}

// parts maps the words for fractions to their denominators.
var parts = map[string]float64{
	"third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourths": 4, "fifth": 5, "fifths": 5, "sixth": 6,
	"sixths": 6, "eighth": 8, "eighths": 8,
	"tenth": 10, "tenths": 10, "drittel": 3, "viertel": 4, "funftel": 5, "achtel": 8, "zehntel": 10, "tiers": 3,
	"quarts": 4, "dritteln": 3, "vierteln": 4, "funfteln": 5, "achteln": 8, "zehnteln": 10,
	"cinquiemes": 5, "tercios": 3, "cuartos": 4, "quintos": 5, "terzi": 3, "quarti": 4, "quinti": 5,
}

// partsAt reads the fraction after a number: 3 for the thirds of "two thirds".
func partsAt(s string, p int) (of float64, end int) {
	at, end := wordAfter(s, p)
	if at < 0 || s[p:at] != " " && s[p:at] != "-" {
		return 0, p
	}
	return parts[fold(s[at:end])], end
}

// roman returns the value of a Roman numeral in capitals, or 0.
func roman(s string) int {
	if len(s) > 15 {
		return 0
	}
	n := 0
	for i := 0; i < len(s); i++ {
		v := romanDigit(s[i])
		if v == 0 {
			return 0
		}
		if i+1 < len(s) && v < romanDigit(s[i+1]) {
			v = -v
		}
		n += v
	}
	return n
}

func romanDigit(c byte) int {
	switch c {
	case 'I':
		return 1
	case 'V':
		return 5
	case 'X':
		return 10
	case 'L':
		return 50
	case 'C':
		return 100
	case 'D':
		return 500
	case 'M':
		return 1000
	}
	return 0
}
