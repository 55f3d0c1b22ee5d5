package grounding

import (
	"strconv"
	"strings"
)

// countsAs reports whether what was seen has a number of the cell's in another form: with a unit attached as in 212ms,
// with a decimal comma, with a scale as in 1.35M, or below a hundred in words.
func (t *tracer) countsAs(l string) bool {
	n, err := strconv.ParseFloat(l, 64)
	if err != nil || n <= 0 || len(l) < 2 || strings.Trim(l, "0123456789.") != "" {
		return false
	}
	forms := []string{l, strings.Replace(l, ".", ",", 1)}
	for f := 1000.0; n > f && n <= 1000*1000*f && f <= 1e9; f *= 1000 {
		s := strconv.FormatFloat(n/f, 'f', -1, 64)
		forms = append(forms, s, strings.Replace(s, ".", ",", 1))
	}
	for k, text := range t.texts {
		short := len(text) < 1<<12 && k > 0
		if len(l) < 3 && !short {
			continue
		}
		for _, form := range forms {
			if t.work += len(text) / 16; t.work < maxWork && hasNumber(text, form, n) {
				return true
			}
		}
		if short && n < 100 && t.hasNumeral(text, int(n)) {
			return true
		}
	}
	return false
}

// hasNumber reports whether a text has a number that is written in a form, and is n, with its scale or without.
func hasNumber(text, form string, n float64) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], form)
		if i < 0 {
			return false
		}
		at := from + i
		from = at + len(form)
		if isDigit(byteAt(text, from)) || isWord(lastRune(text[:at])) ||
			at > 0 && strings.IndexByte(".,", text[at-1]) >= 0 {
			continue
		}
		q, ok := numeric(text, at)
		if !ok || q.isDate || q.inside || isWord(firstRune(text[q.end:])) {
			continue
		}
		for _, v := range q.values {
			if v.value == n || q.scale != 0 && v.value*q.scale == n {
				return true
			}
		}
	}
}

// hasNumeral reports whether a text has a number in words.
func (t *tracer) hasNumeral(text string, n int) bool {
	folded := fold(text)
	for _, lang := range t.q.langs {
		for w, number := range lang {
			if number.value == n && !number.ordinal && len(w) > 2 && stands(folded, w, 3) {
				return true
			}
		}
	}
	return false
}
