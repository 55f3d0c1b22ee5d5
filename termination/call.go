package termination

import (
	"bytes"
	"go/ast"
	"go/parser"
	"strconv"
	"strings"
	"unicode/utf8"
)

// call is what stands in the parentheses of a signal.
type call struct {
	end     int    // offset after the closing parenthesis
	closed  bool   // whether there is one
	content string // the argument: unquoted if it is one string, otherwise as written
	bare    bool   // a single identifier without quotes
	wrong   string // why the argument is no answer
}

// readCall reads "(argument)" that begins at i, after white space on the line, and reaches to bound at most.
// ok is false when there is no parenthesis.
//
// An argument that begins with a quote (of Go, Python or typography) is read as a string; one that begins with { or [
// as JSON, with its strings; anything else only by its parentheses: FINAL(It's 42) is fine.
func readCall(src []byte, i, bound int) (c call, ok bool) {
	for i < bound && (src[i] == ' ' || src[i] == '\t') {
		i++
	}
	if i >= bound || src[i] != '(' {
		return call{}, false
	}
	arg := i + 1
	for arg < bound && isSpace(src[arg]) {
		arg++
	}
	if q, size := openingQuote(src[arg:bound]); q.end != "" {
		if c, ok := readQuoted(src, arg, arg+size, bound, q); ok {
			return c, true
		}
	}
	end := -1
	if arg < bound && (src[arg] == '{' || src[arg] == '[') {
		end = closeJSON(src, arg, bound)
	}
	if end < 0 {
		end = closeParen(src, i+1, bound)
	}
	if end < 0 {
		return call{}, true
	}
	c = call{end: end + 1, closed: true, content: strings.TrimSpace(string(src[i+1 : end]))}
	c.bare = isIdentifier(c.content)
	if isExpression(c.content) {
		c.wrong = "its argument is an expression, which only a cell can evaluate"
	}
	return c, true
}

// closeParen is the offset of the parenthesis that closes the one just before i, or -1.
func closeParen(src []byte, i, bound int) int {
	for depth := 1; i < bound; i++ {
		switch src[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// closeJSON is the offset of the parenthesis after the JSON value at i, or -1 if there is none.
func closeJSON(src []byte, i, bound int) int {
	depth := 0
	for ; i < bound; i++ {
		switch src[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth > 0 {
				continue
			}
			for i++; i < bound && (isSpace(src[i]) || src[i] == ','); i++ {
			}
			if i < bound && src[i] == ')' {
				return i
			}
			return -1
		case '"':
			for i++; i < bound && src[i] != '"'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
		}
	}
	return -1
}

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

// readQuoted reads a call whose argument begins with a string; body is the offset after the opening quote.
// ok is false when the argument turns out to be something else, such as text with quotes in it.
func readQuoted(src []byte, arg, body, bound int, q quote) (c call, ok bool) {
	stop := closeQuote(src, body, bound, q)
	if stop < 0 {
		return call{}, true
	}
	after := stop + len(q.end)
	for after < bound && (isSpace(src[after]) || src[after] == ',' && closesNext(src[after+1:bound])) {
		after++
	}
	if after < bound && src[after] == ')' {
		c = call{end: after + 1, closed: true, content: unquote(string(src[body:stop]), q)}
		if q.interp && strings.Contains(c.content, "{") {
			c.wrong = "its argument is an expression, which only a cell can evaluate"
		}
		return c, true
	}
	if after < bound && bytes.IndexByte([]byte("+,.%[*"), src[after]) >= 0 {
		return readQuotedExpression(src, arg, after, bound)
	}
	// The first quote did not close the string ('It's 42'): it ends where a quote and a parenthesis meet.
	if end := lenientClose(src, body, bound, q); end >= 0 {
		closing := end + bytes.IndexByte(src[end:], ')')
		return call{end: closing + 1, closed: true, content: strings.TrimSpace(string(src[body:end]))}, true
	}
	return call{}, false
}

// closesNext reports whether nothing but white space and a parenthesis follow: Python's trailing comma.
func closesNext(s []byte) bool {
	s = bytes.TrimLeft(s[:min(len(s), 64)], " \t\r\n")
	return len(s) > 0 && s[0] == ')'
}

// readQuotedExpression reads a call whose argument goes on after its first string: "a" + x, "a", "b".
func readQuotedExpression(src []byte, arg, after, bound int) (c call, ok bool) {
	op := src[after]
	depth := 1
	for i := after; i < bound; i++ {
		switch src[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth > 0 {
				continue
			}
			c = call{end: i + 1, closed: true, content: strings.TrimSpace(string(src[arg:i]))}
			if op != ',' {
				c.wrong = "its argument is an expression, which only a cell can evaluate"
			}
			return c, true
		default:
			if q, size := openingQuote(src[i:bound]); q.end != "" && src[i] < utf8.RuneSelf && !isLetter(src[i]) {
				stop := closeQuote(src, i+size, bound, q)
				if stop < 0 {
					return call{}, true
				}
				i = stop + len(q.end) - 1
			}
		}
	}
	return call{}, true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// closeQuote is the offset of the closing quote of a string whose body begins at i, or -1.
func closeQuote(src []byte, i, bound int, q quote) int {
	for i < bound {
		at := bytes.IndexByte(src[i:bound], q.end[0])
		if at < 0 {
			return -1
		}
		if !q.raw {
			if esc := bytes.IndexByte(src[i:i+at], '\\'); esc >= 0 {
				i += esc + 2
				continue
			}
		}
		i += at
		if bytes.HasPrefix(src[i:bound], []byte(q.end)) {
			return i
		}
		i++
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

// maxExpression is the length of the longest argument that may be taken for an expression.
const maxExpression = 1 << 10

// isExpression reports whether an argument is code that would have to be evaluated: it calls something, indexes
// something or builds a value. Numbers, names, JSON and text are answers as they stand.
func isExpression(s string) bool {
	if len(s) > maxExpression || !strings.ContainsAny(s, "([{+") || strings.ContainsAny(s[:1], "{[") {
		return false
	}
	x, err := parser.ParseExpr(s)
	return err == nil && evaluates(x, s)
}

func evaluates(x ast.Expr, src string) bool {
	switch x := x.(type) {
	case *ast.CallExpr: // "count (approx)" is text
		return x.Lparen == x.Fun.End()
	case *ast.IndexExpr:
		return x.Lbrack == x.X.End()
	case *ast.CompositeLit, *ast.FuncLit:
		return true
	case *ast.BinaryExpr:
		return isString(x.X) || isString(x.Y) || evaluates(x.X, src) || evaluates(x.Y, src)
	case *ast.ParenExpr:
		return evaluates(x.X, src)
	}
	return false
}

func isString(x ast.Expr) bool {
	lit, ok := x.(*ast.BasicLit)
	return ok && len(lit.Value) > 0 && lit.Value[0] == '"'
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
