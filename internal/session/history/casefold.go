package history

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Query is a text to search for, ignoring case. A letter followed by a combining mark (u and ¨) matches the
// composed letter (ü).
type Query struct {
	folded []rune
}

// Want makes a Query.
func Want(text string) Query {
	var w Query
	for _, r := range norm.NFC.String(text) {
		w.folded = append(w.folded, fold(r))
	}
	return w
}

// In reports whether a text contains the query.
func (w Query) In(text string) bool {
	at, _ := w.find(composed(text))
	return at >= 0
}

// find returns the first match in a composed text and its length, both in bytes; at is negative if there is
// none.
func (w Query) find(text string) (at, length int) {
	if len(w.folded) == 0 {
		return 0, 0
	}
	for at < len(text) {
		i := w.next(text[at:])
		if i < 0 {
			return -1, 0
		}
		at += i
		if n, ok := w.begins(text[at:]); ok {
			return at, n
		}
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
	}
	return -1, 0
}

// next returns the first offset at which a match could begin.
func (w Query) next(text string) int {
	first := w.folded[0]
	// Non-ASCII runes fold to k, s and i too.
	if first < 'a' || first > 'z' || first == 'k' || first == 's' || first == 'i' {
		return strings.IndexFunc(text, func(r rune) bool { return fold(r) == first })
	}
	lower, upper := strings.IndexByte(text, byte(first)), -1
	if lower >= 0 {
		text = text[:lower]
	}
	if upper = strings.IndexByte(text, byte(first)-'a'+'A'); upper >= 0 {
		return upper
	}
	return lower
}

// begins reports whether a text begins with a match, and the match's length.
func (w Query) begins(text string) (length int, ok bool) {
	for _, want := range w.folded {
		r, n := utf8.DecodeRuneInString(text[length:])
		if n == 0 || fold(r) != want {
			return 0, false
		}
		length += n
	}
	return length, true
}

// fold maps runes that differ only in case to one rune.
func fold(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

// composed returns a text in NFC, in which letters and their combining marks are single runes where possible.
func composed(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf { // nearly all texts are ASCII and return unchanged
			return norm.NFC.String(text)
		}
	}
	return text
}
