package text

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// AppendQuoted appends a text as JSON in which code stays legible: < and & are not escaped. The result equals that
// of encoding/json without HTML escaping.
func AppendQuoted(out []byte, text string) []byte {
	start := len(out)
	out = append(slices.Grow(out, len(text)+len(text)/16+2), '"')
	done := 0 // bytes of the text that are written
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

// Quoted returns a text as AppendQuoted writes it.
func Quoted(text string) string { return string(AppendQuoted(nil, text)) }

// JSON is json.Marshal without escaping <, > and &: its output is for people and models, not for web pages.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// appendEncoded is AppendQuoted for texts with rare characters.
func appendEncoded(out []byte, text string) []byte {
	b, _ := JSON(text) // a string always encodes
	return append(out, b...)
}
