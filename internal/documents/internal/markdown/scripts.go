package markdown

import "strings"

// Shifted is a number above (by > 0) or below the line (by < 0), which would be another number on it: 10⁶, H₂O. Other
// text stays as it is.
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
