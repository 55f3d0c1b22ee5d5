package corpus

import (
	"bytes"
	"net/http"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/kit/text/decoding"
	"github.com/gorlm/rlm/internal/kit/text/guess"
)

// sniffLen is how many of the first bytes decide whether a file is text.
const sniffLen = 8 << 10

// binaryKind returns the type of a file by its beginning, "" for text.
func binaryKind(head []byte) string {
	if bytes.HasPrefix(head, []byte("%PDF-")) {
		return "application/pdf"
	}
	if wide, _ := decoding.Wide(head); wide != nil || format.LooksLikeText(head) {
		return ""
	}
	return http.DetectContentType(head)
}

// evidence counts the bytes of a sample by kind.
type evidence struct {
	runes   int // valid multibyte sequences
	invalid int // bytes that are not UTF-8
	high    int // bytes ≥ 0x80
	letters int // ASCII letters
}

func weigh(sample []byte) (e evidence) {
	for len(sample) > 0 {
		r, n := utf8.DecodeRune(sample)
		switch {
		case r == utf8.RuneError && n == 1:
			e.invalid++
			e.high++
		case n > 1:
			e.runes++
			e.high += n
		case r|0x20 >= 'a' && r|0x20 <= 'z':
			e.letters++
		}
		sample = sample[n:]
	}
	return e
}

// legacyCharset guesses the encoding of a sample that is not valid UTF-8; ok is false for UTF-8 with damaged bytes.
func legacyCharset(sample []byte) (c guess.Charset, ok bool) {
	e := weigh(sample)
	// Few legacy texts contain even one valid UTF-8 sequence by chance.
	if e.invalid == 0 || e.runes >= e.invalid {
		return c, false
	}
	// If most letters are not ASCII the language is hardly western, so a weak guess is better than none.
	confidence := 30
	if e.high > e.letters {
		confidence = 10
	}
	return guess.Of(sample, confidence), true
}
