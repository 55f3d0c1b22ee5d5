package grounding

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// word is a run of letters and digits in a text, or one letter of a script without spaces. Its text is folded.
type word struct {
	at, end int
	text    string
}

// isWord reports whether r belongs to a word.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

// isDigit reports whether c is an ASCII digit.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// alone reports whether r is a letter of a script without spaces between words, so that it counts as a word.
func alone(r rune) bool {
	return r >= 0x0e00 && (r <= 0x0e7f || r >= 0x3040 && r <= 0x30ff || r >= 0x3400 && r <= 0x9fff ||
		r >= 0xac00 && r <= 0xd7af || r >= 0xf900 && r <= 0xfaff || r >= 0x20000 && r <= 0x3ffff)
}

// appendWords appends the words of s to dst.
func appendWords(dst []word, s string) []word {
	if dst == nil {
		dst = make([]word, 0, len(s)/6+1)
	}
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] < utf8.RuneSelf
	}
	if plain { // lower it at once, instead of each word
		s = strings.ToLower(s)
	}
	for w := range wordsOf(s) {
		dst = append(dst, w)
	}
	return dst
}

// wordsOf yields the words of s.
func wordsOf(s string) iter.Seq[word] {
	return func(yield func(word) bool) {
		for i := 0; i < len(s); {
			at, n, r := i, 1, rune(0)
			for ; i < len(s); i += n {
				if c := classes[s[i]]; c == 0 {
					break
				} else if n = 1; c == aHighByte {
					if r, n = utf8.DecodeRuneInString(s[i:]); !isWord(r) || alone(r) {
						break
					}
				}
			}
			text := ""
			if i > at {
				text = fold(s[at:i]) // accents alone are not a word
			} else if i += n; alone(r) {
				text = s[at:i]
			}
			if text != "" && !yield(word{at, i, text}) {
				return
			}
		}
	}
}

// truth is "true" as fold returns it, without the e of its digraph "ue".
var truth = fold("true")

// strokes replaces letters that have no decomposition.
var strokes = strings.NewReplacer(
	"ß", "ss", "ø", "o", "æ", "a", "œ", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i")

// digraphs replaces the two letters that stand for an umlaut.
var digraphs = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")

// fold returns s in lower case, without accents and strokes.
func fold(s string) string {
	if alone(firstRune(s)) { // normalization would decompose Hangul
		return s
	}
	plain, capital, digraph := true, false, false
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] < utf8.RuneSelf
		capital = capital || 'A' <= s[i] && s[i] <= 'Z'
		digraph = digraph || i > 0 && s[i]|0x20 == 'e' && umlaut(s[i-1]|0x20)
	}
	if plain && !capital && !digraph {
		return s
	}
	s = strings.ToLower(s)
	if !plain {
		s = strokes.Replace(strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFKD.String(s)))
	}
	if digraph || !plain {
		return digraphs.Replace(s)
	}
	return s
}

// lastRune and firstRune return the runes next to a place in a text, 0 at its ends.
func lastRune(s string) rune {
	r, n := utf8.DecodeLastRuneInString(s)
	if n == 0 {
		return 0
	}
	return r
}

func firstRune(s string) rune {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return 0
	}
	return r
}

// like reports whether two folded words are equal except for a plural or genitive ending.
func like(a, b string) bool {
	if a == b {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < 3 || len(b)-len(a) > 4 {
		return false
	}
	if rest, ok := strings.CutPrefix(b, a); ok {
		if rest == "s" || rest == "es" {
			return true
		}
		return b[0] >= 0xce && len(a) >= 8 && len(rest) <= 4 // Greek and Cyrillic inflect names
	}
	return strings.HasSuffix(b, "ies") && a[len(a)-1] == 'y' && a[:len(a)-1] == b[:len(b)-3]
}

// akin reports whether two folded words begin alike, such as "Norway" and "Norwegian".
func akin(a, b string) bool {
	if a == b {
		return true
	}
	n := min(len(a), len(b))
	if n < 4 {
		return like(a, b)
	}
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	return i >= 4 && i*10 >= n*6
}
