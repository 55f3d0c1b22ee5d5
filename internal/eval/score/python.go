package score

import (
	"math/big"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// The originals are Python programs. Where Go's functions differ from Python's, the following ones behave like
// Python's.

// pythonSpace reports whether str.strip removes a character, and str.split cuts at it.
func pythonSpace(r rune) bool { return unicode.IsSpace(r) || r >= '\x1c' && r <= '\x1f' }

func pythonStrip(text string) string { return strings.TrimFunc(text, pythonSpace) }

// pythonLower is str.lower: it handles characters that become two, and the sigma at the end of a word.
func pythonLower(text string) string { return cases.Lower(language.Und).String(text) }

// pythonInt parses what int accepts: digits of any script, with single underscores between them.
func pythonInt(text string) (*big.Int, bool) {
	const most = 4300 // digits; int rejects more
	text = pythonStrip(text)
	digits := strings.TrimLeft(text, "+-")
	if digits == "" || len(text)-len(digits) > 1 || len(digits) > most || strings.HasPrefix(digits, "_") ||
		strings.HasSuffix(digits, "_") || strings.Contains(digits, "__") {
		return nil, false
	}
	var plain strings.Builder
	plain.WriteString(text[:len(text)-len(digits)])
	for _, r := range digits {
		switch {
		case r == '_':
		case unicode.Is(unicode.Nd, r):
			plain.WriteByte('0' + digitOf(r))
		default:
			return nil, false
		}
	}
	return new(big.Int).SetString(plain.String(), 10)
}

// digitOf returns the value of a decimal digit. The digits of a script are consecutive, from 0 to 9.
func digitOf(r rune) byte {
	value := byte(0)
	for r--; unicode.Is(unicode.Nd, r) && value < 9; r-- {
		value++
	}
	return value
}

// off returns the distance of two numbers, which may be infinite.
func off(a, b *big.Int) float64 {
	d, _ := new(big.Float).SetInt(new(big.Int).Sub(a, b)).Float64()
	return max(d, -d)
}

var pythonDateValue = startup.Regexp(`^\[datetime\.date\((\d{4}),\s+(\d{1,2}),\s+(\d{1,2})\)\]$`)

// pythonFirst returns the first value of a list as Python prints it: a text without its quotes, or str of a
// number. ok is false if it is not such a list.
func pythonFirst(list string) (value string, ok bool) {
	inner, ok := strings.CutPrefix(pythonStrip(list), "[")
	if inner = pythonStrip(inner); !ok || inner == "" || !strings.HasSuffix(inner, "]") {
		return "", false
	}
	if quote := inner[0]; quote == '\'' || quote == '"' {
		for i := 1; i < len(inner); i++ {
			switch inner[i] {
			case '\\':
				i++
			case quote:
				return strings.NewReplacer(`\'`, `'`, `\"`, `"`, `\\`, `\`, `\n`, "\n", `\t`, "\t").Replace(inner[1:i]),
					true
			}
		}
		return "", false
	}
	value, _, _ = strings.Cut(strings.TrimSuffix(inner, "]"), ",")
	if n, ok := pythonInt(value); ok {
		return n.String(), true
	}
	value = pythonStrip(value)
	_, ok = parseNumber(value)
	return value, ok
}
