package reply

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/kit/text"
)

// Argument is a literal argument of a call in prose.
type Argument struct {
	// Name is set for a keyword argument, as in Python: status="blocked".
	Name string `json:"name,omitempty"`
	// Text is the value: a string without its quotes, a list or an object as JSON, anything else as written.
	Text string `json:"text"`
	// Source is the value as Go source; empty for values that are not simple (a list, an object).
	Source string `json:"source,omitempty"`

	json string
}

func stringArgument(s string) Argument {
	return Argument{Text: s, Source: strconv.Quote(s), json: text.Quoted(s)}
}

// readArguments reads a list of arguments that are all literals; ok is false if one is not.
func readArguments(s string) (args []Argument, ok bool) {
	src := []byte(s)
	for i := 0; ; {
		i = skipSpace(src, i)
		if i == len(src) {
			return args, len(args) > 0
		}
		name, after := readKeyword(src, i)
		arg, end, ok := readLiteral(src, skipSpace(src, after), 0)
		if !ok {
			return nil, false
		}
		arg.Name = name
		args = append(args, arg)
		i = skipSpace(src, end)
		if i < len(src) {
			if src[i] != ',' {
				return nil, false
			}
			i += len(",")
		}
	}
}

func skipSpace(src []byte, i int) int {
	return len(src) - len(bytes.TrimLeft(src[i:], " \t\r\n"))
}

var keyword = startup.Regexp(`^([A-Za-z_]\w*)[ \t]*(?::=|=|:[ \t])`)

// readKeyword reads "name =", "name :=" or "name: " before a value; after is the offset of the value.
func readKeyword(src []byte, i int) (name string, after int) {
	m := keyword().FindSubmatch(src[i:min(len(src), i+64)])
	if m == nil {
		return "", i
	}
	i += len(m[0])
	return string(m[1]), i
}

var (
	number = startup.Regexp(`^[-+]?(?:0[xX][0-9a-fA-F]+|\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?|\.\d+)`)
	word   = startup.Regexp(`^(?:true|false|null|nil|True|False|None)`)
)

// maxLiteral is how deep a literal may be nested.
const maxLiteral = 64

// readLiteral reads one literal of Go, Python or JSON.
func readLiteral(src []byte, i, depth int) (a Argument, end int, ok bool) {
	if i >= len(src) || depth > maxLiteral {
		return a, 0, false
	}
	switch src[i] {
	case '[', '{', '(':
		return readContainer(src, i, depth)
	}
	if q, size := openingQuote(src[i:]); q.end != "" {
		stop := closeQuote(src, i+size, len(src), q)
		if stop == -1 || q.interp && bytes.ContainsRune(src[i:stop], '{') {
			return a, 0, false
		}
		return stringArgument(unquote(string(src[i+size:stop]), q)), stop + len(q.end), true
	}
	head := src[i:min(len(src), i+400)]
	if m := number().Find(head); m != nil && endsLiteral(head[len(m):]) {
		number := string(m)
		a = Argument{Text: number, Source: number, json: number}
		if !json.Valid(m) {
			a.json = text.Quoted(number)
		}
		return a, i + len(m), true
	}
	if m := word().Find(head); m != nil && endsLiteral(head[len(m):]) {
		text := strings.ToLower(string(m))
		a = Argument{Text: string(m), Source: text, json: text}
		if text == "nil" || text == "none" || text == "null" {
			a.Source, a.json = "nil", "null"
		}
		return a, i + len(m), true
	}
	return a, 0, false
}

// endsLiteral reports whether a number or word ends where rest begins.
func endsLiteral(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) == 0 || isOneOf(rest[0], ",)]}:")
}

// readContainer reads a list, a tuple or an object whose elements are literals.
func readContainer(src []byte, i, depth int) (a Argument, end int, ok bool) {
	start, closing, object := i, map[byte]byte{'[': ']', '{': '}', '(': ')'}[src[i]], src[i] == '{'
	var b strings.Builder
	var el Argument
	comma := false
	for i++; ; {
		if i = skipSpace(src, i); i == len(src) {
			return a, 0, false
		}
		if src[i] == closing {
			break
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		el, i, ok = readLiteral(src, i, depth+1)
		if !ok {
			return a, 0, false
		}
		if i = skipSpace(src, i); object {
			key := el.Text
			if i == len(src) || src[i] != ':' {
				return a, 0, false
			}
			el, i, ok = readLiteral(src, skipSpace(src, i+1), depth+1)
			if !ok {
				return a, 0, false
			}
			b.WriteString(text.Quoted(key) + ":")
			i = skipSpace(src, i)
		}
		b.WriteString(el.json)
		if i == len(src) {
			return a, 0, false
		}
		if src[i] == ',' {
			comma = true
			i += len(",")
		} else if src[i] != closing {
			return a, 0, false
		}
	}
	if closing == ')' && b.Len() > 0 && !comma { // parentheses around a value, not a tuple with one element
		return el, i + 1, true
	}
	a.json = "[" + b.String() + "]"
	if object {
		a.json = "{" + b.String() + "}"
	}
	a.Text = a.json
	if written := src[start : i+1]; json.Valid(written) {
		a.Text = string(written)
	}
	return a, i + 1, true
}
