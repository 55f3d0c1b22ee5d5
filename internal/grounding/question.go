package grounding

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// question is the question of the run, split into its body and an example of the answer's form.
type question struct {
	body    string
	example string
	words   []word // words of the body
	folded  set    // its telling words
	focus   set    // telling words of the question, and the answer's keys: a look can be about them
	langs   []map[string]numberWord
	numbers []quantity
	german  bool
	cased   bool // its language has cases of names
	years   bool // it asks when something was
	counts  bool // it asks how many there are
	among   int  // offset in the body of "which of", after which "and" joins alternatives; -1: none
}

// exampleMarks are folded words after which a question shows the form of the answer.
var exampleMarks = []string{
	"e.g.", "eg.", "for example", "for instance", "in the form", "in this form", "in the format", "as in",
	"like this", "reply as", "answer as", "respond as", "write as", "return as",
	"format:", "form:", "example:", "such as:", "in der form", "im format", "z. b.", "z.b.", "zum beispiel",
	"beispiel:", "antworte als", "antwort als", "etwa so", "par exemple", "p. ex.",
	"sous la forme", "au format", "por ejemplo", "p. ej.", "en la forma", "en el formato", "con el formato",
	"ad esempio", "per esempio", "nel formato", "bijvoorbeeld", "in de vorm", "por exemplo", "no formato",
	"reply with:", "reply in", "answer like", "reply like", "formatted as", "formatted like", "in the style",
	"comme", "like:", "wie:", "so:", "como:", "come:", "zoals:",
	"as follows:", "así:", "così:", "в формате", "в виде", "например", "例えば", "例:", "例：", "形式",
}

// askedOf parses a question.
func askedOf(text, shown string) question {
	text = text[:min(len(text), maxQuestion)]
	q := question{body: text, folded: set{}, focus: set{}}
	q.langs, q.german = languages(text+"\n"+shown[:min(len(shown), 4096)]), german(text)
	q.cased = !q.german && cased(text+" "+shown[:min(len(shown), 2048)]) &&
		!slices.ContainsFunc(foldedWords(text), englishWords.has)
	lower := strings.ToLower(text)
	if len(lower) == len(text) {
		for _, m := range exampleMarks {
			for from, n := 0, 0; n < 8; n++ {
				i := strings.Index(lower[from:], m)
				if i < 0 {
					break
				}
				i += from
				from = i + len(m)
				if isWord(lastRune(lower[:i])) && !alone(lastRune(lower[:i])) ||
					isWord(firstRune(lower[from:])) && !alone(firstRune(lower[from:])) {
					continue
				}
				end := sentenceEnd(text, from)
				for end > from && text[end-1] == ';' && goesOn(text[from:end-1], text[end:]) {
					end = sentenceEnd(text, end)
				}
				q.example += text[from:end] + "\n"
				q.body = q.body[:from] + strings.Repeat(" ", end-from) + q.body[end:]
				lower = lower[:from] + strings.Repeat(" ", end-from) + lower[end:]
			}
		}
	}
	q.words = appendWords(nil, q.body)
	q.numbers = quantities(nil, q.body, q.words, q.langs)
	q.years = spoken(q.words, whenWords)
	q.counts = spoken(q.words, countWords)
	q.among = -1
	lower = strings.ToLower(q.body)
	for _, of := range []string{
		"which of", "who of", "which one of", "between", "welche von", "welcher von",
		"welches von", "wer von", "lequel de", "laquelle de", "cuál de", "quale tra", "chi tra", "welke van",
	} {
		i := strings.Index(lower, of)
		if i >= 0 && !(of == "between" && isDigit(byteAt(lower, i+len("between ")))) { // as in "between 2005 and 2023"
			q.among = i
		}
	}
	for i, w := range q.words {
		if i > 0 && q.body[q.words[i-1].end:w.at] == "-" { // "Wi-Fi" may be "wifi"
			q.focus[q.words[i-1].text+w.text] = struct{}{}
		}
		if telling(w.text) {
			q.folded[w.text] = struct{}{}
			q.focus[w.text] = struct{}{}
		}
	}
	return q
}

// telling reports whether a folded word has meaning of its own.
func telling(w string) bool {
	return (len(w) > 2 || len(w) == 2 && w[0] >= 0x80) && !hollow.has(w) && !isDigit(w[0]) ||
		len(w) >= 3 && w[0] >= 0xe3
}

// sentenceEnd returns the end of the sentence that continues at p. A full stop after an abbreviation, an
// initial or an ordinal number does not end it.
func sentenceEnd(s string, p int) int {
	for i := p; i < len(s); i++ {
		if s[i] == '\n' {
			return i
		}
		if strings.IndexByte(".!?;", s[i]) < 0 || i+1 < len(s) && s[i+1] != ' ' && s[i+1] != '\n' || i <= p+2 ||
			s[i] == ';' && bracketed(s[p:i]) {
			continue
		}
		w := s[p:i]
		w = w[strings.LastIndexAny(w, " \n(")+1:]
		if money(w) != "" && isDigit(byteAt(s, i+2)) { // as in "Fr. 480"
			continue
		}
		w = fold(w)
		initial := len([]rune(w)) <= 1 && w != "€" && w != "%"
		if s[i] == '.' && i+1 < len(s) && (initial ||
			titles.has(w) || len(w) <= 3 && (labels.has(w) || isDigit(w[0]) && !strings.ContainsAny(w, ".,") ||
			vagueWords.has(w) || scales[w] > 1e3 || !hollow.has(w) && isDigit(byteAt(s, i+2)))) { // as in "kl. 9"
			continue
		}
		return i + 1
	}
	return len(s)
}

// goesOn reports whether an example goes on behind a semicolon as it began, as in "L-1 (12.5 kg); L-2 (9.0 kg)".
func goesOn(before, behind string) bool {
	kind := func(s string) (digit, capital bool) {
		r := firstRune(strings.TrimLeft(s, " :"))
		return unicode.IsDigit(r), unicode.IsUpper(r)
	}
	a, b := kind(before)
	c, d := kind(behind)
	return a && c || b && d
}

// portuguese are words of the language in which "o" is no "or".
var portuguese = words("quantos quantas quem tem um uma em com foi foram dos das nos nas os é são não")

var ors = words("or oder ou o или または vagy eller ή")

// offers reports whether the words from i to j of the body are one of its alternatives, as in "Ada, Ben or Cyd".
func (q *question) offers(i, j int) bool {
	or := func(k int) bool {
		w := q.words[k]
		article := w.text == "o" && spoken(q.words, portuguese)
		return ors.has(w.text) && !article && !strings.EqualFold(q.body[w.at:w.end], "où") ||
			q.among >= 0 && w.at > q.among && ands.has(w.text)
	}
	lettered := func(k int) bool { // as in "A) 1911"
		return k >= 0 && k+1 < len(q.words) && len(q.words[k].text) == 1 &&
			strings.HasPrefix(q.body[q.words[k].end:], ") ")
	}
	if lettered(i) || lettered(i-1) || q.shared(j) && q.offers(i, j+1) {
		return true
	}
	before, after := i-1, j
	light := func(w string) bool { // as in "or is it worldwide", "or no contest"
		return articles.has(w) || prepositions.has(w) || copulas.has(w) || pronouns.has(w) || negations.has(w)
	}
	for before >= 0 && light(q.words[before].text) {
		before--
	}
	if before >= 0 && or(before) && adjacent(q.body, q.words[before:i+1]) {
		return true
	}
	if after >= len(q.words) {
		return false
	}
	if or(after) && adjacent(q.body, q.words[j-1:after+1]) {
		return true
	}
	// The words are followed by a comma and, after only short items, by an "or".
	end := q.words[j-1].end
	comma := strings.HasPrefix(q.body[end:], ",") || strings.HasPrefix(q.body[end:], "、")
	if among := q.among >= 0 && q.words[i].at > q.among; among &&
		(comma || i > 0 && strings.Trim(q.body[q.words[i-1].end:q.words[i].at], " ") == ",") {
		return true
	}
	if !comma {
		return false
	}
	items := 0
	for k := j; k < len(q.words) && k < j+24; k++ {
		if gap := q.body[q.words[k-1].end:q.words[k].at]; strings.ContainsAny(gap, ",、") {
			items = 0
		} else if strings.ContainsAny(gap, ".?!;:") && strings.ContainsAny(gap, " \n") {
			return false
		}
		if or(k) {
			return true
		}
		if items++; items > 4 {
			return false
		}
	}
	return false
}

// shared reports whether the question has its word j again, as in "in common time or triple time".
func (q *question) shared(j int) bool {
	return j > 0 && j < len(q.words) && len(q.words[j].text) > 2 && q.body[q.words[j-1].end:q.words[j].at] == " " &&
		slices.ContainsFunc(q.words[j+1:min(len(q.words), j+8)], func(w word) bool { return w.text == q.words[j].text })
}

// adjacent reports whether only spaces, commas and quotes separate the words.
func adjacent(s string, ws []word) bool {
	for i := 1; i < len(ws); i++ {
		if strings.Trim(s[ws[i-1].end:ws[i].at], " ,\n\"'“”„«»") != "" {
			return false
		}
	}
	return true
}

var articles = words(`a an the der die das ein eine einen einem le la les un une el los las uno una il lo gli i
 het een o os as um uma l`)

var whenWords = words(`when year date since wann jahr datum seit quand annee cuando ano quando anno wanneer jaar когда год 何 年`)

var countWords = words(`often oft souvent menudo spesso vaak
 many count number viele anzahl combien nombre cuantos cuantas quanti quante hoeveel aantal quantos quantas сколько いくつ`)

// choice reports whether folded words are one of the question's alternatives.
func (q *question) choice(ws []string) bool {
	for i := 0; i+len(ws) <= len(q.words) && i < 2000; i++ {
		k := 0
		for k < len(ws) && like(q.words[i+k].text, ws[k]) {
			k++
		}
		if k == len(ws) && q.offers(i, i+k) && !(len(ws) == 1 && yesWords.has(ws[0])) {
			return true
		}
	}
	return false
}

// holds reports whether the question contains a word.
func (q *question) holds(w string) bool {
	for f := range q.folded {
		if like(f, w) {
			return true
		}
	}
	return false
}

// inflects reports whether the question contains all of some words in some form.
func (q *question) inflects(ws []word) bool {
	return !slices.ContainsFunc(ws, func(w word) bool { return common([]word{w}, q.words) == 0 })
}

// which reports whether the question asks which one of the things that a word names.
func (q *question) which(w string) bool {
	for i := range max(0, len(q.words)-1) {
		if relatives.has(q.words[i].text) || q.words[i].text == "what" {
			if like(q.words[i+1].text, w) {
				return true
			}
		}
	}
	return false
}

// asks reports whether the question asks which one of the things that a word names, or what it is.
func (q *question) asks(w string) bool {
	for i := range max(0, len(q.words)-2) {
		if q.words[i].text == "what" && copulas.has(q.words[i+1].text) && articles.has(q.words[i+2].text) {
			k := i + 3
			for k+1 < len(q.words) && !hollow.has(q.words[k+1].text) && q.body[q.words[k].end:q.words[k+1].at] == " " {
				k++
			}
			if k < len(q.words) && like(q.words[k].text, w) {
				return true
			}
		}
	}
	return q.which(w)
}

// enumerates reports whether a word before a number is the singular of one of the question, as in "reviewer 2 gives".
func (q *question) enumerates(label string) bool {
	for f := range q.folded {
		if label != "" && len(f) > len(label) && like(f, label) {
			return true
		}
	}
	return false
}

// keys returns words of the question that may be keys of rows, which show to which row a number belongs.
func (q *question) keys() []*claim {
	var out []*claim
	for i, w := range q.words {
		text := q.body[w.at:w.end]
		if j := strings.IndexAny(q.body[w.at:], " \n\t,;?"); j > 0 {
			text = strings.TrimRight(q.body[w.at:w.at+j], ".:!\"')")
		}
		c := &claim{kind: aName, at: w.at, hidden: true, soft: true, row: -1, text: text, pieces: [][]string{{w.text}}}
		letter := len(text) == 1 && text >= "B" && text <= "Z" && text != "I"
		before := i - 1
		if i > 2 && ands.has(q.words[i-1].text) && isDigit(q.words[i-2].text[0]) { // as in "lines 1 and 3"
			before = i - 3
		}
		numbered := i > 0 && len(w.text) < 4 && strings.Trim(w.text, "0123456789") == "" &&
			telling(q.words[before].text) && q.body[q.words[i-1].end:w.at] == " "
		amount := len(text) > 4 && isDigit(text[0]) && strings.Trim(text, "0123456789.,'") == ""  // "from 277.826 €"
		if id := isID(text); id || amount || numbered && strings.Trim(text, "0123456789") == "" { // as in "bus 22"
			c.identify(text)
		} else if !telling(w.text) && !letter {
			continue
		}
		if out = append(out, c); len(out) == 40 {
			break
		}
	}
	return out
}

// names reports whether a word is a number of the question with at least two digits.
func (q *question) names(w word) bool {
	return len(w.text) > 1 && isDigit(w.text[0]) && slices.ContainsFunc(q.numbers, func(n quantity) bool {
		return slices.ContainsFunc(
			n.values, func(v reading) bool { return strconv.FormatFloat(v.value, 'f', -1, 64) == w.text })
	})
}
