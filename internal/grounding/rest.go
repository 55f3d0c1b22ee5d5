package grounding

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// rest grounds claims that no text contains: results of FINAL's expression, yes and no, a choice, an absence.
func (t *tracer) rest(last *code) {
	for _, c := range t.claims {
		computed := last != nil && last.derived && !c.literal && !c.nul && !c.soft
		if c.place != nil && !(computed && t.byChance(c)) || c.neutral || c.kind == aBlank || c.hidden {
			continue
		}
		at, why := t.looks, "rests on a look at what was asked"
		switch {
		case c.place == nil && c.kind == aNumber && c.why == "" && t.restated(c) != nil:
			at, why = []Where{*t.restated(c).place}, "the same in another unit"
		case c.place == nil && t.graded(c) >= 0:
			n := t.graded(c)
			at, why = t.sources[n:n+1], "stands there in a column"
		case c.place == nil && t.filed(c):
			at, why = t.sources[:1], "the name of a document"
		case computed && !t.wrote(c):
			at, why = []Where{{Kind: KindComputed, Turn: last.turn, Cell: last.cell}}, "computed by what was handed in"
		case c.kind == anAbsence:
			if at, why = t.voids, "a search for it found nothing"; len(at) == 0 {
				at, why = t.noughts(c), "stands there as 0"
			}
		case c.kind != aStance && c.kind != aChoice:
			continue
		case c.kind == aChoice && len(at) == 1 && t.mute(at[0]):
			continue
		case c.kind == aChoice && c.strange && !c.ordinary:
			continue
		case c.opposed && !c.agreed, t.untouched(c), t.chosenOther(c):
			continue
		}
		if len(at) == 0 && c.kind == aStance {
			at, why = t.named(c), "rests on what the answer names beside it"
		}
		if len(at) > 0 {
			c.place, c.why = &at[0], why
		}
	}
}

// restated returns a number with a place in the sentence of a claim that is the claim in another unit, as in "95
// minutes, or 1.6 hours".
func (t *tracer) restated(c *claim) *claim {
	for _, i := range t.filter.numbers {
		o := t.claims[i]
		if o.row == c.row && o.place != nil && len(o.q.units) > 0 && len(c.q.units) > 0 &&
			o.q.units[0].kind == c.q.units[0].kind && o.q.units[0] != c.q.units[0] && compare(&c.q, &o.q) == agrees {
			return o
		}
	}
	return nil
}

// byChance reports whether a number may stand in the first message by chance, so that any other place is better.
func (t *tracer) byChance(c *claim) bool {
	return c.kind == aNumber && !c.literal && c.place != nil && c.place.Kind == KindShown
}

// accidental reports whether a small number without a unit stands in a row of the first message with one, or is all of
// the answer and stands in a row that has no word of the question.
func (t *tracer) accidental(c *claim, r *row, p int) bool {
	if c.kind != aNumber || c.q.units != nil || c.q.isDate || c.q.digits > 2 {
		return false
	}
	if strings.TrimSpace(t.x.answer) == c.text {
		return len(t.q.focus) > 0 && !slices.ContainsFunc(r.words, func(w word) bool {
			for q := range t.q.focus {
				if akin(w.text, q) {
					return true
				}
			}
			return false
		})
	}
	return slices.ContainsFunc(r.quantities(t), func(q quantity) bool { return q.at == p && q.units != nil })
}

// wrote reports whether literals of cells have the words of a claim in this order, with whatever JSON escapes between.
func (t *tracer) wrote(c *claim) bool {
	text := c.text
	if strings.ContainsRune(text, '\\') {
		_ = json.Unmarshal([]byte(`"`+text+`"`), &text)
	}
	return t.inLiterals(foldedWords(text))
}

// inLiterals reports whether several words stand in this order in the literals of cells.
func (t *tracer) inLiterals(ws []string) bool {
	return len(ws) > 1 && strings.Contains(t.written.String(), " "+strings.Join(ws, " ")+" ")
}

// echoes reports whether the reply of a sub-call only repeats words and a number that a cell wrote, as its prompt does.
func (t *tracer) echoes(reply string) bool {
	if len(reply) > 256 || !strings.ContainsAny(reply, "0123456789") {
		return false
	}
	for w := range wordsOf(reply) {
		if !t.literals.has(w.text) {
			return false
		}
	}
	return t.inLiterals(foldedWords(reply))
}

// named returns the place of the first name in the sentence of a yes or no, if every name there has a place: the
// answer then rests on what the run has seen of these names.
func (t *tracer) named(c *claim) (at []Where) {
	for _, o := range t.claims {
		if o.row != c.row || o.hidden || o.neutral || o.kind != aName && o.kind != anID && o.kind != aQuote {
			continue
		}
		if o.place == nil {
			return nil
		}
		if o.place.Kind != KindShown {
			at = append(at, *o.place)
		}
	}
	return at
}

// count grounds numbers that count items listed in the answer.
func (t *tracer) count() {
	for _, c := range t.claims {
		q := c.q
		if len(q.units) == 1 && q.units[0].kind == "times" { // as in "twice"
			q.units = nil
		}
		v, whole := q.whole()
		if c.kind == aNumber && c.place == nil && !c.neutral && whole && v >= 2 && c.year == 0 && t.lists(c, v) {
			c.place, c.why = &Where{Kind: KindList}, fmt.Sprintf("counts the %d items that the answer lists", v)
		}
	}
}

// lists reports whether the answer lists n items with a place beside the claim in its sentence or in all that follows.
func (t *tracer) lists(c *claim, n int) bool {
	before, behind, all, asked, next, aside, numbers := 0, 0, 0, 0, 0, 0, 0
	for _, o := range t.claims {
		if o.kind == aNumber && o.row > c.row && o.q.units == nil && !o.q.isDate {
			if numbers++; o.place == nil {
				numbers = -1 << 20
			}
		}
		if o.row < 0 || o.hidden || o.soft && o.place == nil ||
			o.kind != aName && o.kind != anID && o.kind != aQuote && o.kind != aChoice {
			continue
		}
		grounded := o.place != nil || o.neutral
		switch {
		case o.row == c.row && !grounded && o.at > c.at && bracketed(t.x.answer[c.end:o.at]): // it is no item
		case o.row == c.row && !grounded:
			return false
		case o.row == c.row && o.at < c.at:
			before++
		case o.row == c.row:
			behind++
			if o.neutral {
				asked++
			}
			if bracketed(t.x.answer[c.end:o.at]) { // it describes the item before it
				aside++
			}
		}
		if o.row == c.row+1 && grounded { // as in "two failed; Ada and Ben"
			next++
		}
		if o.at > c.at {
			if all++; !grounded {
				all = -1 << 20
			}
		}
	}
	bullets, rows := 0, -1 // the rows of a table below its head
	for line := range strings.SplitSeq(t.x.answer[c.end:], "\n") {
		if bullet(line) > 0 {
			bullets++
		}
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "|") && !ruled(line) {
			rows++
		}
	}
	if t.brackets(c, n) || t.above(c) == n {
		return true
	}
	if before+behind == 0 && t.items(c) == n { // a list of numbers
		return !slices.ContainsFunc(t.claims, func(o *claim) bool {
			return o.row == c.row && o.at > c.at && !o.hidden && o.place == nil && !o.neutral
		})
	}
	if bullets > 0 && bullets < n && numbers == n { // as in "three calls:\n- a.go, lines 12 and 30\n- b.go, line 7"
		return true
	}
	if rows == n && all >= 0 && numbers >= 0 {
		return true
	}
	return behind == n || behind-asked == n || behind-aside == n || before == n || all == n ||
		behind == 0 && next == n || bullets == n && all > 0 || behind > 0 && t.items(c) == n
}

// brackets reports whether n numbers stand in brackets behind a claim in its sentence, or in those just behind it, all
// with a place and without a unit, as in "it failed twice (builds 4411 and 4415)".
func (t *tracer) brackets(c *claim, n int) bool {
	all, first := 0, 0
	for _, o := range t.claims {
		if o.row != c.row || o.kind != aNumber || o.at < c.end || !bracketed(t.x.answer[c.end:o.at]) {
			continue
		}
		if o.place == nil || o.q.units != nil || o.q.word || o.q.isDate {
			return false
		}
		if all++; !strings.ContainsAny(t.x.answer[c.end:strings.LastIndexByte(t.x.answer[:o.at], '(')], ":,;)") {
			first++
		}
	}
	return n == first || n == all && first == 0
}

// above returns how many rows the last table or list before a claim has, if all values there have a place.
func (t *tracer) above(c *claim) (n int) {
	from, to := 0, 0
	for at, in := 0, false; ; {
		end := strings.IndexByte(t.x.answer[at:], '\n') + at
		if end < at || end >= c.at {
			break
		}
		line := strings.TrimSpace(t.x.answer[at:end])
		listed := bullet(line) > 0 || strings.Count(line, "|") > 1
		switch {
		case ruled(line): // what is above is the head
			n, from = 0, at
		case listed && !in:
			n, from, to = 1, at, end
		case listed:
			n, to = n+1, end
		}
		in, at = listed || in && line == "", end+1
	}
	for _, o := range t.claims {
		if o.row >= 0 && o.at >= from && o.end <= to && !o.hidden && !o.soft && o.place == nil && !o.neutral {
			return 0
		}
	}
	return n
}

// items returns how many items the sentence lists after a claim, not counting those in brackets.
func (t *tracer) items(c *claim) int {
	if c.row < 0 || c.row >= len(t.x.rows) || c.end > t.x.rows[c.row].end {
		return 0
	}
	end := c.end + len(strings.TrimRight(t.x.answer[c.end:t.x.rows[c.row].end], " .;"))
	if k := strings.IndexByte(t.x.answer[c.end:end], ':'); k >= 0 {
		n, from, depth := 0, c.end+k+1, 0
		t.x.split(from, end, listMarks, func(at, to int) bool {
			if depth == 0 && strings.TrimSpace(t.x.answer[at:to]) != "" { // it is empty in ", and"
				n++
			}
			depth += strings.Count(t.x.answer[at:to], "(") - strings.Count(t.x.answer[at:to], ")")
			return n < 200
		})
		return n
	}
	return 0
}

// eachWords ask for all things of a kind.
var eachWords = words("each every jede jeder jedes jeden jedem chaque cada ogni elke elk")

// columns makes the keys of a list of keys and numbers count if most of them have a place, because they are then
// not mere headings, or if they are names, the question asks for each of a kind, and neither they nor their numbers
// have a place. Keys of numbers of several kinds are the headings of one thing's fields, also in a table.
func (t *tracer) columns() {
	listed, tabled := t.fields(true), t.fields(false)
	found, all, each := 0, 0, spoken(t.q.words, eachWords)
	for _, c := range t.claims {
		if c.column && c.soft && !c.neutral {
			if all++; c.place != nil {
				found++
			}
		}
	}
	each = each && found == 0 && all > 1 && !slices.ContainsFunc(t.claims, func(n *claim) bool {
		return n.kind == aNumber && n.place != nil &&
			slices.ContainsFunc(t.claims, func(k *claim) bool { return k.column && k.row == n.row })
	})
	for _, c := range t.claims {
		if c.column && !c.soft {
			c.soft = tabled
		} else if c.column && !listed && (found > 1 && 2*found > all || each && unicode.IsUpper(firstRune(c.text))) {
			c.soft = false
		}
	}
}

// fields reports whether the keys of a list, or of the first column of a table, have numbers of several kinds behind
// them, as in "rent: 900 €", "notice: 3 months".
func (t *tracer) fields(list bool) bool {
	kinds := set{}
	for _, c := range t.claims {
		k := slices.IndexFunc(t.claims, func(n *claim) bool { return n.paired() && n.row == c.row && n.at > c.end })
		if !c.column || c.soft != list || k < 0 || strings.Count(t.x.answer[c.end:t.claims[k].at], "|") > 1 {
			continue
		}
		switch q := &t.claims[k].q; {
		case q.isDate:
			kinds.add("date")
		case len(q.units) > 0:
			kinds.add(q.units[0].kind)
		default:
			kinds.add("")
		}
	}
	return len(kinds) > 1
}

// report makes the report from the claims that count.
func (t *tracer) report() Report {
	r := Report{Untraced: t.x.beyond}
	t.columns()
	told := slices.ContainsFunc(t.claims, func(c *claim) bool {
		return c.kind != aStatus && !c.hidden && !c.neutral && !(c.soft && c.place == nil)
	})
	for _, c := range t.claims {
		switch {
		case c.kind == aStatus && c.place == nil && !c.opposed && (told || !c.asked || len(t.looks) > 0),
			c.kind == aStatus && c.place != nil && told:
			continue
		case c.kind == aStatus:
		case c.hidden && (c.row < 0 || !c.promoted || c.neutral), c.soft && c.place == nil:
			continue
		case t.work > maxWork && c.place == nil && !c.neutral:
			r.Untraced++
			continue
		}
		v := Value{Value: t.x.written(c.at, c.end), Grounded: c.place != nil, Where: c.place, Why: c.why, at: c.at}
		switch {
		case c.neutral:
			v.Grounded, v.Neutral, v.Where, v.Why = true, true, &Where{Kind: KindQuestion}, "stands in the question"
		case c.place == nil && c.why == "":
			v.Why = c.missing()
		}
		r.Values = append(r.Values, v)
	}
	slices.SortStableFunc(r.Values, func(a, b Value) int { return a.at - b.at })
	r.summarise()
	return r
}

// missing explains why a claim has no place.
func (c *claim) missing() string {
	switch {
	case c.kind == aBlank:
		return "a placeholder"
	case c.kind == aStance || c.kind == aChoice || c.kind == aStatus:
		return "nothing looked for what was asked"
	case c.kind == anAbsence:
		return "no search for it found nothing"
	case c.said:
		return "only the model itself wrote it"
	}
	return "not found in this run"
}
