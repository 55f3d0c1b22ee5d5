package search

import (
	"unicode"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/kit/text"
)

// eachTerm calls f with the hash of each term of s. A term is a run of letters and digits, in lower case, without the
// endings of an English plural (Harman's S stemmer); a character of a script that is written without spaces is a term of its own.
func eachTerm(s string, f func(hash uint64)) {
	var word [64]byte
	for i := 0; i < len(s); {
		n := 0
		for i < len(s) {
			c := s[i]
			if c < utf8.RuneSelf {
				low := lower[c]
				if low == 0 {
					break
				}
				if n < len(word) {
					word[n] = low
					n++
				}
				i++
				continue
			}
			r, size := utf8.DecodeRuneInString(s[i:])
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
				break
			}
			if text.Unspaced(r) {
				if n == 0 {
					n = utf8.EncodeRune(word[:], r)
					i += size
				}
				break
			}
			if n+utf8.UTFMax <= len(word) {
				n += utf8.EncodeRune(word[n:], unicode.ToLower(r))
			}
			i += size
		}
		if n > 0 {
			f(hashTerm(stem(word[:n])))
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
}

// lower maps the ASCII letters and digits to lower case and everything else to 0.
var lower = func() (t [utf8.RuneSelf]byte) {
	for c := range t {
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z':
			t[c] = byte(c)
		case c >= 'A' && c <= 'Z':
			t[c] = byte(c) + 'a' - 'A'
		}
	}
	return t
}()

// stem cuts the ending of an English plural.
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

// hashTerm is FNV-1a with a final mix, so that the high bits choose a bucket well.
func hashTerm(w []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range w {
		h = (h ^ uint64(c)) * 1099511628211
	}
	h ^= h >> 32
	return h * 0x9e3779b97f4a7c15
}
