package opendocument

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/documents/internal/grid"
	"github.com/gorlm/rlm/internal/kit/startup"
)

// value is the value of a cell, as opposed to the text that the cell shows.
type value struct {
	kind     string
	raw      string
	currency string
}

// show returns a value as converted sheets show it: plain numbers with all digits, dates and times in ISO form, and
// words that a format adds. money is the unit of an amount.
func (v value) show(text string) (shown, money string) {
	switch v.kind {
	case "date":
		if v.raw != "" {
			return strings.TrimSuffix(strings.Replace(v.raw, "T", " ", 1), " 00:00:00"), ""
		}
	case "time":
		if clock, ok := clock(v.raw); ok {
			return clock, ""
		}
	case "boolean":
		return strings.ToUpper(v.raw), ""
	case "float", "percentage", "currency":
		number, err := strconv.ParseFloat(v.raw, 64)
		if err != nil {
			return text, ""
		}
		plain := grid.Number(number)
		switch words := v.kind == "float" && strings.ContainsFunc(text, unicode.IsLetter); {
		case words && digits(text) == "" && (text == "TRUE" || text == "FALSE"):
			return text, ""
		case words && digits(text) == "":
			return text + " (" + plain + ")", ""
		case digits(text) == digits(plain) && (words || isNumbering().MatchString(text)):
			return text, ""
		case v.kind == "percentage":
			return grid.Number(number*100) + "%", ""
		}
		money = v.currency
		if at := strings.IndexFunc(text, func(r rune) bool { return unicode.Is(unicode.Sc, r) }); at >= 0 &&
			money == "" {
			sign, _ := utf8.DecodeRuneInString(text[at:])
			money = string(sign)
		}
		return plain, money
	case "string":
		if text == "" {
			return v.raw, ""
		}
	}
	return text, ""
}

// isNumbering matches numbers that are displayed with leading zeros or with signs between their digits: 00123,
// 123-45-6789.
var isNumbering = startup.Regexp(`^\D*0\d|\d[)\s]*[-/]\s*\d`)

// digits returns the significant digits of a number, without its grouping.
func digits(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
	return strings.Trim(s, "0")
}

// clock converts PT08H30M00S to 08:30:00.
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
