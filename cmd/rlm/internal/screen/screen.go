// Package screen makes text that came from a model, a cell or a document safe to show on a terminal.
package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Clean takes out whatever a terminal would obey: escape sequences, control characters and marks that reorder
// text. A context is data that somebody else wrote; showing it must not be able to move the cursor, rename the window or
// write to the clipboard. Line ends and tabs stay; bytes that are no UTF-8 show as U+FFFD.
func Clean(text string) string {
	if !needsCleaning(text) {
		return text
	}
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if obeyed(r) {
			return -1
		}
		return r
	}, ansi.Strip(text))
}

func needsCleaning(text string) bool {
	return !utf8.ValidString(text) || strings.ContainsFunc(text, obeyed)
}

// obeyed reports whether a terminal may act on r instead of showing it.
func obeyed(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r):
		return true
	default: // bidirectional overrides and isolates
		return r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069'
	}
}
