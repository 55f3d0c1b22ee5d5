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

var quotes = [...]struct {
	open string
	quote
}{
	{`"""`, quote{end: `"""`}},
	{`'''`, quote{end: `'''`}},
	{`"`, quote{end: `"`}},
	{`'`, quote{end: `'`}},
	{"`", quote{end: "`", raw: true}},
	{"“", quote{end: "”", raw: true}},
	{"‘", quote{end: "’", raw: true}},
}

// openingQuote recognises the quote at the start of s, with Python's prefixes (f, r, b); size is its length.
func openingQuote(s []byte) (q quote, size int) {
	prefix := 0
	for prefix < len(s) && prefix < 2 && bytes.IndexByte([]byte("fFrRbBuU"), s[prefix]) >= 0 {
		prefix++
	}
	for _, k := range quotes {
		if !bytes.HasPrefix(s[prefix:], []byte(k.open)) || prefix > 0 && k.open[0] >= utf8.RuneSelf {
			continue
		}
		q = k.quote
		for _, p := range bytes.ToLower(s[:prefix]) {
			q.raw = q.raw || p == 'r'
			q.interp = q.interp || p == 'f'
		}
		return q, prefix + len(k.open)
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

// lenientClose is the offset of the first quote that a closing parenthesis follows, or -1.
func lenientClose(src []byte, i, bound int, q quote) int {
	for {
		at := bytes.Index(src[i:bound], []byte(q.end))
		if at < 0 {
			return -1
		}
		i += at
		rest := i + len(q.end)
		for rest < bound && (src[rest] == ' ' || src[rest] == '\t') {
			rest++
		}
		if rest < bound && src[rest] == ')' {
			return i
		}
		i += len(q.end)
	}
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
