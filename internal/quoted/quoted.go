// Package quoted writes texts as JSON in one pass.
package quoted

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// Append appends a text as JSON, in which code stays legible: < and & need no escapes. It is what encoding/json writes where it does not escape
// for web pages.
func Append(out []byte, text string) []byte {
	start := len(out)
	out = append(slices.Grow(out, len(text)+len(text)/16+2), '"')
	done := 0 // how much of the text is written
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			if r == utf8.RuneError && size == 1 || r == '\u2028' || r == '\u2029' {
				return appendEncoded(out[:start], text)
			}
			i += size
			continue
		}
		out = append(out, text[done:i]...)
		switch c {
		case '"', '\\':
			out = append(out, '\\', c)
		case '\n':
			out = append(out, `\n`...)
		case '\t':
			out = append(out, `\t`...)
		case '\r':
			out = append(out, `\r`...)
		default:
			return appendEncoded(out[:start], text)
		}
		i++
		done = i
	}
	return append(append(out, text[done:]...), '"')
}

// appendEncoded is Append for texts with characters that are rare.
func appendEncoded(out []byte, text string) []byte {
	b := bytes.NewBuffer(out)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string always can be
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
