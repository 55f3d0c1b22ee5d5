package opendocument

import (
	"math"
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
		words, mark := false, ""
		if v.kind == "float" {
			words = strings.ContainsFunc(text, unicode.IsLetter) &&
				strings.ContainsFunc(hasNumber().ReplaceAllString(text, ""), unicode.IsLetter)
			mark = grid.Mark(text)
		}
		before, after, ok := "", "", false
		if words || mark != "" {
			before, after, ok = around(text, number)
		}
		switch {
		case ok && words:
			return before + strings.TrimPrefix(plain, "-") + after, ""
		case ok && mark != "":
			return plain + mark, ""
		case words && (text == "TRUE" || text == "FALSE"):
			return text, ""
		case v.kind == "float" && !strings.ContainsAny(text, "0123456789") && grid.Says(text),
			words && digits(text) == "":
			return text + " (" + plain + ")", ""
		case digits(text) == digits(plain) && (words || isNumbering().MatchString(text)):
			return text, ""
		case v.kind == "percentage", mark == "%" && isPercentage(text, number):
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

// around returns what stands around the number in a text, whose sign or word for it is part of that. ok reports
// whether the number is v, which may be rounded, but not to zero: it could be divided by thousands.
func around(text string, v float64) (before, after string, ok bool) {
	at := hasNumber().FindAllStringIndex(text, 2)
	if len(at) != 1 || isNumbering().MatchString(text) {
		return "", "", false
	}
	v = math.Abs(v)
	for _, point := range []rune{'.', ','} {
		clean := strings.Map(func(r rune) rune {
			switch {
			case r == point:
				return '.'
			case r < '0' && r != '+' && r != '-', r > unicode.MaxASCII:
				return -1
			}
			return r
		}, text[at[0][0]:at[0][1]])
		shown, err := strconv.ParseFloat(clean, 64)
		digits, exponent, _ := strings.Cut(strings.ToLower(clean), "e")
		_, decimals, _ := strings.Cut(digits, ".")
		power, _ := strconv.Atoi(exponent)
		if err == nil && (shown != 0 || v == 0) && math.Abs(shown-v) <= 0.5001*math.Pow10(power-len(decimals)) {
			return text[:at[0][0]], text[at[0][1]:], true
		}
	}
	return "", "", false
}

// isPercentage reports whether a text shows v as a percentage.
func isPercentage(text string, v float64) bool {
	_, _, ok := around(text, v*100)
	return ok
}

// hasNumber matches a number, which may be grouped or have an exponent.
var hasNumber = startup.Regexp(`\d(?:[\d.,'’\x{a0}\x{202f} ]*\d)?(?:[Ee][+-]?\d+)?`)

// isNumbering matches numbers that are displayed with leading zeros or with signs between their digits: 00123,
// 123-45-6789.
var isNumbering = startup.Regexp(`^[^\d.,]*0\d|\d[)\s]*[-/]\s*\d`)

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
		fraction = fraction[:min(len(fraction), 3)] // further digits are artefacts of the binary format
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
