package xmlread

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// Classes of bytes in text.
const (
	plain  = iota
	beyond // of a sign beyond ASCII
	odd    // begins a reference or the end of a line, or is a control that XML does not have
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

// characters is what raw text means: it is raw itself, or is appended to scratch. References to the five entities of
// XML and to characters become these, others stay as they are: nothing expands. Lines end with \n, and what is no
// character becomes U+FFFD.
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

// longest is how long the names and numbers of references are at most.
const longest = 32

// reference reads the one that text begins with: how long it is, and the character; -1 is one that stays as it is.
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
