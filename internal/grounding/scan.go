package grounding

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// held is the value of a variable, with the index of the last text read before.
type held struct {
	text string
	at   Where
	n    int
}

// tracer finds the places of an answer's claims, one text after the other.
type tracer struct {
	run    *Run
	q      question
	x      *extractor
	claims []*claim

	known    set             // words of literals that the model stated, and of identifiers
	made     maker           // what the variables of the cells are made of
	texts    []string        // texts that were read so far
	sources  []Where         // their places
	held     []held          // values of variables so far
	literals set             // words of all literals
	written  strings.Builder // these words in order
	saidNums map[float64]bool
	looks    []Where // cells and sub-calls that looked for an answer to the question
	voids    []Where // searches for an answer that found nothing
	aimed    bool    // the question names what the answer is about
	stances  bool    // the answer has a yes or no, a choice or an absence, which rest on a look
	judging  int     // number of assertions of the answer
	unlisted bool    // the question has no word of status
	idle     bool    // the answer claims nothing

	filter     filter
	counting   [1 << 12]bool       // see countingStems
	anchors    map[string][]anchor // anchors of all claims with words, by stem
	dated      []int               // claims that are dates
	beside     []int               // claims in one row, reused
	text       string              // the current text
	kind       string              // kind of its place
	heads      bool                // the place shows beginnings only
	measured   []unit              // units in the names of the cell that printed the text
	picks      bool                // the place shows some of the cell's literals: a search chose them
	indexes    bool                // the cell asks where something stands
	recalled   [][]word            // replies to calls that were given none of the text
	counted    bool                // the cell counts
	searches   bool                // it searches for what its variables hold
	places     int                 // number of texts read
	lines      int                 // number of lines of the text
	row        row                 // the last row read
	side       row                 // the row next to it, to compare shapes
	header     set                 // words of the first line, nil until needed
	commas     int                 // number of commas of the first line if it is a head of columns, else 0
	records    bool                // records are compared
	scaledAt   []scaled            // headings of the text that give a scale, if scaledRead
	scaledRead bool
	numerals   bool // the text has numbers in another script than ours
	work       int
	found      reader
	years      map[int]bool // whether a year was seen
}

// reader handles a claim found in a row of the text, between two offsets.
type reader func(claim int, r *row, from, to int)

// Classes of bytes.
const (
	aLetter = iota + 1
	aDigit
	aHighByte
)

var classes = func() (out [256]byte) {
	for c := range out {
		switch r := rune(c); {
		case c >= utf8.RuneSelf:
			out[c] = aHighByte
		case isDigit(byte(c)):
			out[c] = aDigit
		case isWord(r):
			out[c] = aLetter
		}
	}
	return out
}()

// read searches a text for the open claims, and again for numbers if it has some in another script.
func (t *tracer) read(text string, open func(c *claim) bool, found reader) {
	t.numerals = false
	if t.scan(text, open, found); t.numerals {
		t.records = false // the offsets differ
		t.scan(western(text), func(c *claim) bool { return c.kind == aNumber && open(c) }, found)
		t.text = text
	}
}

func (t *tracer) scan(text string, open func(c *claim) bool, found reader) {
	if strings.TrimSpace(text) == "" || t.work > maxWork {
		return
	}
	t.filter.set(t.claims, open)
	t.text, t.found, t.header = text, found, nil
	t.commas, t.scaledRead = 0, false
	if head, _, _ := strings.Cut(text[:min(len(text), 400)], "\n"); !strings.ContainsAny(head, ":=") &&
		!strings.Contains(head, ", ") && !strings.HasSuffix(head, ",") &&
		!slices.ContainsFunc(strings.Split(head, ","), func(h string) bool { return isDigit(byteAt(h, 0)) }) {
		t.commas = strings.Count(head, ",")
	}
	t.places++
	t.lines = strings.Count(text[:min(len(text), 16<<10)], "\n") + 1
	t.row, t.side = row{words: t.row.words, qs: t.row.qs, end: -1}, row{words: t.side.words, qs: t.side.qs, end: -1}
	t.work += len(text) / 16
	f := &t.filter
	for i := 0; i < len(text); {
		c := text[i]
		k := classes[c]
		if k == 0 {
			i++
			continue
		}
		at, version := i, 0
		for i < len(text) {
			if k = classes[text[i]]; k == aLetter {
				i++
				continue
			}
			if k != aDigit {
				break
			}
			if i > at && f.version {
				version = i
			}
			if f.leading(text, i) && (opens(text[at:i]) || option(text, at)) {
				t.number(i)
			}
			for i < len(text) && isDigit(text[i]) {
				i++
			}
		}
		if k == aHighByte {
			i = t.foreign(at, i)
			continue
		}
		if version > 0 && byteAt(text, i) == '.' {
			t.word(version, i)
		}
		a, b, c := lowered1(c), byte(0), byte(0) // the stem
		if i > at+1 {
			b = lowered1(text[at+1])
		}
		if i > at+2 {
			c = lowered1(text[at+2])
		}
		// "ue" may be folded
		if f.stems[hash(a, b, c)] || (b == 'e' && umlaut(a)) || (c == 'e' && umlaut(b)) {
			t.word(at, i)
		}
		if t.work > maxWork {
			return
		}
		if f.worn {
			f.wear(t.claims)
		}
	}
}

// umlaut reports whether a letter and an e may stand for an umlaut.
func umlaut(c byte) bool { return c == 'a' || c == 'o' || c == 'u' }

// opens reports whether a number can start behind letters and digits, as in EUR29, 1170x2532, 1h42m, T08:00, v1.2.
func opens(before string) bool {
	return before == "" || strings.IndexByte("pPxhmTvq", before[len(before)-1]) >= 0 || money(before) != ""
}

func lowered1(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// foreign reads a word that is not all ASCII and was read up to p, and returns its end.
func (t *tracer) foreign(at, p int) int {
	r, n := utf8.DecodeRuneInString(t.text[p:])
	i := p
	for i < len(t.text) && isWord(r) && !alone(r) {
		t.numerals = t.numerals || digitOf(r) >= 0
		i += n
		r, n = utf8.DecodeRuneInString(t.text[i:])
	}
	if i == at {
		t.numerals = t.numerals || strings.ContainsRune("十百千", r)
		if i += n; !isWord(r) {
			if strings.ContainsRune("½¼¾", r) {
				t.number(at)
			}
			return i
		}
	}
	t.word(at, i)
	return i
}

// word searches for claims with the word between two offsets.
func (t *tracer) word(at, end int) {
	if end-at > 256 {
		return
	}
	w := fold(t.text[at:end])
	if w == "" || !t.filter.stems[stemHash(w)] {
		return
	}
	t.anchored(w, at, end)
	if strings.HasPrefix(t.text[end:], "-\n") { // a word that was wrapped
		if b, e := wordAfter(t.text, end); b == end+2 {
			t.anchored(fold(t.text[at:end]+t.text[b:e]), at, e)
		}
	}
}

// anchored searches for claims with the word w, which is between two offsets.
func (t *tracer) anchored(w string, at, end int) {
	for _, a := range t.anchors[stem(w)] {
		c := t.claims[a.claim]
		if !t.filter.open[a.claim] {
			continue
		}
		t.work++
		if a.number {
			d := &c.q.date
			month := c.q.isDate && d.bare() && months()[w] == d.month && t.text[at:end] != "may"
			if (month || a.whole && w == a.words[0]) && !c.worn() {
				t.meet(a.claim, t.rowAt(at), at, end)
			} else if like(w, a.words[0]) || strings.HasPrefix(w, a.words[0]) || strings.HasPrefix(a.words[0], w+"-") {
				t.number(at)
			}
			continue
		}
		if c.worn() {
			continue
		}
		from, to := t.stands(c, &a, w, at, end)
		if from < 0 {
			from, to = t.apart(c, &a, w, at, end)
		}
		if from < 0 || !c.complete(&a) {
			continue
		}
		t.meet(a.claim, t.rowAt(from), from, to)
	}
}

// Bounds on the matches of a claim that already has a place; further matches only show what is next to it.
const (
	maxHits = 12 // matches in one text
	maxMet  = 24 // matches in all texts
)

func (c *claim) worn() bool {
	return (c.place != nil || c.hidden) && (c.hits >= maxHits || c.met >= maxMet)
}

// meet handles a match of a claim.
func (t *tracer) meet(i int, r *row, from, to int) {
	c := t.claims[i]
	c.hits++
	c.met++
	if t.records && to <= r.end { // else the text was wrapped
		c.recorded(t.record(from))
	}
	t.found(i, r, from, to)
	t.filter.worn = t.filter.worn || c.worn()
}

// complete reports whether a claim is found with this spelling: all pieces of a quotation in order, or all of alt.
func (c *claim) complete(a *anchor) bool {
	switch {
	case a.piece >= len(c.pieces):
		c.altSeen[a.piece-len(c.pieces)] = true
		return !slices.Contains(c.altSeen, false)
	case len(c.pieces) > 1:
		if a.piece != c.next {
			return false
		}
		if c.next++; c.next < len(c.pieces) {
			return false
		}
		c.next = 0
	}
	return true
}

// remade reports whether a claim has the number of a place with another unit of the same kind, as 187.5 cm of 187.5 mm.
func (c *claim) remade(q *quantity) bool {
	return c.q.digits > 2 && len(c.q.units) > 0 && len(q.units) > 0 && len(c.q.values) > 0 && len(q.values) > 0 &&
		c.q.units[0].kind == q.units[0].kind && c.q.units[0].factor != q.units[0].factor &&
		c.q.values[0].value*c.q.scale == q.values[0].value*q.scale
}

// number searches for claims that are numbers in the row at p.
func (t *tracer) number(p int) {
	r := t.rowAt(p)
	if r.counted {
		return
	}
	r.counted = true
	for k := range r.quantities(t) {
		q := &r.qs[k]
		t.work += len(t.filter.numbers)
		for _, i := range t.filter.numbers {
			c := t.claims[i]
			switch {
			case c.worn():
			case t.equals(c, q, r):
				t.meet(i, r, q.at, q.end)
			case c.place == nil && c.why == "" && c.remade(q):
				c.why = "stands there in another unit"
			}
		}
	}
}
