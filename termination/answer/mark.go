package answer

import (
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/lazy"
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
func Mark(series string, number int) string { return fmt.Sprintf("[^%d%s]", number, series) }

// marks matches whatever looks like a mark, also one whose letters are missing.
var marks = lazy.Regexp(`\[\^\d{1,9}(?:[A-Za-z]{3}(?:-\d+(?:\.\d+)*)?)?\]`)

// Marks lists what looks like a mark in a text, each once, in order.
func Marks(text string) []string {
	if !strings.Contains(text, "[^") {
		return nil
	}
	var out []string
	seen := map[string]bool{}
	for _, m := range marks().FindAllString(text, -1) {
		if !seen[m] {
			seen[m] = true
			out = append(out, m)
		}
	}
	return out
}
