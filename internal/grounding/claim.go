package grounding

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// kind is the kind of a claim.
type kind int

const (
	aNumber   kind = iota // a number, a date or a time
	aName                 // consecutive words: a name, a key, a short answer
	anID                  // an identifier, a path, a mark
	aQuote                // words that the answer quotes from the text
	aStance               // yes, no, true, false
	aChoice               // one of the alternatives that the question offers
	anAbsence             // the claim that something is missing from the text
	aBlank                // a placeholder that was never filled
	aStatus               // one of two opposite words, such as passed and failed
)

// claim is a value of the answer, with the state of the search for its place.
type claim struct {
	kind
	at, end int // offsets in the answer
	text    string
	soft    bool // counts only if it is found: it may not be a claim
	column  bool // soft, and a number follows its colon, as in a list of keys and numbers
	hidden  bool // a word that only shows which row a number belongs to
	digits  bool // it is a telephone number
	nul     bool // it is JSON's null
	told    bool // it tells what is to be done: a text may have articles where it has none
	row     int  // index of the sentence or line of the answer that contains it

	q      quantity   // the value, if the claim is a number
	plain  *quantity  // the number that a time such as 17.05 may be
	year   int        // the number as a year, if it is one
	month  int        // the month, for a name that is just a month
	noun   string     // the thing that a number counts
	pieces [][]string // folded words, except of numbers; a quotation with gaps has several pieces
	alt    [][]string // other spellings, sufficient if all are found
	id     string     // lower-case characters of an identifier

	leads   []uint16 // possible first digits of a number; see the function leads
	stems   []uint   // hashes of the stems of its words
	next    int      // the next piece of a quotation to find
	altSeen []bool   // which of alt have been found
	hits    int      // matches in the current text
	met     int      // matches in all texts

	place    *Where
	why      string
	said     bool // before it had a place, the model wrote it as a literal in this cell or one whose variables it uses
	put      bool // and put it into a text with it, in place of what stood there
	literal  bool // it is a literal of some cell
	wrote    int  // number of texts that were read when the model first stated it as a literal, 0 if it did not
	neutral  bool // it repeats the question
	heads    bool // the number after it belongs to it, as to the 404 of "404: 12"
	mean     bool // the answer calls it a mean or a sum
	strange  bool // a text has it in a record of another thing than the question names
	ordinary bool // it also stands elsewhere
	agreed   bool // a yes or no, or a choice: an output gives what was asked the same value
	opposed  bool // an output gives it another
	asserts  []assertion
	asked    bool // a status that the question asks for
	counted  bool // hidden: it names what a number counts
	promoted bool // hidden, and found as the key of a row
	first    bool // it begins a row of a table

	sought  bool            // a search, a comparison or an index has it as a literal
	echoes  []echo          // what surrounds it in literals that the model stated
	formats []string        // the parts of formats in which the model wrote it
	stated  bool            // it wrote it elsewhere, too
	saidBy  map[string]bool // variables of the cells that wrote it as a literal; true if they put it into a text

	tabled   bool     // found in a row of a table
	summed   bool     // found in a row of a sum or a difference
	free     bool     // also found outside of tables
	inRows   int      // number of table rows that contain it
	inRow    int      // start of the last of these rows
	inTexts  uint64   // bit set of the texts with these rows
	fed      bool     // the prompt of the sub-call that is read tells it
	overRows bool     // a year in a heading of columns, which belongs to all rows below
	isHead   bool     // it is written as the key of numbers in a row, as in "p95=12"
	mates    []uint64 // bit set of claims found in the same row
	around   []string // words next to a number in the answer
	since    int      // where the number before it in its sentence ends, or the sentence starts
	until    int      // where the number after it starts, or the sentence ends
	records  []span   // the records of the current text that have it
	untold   uint64   // bit set of the sorts of the numbers of its rows that the answer does not have
	besides  set      // words of its table rows; for a number, only those that are also in around
}

// paired reports whether the claim must be in the row of its key: it is a number or a version.
func (c *claim) paired() bool { return c.kind == aNumber || c.version() }

// quantile reports whether the number at p of a text is that of a quantile which the claim gives as a share: "90 %" is
// what "p90=12" is about, though the cell wrote that name.
func (c *claim) quantile(s string, p int) bool {
	return c.kind == aNumber && len(c.q.units) > 0 && c.q.units[0].kind == percent && p > 0 && s[p-1]|0x20 == 'p'
}

// version reports whether the claim is a version, such as 3.0.13.
func (c *claim) version() bool {
	return c.kind == anID && strings.Count(c.id, ".") == 2 && strings.Trim(c.id, "0123456789.") == ""
}

// Bounds on the work, so that a hostile log costs little.
const (
	maxClaims    = 500
	maxAnswer    = 128 << 10
	maxSentence  = 4 << 10
	maxQuestion  = 32 << 10
	maxVariable  = 1 << 20
	maxVariables = 64       // names in saidBy
	maxWork      = 30 << 20 // number of comparisons
)

// answerRow is a sentence, a line or an item of the answer.
type answerRow struct {
	at, end int
	words   []string // only telling words
}

// extractor finds the claims of an answer.
type extractor struct {
	answer   string
	original string // the answer as it was written, if digits of other scripts were replaced in it
	q        *question
	german   bool
	claims   []*claim
	rows     []answerRow
	beyond   int
	used     []bool // marks bytes that belong to a claim
	texts    map[string]bool
}

// extract finds the claims of an answer.
func extract(answer string, q *question) *extractor {
	x := &extractor{q: q, texts: map[string]bool{}}
	if len(answer) > maxAnswer {
		x.beyond++
		answer = strings.ToValidUTF8(answer[:maxAnswer], "")
	}
	x.answer = withoutTags(answer)
	x.westernise()
	x.german = german(answer) || q.german && len(answer) < 200
	x.used = make([]bool, len(x.answer))
	if !x.json() {
		x.text(0, len(x.answer))
	}
	for _, c := range x.claims { // what stands in quotes was found before the rows
		n, _ := slices.BinarySearchFunc(x.rows, c.at, func(r answerRow, p int) int { return r.end - p - 1 })
		if n < len(x.rows) && x.rows[n].at <= c.at {
			c.row = n
		}
	}
	return x
}

// add adds a claim, unless it is a duplicate or there are too many.
func (x *extractor) add(c claim) *claim {
	c.text = x.answer[c.at:c.end]
	c.row = len(x.rows) - 1
	for i := c.at; i < c.end; i++ {
		x.used[i] = true
	}
	switch c.kind {
	case aNumber, aStance, anAbsence:
	default:
		key := string(rune('0'+c.kind)) + fold(c.text[:min(len(c.text), 256)])
		if x.texts[key] {
			return nil
		}
		x.texts[key] = true
	}
	if len(x.claims) >= maxClaims {
		if !c.soft && !c.hidden {
			x.beyond++
		}
		return nil
	}
	kept := c // only now it costs memory
	x.claims = append(x.claims, &kept)
	return &kept
}

func (x *extractor) free(at, end int) bool {
	for i := at; i < end; i++ {
		if x.used[i] {
			return false
		}
	}
	return true
}

// begin starts a row of the answer.
func (x *extractor) begin(at, end int) {
	r := answerRow{at: at, end: end}
	for _, w := range appendWords(nil, x.answer[at:min(end, at+4096)]) {
		if telling(w.text) && len(r.words) < 64 {
			r.words = append(r.words, w.text)
		}
	}
	x.rows = append(x.rows, r)
}

// words returns the words of the answer between two offsets.
func (x *extractor) words(at, end int) []word {
	ws := appendWords(nil, x.answer[at:end])
	for i := range ws {
		ws[i].at += at
		ws[i].end += at
	}
	return ws
}

// texts returns the folded words.
func texts(ws []word) []string {
	out := make([]string, len(ws))
	for i, w := range ws {
		out[i] = w.text
	}
	return out
}

// foldedWords returns the folded words of a text.
func foldedWords(s string) []string { return texts(appendWords(nil, s)) }

// named adds the words of the answer from at to end as an identifier, a choice or a name. The point of an
// abbreviation such as Ltd. is included.
func (x *extractor) named(at, end int, soft bool) *claim {
	if i := strings.LastIndexByte(x.answer[at:end], ' '); i > 0 && byteAt(x.answer, end) == '.' &&
		forms.has(fold(strings.TrimSpace(x.answer[at+i:end]))) {
		end++
	}
	c := claim{kind: aName, at: at, end: end, soft: soft}
	text := x.answer[at:end]
	plainly := fold(text) != strings.ToLower(text) && !strings.ContainsAny(text, "0123456789_@\\") // as in Bodø/Glimt
	if isID(text) && !plainly || x.grouped(at, end) == end-at {
		c.identify(text)
		return x.add(c)
	}
	ws := foldedWords(text)
	for len(ws) > 1 && titles.has(ws[0]) {
		ws = ws[1:]
	}
	if len(ws) == 0 {
		return nil
	}
	c.pieces = [][]string{ws}
	c.tell(text)
	if !soft && x.q.choice(ws) {
		c.kind = aChoice
	}
	for k := 1; k < len(ws)-1 && c.kind == aName; k++ { // a particle may join two names
		if j := k + 1; particles.has(ws[k]) && !(ws[k] == "de" && len(ws) == 3) { // "Anneke de Boer" is one
			for j < len(ws)-1 && particles.has(ws[j]) {
				j++
			}
			c.alt = [][]string{ws[:k], ws[j:]}
			break
		}
	}
	return x.add(c)
}

// identify turns a claim into an identifier.
func (c *claim) identify(text string) {
	c.kind = anID
	c.digits = strings.Trim(text, "0123456789+-/(). ") == ""
	c.id = strings.ToLower(strings.Trim(text, "()[]^ "))
	for c.id != "" && !isWord(firstRune(c.id)) {
		_, n := utf8.DecodeRuneInString(c.id)
		c.id = c.id[n:]
	}
	if len(c.id) > 2 && c.id[0] == 'v' && isDigit(c.id[1]) {
		c.id = c.id[1:]
	}
	for n := 1; n < 4 && text[0] == '+' && len(c.id) > 8; n++ { // a country code may be separate
		c.alt = append(c.alt, []string{c.id[:n]})
	}
	if n := strings.IndexAny(c.id, "0123456789"); n > 1 && n == wordEnd(strings.ToUpper(c.id), 0) &&
		len(c.id) > 4 { // as in "LX 1612"
		c.alt = append(c.alt, []string{c.id[:n]})
	}
	if c.digits && strings.Contains(c.id, " ") {
		c.alt = append(c.alt, []string{strings.ReplaceAll(c.id, " ", "")})
	}
	if c.digits && len(c.id) > 8 { // the other of "+44 20 …" and "020 …"
		if c.text = text; c.id[0] == '0' {
			c.alt = append(c.alt, foldedWords(c.id[1:])[:1])
		} else if text[0] == '+' {
			n := c.countryCode() // only the stem is searched for
			c.alt = append(c.alt, []string{"0" + strings.TrimLeft(c.id[n:], " -()")})
		}
	}
	for _, w := range foldedWords(c.id)[:1] {
		c.pieces = [][]string{{w}}
		if isDigit(w[0]) && text[0] != '+' { // it is a version
			c.alt = append(c.alt, []string{"v" + w})
		}
	}
}

// isID reports whether a text is an identifier, a path, an address, a version or a telephone number, rather
// than a plain word or number.
func isID(s string) bool {
	if s == "" || strings.ContainsAny(s, " \n\t|") || alone(firstRune(s)) ||
		cjk(s) && !strings.ContainsAny(s, "/\\_") {
		return phone(s)
	}
	letters, digits, camel := 0, 0, false
	prev := byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case isDigit(c):
			digits++
		case isWord(rune(c)) || c >= utf8.RuneSelf:
			letters++
			camel = camel || c >= 'A' && c <= 'Z' && prev >= 'a' && prev <= 'z'
		}
		prev = c
	}
	switch {
	case digits > 0:
		code := strings.Count(s, "-") > 1 && strings.Trim(s, "0123456789-") == "" // as in 7-19-33 and 1-0-1
		return letters > 0 || strings.Count(s, ".") >= 2 || padded(s) || code || phone(s)
	case camel:
		return !strings.Contains(s, "-") && !strings.HasPrefix(s, "Mc") && !strings.HasPrefix(s, "Mac")
	}
	dot := strings.IndexByte(s, '.')
	short := func(part string) bool { return len(part) < 2 }
	if dot > 0 && !slices.ContainsFunc(strings.Split(s, "."), short) { // a host
		return true
	}
	return letters > 0 && (strings.ContainsAny(s, "/@_\\") || len(s) > 3 && dot > 0 && dot+1 < len(s) &&
		isWord(firstRune(s[dot+1:])) && strings.Count(s, ".") == 1)
}

// forms are legal forms and abbreviations in company names.
var forms = words("co inc ltd corp bros cie")

// phone reports whether s is a telephone number or similar: groups of digits that are not a number.
func phone(s string) bool {
	if strings.Count(s, "(") != strings.Count(s, ")") || strings.Count(s, "/") > 1 ||
		strings.Trim(s, "0123456789 -/().+") != "" || s == "" || strings.LastIndexByte(s, '+') > 0 {
		return false
	}
	groups := strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if len(groups) == 1 {
		return len(groups[0]) >= 9 && s[0] == '+' ||
			len(groups[0]) == len(s) && (len(s) >= 12 || len(s) > 5 && s[0] == '0')
	}
	registered := len(groups) == 3 && len(s) == 7 && s[5] == '-' && len(groups[1]) == 2 // as in "CAS 80-05-7"
	return len(groups) > 1 && (len(strings.Join(groups, "")) >= 6 || registered) &&
		(s[0] == '+' || s[0] == '0' || strings.ContainsAny(s, "-/("))
}
