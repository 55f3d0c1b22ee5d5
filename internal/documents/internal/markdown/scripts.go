package markdown

import "strings"

// Shifted writes a number as superscript (by > 0) or subscript (by < 0), because on the line it would mean
// something else: 10⁶, H₂O. Other text is unchanged.
func Shifted(text string, by int) string {
	from, shifted := []rune("0123456789+-−=()n"), []rune("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
	switch {
	case by == 0:
		return text
	case by < 0:
		shifted = []rune("₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₙ")
	}
	var b strings.Builder
	for _, r := range text {
		i := strings.IndexRune(string(from), r)
		if i < 0 {
			return text
		}
		b.WriteRune(shifted[len([]rune(string(from)[:i]))])
	}
	return b.String()
}
