package grounding

import (
	"slices"
	"strconv"
	"strings"
)

// quarters and halves are the words for a part of a year, behind an ordinal.
var (
	quarters  = words("quarter quarters quartal quartals quartale trimestre kwartaal kwartal kvartal kvartalet квартал квартале квартала")
	halfYears = words("half halfyear half-year halbjahr halbjahres semestre semester halvår halvåret półrocze полугодие полугодии")
)

// periods places the quarters and halves of a year that a text shows in another form: the third quarter of 2023 in
// 2023-Q3, Q3 in the third quarter.
func (t *tracer) periods() {
	for _, c := range t.claims {
		if c.place != nil || c.neutral || c.hidden || c.row < 0 || c.row >= len(t.x.rows) {
			continue
		}
		mark := t.periodOf(c)
		if mark == "" {
			continue
		}
		r := t.x.rows[c.row]
		years := yearsOf(t.x.answer[r.at:r.end])
		for n, text := range t.texts {
			if c.wrote > 0 && n >= c.wrote || t.work > maxWork/2 {
				break
			}
			t.work += len(text) / 8
			if showsPeriod(text, mark, years, t.q.langs) {
				at := t.sources[n]
				c.place, c.why = &at, "stands there in another form"
				break
			}
		}
	}
}

// periodOf returns "q3" for a claim of the third quarter of a year, "h1" for one of its first half, "" for others.
func (t *tracer) periodOf(c *claim) string {
	switch {
	case c.kind == anID && isPeriod(c.id):
		return c.id
	case c.kind == aNumber && c.q.rank:
		at, end := wordAfter(t.x.answer, c.end)
		if v, ok := c.q.whole(); ok && at >= 0 && v >= 1 && v <= 4 {
			return periodMark(fold(t.x.answer[at:end]), v)
		}
	}
	return ""
}

// isPeriod reports whether a word is the mark of a quarter or of half a year.
func isPeriod(w string) bool {
	return len(w) == 2 && (w[0] == 'q' || w[0] == 'h') && w[1] >= '1' && w[1] <= '4'
}

// keyWords returns the words of a key; of a part of a year only its mark, as all are of one year.
func keyWords(key string) []string {
	ws := foldedWords(key)
	if i := slices.IndexFunc(ws, isPeriod); i >= 0 && len(ws) == 2 && len(ws[1-i]) == 4 && isDigit(ws[1-i][0]) {
		return ws[i : i+1]
	}
	return ws
}

// withPeriods returns the words of a text, with the marks of the quarters and halves that it tells in words.
func (t *tracer) withPeriods(s string) []string {
	ws := foldedWords(s)
	for w := range strings.FieldsFuncSeq(s, notLetter) {
		if len(w) == 2 && shortCode(w) {
			ws = append(ws, w)
		}
	}
	for i := range len(ws) - 1 {
		if v, ok := numeralIn(t.q.langs, ws[i]); ok && v.ordinal {
			if mark := periodMark(ws[i+1], v.value); mark != "" {
				ws = append(ws, mark)
			}
		}
	}
	return ws
}

func periodMark(unit string, n int) string {
	switch {
	case quarters.has(unit):
		return "q" + strconv.Itoa(n)
	case halfYears.has(unit) && n < 3:
		return "h" + strconv.Itoa(n)
	}
	return ""
}

// showsPeriod reports whether a line of a text has the part of a year with the mark, and one of some years, if any.
func showsPeriod(text, mark string, years []int, langs []map[string]numberWord) bool {
	for line := range strings.Lines(text) {
		if !strings.Contains(strings.ToLower(line), mark) && !strings.ContainsAny(line, " ") {
			continue
		}
		ws := appendWords(nil, line)
		for i, w := range ws {
			is := w.text == mark || len(w.text) == 6 && (w.text[4:] == mark || w.text[:2] == mark) // 2023q3
			if v, ok := numeralIn(langs, w.text); i+1 < len(ws) && (ok || len(w.text) == 1 && isDigit(w.text[0])) {
				if !ok {
					v.value = int(w.text[0] - '0')
				}
				is = is || periodMark(ws[i+1].text, v.value) == mark
			}
			if !is {
				continue
			}
			near := yearsOf(line[max(0, w.at-6):min(len(line), w.end+24)])
			if len(near) == 0 {
				near = yearsOf(line)
			}
			of := func(y int) bool { return slices.Contains(years, y) }
			if len(years) == 0 || len(near) == 0 || slices.ContainsFunc(near, of) {
				return true
			}
		}
	}
	return false
}
