package guess

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Signs, grouped by where people write them.
const (
	anywhere = "\u00A0\u00AD–—…’‘§¦¬¶¤·°²³¹±µ" // between letters as well; some separate fields
	opening  = "„‚‹¡¿"                         // not after a letter
	quotes   = "“”«»€"                         // not within a word
	apart    = "ˆ˜‰ƒ"                          // not beside a letter
)

// misplaced counts characters beyond ASCII in the sample, decoded with c: bad counts those where nobody writes them
// (signs within words, a capital after a small letter, letters of two scripts side by side, controls), good counts
// letters in words and lines of tables in the right places, and all counts both and other signs. In a Western
// encoding, Greek and Turkish letters and three letters beyond ASCII in a row are bad too: Cyrillic words and lines
// of tables look like that.
func (c Charset) misplaced(sample []byte) (bad, good, all int) {
	decoded, _ := c.Encoding.NewDecoder().Bytes(sample)
	text := []rune(" " + string(decoded) + " ")
	western := slices.ContainsFunc(singles[:westerns], func(w Charset) bool { return w.Encoding == c.Encoding })
	for i, r := range text {
		if r < utf8.RuneSelf || strings.ContainsRune(anywhere, r) {
			continue
		}
		before, after := text[i-1], text[i+1]
		inWord := unicode.IsLetter(before) || unicode.IsLetter(after)
		switch {
		case unicode.IsLetter(r) && !inWord:
			continue
		case r == utf8.RuneError: // the encoding has no such character
			bad += 5
		case isMisplaced(before, r, after), western && (isBeyond(before) && isBeyond(r) && isBeyond(after) ||
			unicode.Is(unicode.Greek, r) || r == 'ı'):
			bad++
		case strings.ContainsRune(quotes, r):
			continue
		case unicode.IsLetter(r), isLine(r):
			good++
		}
		all++
	}
	return bad, good, all
}

func isMisplaced(before, r, after rune) bool {
	left, right := unicode.IsLetter(before), unicode.IsLetter(after)
	switch {
	case unicode.IsControl(r):
		return true
	case strings.ContainsRune(opening, r):
		return left
	case strings.ContainsRune(apart, r) || isLine(r):
		return left || right
	case !unicode.IsLetter(r) || r == 'ª' || r == 'º':
		return left && right
	}
	script := scriptOf(r)
	for _, beside := range []rune{before, after} {
		if unicode.IsLetter(beside) && scriptOf(beside) != script {
			return true
		}
	}
	if before == r && r == after {
		return true // a line of a table, in the wrong encoding
	}
	if unicode.IsUpper(r) {
		return unicode.IsLower(before) || left && unicode.IsLower(after)
	}
	return unicode.IsUpper(after)
}

// isLine reports whether a sign draws lines or blocks.
func isLine(r rune) bool { return r >= 0x2500 && r < 0x25A0 }

func isBeyond(r rune) bool { return r >= utf8.RuneSelf && unicode.IsLetter(r) }

func scriptOf(letter rune) *unicode.RangeTable {
	for _, script := range []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek} {
		if unicode.Is(script, letter) {
			return script
		}
	}
	return nil // another script, such as an Asian one
}
