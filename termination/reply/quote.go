package reply

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// quote is a way of writing a string.
type quote struct {
	end    string // what closes it
	raw    bool   // no escapes
	interp bool   // Python's f"…"
}

// openingQuote recognises the quote at the start of s, with Python's prefixes (f, r, b); size is its length.
func openingQuote(s []byte) (q quote, size int) {
	prefix := 0
	for prefix < len(s) && prefix < 2 && isPrefix(s[prefix]) {
		prefix++
	}
	q, size = quoteAt(s[prefix:])
	if size == 0 || prefix > 0 && s[prefix] >= utf8.RuneSelf {
		return quote{}, 0
	}
	for _, p := range s[:prefix] {
		q.raw = q.raw || p|0x20 == 'r'
		q.interp = q.interp || p|0x20 == 'f'
	}
	return q, prefix + size
}

// isPrefix reports whether c stands before a quote of Python.
func isPrefix(c byte) bool {
	switch c | 0x20 {
	case 'f', 'r', 'b', 'u':
		return true
	}
	return false
}

// quoteAt recognises the quote at the start of s; size 0 means that there is none.
func quoteAt(s []byte) (q quote, size int) {
	if len(s) == 0 {
		return quote{}, 0
	}
	switch s[0] {
	case '"':
		if len(s) > 2 && s[1] == '"' && s[2] == '"' {
			return quote{end: `"""`}, 3
		}
		return quote{end: `"`}, 1
	case '\'':
		if len(s) > 2 && s[1] == '\'' && s[2] == '\'' {
			return quote{end: `'''`}, 3
		}
		return quote{end: `'`}, 1
	case '`':
		return quote{end: "`", raw: true}, 1
	case "“"[0]:
		if bytes.HasPrefix(s, []byte("“")) {
			return quote{end: "”", raw: true}, len("“")
		}
		if bytes.HasPrefix(s, []byte("‘")) {
			return quote{end: "’", raw: true}, len("‘")
		}
	}
	return quote{}, 0
}

// closeQuote is the offset of the closing quote of a string whose body begins at i, or -1.
func closeQuote(src []byte, i, bound int, q quote) int {
	for closing := -1; i < bound; {
		if closing < i { // looked for once, however many escapes stand before it
			at := bytes.IndexByte(src[i:bound], q.end[0])
			if at < 0 {
				return -1
			}
			closing = i + at
		}
		if !q.raw {
			if esc := bytes.IndexByte(src[i:closing], '\\'); esc >= 0 {
				i += esc + 2
				continue
			}
		}
		if bytes.HasPrefix(src[closing:bound], []byte(q.end)) {
			return closing
		}
		i = closing + 1
	}
	return -1
}

// unquote resolves escapes that Go and Python share; others stay as they are.
func unquote(s string, q quote) string {
	if len(q.end) == 3 {
		s = strings.Trim(s, "\n")
	}
	if q.raw || !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 >= len(s) {
			break
		}
		b.WriteString(s[:i])
		s = s[i:]
		switch {
		case s[1] == '\n':
			s = s[2:]
			continue
		case s[1] == '\'' || s[1] == '"':
			b.WriteByte(s[1])
			s = s[2:]
			continue
		}
		r, multibyte, tail, err := strconv.UnquoteChar(s, 0)
		if err != nil {
			b.WriteString(s[:2])
			s = s[2:]
			continue
		}
		if multibyte {
			b.WriteRune(r)
		} else {
			b.WriteByte(byte(r))
		}
		s = tail
	}
	return b.String() + s
}
