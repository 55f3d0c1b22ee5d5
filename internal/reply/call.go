package reply

import (
	"bytes"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// call is the content of a signal's parentheses.
type call struct {
	end     int        // offset after the closing parenthesis
	closed  bool       // there is a closing parenthesis
	content string     // the argument: unquoted if it is one string, otherwise as written
	args    []Argument // the arguments, if all of them are literals
	bare    bool       // a single identifier without quotes
	wrong   string     // why the argument is not an answer
}

const (
	isExpression = "its argument is neither quoted nor plain text but an expression, which only a cell can evaluate"
	isTemplate   = "its argument holds a placeholder, which only a cell can fill in"
)

// readCall reads "(argument)" at i, after white space on the line, up to bound. ok is false if there is no
// parenthesis. Full-width parentheses count as ordinary ones.
//
// An argument is accepted as it is if it is a literal (of Go, Python or JSON) or plain text. Any other argument
// would have to be evaluated, and is rejected.
func (d *detector) readCall(i, bound int) (c call, ok bool) {
	src := d.src
	i = bound - len(bytes.TrimLeft(src[i:bound], " \t"))
	width := opensCall(src[i:bound])
	if width == 0 {
		return call{}, false
	}
	arg := skipSpace(src[:bound], i+width)
	if q, size := openingQuote(src[arg:bound]); q.end != "" {
		if c, ok := d.readQuoted(arg+size, bound, q); ok {
			return c, true
		}
	}
	end, after := -1, 0
	if arg < bound && (src[arg] == '{' || src[arg] == '[') {
		end = closeJSON(src, arg, bound)
		after = end + 1
	}
	if end == -1 {
		end, after = d.closeParen(i+width, bound)
	}
	if end == -1 {
		return call{}, true
	}
	c = call{end: after, closed: true, content: strings.TrimSpace(string(src[i+width : end]))}
	c.judge()
	return c, true
}

// judge decides whether an argument is accepted as it is.
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

// cutComment removes a comment of two words or more after a literal or a name from an argument; fewer words may be
// a division. It returns the literals that are left.
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

// maxCommented is the length of the longest argument that is searched for a comment.
const maxCommented = 1 << 10

var (
	// comment matches the beginning of a comment.
	comment = startup.Regexp(`//[ \t]*\pL[\pL'’]*[ \t]+\pL|/\*[^*]*\*/\s*$|\s#[ \t]+\pL[\pL'’]*[ \t]+\pL`)
	// placeholder matches a string of only format verbs or names in braces.
	placeholder = startup.Regexp(
		`^(?:%[-+#0]*\d*(?:\.\d+)?(?:[a-zA-Z]|%)[\s,;:/.-]*)+$|^\$?\{\{?\s*[A-Za-z_]\w*\s*\}?\}$`)
)

// opensCall returns the width of the opening parenthesis at the start of s; 0 if there is none.
func opensCall(s []byte) int {
	return prefixWidth(s, "(", "（")
}

// closesCall returns the width of the closing parenthesis at the start of s; 0 if there is none.
func closesCall(s []byte) int {
	return prefixWidth(s, ")", "）")
}

// prefixWidth returns the length of the first of the prefixes that s begins with; 0 if there is none.
func prefixWidth(s []byte, prefixes ...string) int {
	for _, prefix := range prefixes {
		if bytes.HasPrefix(s, []byte(prefix)) {
			return len(prefix)
		}
	}
	return 0
}

// isEnumerator reports whether the parenthesis at i belongs to a number or letter of an enumeration: one or two
// characters after white space, and text after it on its line.
func isEnumerator(src []byte, start, i, bound int) bool {
	head := string(src[max(start, i-3):i])
	space := strings.LastIndexAny(head, " \t\r\n")
	word := head[space+1:]
	return space != -1 && word != "" && asciiWord(word) == len(word) && bytes.HasPrefix(src[i+1:bound], []byte(" "))
}

// closeJSON returns the offset of the parenthesis after the JSON value at i, or -1 if there is none.
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
			behind := bytes.TrimLeft(src[i+1:bound], " \t\r\n,")
			if bytes.HasPrefix(behind, []byte(")")) {
				return bound - len(behind)
			}
			return -1
		case '"':
			end := closeQuote(src, i+1, bound, quote{end: `"`})
			if end == -1 {
				return -1
			}
			i = end
		}
	}
	return -1
}

// readQuoted reads a call whose argument begins with a string; body is the offset after the opening quote. ok is
// false if the argument turns out to be more than that string.
func (d *detector) readQuoted(body, bound int, q quote) (c call, ok bool) {
	src := d.src
	stop := closeQuote(src, body, bound, q)
	if stop == -1 {
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
		if q.interp && strings.Contains(text, "{") || q.end == "`" && strings.Contains(text, "${") ||
			placeholder().MatchString(text) {
			c.wrong, c.args = isTemplate, nil
		}
		return c, true
	}
	// If the first quote is inside the string ('It's 42'), the string ends at a quote followed by a parenthesis.
	if !glued {
		return call{}, false
	}
	end := d.lenientClose(body, bound, q)
	if end == -1 {
		return call{}, false
	}
	paren := end + bytes.IndexByte(src[end:], ')')
	c = call{end: paren + 1, closed: true, content: strings.TrimSpace(string(src[body:end]))}
	c.wrong = notPlain(c.content)
	return c, true
}

// closesNext reports whether only white space and a parenthesis follow, as after Python's trailing comma.
func closesNext(s []byte) bool {
	s = bytes.TrimLeft(s[:min(len(s), 64)], " \t\r\n")
	return closesCall(s) > 0
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
