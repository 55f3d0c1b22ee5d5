package grid

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Number formats a number with the 15 digits that Excel shows: further digits are artefacts of the binary format.
func Number(v float64) string {
	if abs := math.Abs(v); abs >= 1e15 && abs < 1e21 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	if text := strconv.FormatFloat(v, 'f', -1, 64); len(text) <= 15 && v != 0 {
		return text // it has fewer digits
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64)
	if err != nil {
		rounded = v
	}
	if abs := math.Abs(rounded); rounded != 0 && (abs >= 1e21 || abs < 1e-15) {
		return strconv.FormatFloat(rounded, 'E', -1, 64)
	}
	if rounded == 0 {
		return "0"
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// Says reports whether a text beside a number, or in its place, has a meaning of its own: it has letters or symbols
// such as ticks and arrows.
func Says(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsLetter(r) || r > unicode.MaxASCII && unicode.In(r, unicode.So, unicode.Sm)
	})
}

// Mark returns the sign in a text that is part of a number: of percent, per mille or degrees.
func Mark(s string) string {
	if at := strings.IndexAny(s, "%‰°"); at >= 0 {
		_, n := utf8.DecodeRuneInString(s[at:])
		return s[at : at+n]
	}
	return ""
}
