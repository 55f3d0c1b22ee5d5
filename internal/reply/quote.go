package reply

import (
	"bytes"
	"strconv"
	"strings"
)

// quote is a kind of string literal.
type quote struct {
	end    string // the closing quote
	raw    bool   // the string has no escapes
	interp bool   // the string is Python's f"…"
}

// openingQuote recognises the quote at the start of s, with Python's prefixes (f, r, b); size is its length.
func openingQuote(s []byte) (q quote, size int) {
	prefix := 0
	for prefix < len(s) && prefix < 2 && isPrefix(s[prefix]) {
		prefix++
	}
	q, size = quoteAt(s[prefix:])
	if size == 0 || prefix > 0 && !isOneOf(s[prefix], "\"'`") {
		return quote{}, 0
	}
	for _, p := range s[:prefix] {
		q.raw = q.raw || p|0x20 == 'r'
		q.interp = q.interp || p|0x20 == 'f'
	}
	return q, prefix + size
}

// isPrefix reports whether c can prefix a string in Python.
func isPrefix(c byte) bool {
	switch c | 0x20 {
	case 'f', 'r', 'b', 'u':
		return true
	}
	return false
}

// openings are the ways in which a string begins.
var openings = [...]struct {
	start string
	quote quote
}{
	{`"""`, quote{end: `"""`}},
	{`"`, quote{end: `"`}},
	{`'''`, quote{end: `'''`}},
	{`'`, quote{end: `'`}},
	{"`", quote{end: "`", raw: true}},
	{"“", quote{end: "”", raw: true}},
	{"‘", quote{end: "’", raw: true}},
}

// quoteAt recognises the quote at the start of s; size is 0 if there is none.
func quoteAt(s []byte) (q quote, size int) {
	for _, o := range openings {
		if bytes.HasPrefix(s, []byte(o.start)) {
			return o.quote, len(o.start)
		}
	}
	return quote{}, 0
}

// closeQuote returns the offset of the closing quote of a string whose body begins at i, or -1.
func closeQuote(src []byte, i, bound int, q quote) int {
	stops := q.end[:1] + `\`
	if q.raw {
		stops = q.end
	}
	for rest := src[i:bound]; ; {
		at := bytes.IndexAny(rest, stops)
		if at == -1 {
			return -1
		}
		rest = rest[at:]
		if bytes.HasPrefix(rest, []byte(q.end)) {
			return bound - len(rest)
		}
		size := 1
		if rest[0] == '\\' {
			size = len(`\"`)
		}
		rest = rest[min(size, len(rest)):]
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
		before, escape, found := strings.Cut(s, `\`)
		if !found || escape == "" {
			break
		}
		b.WriteString(before)
		rest := escape[1:]
		switch escape[0] {
		case '\n':
		case '\'', '"':
			b.WriteByte(escape[0])
		default:
			r, multibyte, tail, err := strconv.UnquoteChar(s[len(before):], 0)
			if err != nil {
				b.WriteString(`\` + escape[:1])
				break
			}
			rest = tail
			if multibyte {
				b.WriteRune(r)
			} else {
				b.WriteByte(byte(r))
			}
		}
		s = rest
	}
	return b.String() + s
}
