// Package likeness compares what several programs read in the same document: words, their order, and rows of
// numbers.
package likeness

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

var (
	link       = regexp.MustCompile(`\[([^\[\]]*)\]\([^)\s]*\)`)
	linkTarget = regexp.MustCompile(`\]\([^)\s]*\)`)       // address of a link whose text has brackets
	reference  = regexp.MustCompile(`\[\^?[0-9]{1,2}\]:?`) // reference to a footnote
	hyphenated = regexp.MustCompile(`(\p{L})[-\x{2010}]\n[ \t]*(\p{Ll})`)
	escape     = regexp.MustCompile(`\\([[:punct:]])`)
)

// Words splits a text into the units of comparison: numbers with their points and commas, words, and single
// characters of Chinese and Japanese, which have no spaces. Compatibility characters (ligatures, wide letters,
// presentation forms) are normalized.
func Words(s string) []string {
	s = norm.NFKC.String(strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
			return -1 // soft hyphens, joiners, marks of direction
		}
		return r
	}, s)
	s = hyphenated.ReplaceAllString(s, "$1$2")
	s = linkTarget.ReplaceAllString(link.ReplaceAllString(s, "$1"), "]")
	s = reference.ReplaceAllString(s, " ")
	s = escape.ReplaceAllString(s, "$1")
	var all []string
	runes := []rune(s)
	for i := 0; i < len(runes); {
		r := runes[i]
		switch {
		case isSign(r):
			all = append(all, string(r))
			i++
		case isWord(r):
			from := i
			for i < len(runes) && (isWord(runes[i]) && !isSign(runes[i]) || insideNumber(runes, i)) {
				i++
			}
			all = append(all, string(runes[from:i]))
		default:
			i++
		}
	}
	return all
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

func insideNumber(s []rune, i int) bool {
	return (s[i] == '.' || s[i] == ',') && i > 0 && i+1 < len(s) && unicode.IsDigit(s[i-1]) && unicode.IsDigit(s[i+1])
}

// isSign reports whether a character counts as a word.
func isSign(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }
