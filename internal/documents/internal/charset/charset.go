// Package charset converts text to UTF-8 even if its document declares a wrong encoding or none.
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

// sample is how many bytes of a text determine its encoding.
const sample = 64 << 10

// Reader converts r to UTF-8. A byte order mark wins; then the label ("iso-8859-1"), unless it cannot be right;
// then statistics, and remark describes what they suggest. Invalid bytes are passed through.
func Reader(r io.Reader, label string) (text io.Reader, remark string) {
	br := bufio.NewReaderSize(r, sample)
	head, _ := br.Peek(sample)
	if isUTF7(label) {
		return utf7Reader(br), ""
	}
	enc, remark := find(head, label)
	if enc != nil {
		return transform.NewReader(br, enc.NewDecoder()), remark
	}
	if bytes.HasPrefix(head, []byte(decoding.Mark)) {
		_, _ = br.Discard(len(decoding.Mark))
	}
	return br, ""
}

// String is Reader for short texts.
func String(s, label string) string {
	if isUTF7(label) {
		return utf7(s)
	}
	enc, _ := find([]byte(s), label)
	if enc == nil {
		return s
	}
	if out, err := enc.NewDecoder().String(s); err == nil {
		return out
	}
	return s
}

// Remark describes what String guesses; it is empty if String does not guess.
func Remark(s, label string) string {
	_, remark := find([]byte(s), label)
	return remark
}

// find returns the encoding of a text, nil for UTF-8, and what was guessed.
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
		// Some pages declare UTF-16 in ASCII, which cannot be right.
		if valid {
			return nil, ""
		}
		guessed := guess.Of(head, 10)
		return guessed.Encoding, guessed.Remark()
	case valid && multi > 0 && (strings.HasPrefix(name, "windows-") || strings.HasPrefix(name, "iso-8859-")), valid &&
		multi > 10:
		return nil, "" // single-byte text is hardly ever valid UTF-8; a few Chinese characters may be
	}
	return enc, ""
}

// lookup returns an encoding and its canonical name.
func lookup(label string) (encoding.Encoding, string) {
	label = strings.ToLower(strings.Trim(label, " \t\"'"))
	enc, err := htmlindex.Get(label)
	if err != nil {
		number, err := strconv.Atoi(strings.TrimLeft(label, "abcdefghijklmnopqrstuvwxyz-_")) // "cp850", "IBM437"
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

// weigh counts multi-byte characters and reports whether b is valid UTF-8; the last character may be incomplete.
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
