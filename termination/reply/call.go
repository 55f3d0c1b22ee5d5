package reply

import (
	"bytes"
	"go/ast"
	"go/parser"
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

// closeParen is the offset of the parenthesis that closes the one just before start, or -1. In text, the
// parenthesis of an enumeration ("a) red b) blue") closes nothing as long as a later one can.
func closeParen(src []byte, start, bound int) int {
	enumerated := -1
	for i, depth := start, 1; i < bound; i++ {
		switch src[i] {
		case '(':
			depth++
		case ')':
			if depth > 1 {
				depth--
				continue
			}
			if !isEnumerator(src, start, i, bound) {
				return i
			}
			if enumerated < 0 {
				enumerated = i
			}
		}
	}
	return enumerated
}

// isEnumerator reports whether the parenthesis at i belongs to a number or letter of an enumeration: one or two
// characters behind white space, and text after it on its line.
func isEnumerator(src []byte, start, i, bound int) bool {
	word := i
	for word > start && word > i-3 && (isLetter(src[word-1]) || src[word-1] >= '0' && src[word-1] <= '9') {
		word--
	}
	return word < i && word > i-3 && word > start && isSpace(src[word-1]) && i+1 < bound && src[i+1] == ' '
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
