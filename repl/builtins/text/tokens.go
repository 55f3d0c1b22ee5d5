package text

import (
	"unicode"
	"unicode/utf8"
)

// CountTokens estimates how many tokens a language model makes of text. It counts the way the vocabularies of today's models are
// built (a word is a token, long ones more; three digits; most punctuation) without holding one: beside o200k_base it is within about
// 20 % for prose, code, logs and JSON, where bytes divided by four is off by up to 50 %.
func CountTokens(text string) int {
	total := 0 // hundredths of tokens
	for i := 0; i < len(text); {
		c := text[i]
		j := i + 1
		switch {
		case lower[c&0x7f] >= 'a' && c < utf8.RuneSelf:
			parts := 1
			for j < len(text) && text[j] < utf8.RuneSelf && lower[text[j]] >= 'a' {
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
			if j-i > 1 || c != ' ' { // a single space belongs to the word after it
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

// foreign is the weight of one character outside of ASCII, in hundredths of tokens.
func foreign(text string, i int, r rune) int {
	switch {
	case alone(r):
		return 70
	case unicode.IsLetter(r), unicode.IsMark(r):
		return 30
	case i > 0 && i >= utf8.RuneLen(r) && r != utf8.RuneError && text[i-utf8.RuneLen(r):i] == string(r):
		return 10 // a run of the same sign, such as a drawn line
	}
	return 100
}
