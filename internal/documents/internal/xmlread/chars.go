package xmlread

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// Classes of bytes in text.
const (
	plain  = iota
	beyond // part of a character beyond ASCII
	odd    // starts a reference or a line end, or is an invalid control character
)

var classes = func() (table [256]byte) {
	for c := range 256 {
		switch {
		case c >= 0x80:
			table[c] = beyond
		case c == '&', c == '\r', c < ' ' && c != '\t' && c != '\n':
			table[c] = odd
		}
	}
	return table
}()

// characters decodes raw text. The result is raw itself, or is appended to scratch. It decodes character references
// and the five predefined entities; other references are unchanged, so nothing expands. Lines end with \n, and
// invalid characters become U+FFFD.
func characters(raw, scratch []byte, references bool) []byte {
	class := byte(plain)
	for _, c := range raw {
		class |= classes[c]
	}
	if class == plain || class == beyond && utf8.Valid(raw) {
		return raw
	}
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '&' && references:
			n, r := reference(raw[i:])
			if r < 0 {
				scratch = append(scratch, raw[i:i+n]...)
			} else {
				scratch = utf8.AppendRune(scratch, r)
			}
			i += n
		case c == '\r':
			scratch = append(scratch, '\n')
			if i++; i < len(raw) && raw[i] == '\n' {
				i++
			}
		case c >= 0x80:
			r, n := utf8.DecodeRune(raw[i:])
			scratch = utf8.AppendRune(scratch, r)
			i += n
		case classes[c] == odd && c != '&':
			scratch = append(scratch, "\uFFFD"...)
			i++
		default:
			scratch = append(scratch, c)
			i++
		}
	}
	return scratch
}

// longest is the maximum length of a reference.
const longest = 32

// reference decodes the reference at the start of text, n bytes long; r is -1 if it stays unchanged.
func reference(text []byte) (n int, r rune) {
	end := bytes.IndexByte(text[:min(len(text), longest)], ';')
	if end < 0 {
		return 1, -1
	}
	switch name := text[1:end]; string(name) {
	case "lt":
		return end + 1, '<'
	case "gt":
		return end + 1, '>'
	case "amp":
		return end + 1, '&'
	case "apos":
		return end + 1, '\''
	case "quot":
		return end + 1, '"'
	default:
		if name, ok := bytes.CutPrefix(name, []byte("#")); ok {
			digits, hex := bytes.CutPrefix(name, []byte("x"))
			base := 10
			if hex {
				base = 16
			}
			v, err := strconv.ParseUint(string(digits), base, 32)
			if err == nil && v <= utf8.MaxRune {
				if v < ' ' && v != '\t' && v != '\n' && v != '\r' {
					v = utf8.RuneError
				}
				return end + 1, rune(v)
			}
		}
	}
	return 1, -1
}
