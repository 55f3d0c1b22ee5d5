package search

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// alike are characters that people and programs use interchangeably: apostrophes, quotation marks, dashes.
var alike = []string{
	"'\u2018\u2019\u201a\u201b\u2032\u2039\u203a`\u00b4\uff07",
	"\"\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\uff02",
	"-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff0d",
}

var ligatures = strings.NewReplacer(
	"\ufb00", "ff", "\ufb01", "fi", "\ufb02", "fl", "\ufb03", "ffi", "\ufb04", "ffl", "\u2026", "...")

// ligature lists the ways in which a text may write several letters.
var ligature = []struct {
	letters string
	forms   []string
}{
	{"ffi", []string{"ffi", "\ufb03", "\ufb00i", "f\ufb01"}},
	{"ffl", []string{"ffl", "\ufb04", "\ufb00l", "f\ufb02"}},
	{"ff", []string{"ff", "\ufb00"}},
	{"fi", []string{"fi", "\ufb01"}},
	{"fl", []string{"fl", "\ufb02"}},
	{"...", []string{"...", "\u2026"}},
}

// toFullWidth is the distance from an ASCII character to its form of full width, as East Asian texts have them.
const toFullWidth = '\uFF01' - '!'

// fullWidth returns an ASCII text in characters of full width.
func fullWidth(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '!' && r <= '~' {
			return r + toFullWidth
		}
		return r
	}, text)
}

// Bounds of a loose search.
const (
	longestLoose = 2000    // bytes of the longest quotation
	wholeLoose   = 4 << 20 // bytes of the largest text that is searched for the pattern alone
	mostWords    = 4       // how many of the longest words of a quotation are searched for
	mostAnchors  = 5_000   // places of one word that are examined
)

// Loosely finds a quotation that was typed again: with other quotation marks, apostrophes and dashes, with
// ligatures or single letters, in characters of full width or not, with or without soft hyphens, with letters in one
// code point or in several, and with words divided at line ends. Use it when Quotations finds nothing. In a large text,
// one of the longest words of the quotation must occur unchanged: the pattern is only searched around it, because that
// takes twenty times as long as a search for words.
func Loosely(text, quote string) Quotation {
	quote = ligatures.Replace(strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(invisible, r):
			return -1
		case r >= '!'+toFullWidth && r <= '~'+toFullWidth:
			return r - toFullWidth
		}
		return r
	}, norm.NFC.String(Fold(quote))))
	if quote == "" || len(quote) > longestLoose {
		return Quotation{}
	}
	re, err := regexp.Compile(loose(quote))
	if err != nil {
		return Quotation{}
	}
	if len(text) <= wholeLoose {
		return among(re.FindAllStringIndex(text, -1))
	}
	for _, word := range anchors(quote) {
		if q := among(around(text, word, 3*len(quote)+200, re)); q.Count > 0 {
			return q
		}
	}
	return Quotation{}
}

// among returns the first place, with the number of all places.
func among(places [][]int) Quotation {
	if len(places) == 0 {
		return Quotation{}
	}
	return Quotation{
		Offset: int64(places[0][0]), Length: int64(places[0][1] - places[0][0]), Count: len(places),
		Folded: true,
	}
}

// around finds the places of a pattern that are within the given number of bytes of a word.
func around(text, word string, within int, re *regexp.Regexp) (places [][]int) {
	end := 0 // end of the last place
	for at, n := 0, 0; n < mostAnchors; n++ {
		next := strings.Index(text[at:], word)
		if next < 0 {
			break
		}
		at += next
		from := max(end, at-within)
		if m := re.FindStringIndex(text[from:min(len(text), at+within)]); m != nil {
			end = from + m[1]
			places = append(places, []int{from + m[0], end})
		}
		at = max(end, at+len(word))
	}
	return places
}

// anchors returns the longest words of a quotation, as written, decomposed and in full width. It omits the first
// letter, which may differ in case.
func anchors(quote string) []string {
	_, first := utf8.DecodeRuneInString(quote)
	words := strings.FieldsFunc(quote[first:], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	words = words[:min(len(words), mostWords)]
	for _, word := range words {
		for _, other := range []string{norm.NFD.String(word), fullWidth(word)} {
			if other != word {
				words = append(words, other)
			}
		}
	}
	return words
}

// loose returns a pattern for a folded quotation.
func loose(quote string) string {
	const (
		space  = `[\s\p{Zs}\x{AD}\x{200B}-\x{200F}\x{2060}\x{FEFF}]+`
		within = `(?:[\x{AD}\x{200B}-\x{200F}\x{2060}\x{FEFF}]\s*|[-\x{2010}]\r?\n\s*)?` // where a word is divided
	)
	var b strings.Builder
	letter := false // the last character was a letter
	for len(quote) > 0 {
		sign, pattern, word := signAt(quote)
		if word && letter {
			b.WriteString(within)
		}
		switch {
		case sign == " ":
			pattern = space
		case b.Len() == 0 && word: // quoted within a sentence, it may begin with a small letter
			pattern = "(?i:" + pattern + ")"
		}
		b.WriteString(pattern)
		quote, letter = quote[len(sign):], word
	}
	return b.String()
}

// signAt returns the first character of a text, or the letters there that a ligature can replace, with a pattern for
// its equivalents. word reports whether it belongs to a word.
func signAt(text string) (sign, pattern string, word bool) {
	for _, l := range ligature {
		if strings.HasPrefix(text, l.letters) {
			forms := strings.ReplaceAll(strings.Join(l.forms, "|"), ".", `\.`)
			return l.letters, "(?:" + forms + ")", l.letters != "..."
		}
	}
	for i, r := range text {
		if i > 0 {
			sign = text[:i]
			break
		}
		sign, word = text, unicode.IsLetter(r)
	}
	for _, list := range alike {
		if strings.Contains(list, sign) {
			return sign, "[" + regexp.QuoteMeta(list) + "]", false
		}
	}
	if wide := fullWidth(sign); wide != sign {
		return sign, "[" + regexp.QuoteMeta(sign) + wide + "]", word
	}
	r, _ := utf8.DecodeRuneInString(sign)
	if forms := spellings(r); len(forms) > 1 {
		return sign, "(?:" + strings.Join(forms, "|") + ")", word
	}
	return sign, regexp.QuoteMeta(sign), word
}
