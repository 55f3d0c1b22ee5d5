package grounding

import (
	"go/ast"
	"slices"
	"strings"
)

// Trace reports what the answer of a run is based on. It never reads the text that the run is about.
func Trace(run Run) Report {
	t := &tracer{run: &run, known: set{}, literals: set{}, saidNums: map[float64]bool{}, idle: true}
	t.made = maker{vars: map[string]made{}, funcs: map[string]*ast.FuncLit{}, seen: t.seen, dated: t.saw}
	t.texts, t.sources = []string{run.Shown}, []Where{{Kind: KindShown}}
	t.q = askedOf(run.Question, sample(&run))
	t.x = extract(withoutBrackets(&run), &t.q)
	t.x.oneMark()
	t.claims = append(t.x.claims, t.q.keys()...)
	t.statuses()
	for _, c := range t.claims {
		t.idle = t.idle && c.hidden // hidden: it only shows which row a value belongs to
		t.stances = t.stances || c.kind == aStance || c.kind == aChoice || c.kind == anAbsence || len(c.asserts) > 0
	}
	t.aimed = !t.q.relates() && t.brief()
	t.lookup()
	t.means()
	t.surround()
	t.question()
	shown := run.Shown
	if run.Question != "" {
		shown = strings.ReplaceAll(shown, run.Question, "")
	}
	t.place(shown, Where{Kind: KindShown}, false)
	if run.Whole {
		if ws := firstWords(shown); t.shares(ws) || t.passage(ws) {
			t.looks = append(t.looks, Where{Kind: KindShown})
		}
		t.weigh(shown, Where{Kind: KindShown})
	}
	var last *code
	var hands made
	for _, turn := range run.Turns {
		for k := range turn.Cells {
			cell := &turn.Cells[k]
			c := t.cell(Where{Turn: turn.Number, Cell: cell.Number}, cell)
			if c.final && !cell.Failed {
				last, c.turn, c.cell, hands = c, turn.Number, cell.Number, t.made.hands
				t.taken(hands, Where{Kind: KindComputed, Turn: turn.Number, Cell: cell.Number})
			}
		}
	}
	for i, c := range t.claims {
		if c.strange && !c.ordinary && c.place != nil && !c.neutral {
			c.place, c.why = nil, "stands there of something else than the question names"
		}
		if c := t.claims[i]; c.opposed && !c.agreed {
			c.place, c.why = nil, "what was looked at says otherwise"
			for _, o := range t.claims { // neither does all of the answer stand there
				if o.kind == aQuote && o.soft && o.at <= c.at && o.end >= c.end {
					o.place = nil
				}
			}
		}
	}
	t.unmade(last, hands)
	t.rest(last)
	t.pair()
	t.misjoined()
	t.replies()
	t.strangeItems()
	t.strangeBullets()
	t.reasons()
	t.recalls()
	t.unspacedReasons()
	t.enumerated()
	t.count()
	t.periods()
	t.mild()
	t.count() // of what is found by now
	return t.report()
}

// sample returns enough of the answer and of what was shown to recognise their languages.
func sample(run *Run) string {
	const most = 512
	text := []string{run.Answer[:min(len(run.Answer), 4*most)], run.Shown[:min(len(run.Shown), most)]}
	n := len(text[0]) + 1 + len(text[1])
	for _, turn := range run.Turns {
		for k := range turn.Cells {
			if out := turn.Cells[k].Output; n < 12*most {
				text = append(text, out[:min(len(out), most)])
				n += 1 + min(len(out), most)
			}
		}
	}
	return strings.Join(text, "\n")
}

// question marks claims that only repeat the question; choosing one of its alternatives is not repetition, and neither
// is handing back the form that it shows.
func (t *tracer) question() {
	form := strings.HasPrefix(strings.TrimSpace(t.x.answer), "{") &&
		strings.Contains(lettersOf(t.run.Question), lettersOf(t.x.answer))
	ws := t.q.words
	at := func(p int) int {
		n, _ := slices.BinarySearchFunc(ws, p, func(w word, p int) int { return w.at - p })
		return n
	}
	t.read(t.q.body, func(*claim) bool { return true }, func(i int, r *row, from, to int) {
		c := t.claims[i]
		bare := func(q quantity) bool { return q.at == from && !q.isDate && q.units == nil }
		switch {
		case form && !strings.HasPrefix(t.x.answer[c.end:], `":`):
		case c.kind == aNumber && c.q.word && c.q.units != nil && slices.ContainsFunc(r.quantities(t), bare):
			// "three days" does not repeat the number of "3 sentences".
		case c.hidden && c.row < 0, c.kind == aStance, c.kind == anAbsence, c.kind == aBlank, c.kind == aChoice:
		case c.kind == aNumber && c.q.word && c.q.units == nil && len(ws) <= 4000 &&
			t.q.offers(at(from), max(at(from)+1, at(to))): // as in "in the first or in the third person"
			c.kind, c.soft, c.pieces = aChoice, false, [][]string{foldedWords(c.text)}
		case c.kind == aNumber && c.q.word, len(ws) > 4000 || !t.q.offers(at(from), max(at(from)+1, at(to))):
			c.neutral = true
		case c.kind == aName && !c.soft:
			c.kind = aChoice
		}
	})
}

// cell reads a cell and its results.
func (t *tracer) cell(w Where, cell *Cell) *code {
	c := readCode(cell.Code, &t.made)
	t.feed(nil)
	t.measured = nil
	for _, n := range c.names {
		t.known.add(foldedWords(n)...)
	}
	t.carry(c)
	if t.searches = c.searches; c.searches {
		t.forget()
	}
	for u := range c.literals {
		t.literal(c.literals[u].String(), use(u))
	}
	var memories []string // replies to calls without any of the text, which are the model's memory even when printed
	for k := range cell.Calls {
		call := &cell.Calls[k]
		if t.made.asks > 0 && !t.made.told || !t.given(call) || t.echoes(call.Reply) {
			t.literal(call.Reply, said)
			if len(t.recalled) < maxRecalled && len(call.Reply) <= maxRecall {
				t.recalled = append(t.recalled, firstWords(call.Reply))
			}
			if len(call.Reply) > 3 && k < 100 {
				memories = append(memories, call.Reply)
			}
			continue
		}
		w.Kind, w.Call = KindCall, call.Number
		t.feed(call)
		t.place(call.Reply, w, false)
		t.texts, t.sources = append(t.texts, call.Reply), append(t.sources, w)
		if t.stances {
			t.replied(call, w, c.partial())
		}
	}
	t.declare(c)
	w.Call, w.Kind = 0, KindOutput
	seen := func(s string) string {
		for _, reply := range memories {
			s = strings.ReplaceAll(s, reply, "")
		}
		return s
	}
	out, value := seen(withoutNotes(cell.Output)), seen(withoutNotes(cell.Value))
	if cell.Failed {
		passages := t.passages(out)
		t.texts, t.sources = append(t.texts, passages), append(t.sources, w)
		t.place(passages, w, false)
		return c
	}
	if t.made.prints.invented() {
		out, value = "", ""
	}
	t.texts = append(t.texts, out, value)
	t.sources = append(t.sources, w, Where{Kind: KindValue, Turn: w.Turn, Cell: w.Cell})
	t.measured = c.measured()
	t.picks = c.looks && picks(strings.ReplaceAll(c.data.String(), joint, "\n"), out+value)
	t.indexes = strings.Contains(cell.Code, "Index")
	t.counted = strings.Contains(cell.Code, "++") || strings.Contains(cell.Code, "strings.Count(")
	t.heads = c.heads // printing the beginning of the text does not choose an alternative of the question
	t.place(out, w, c.looks)
	t.heads = false
	if asked := c.literals[asked].String(); c.looks && strings.TrimSpace(out+value) == "true" &&
		strings.Count(asked, "\n") == 1 {
		t.place(asked, w, true) // the search found it
	}
	if t.stances && !t.made.prints.invented() {
		t.looked(c, cell, out+"\n"+value, w)
	}
	w.Kind = KindValue
	t.place(value, w, c.looks)
	w.Kind = KindVariable
	for _, named := range []bool{true, false} { // first the variables that FINAL names
		for _, v := range cell.Variables {
			if w.Variable = v.Name; named == (c.final && slices.Contains(c.names, v.Name)) &&
				!t.made.vars[v.Name].invented() {
				value := seen(v.Value[:min(len(v.Value), maxVariable)])
				t.place(value, w, c.looks)
				t.held = append(t.held, held{value, w, len(t.texts) - 1})
			}
		}
	}
	return c
}

// carry marks the claims that the model wrote as literals in cells whose variables this cell uses.
func (t *tracer) carry(c *code) {
	used := set{}
	used.add(c.names...)
	for _, c := range t.claims {
		c.said, c.put = false, false
		for n, put := range c.saidBy {
			if used.has(n) || used.has(showVars) {
				c.said, c.put = true, c.put || put
			}
		}
	}
}

// declare records which claims the variables of a cell have as literals.
func (t *tracer) declare(c *code) {
	for n := range c.locals {
		for _, o := range t.claims {
			if o.said && len(o.saidBy) < maxVariables {
				if o.saidBy == nil {
					o.saidBy = map[string]bool{}
				}
				o.saidBy[n] = o.put
			}
		}
	}
}

// literal records the claims and words of literals.
func (t *tracer) literal(text string, u use) {
	if text == "" {
		return
	}
	text = text[:min(len(text), maxCode)]
	open := func(c *claim) bool { return !c.literal || u != asked && c.place == nil || u == asked && !c.sought }
	t.read(text, open, func(i int, _ *row, from, to int) {
		c := t.claims[i]
		if p, ok := formatted(t.text, from); u == said && c.kind == aNumber && ok && len(c.formats) < 8 {
			c.formats = append(c.formats, p)
		} else if u != asked {
			c.stated = true
		}
		c.sought = c.sought || u == asked
		if c.literal = true; u != asked && c.wrote == 0 {
			c.wrote = len(t.texts)
		}
		if u == put && c.kind == aNumber && c.q.digits < 3 || // as in months for their names
			(u == put || u == stored) && c.place != nil {
			return
		}
		c.put = c.put || u == put || u == stored
		if c.said = c.said || u != asked && c.place == nil; c.said && u != asked && u != given {
			t.echo(c, from, to, t.searches)
		}
	})
	ws := appendWords(nil, text[:min(len(text), 32<<10)])
	for _, w := range ws {
		if t.written.Len() == 0 {
			t.written.WriteByte(' ')
		}
		if t.written.Len() < maxCode {
			t.written.WriteString(w.text)
			t.written.WriteByte(' ')
		}
		t.literals[w.text] = struct{}{}
		if u != asked {
			t.known[w.text] = struct{}{}
		}
	}
	if u != asked {
		for _, q := range quantities(nil, text[:min(len(text), 32<<10)], ws, nil) {
			for _, v := range q.values {
				if !hyphened(text, q.num) {
					t.saidNums[v.value] = true
				}
			}
		}
	}
}

// place reads a text that can ground values; looks means that the cell looked something up.
func (t *tracer) place(text string, w Where, looks bool) {
	if t.idle || strings.TrimSpace(text) == "" {
		return
	}
	t.kind = w.Kind
	for _, c := range t.claims { // a format that the text has is no placeholder
		if c.kind == aBlank && c.place == nil && unfilled(c.text, 0) > 0 && c.text[0] != '0' &&
			strings.Contains(text, c.text) {
			at := w
			c.place, c.why = &at, "stands there"
		}
	}
	open := func(c *claim) bool {
		switch c.kind {
		case aStance, aBlank, aStatus:
			return false
		case aNumber:
			return c.place == nil || !c.free || t.byChance(c)
		}
		return c.place == nil || !c.tabled
	}
	t.records = true
	t.read(text, open, func(i int, r *row, from, to int) { t.hit(i, r, from, to, w, looks) })
	t.kind, t.records = "", false
	t.compareRecords()
}

// aggregates are words for results of several numbers.
var aggregates = words(`average mean median sum total altogether durchschnitt mittel mittelwert summe gesamt insgesamt moyenne mediane somme
 media mediana suma promedio somma totale gemiddelde totaal`)

// means marks the only number of a sentence that calls it a mean or a sum.
func (t *tracer) means() {
	numbers := map[int]int{} // number of numbers by row
	for _, c := range t.claims {
		if c.kind == aNumber {
			numbers[c.row]++
		}
	}
	for _, c := range t.claims {
		if c.kind != aNumber || c.row < 0 || c.row >= len(t.x.rows) || numbers[c.row] > 1 {
			continue
		}
		r := &t.x.rows[c.row]
		c.mean = spoken(appendWords(nil, t.x.answer[r.at:r.end]), aggregates)
	}
}

// aggregate reports whether the answer calls a number a mean or a sum, while the number is in one of several
// rows, and neither the row nor the heading mentions a mean or sum, and no word of the row is in the answer. What all
// these rows have does not help a rounded number.
func (t *tracer) aggregate(c *claim, r *row) bool {
	if !c.mean {
		return false
	}
	var shared []word
	if c.q.round && !r.entry && !t.q.relates() {
		shared = t.besideLike(r)
	}
	if !r.entry && shared == nil && t.shapeOf(r) == 0 || !spoken(shared, aggregates) && t.speaks(r, aggregates) {
		return false
	}
	keys := 0
	for i, w := range r.words {
		asked := shared != nil && slices.ContainsFunc(t.q.words, func(q word) bool { return q.text == w.text })
		switch {
		case slices.ContainsFunc(shared, func(o word) bool { return o.text == w.text }), w.text == "map":
		case isDigit(w.text[0]):
			if asked {
				return false
			}
		case t.akin(c, r.words[i:i+1]):
			return false
		default:
			keys++
		}
	}
	return keys > 0 || shared != nil
}

// besideLike returns the words of the nearest line that has the form of a row, among those near it.
func (t *tracer) besideLike(r *row) []word {
	at, end := max(0, r.at-maxRow), min(len(t.text), r.end+maxRow)
	for p := at; p < end; p++ {
		s := t.record(p)
		if s.at != r.at && s.end > s.at && t.alike(s, span{at: r.at, end: r.end}) {
			return appendWords(nil, t.text[s.at:s.end])
		}
		p = max(p, s.end)
	}
	return nil
}

// hit records that a claim is in a row of a place.
func (t *tracer) hit(i int, r *row, from, to int, w Where, looks bool) {
	c := t.claims[i]
	if c.soft && c.kind == aName {
		key := t.keyed(r, from, to)
		switch {
		case key && c.hidden:
			c.promoted = c.promoted || !c.counted && (t.shapeOf(r) != 0 || len(t.text) < 200)
		case key, !c.hidden && (t.proper(r, from) || c.told):
		default:
			if c.hidden && !t.mated(c) && t.leads(r, from) {
				t.mate(i, r, from)
			}
			return
		}
	}
	if c.kind == aNumber && t.aggregate(c, r) ||
		c.kind == anAbsence && len(c.pieces[0]) == 1 && !t.accompanied(c, r) ||
		c.kind == aName && to-from == 1 && c.alt != nil && !t.keyed(r, from, to) {
		return
	}
	if c.kind == aNumber {
		label, wrong := t.mislabelled(c, from)
		if !wrong {
			label, wrong = t.ofOtherEntry(c, from)
		}
		if wrong {
			if c.place == nil {
				c.why = "stands there as " + label
			}
			return
		}
		if t.otherYear(c, r, from) > 0 || t.elsewhere(c, from) || t.exchanged(c, from) || t.otherPair(c, from, to) ||
			t.besideAsked(c, r, from) || t.otherCount(c, r, from) || t.otherSection(c, from) {
			if c.place == nil {
				c.why = "stands there of something else"
			}
			return
		}
	}
	if w.Kind == KindShown && !t.run.Whole && t.accidental(c, r, from) ||
		w.Kind == KindVariable && c.why != "" && c.kind == aNumber && to-from == len(t.text) { // its label was printed
		return
	}
	if c.kind == aName && !c.soft && t.inOtherPart(c, from) {
		if c.place == nil {
			c.why = "stands there in another part"
		}
		return
	}
	t.mate(i, r, from)
	if c.place != nil && !(t.byChance(c) && w.Kind != KindShown) || c.fed ||
		c.kind == aChoice && (t.heads || w.Kind == KindShown && !t.run.Whole) {
		return
	}
	if (c.said || t.joins(c)) && !t.unsaid(c, r, from) && !t.unformatted(c, r) &&
		(c.put || !t.adds(c, r, from, to, looks)) && !c.quantile(t.text, from) {
		return
	}
	at := w
	at.Document, at.Line = reference(t.text[r.at:r.end])
	c.place, c.why = &at, "stands there"
}
