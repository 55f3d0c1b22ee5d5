package answer

import (
	"iter"
	"strconv"
	"strings"
)

// A mark stands in an answer for a passage of the context: [^3kt], with the number of the passage and the letters of the session, which no
// document knows. Marks of a child run have its path behind that: [^3kt-1.2.1]. A mark is a footnote in Markdown, it has no
// character that JSON escapes, and it can be sorted, joined and printed like any text.

// consonants are the letters of marks: they make no word.
const consonants = "bcdfghjkmnpqrstvwxz"

// Letters are the three letters in the marks of a session. They follow from a seed.
func Letters(seed uint64) string {
	var s strings.Builder
	for range 3 {
		s.WriteByte(consonants[seed%uint64(len(consonants))])
		seed /= uint64(len(consonants))
	}
	return s.String()
}

// Series is what the marks of one notebook have behind their number: the letters of the session, and the path of a child run, "" for the
// root.
func Series(letters, path string) string {
	if path == "" {
		return letters
	}
	return letters + "-" + strings.ReplaceAll(path, "/", ".")
}

// Mark is the mark of the passage with a number, in a series.
func Mark(series string, number int) string { return "[^" + strconv.Itoa(number) + series + "]" }

// Marks yields whatever looks like a mark in a text, also one whose letters are missing, with the offset of each.
func Marks(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for at := 0; ; {
			n := strings.Index(text[at:], "[^")
			if n < 0 {
				return
			}
			at += n
			if n := markLen(text[at:]); n == 0 {
				at += len("[^")
			} else if !yield(at, text[at:at+n]) {
				return
			} else {
				at += n
			}
		}
	}
}

// markLen is the length of the mark that a text begins with, 0 if it begins with none: [^ and up to nine digits, then perhaps three letters
// and a path, which is - and numbers with . between them, then ].
func markLen(text string) int {
	at := len("[^")
	digits := count(text[at:], isDigit)
	if at += digits; digits < 1 || digits > 9 {
		return 0
	}
	letters := count(text[at:], isLetter)
	if at += letters; letters == len("kvw") && strings.HasPrefix(text[at:], "-") {
		for separator := "-"; strings.HasPrefix(text[at:], separator); separator = "." {
			n := count(text[at+1:], isDigit)
			if at += 1 + n; n == 0 {
				return 0
			}
		}
	}
	if letters != 0 && letters != len("kvw") || !strings.HasPrefix(text[at:], "]") {
		return 0
	}
	return at + 1
}

// count is how many bytes a text begins with that are of a kind.
func count(text string, is func(byte) bool) (n int) {
	for n < len(text) && is(text[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
