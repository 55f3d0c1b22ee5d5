package opendocument

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/gorlm/rlm/internal/documents/internal/grid"
)

// value is that of a cell, beside the text that the cell shows.
type value struct {
	kind     string
	raw      string
	currency string
}

// show is the text that the cell shows, unless it hides digits of the value; dates and times are in ISO form.
func (v value) show(text string) string {
	switch v.kind {
	case "date":
		if v.raw != "" {
			return strings.TrimSuffix(strings.Replace(v.raw, "T", " ", 1), " 00:00:00")
		}
	case "time":
		if clock, ok := clock(v.raw); ok {
			return clock
		}
	case "boolean":
		return strings.ToUpper(v.raw)
	case "float", "percentage", "currency":
		number, err := strconv.ParseFloat(v.raw, 64)
		if err != nil {
			return text
		}
		plain := grid.Number(number)
		if digits(text) == digits(plain) && (number >= 0 || strings.ContainsAny(text, "-−(")) {
			return text
		}
		if (number == 0 || number == 1) && strings.ContainsFunc(text, unicode.IsLetter) && digits(text) == "" {
			return text // a truth: TRUE, no
		}
		switch v.kind {
		case "percentage":
			return grid.Number(number*100) + "%"
		case "currency":
			return strings.TrimSpace(plain + " " + v.currency)
		}
		return plain
	case "string":
		if text == "" {
			return v.raw
		}
	}
	return text
}

// digits are the ones that make a number what it is, however it is grouped.
func digits(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
	return strings.Trim(s, "0")
}

// clock is PT08H30M00S as 08:30:00.
func clock(s string) (string, bool) {
	negative := strings.HasPrefix(s, "-")
	rest, ok := strings.CutPrefix(strings.TrimPrefix(s, "-"), "PT")
	if !ok {
		return "", false
	}
	h, rest, ok1 := strings.Cut(rest, "H")
	m, rest, ok2 := strings.Cut(rest, "M")
	sec, _, ok3 := strings.Cut(rest, "S")
	if !ok1 || !ok2 || !ok3 {
		return "", false
	}
	if whole, fraction, ok := strings.Cut(sec, "."); ok {
		if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
			whole += "." + fraction
		}
		sec = whole
	}
	if negative {
		h = "-" + h
	}
	return h + ":" + m + ":" + sec, true
}
