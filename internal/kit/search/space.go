package search

import (
	"unicode"
	"unicode/utf8"
)

// spaceAt is the length of the white space character that text[i:] begins with, 0 if it begins with another one.
func spaceAt(text string, i int) int {
	if i >= len(text) {
		return 0
	}
	if c := text[i]; c < utf8.RuneSelf {
		if c == ' ' || c >= '\t' && c <= '\r' {
			return 1
		}
		return 0
	}
	if r, n := utf8.DecodeRuneInString(text[i:]); unicode.IsSpace(r) {
		return n
	}
	return 0
}

// spacesAt is the length of the white space that text[i:] begins with.
func spacesAt(text string, i int) int {
	from := i
	for n := spaceAt(text, i); n > 0; n = spaceAt(text, i) {
		i += n
	}
	return i - from
}

// spacesBefore is the length of the white space that text[:end] ends with.
func spacesBefore(text string, end int) int {
	at := end
	for at > 0 {
		r, n := utf8.DecodeLastRuneInString(text[:at])
		if !unicode.IsSpace(r) {
			break
		}
		at -= n
	}
	return end - at
}
