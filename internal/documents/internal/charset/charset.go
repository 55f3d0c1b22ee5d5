// Package charset makes UTF-8 of the text of documents that say their encoding, say a wrong one, or none.
package charset

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/gorlm/rlm/internal/kit/text/decoding"
	"github.com/gorlm/rlm/internal/kit/text/guess"
)

// sample is how much of a text is looked at to judge its encoding.
const sample = 64 << 10

// Reader reads r as UTF-8. A byte order mark counts first; then the label ("iso-8859-1"), unless it cannot be true;
// then statistics, and a remark says what they guessed. What is not valid stays as it is.
func Reader(r io.Reader, label string) (text io.Reader, remark string) {
	br := bufio.NewReaderSize(r, sample)
	head, _ := br.Peek(sample)
	enc, remark := find(head, label)
	if enc != nil {
		return transform.NewReader(br, enc.NewDecoder()), remark
	}
	if bytes.HasPrefix(head, []byte(decoding.Mark)) {
		_, _ = br.Discard(len(decoding.Mark))
	}
	return br, ""
}

// String is Reader for a short text.
func String(s, label string) string {
	enc, _ := find([]byte(s), label)
	if enc == nil {
		return s
	}
	if out, err := enc.NewDecoder().String(s); err == nil {
		return out
	}
	return s
}

// Remark says what String guesses; empty if it needs not.
func Remark(s, label string) string {
	_, remark := find([]byte(s), label)
	return remark
}

// find returns nil for UTF-8.
func find(head []byte, label string) (enc encoding.Encoding, remark string) {
	if bytes.HasPrefix(head, []byte(decoding.Mark)) {
		return nil, ""
	}
	if wide, _ := decoding.Wide(head); wide != nil {
		return wide, ""
	}
	multi, valid := weigh(head)
	enc, name := lookup(label)
	switch {
	case len(head) >= 8 && bytes.Count(head, []byte{0})*3 > len(head):
		if head[0] == 0 {
			return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), ""
		}
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), ""
	case enc == nil || name == "utf-8" || strings.HasPrefix(name, "utf-16"):
		// Pages say UTF-16 in ASCII; that cannot be.
		if valid {
			return nil, ""
		}
		guessed := guess.Of(head, 10)
		return guessed.Encoding, guessed.Remark()
	case valid && multi > 0 && (strings.HasPrefix(name, "windows-") || strings.HasPrefix(name, "iso-8859-")), valid &&
		multi > 10:
		return nil, "" // By chance, no text in such an encoding is valid UTF-8; a few characters of Chinese may be.
	}
	return enc, ""
}

// lookup finds an encoding by one of its names.
func lookup(label string) (encoding.Encoding, string) {
	label = strings.ToLower(strings.Trim(label, " \t\"'"))
	enc, err := htmlindex.Get(label)
	if err != nil {
		number, err := strconv.Atoi(strings.TrimLeft(label, "abcdefghijklmnopqrstuvwxyz-_")) // cp850, IBM437
		if enc = CodePage(number); err != nil || enc == nil {
			return nil, ""
		}
		return enc, label
	}
	name, err := htmlindex.Name(enc)
	if err != nil || name == "replacement" {
		return nil, ""
	}
	return enc, name
}

// weigh counts the characters of several bytes and says whether all is valid UTF-8, but for one that is cut at the end.
func weigh(b []byte) (multi int, valid bool) {
	for len(b) > 0 {
		if b[0] < utf8.RuneSelf {
			b = b[1:]
			continue
		}
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			return multi, len(b) < utf8.UTFMax && !utf8.FullRune(b)
		}
		multi++
		b = b[n:]
	}
	return multi, true
}
