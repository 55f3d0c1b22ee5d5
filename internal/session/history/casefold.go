package history

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Query is a text that is looked for, in any case. An ü is one, also where it is written as a u with two dots.
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

// In reports whether a text holds what is wanted.
func (w Query) In(text string) bool {
	at, _ := w.find(composed(text))
	return at >= 0
}

// find is the first place of what is wanted in a composed text, in bytes; at is negative if there is none.
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

// next is the first place where what is wanted could begin.
func (w Query) next(text string) int {
	first := w.folded[0]
	if first < 'a' || first > 'z' || first == 'k' || first == 's' || first == 'i' { // what folds to those three is not only ASCII
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

// begins reports whether a text begins with what is wanted, and how long that is there.
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

// fold makes one rune of those that differ in case only.
func fold(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

// composed writes letters with their marks as one where that can be.
func composed(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf { // nearly all texts have none
			return norm.NFC.String(text)
		}
	}
	return text
}
