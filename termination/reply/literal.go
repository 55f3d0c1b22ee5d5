package reply

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/lazy"
)

// Argument is an argument of a call in prose that is a literal.
type Argument struct {
	// Name is set for a keyword argument, as Python and others write them: status="blocked".
	Name string `json:"name,omitempty"`
	// Text is the value: a string without its quotes, a list or an object as JSON, anything else as written.
	Text string `json:"text"`
	// Source is the value as Go source; empty if it is not as simple as that (a list, an object).
	Source string `json:"source,omitempty"`

	json string
}

func stringArgument(text string) Argument {
	return Argument{Text: text, Source: strconv.Quote(text), json: quoteJSON(text)}
}

// quoteJSON is s as a JSON string, with <, > and & as they are.
func quoteJSON(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
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
			i++
		}
	}
}

func skipSpace(src []byte, i int) int {
	for i < len(src) && isSpace(src[i]) {
		i++
	}
	return i
}

var keyword = lazy.Regexp(`^([A-Za-z_]\w*)[ \t]*(?::=|=|:[ \t])`)

// readKeyword reads "name =", "name :=" or "name: " before a value; after is where the value begins.
func readKeyword(src []byte, i int) (name string, after int) {
	m := keyword().FindSubmatch(src[i:min(len(src), i+64)])
	if m == nil {
		return "", i
	}
	return string(m[1]), i + len(m[0])
}

var (
	number = lazy.Regexp(`^[-+]?(?:0[xX][0-9a-fA-F]+|\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?|\.\d+)`)
	word   = lazy.Regexp(`^(?:true|false|null|nil|True|False|None)`)
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
		if stop < 0 || q.interp && bytes.IndexByte(src[i:stop], '{') >= 0 {
			return a, 0, false
		}
		return stringArgument(unquote(string(src[i+size:stop]), q)), stop + len(q.end), true
	}
	head := src[i:min(len(src), i+400)]
	if m := number().Find(head); m != nil && endsLiteral(head[len(m):]) {
		text := string(m)
		a = Argument{Text: text, Source: text, json: text}
		if !json.Valid(m) {
			a.json = quoteJSON(text)
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
	return len(rest) == 0 || bytes.IndexByte([]byte(",)]}:"), rest[0]) >= 0
}

// readContainer reads a list, a tuple or an object whose elements are literals.
func readContainer(src []byte, i, depth int) (a Argument, end int, ok bool) {
	start, closing, object := i, map[byte]byte{'[': ']', '{': '}', '(': ')'}[src[i]], src[i] == '{'
	var b strings.Builder
	for i++; ; {
		if i = skipSpace(src, i); i >= len(src) {
			return a, 0, false
		}
		if src[i] == closing {
			break
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		el, after, ok := readLiteral(src, i, depth+1)
		if !ok {
			return a, 0, false
		}
		if i = skipSpace(src, after); object {
			if i >= len(src) || src[i] != ':' {
				return a, 0, false
			}
			value, after, ok := readLiteral(src, skipSpace(src, i+1), depth+1)
			if !ok {
				return a, 0, false
			}
			b.WriteString(quoteJSON(el.Text) + ":")
			el, i = value, skipSpace(src, after)
		}
		b.WriteString(el.json)
		if i < len(src) && src[i] == ',' {
			i++
		} else if i >= len(src) || src[i] != closing {
			return a, 0, false
		}
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
