package search

import (
	"unicode"
	"unicode/utf8"
)

// spaceAt returns the length of the white space character at the start of text[i:], 0 if there is none.
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

// spacesAt returns the length of the white space at the start of text[i:].
func spacesAt(text string, i int) int {
	from := i
	for n := spaceAt(text, i); n > 0; n = spaceAt(text, i) {
		i += n
	}
	return i - from
}

// spacesBefore returns the length of the white space at the end of text[:end].
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
