package text

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks a paragraph between words into lines of at most columns characters. A longer word is on a separate
// line. Each line after the first begins with indent.
func Wrap(paragraph string, columns int, indent string) string {
	var b strings.Builder
	width := 0
	for i, word := range strings.Fields(paragraph) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case width+1+n > columns:
			b.WriteString("\n" + indent)
			width = utf8.RuneCountInString(indent)
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += n
	}
	return b.String()
}
