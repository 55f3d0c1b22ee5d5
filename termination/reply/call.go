package reply

import (
	"bytes"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/lazy"
)

// call is what stands in the parentheses of a signal.
type call struct {
	end     int        // offset after the closing parenthesis
	closed  bool       // whether there is one
	content string     // the argument: unquoted if it is one string, otherwise as written
	args    []Argument // the arguments, if all of them are literals
	bare    bool       // a single identifier without quotes
	wrong   string     // why the argument is no answer
}

const (
	isExpression = "its argument is neither quoted nor plain text but an expression, which only a cell can evaluate"
	isTemplate   = "its argument holds a placeholder, which only a cell can fill in"
)

// readCall reads "(argument)" that begins at i, after white space on the line, and reaches to bound at most.
// ok is false when there is no parenthesis. Full-width parentheses are taken for ordinary ones.
//
// An argument counts as it stands if it is a literal (of Go, Python or JSON) or plain text. Anything else would have to be
// evaluated, and is wrong here.
func readCall(src []byte, i, bound int) (c call, ok bool) {
	for i < bound && (src[i] == ' ' || src[i] == '\t') {
		i++
	}
	width := opensCall(src[i:bound])
	if width == 0 {
		return call{}, false
	}
	arg := i + width
	for arg < bound && isSpace(src[arg]) {
		arg++
	}
	if q, size := openingQuote(src[arg:bound]); q.end != "" {
		if c, ok := readQuoted(src, arg, arg+size, bound, q); ok {
			return c, true
		}
	}
	end, after := -1, 0
	if arg < bound && (src[arg] == '{' || src[arg] == '[') {
		end = closeJSON(src, arg, bound)
		after = end + 1
	}
	if end < 0 {
		end, after = closeParen(src, i+width, bound)
	}
	if end < 0 {
		return call{}, true
	}
	c = call{end: after, closed: true, content: strings.TrimSpace(string(src[i+width : end]))}
	c.judge()
	return c, true
}

// judge decides whether an argument counts as it stands.
func (c *call) judge() {
	args, literal := readArguments(c.content)
	if !literal {
		args, literal = c.cutComment()
	}
	switch {
	case literal:
		c.args = args
		if len(args) == 1 && args[0].Name == "" {
			c.content = args[0].Text
			if placeholder().MatchString(c.content) {
				c.wrong, c.args = isTemplate, nil
			}
		}
	case isIdentifier(c.content):
		c.bare = true
	default:
		c.wrong = notPlain(c.content)
	}
}

// cutComment takes a comment of two words or more behind a literal or a name off an argument; fewer words may be a division. It
// returns the literals that are left.
func (c *call) cutComment() (args []Argument, literal bool) {
	if len(c.content) > maxCommented || strings.Contains(c.content, "\n") {
		return nil, false
	}
	for _, m := range comment().FindAllStringIndex(c.content, -1) {
		head := strings.TrimRight(c.content[:m[0]], " \t")
		if args, ok := readArguments(head); ok {
			c.content = head
			return args, true
		}
		if isIdentifier(head) && !IsWord(head) {
			c.content = head
			return nil, false
		}
	}
	return nil, false
}

// maxCommented is the length of the longest argument in which a comment is looked for.
const maxCommented = 1 << 10

var (
	// comment is where a comment begins.
	comment = lazy.Regexp(`//[ \t]*\pL[\pL'’]*[ \t]+\pL|/\*[^*]*\*/\s*$|\s#[ \t]+\pL[\pL'’]*[ \t]+\pL`)
	// placeholder is a string of nothing but verbs of a format or names in braces.
	placeholder = lazy.Regexp(`^(?:%[-+#0]*\d*(?:\.\d+)?(?:[a-zA-Z]|%)[\s,;:/.-]*)+$|^\$?\{\{?\s*[A-Za-z_]\w*\s*\}?\}$`)
)

// opensCall is the width of the opening parenthesis at the start of s; 0 if there is none.
func opensCall(s []byte) int {
	switch {
	case len(s) > 0 && s[0] == '(':
		return 1
	case bytes.HasPrefix(s, []byte("（")):
		return len("（")
	}
	return 0
}

// closesCall is the width of the closing parenthesis at the start of s; 0 if there is none.
func closesCall(s []byte) int {
	switch {
	case len(s) > 0 && s[0] == ')':
		return 1
	case bytes.HasPrefix(s, []byte("）")):
		return len("）")
	}
	return 0
}

// closeParen is the offset of the parenthesis that closes the one just before start, and the offset after it; at is -1 if there is
// none. Strings are skipped. In text, the parenthesis of an enumeration ("a) red b) blue") closes nothing as long as a later
// one can.
func closeParen(src []byte, start, bound int) (at, after int) {
	enumerated := -1
	strings := stringSkipper{src: src[:bound]}
	for i, depth := start, 1; i < bound; i++ {
		if !closing[src[i]] {
			continue
		}
		if end := strings.skip(start, i); end > 0 {
			i = end - 1
			continue
		}
		if width := opensCall(src[i:bound]); width > 0 {
			depth++
			i += width - 1
			continue
		}
		width := closesCall(src[i:bound])
		if width == 0 {
			continue
		}
		if depth > 1 {
			depth--
		} else if width > 1 || !isEnumerator(src, start, i, bound) {
			return i, i + width
		} else if enumerated < 0 {
			enumerated = i
		}
		i += width - 1
	}
	return enumerated, enumerated + 1
}

// closing holds the bytes that matter where a parenthesis may close, with the first one of full-width parentheses.
var closing = [256]bool{'(': true, ')': true, '"': true, '\'': true, '`': true, 0xEF: true}

// stringSkipper finds the strings of a text that may be code. A quote opens one where no letter or digit stands before it (It's),
// and if it is closed on its line.
type stringSkipper struct {
	src     []byte
	lineEnd int      // the end of the line that was looked at last
	open    [5]quote // quotes that nothing closes on that line
	opened  int      // how many they are
}

// skip is the offset after the string that begins at i, or 0 if none does; the text begins at start.
func (k *stringSkipper) skip(start, i int) int {
	if i >= k.lineEnd {
		k.lineEnd, k.opened = lineEnd(k.src, i), 0
	}
	if c := k.src[i]; c != '"' && c != '\'' && c != '`' || i > start && isIdent(rune(k.src[i-1])) {
		return 0
	}
	q, size := openingQuote(k.src[i:])
	if slices.Contains(k.open[:k.opened], q) {
		return 0
	}
	bound := k.lineEnd
	if size > 1 || q.raw {
		bound = len(k.src)
	}
	end := closeQuote(k.src, i+size, bound, q)
	if end < 0 {
		k.open[k.opened] = q
		k.opened++
		return 0
	}
	return end + len(q.end)
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
// ok is false when the argument turns out to be more than that string.
func readQuoted(src []byte, arg, body, bound int, q quote) (c call, ok bool) {
	stop := closeQuote(src, body, bound, q)
	if stop < 0 {
		return call{}, true
	}
	after := stop + len(q.end)
	glued := after < bound && isIdent(rune(src[after]))
	for after < bound && (isSpace(src[after]) || src[after] == ',' && closesNext(src[after+1:bound])) {
		after++
	}
	if width := closesCall(src[after:bound]); width > 0 {
		text := unquote(string(src[body:stop]), q)
		c = call{end: after + width, closed: true, content: text, args: []Argument{stringArgument(text)}}
		if q.interp && strings.Contains(text, "{") || q.end == "`" && strings.Contains(text, "${") || placeholder().MatchString(text) {
			c.wrong, c.args = isTemplate, nil
		}
		return c, true
	}
	// The first quote did not close the string ('It's 42'): it ends where a quote and a parenthesis meet.
	if !glued {
		return call{}, false
	}
	end := lenientClose(src, body, bound, q)
	if end < 0 {
		return call{}, false
	}
	paren := end + bytes.IndexByte(src[end:], ')')
	c = call{end: paren + 1, closed: true, content: strings.TrimSpace(string(src[body:end]))}
	c.wrong = notPlain(c.content)
	return c, true
}

// closesNext reports whether nothing but white space and a parenthesis follow: Python's trailing comma.
func closesNext(s []byte) bool {
	s = bytes.TrimLeft(s[:min(len(s), 64)], " \t\r\n")
	return closesCall(s) > 0
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
