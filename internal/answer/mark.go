package answer

import (
	"iter"
	"strconv"
	"strings"
	"unicode"
)

// A mark cites a passage of the context in an answer: [^3kt] has the number of the passage and the letters of the
// session, which documents cannot know in advance. Marks of a child run add its path: [^3kt-1.2.1]. A mark is a
// footnote in Markdown, has no character that JSON escapes, and can be sorted, joined and printed like any text.

// consonants are the letters of marks: they form no word.
const consonants = "bcdfghjkmnpqrstvwxz"

// Letters returns the three letters in the marks of a session. They depend only on the seed.
func Letters(seed uint64) string {
	var s strings.Builder
	for range 3 {
		s.WriteByte(consonants[seed%uint64(len(consonants))])
		seed /= uint64(len(consonants))
	}
	return s.String()
}

// Series returns what follows the number in the marks of one notebook: the letters of the session, and the path of
// a child run, "" for the root.
func Series(letters, path string) string {
	if path == "" {
		return letters
	}
	return letters + "-" + strings.ReplaceAll(path, "/", ".")
}

// Mark returns the mark of the passage with the given number in a series.
func Mark(series string, number int) string { return "[^" + strconv.Itoa(number) + series + "]" }

// Marks yields everything that looks like a mark in a text, of whatever form, with the offset of each.
func Marks(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for at := 0; ; {
			n := strings.Index(text[at:], "[^")
			if n < 0 {
				return
			}
			at += n
			n = markLen(text[at:])
			switch {
			case n == 0, !hasDigit(text[at:at+n]) && expression(text[:at], text[at+n:]):
				at += len("[^")
			case !yield(at, text[at:at+n]):
				return
			default:
				at += n
			}
		}
	}
}

// markLen returns the length of the mark at the beginning of a text, 0 if there is none: [^, a letter or digit, more
// of them and -, . and _, then ]. What begins as [^a-z] is a class of a regular expression.
func markLen(text string) int {
	at := len("[^")
	label := text[at : at+count(text[at:], isOfLabel)]
	if end := at + len(label); len(label) == 0 || !isLetterOrDigit(label[0]) || len(label) > 1 && label[1] == '-' ||
		!strings.HasPrefix(text[end:], "]") {
		return 0
	}
	return at + len(label) + 1
}

// expression reports whether what stands around letters in [^ ] makes them part of a regular expression.
func expression(before, after string) bool {
	return before != "" && strings.ContainsRune("`/\\\"'^[", rune(before[len(before)-1])) ||
		after != "" && strings.ContainsRune("`/\\\"'$+*?{", rune(after[0]))
}

func hasDigit(s string) bool { return strings.ContainsFunc(s, unicode.IsDigit) }

// count returns how many leading bytes of a text satisfy is.
func count(text string, is func(byte) bool) (n int) {
	for n < len(text) && is(text[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isLetterOrDigit(c byte) bool { return isLetter(c) || isDigit(c) }

func isOfLabel(c byte) bool { return isLetterOrDigit(c) || c == '-' || c == '.' || c == '_' }
