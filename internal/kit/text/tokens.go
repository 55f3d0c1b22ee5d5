package text

import (
	"unicode"
	"unicode/utf8"
)

// CountTokens estimates how many tokens a language model makes of text. It imitates the structure of today's
// vocabularies (a word, three digits or a punctuation mark is a token, a long word several) without containing one:
// compared with o200k_base it is within about 20 % for prose, code, logs and JSON, for which bytes divided by four
// is off by up to 50 %.
func CountTokens(text string) int {
	total := 0 // hundredths of tokens
	for i := 0; i < len(text); {
		c := text[i]
		j := i + 1
		switch {
		case isLetter(c):
			parts := 1
			for j < len(text) && isLetter(text[j]) {
				if text[j] < 'a' && text[j-1] >= 'a' {
					parts++ // camelCase
				}
				j++
			}
			total += 100*parts + max(0, j-i-7*parts)*18
		case c >= '0' && c <= '9':
			for j < len(text) && text[j] >= '0' && text[j] <= '9' {
				j++
			}
			total += (j - i + 2) / 3 * 100
		case c == ' ' || c == '\n' || c == '\r' || c == '\t':
			for j < len(text) && (text[j] == ' ' || text[j] == '\n' || text[j] == '\r' || text[j] == '\t') {
				j++
			}
			if j-i > 1 || c != ' ' { // a single space belongs to the next word
				total += 100
			}
		case c < utf8.RuneSelf:
			for j < len(text) && text[j] == c {
				j++
			}
			total += 75 + min(j-i-1, 3)*25 + max(0, j-i-4)*6
		default:
			r, n := utf8.DecodeRuneInString(text[i:])
			j = i + n
			total += foreign(text, i, r)
		}
		i = j
	}
	return (total + 99) / 100
}

// foreign returns the weight of one character outside of ASCII, in hundredths of tokens.
func foreign(text string, i int, r rune) int {
	switch {
	case Unspaced(r):
		return 70
	case unicode.IsLetter(r), unicode.IsMark(r):
		return 30
	case i > 0 && i >= utf8.RuneLen(r) && r != utf8.RuneError && text[i-utf8.RuneLen(r):i] == string(r):
		return 10 // a run of the same character, such as a drawn line
	}
	return 100
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// Unspaced reports whether a character belongs to a script written without spaces, in which it is nearly a token
// by itself, or to Hangul, which has spaces but attaches particles to words.
func Unspaced(r rune) bool {
	const thai = 0x0E00 // the lowest code point of these scripts
	return r >= thai && unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// EstimateTokens is CountTokens for texts of any length: of a long one it counts evenly spread samples, and scales
// the result.
func EstimateTokens(text string) int {
	const (
		samples = 256
		size    = 4 << 10
	)
	if len(text) <= 2*samples*size {
		return CountTokens(text)
	}
	counted := 0
	for i := range samples {
		at := int(float64(len(text)-size) / (samples - 1) * float64(i))
		counted += CountTokens(text[at : at+size])
	}
	return int(float64(counted) / (samples * size) * float64(len(text)))
}
