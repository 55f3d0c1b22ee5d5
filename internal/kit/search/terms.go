package search

import (
	"unicode"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/kit/text"
)

// longestTerm is how many leading bytes of a term count.
const longestTerm = 64

// eachTerm calls f with the hash of each term of s. A term is a run of letters and digits, in lower case and
// composed, without the endings of an English plural (Harman's S stemmer); the parts of a name such as
// parseJSONFile are additional terms. A character of a script written without spaces is a term by itself.
func eachTerm(s string, f func(hash uint64)) {
	var word [longestTerm]byte
	composed := false
	for i := 0; i < len(s); {
		start, n := i, 0
		capitals, letters := byte(0), byte(0)
		for ; i < len(s); i++ {
			low := lower[s[i]]
			if low == 0 {
				break
			}
			if n < len(word) {
				word[n] = low
				n++
				capitals += (low ^ s[i]) >> 5 // the bit in which the cases differ
				letters += low >> 6           // digits do not have this bit
			}
		}
		switch {
		case i < len(s) && s[i] >= utf8.RuneSelf && !composed: // rare: most texts have only ASCII
			s, i, composed = compose(s[start:]), 0, true
		case i < len(s) && s[i] >= utf8.RuneSelf:
			i = foreignTerms(s, start, f)
		case n == 0:
			i++
		default:
			f(hashTerm(stem(word[:n])))
			if capitals > 0 && letters > capitals && (capitals > 1 || lower[s[start]] == s[start]) {
				eachPart(s[start:i], f)
			}
		}
	}
}

// foreignTerms is eachTerm for the word that begins at start, in any script. It returns the offset after the word.
func foreignTerms(s string, start int, f func(hash uint64)) int {
	end, humps := start, false
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		alone := text.Unspaced(r)
		if alone && end == start {
			return start + aloneTerms(s[start:], r, size, f)
		}
		if alone || !inWord(r) {
			break
		}
		humps = humps || end > start && unicode.IsUpper(r)
		end += size
	}
	if end == start {
		_, size := utf8.DecodeRuneInString(s[start:])
		return start + size
	}
	wordTerm(s[start:end], f)
	if humps {
		eachPart(s[start:end], f)
	}
	return end
}

// aloneTerms handles the first character of s, and returns its size. Korean has so few syllables that one alone
// means little: a pair of neighbours is a term as well, so that words are found with any particle after them.
func aloneTerms(s string, r rune, size int, f func(hash uint64)) int {
	f(hashTerm([]byte(s[:size])))
	if unicode.Is(unicode.Hangul, r) {
		if next, more := utf8.DecodeRuneInString(s[size:]); unicode.Is(unicode.Hangul, next) {
			f(hashTerm([]byte(s[:size+more])))
		}
	}
	return size
}

// inWord reports whether a character belongs to a word.
func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return lower[r] != 0
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || unwritten(r)
}

// wordTerm calls f with the term for a word.
func wordTerm(s string, f func(hash uint64)) {
	var word [longestTerm]byte
	n := 0
	for _, r := range s {
		if r >= utf8.RuneSelf && unwritten(r) {
			continue
		}
		if n+utf8.UTFMax > len(word) {
			break
		}
		n += utf8.EncodeRune(word[n:], unicode.ToLower(r))
	}
	if n > 0 {
		f(hashTerm(stem(word[:n])))
	}
}

// eachPart handles the parts of a name: HTTPServer has two, userIDs has user and ID. Digits belong to the
// preceding part. A part of one character is ignored.
func eachPart(name string, f func(hash uint64)) {
	begin := 0
	part := func(end int) {
		if utf8.RuneCountInString(name[begin:end]) > 1 && end-begin < len(name) {
			wordTerm(name[begin:end], f)
		}
		begin = end
	}
	var before rune
	for i, r := range name {
		if i > 0 && partBegins(before, r, name[i+utf8.RuneLen(r):]) {
			part(i)
		}
		before = r
	}
	part(len(name))
}

// partBegins reports whether a part of a name begins with r, between the preceding character and the rest.
func partBegins(before, r rune, rest string) bool {
	after, n := utf8.DecodeRuneInString(rest)
	following, _ := utf8.DecodeRuneInString(rest[n:])
	switch {
	case !unicode.IsUpper(r): // the s of URLs
		return r == 's' && unicode.IsUpper(before) && !unicode.IsLower(after)
	case unicode.IsUpper(before): // the last capital of an acronym belongs to the next part, but not in URLs
		return unicode.IsLower(after) && (after != 's' || unicode.IsLower(following))
	case unicode.IsDigit(before): // the T and the Z in 2025-01-02T03:04:05Z are not parts
		return unicode.IsLetter(after)
	}
	return true
}

// lower maps the ASCII letters and digits to lower case and everything else to 0.
var lower = func() (t [256]byte) {
	for c := range utf8.RuneSelf {
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z':
			t[c] = byte(c)
		case c >= 'A' && c <= 'Z':
			t[c] = byte(c) + 'a' - 'A'
		}
	}
	return t
}()

// stem removes the ending of an English plural.
func stem(w []byte) []byte {
	n := len(w)
	if n < 4 || w[n-1] != 's' {
		return w
	}
	switch w[n-2] {
	case 's', 'u':
		return w
	case 'e':
		if w[n-3] == 'i' && w[n-4] != 'a' && w[n-4] != 'e' {
			w[n-3] = 'y'
			return w[:n-2]
		}
	}
	return w[:n-1]
}

// hashTerm is FNV-1a with a final mix, so that the high bits are good for choosing a bucket.
func hashTerm(w []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range w {
		h = (h ^ uint64(c)) * 1099511628211
	}
	h ^= h >> 32
	return h * 0x9e3779b97f4a7c15
}
