package markdown

import "strings"

// Raised and Lowered are numbers above and below the line, which would be other numbers on it: 10⁶, H₂O. Other text stays as it is.
func Raised(text string) string {
	return shift(text, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
}

// Lowered is the counterpart of Raised.
func Lowered(text string) string {
	return shift(text, "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₙ")
}

func shift(text, to string) string {
	from, shifted := []rune("0123456789+-−=()n"), []rune(to)
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
