package syntax

import "strconv"

const (
	maxNesting = 64      // levels of nested arrays and dictionaries
	maxItems   = 1 << 20 // items of one array; further ones are skipped
)

// Lexer reads objects from the bytes of the file or of a content stream.
type Lexer struct {
	b     []byte
	pos   int
	refs  bool // recognise references: "1 0 R"
	depth int
}

// NewLexer returns a lexer for a content stream or a CMap.
func NewLexer(b []byte) *Lexer { return &Lexer{b: b} }

// Pos returns the current offset, which is at or before the next object.
func (l *Lexer) Pos() int { return l.pos }

// Skip skips n bytes.
func (l *Lexer) Skip(n int) { l.pos = min(l.pos+max(n, 0), len(l.b)) }

// Rest returns the unread bytes.
func (l *Lexer) Rest() []byte { return l.b[l.pos:] }

// Ends of lists, which the package never returns.
const (
	endArray = Keyword("]")
	endDict  = Keyword(">>")
)

// Next reads an object or a Keyword; false at the end of the bytes. It skips invalid bytes.
func (l *Lexer) Next() (any, bool) {
	for {
		o, ok := l.token()
		if !ok {
			return nil, false
		}
		if o == endArray || o == endDict { // an unmatched end
			continue
		}
		if n, ok := o.(int64); ok && l.refs {
			return l.reference(n), true
		}
		return o, true
	}
}

// reference returns the reference that starts with the integer n, or n itself.
func (l *Lexer) reference(n int64) any {
	was := l.pos
	if n < 0 || n > maxObject {
		return n
	}
	l.space()
	start := l.pos
	for l.pos < len(l.b) && isDigit(l.b[l.pos]) && l.pos-start < 6 {
		l.pos++
	}
	gen, err := strconv.Atoi(string(l.b[start:l.pos]))
	if err != nil {
		l.pos = was
		return n
	}
	l.space()
	if l.pos < len(l.b) && l.b[l.pos] == 'R' && (l.pos+1 == len(l.b) || !isRegular(l.b[l.pos+1])) {
		l.pos++
		return Ref{int(n), gen}
	}
	l.pos = was
	return n
}

// token reads an object, without combining the three tokens of a reference.
func (l *Lexer) token() (any, bool) {
	l.space()
	if l.pos >= len(l.b) {
		return nil, false
	}
	c := l.b[l.pos]
	switch c {
	case '/':
		l.pos++
		return l.name(), true
	case '(':
		l.pos++
		return l.literal(), true
	case '[':
		l.pos++
		return l.array(), true
	case ']':
		l.pos++
		return endArray, true
	case '<':
		if l.at(1) == '<' {
			l.pos += 2
			return l.dict(), true
		}
		l.pos++
		return l.hex(), true
	case '>':
		if l.at(1) == '>' {
			l.pos += 2
			return endDict, true
		}
		l.pos++
		return Keyword(">"), true
	case ')', '{', '}':
		l.pos++
		return Keyword(string(rune(c))), true
	}
	return l.word(), true
}

func (l *Lexer) at(i int) byte {
	if l.pos+i < len(l.b) {
		return l.b[l.pos+i]
	}
	return 0
}

// space skips white space and comments.
func (l *Lexer) space() {
	for l.pos < len(l.b) {
		switch c := l.b[l.pos]; {
		case isSpace(c):
			l.pos++
		case c == '%':
			for l.pos < len(l.b) && l.b[l.pos] != '\n' && l.b[l.pos] != '\r' {
				l.pos++
			}
		default:
			return
		}
	}
}

// word reads a number, a constant or a keyword.
func (l *Lexer) word() any {
	start := l.pos
	for l.pos < len(l.b) && isRegular(l.b[l.pos]) {
		l.pos++
	}
	w := l.b[start:l.pos]
	if n, ok := number(w); ok {
		return n
	}
	switch string(w) {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	if len(w) > 64 {
		w = w[:64]
	}
	return Keyword(w)
}

// number parses numbers as real programs write them: "12", "-.5", "--3", "1."; and "12.34.56" or "5-3" up to the
// error.
func number(w []byte) (any, bool) {
	i, negative := 0, false
	for i < len(w) && (w[i] == '+' || w[i] == '-') {
		negative = negative || w[i] == '-'
		i++
	}
	if i == len(w) || !isDigit(w[i]) && w[i] != '.' {
		return nil, false
	}
	var whole int64
	digits, overflow := 0, false
	for ; i < len(w) && isDigit(w[i]); i++ {
		digits++
		if whole > 1<<58 {
			overflow = true
			continue
		}
		whole = whole*10 + int64(w[i]-'0')
	}
	if overflow {
		whole = 1 << 58
	}
	if i == len(w) || w[i] != '.' {
		if negative {
			whole = -whole
		}
		return whole, digits > 0
	}
	value, scale := float64(whole), 0.1
	for i++; i < len(w) && isDigit(w[i]); i++ {
		digits++
		value += float64(w[i]-'0') * scale
		scale /= 10
	}
	if negative {
		value = -value
	}
	return value, digits > 0 || len(w) == 1 // some files write a lone point for 0
}

func (l *Lexer) name() Name {
	start := l.pos
	escaped := false
	for l.pos < len(l.b) && isRegular(l.b[l.pos]) {
		escaped = escaped || l.b[l.pos] == '#'
		l.pos++
	}
	w := l.b[start:l.pos]
	if !escaped {
		return Name(w)
	}
	out := make([]byte, 0, len(w))
	for i := 0; i < len(w); i++ {
		if w[i] == '#' && i+2 < len(w) && unhex(w[i+1]) >= 0 && unhex(w[i+2]) >= 0 {
			out = append(out, byte(unhex(w[i+1])<<4|unhex(w[i+2])))
			i += 2
			continue
		}
		out = append(out, w[i])
	}
	return Name(out)
}

func (l *Lexer) literal() String {
	start, depth, plain := l.pos, 1, true
	for l.pos < len(l.b) {
		c := l.b[l.pos]
		l.pos++
		switch c {
		case '\\':
			plain = false
			l.Skip(1)
		case '\r':
			plain = false
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				w := l.b[start : l.pos-1]
				if plain {
					return String(w)
				}
				return String(unescape(w))
			}
		}
	}
	return String(unescape(l.b[start:l.pos]))
}

func unescape(w []byte) []byte {
	out := make([]byte, 0, len(w))
	for i := 0; i < len(w); i++ {
		c := w[i]
		if c == '\r' { // every kind of line end becomes a line feed
			if i+1 < len(w) && w[i+1] == '\n' {
				i++
			}
			out = append(out, '\n')
			continue
		}
		if c != '\\' || i+1 == len(w) {
			out = append(out, c)
			continue
		}
		i++
		switch c = w[i]; c {
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case '\n': // a line continuation
		case '\r':
			if i+1 < len(w) && w[i+1] == '\n' {
				i++
			}
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n := 0
			for j := 0; j < 3 && i < len(w) && w[i] >= '0' && w[i] <= '7'; j++ {
				n = n<<3 | int(w[i]-'0')
				i++
			}
			i--
			out = append(out, byte(n))
		default:
			out = append(out, c)
		}
	}
	return out
}

func (l *Lexer) hex() String {
	start := l.pos
	for l.pos < len(l.b) && l.b[l.pos] != '>' {
		l.pos++
	}
	w := l.b[start:l.pos]
	l.Skip(1)
	out := make([]byte, 0, len(w)/2+1)
	high := -1
	for _, c := range w {
		v := unhex(c)
		switch {
		case v < 0:
		case high < 0:
			high = v
		default:
			out = append(out, byte(high<<4|v))
			high = -1
		}
	}
	if high >= 0 {
		out = append(out, byte(high<<4))
	}
	return String(out)
}

// list reads objects up to end. If the end is missing, it stops at a keyword that belongs to what follows.
func (l *Lexer) list(end Keyword) []any {
	if l.depth >= maxNesting {
		return nil // reads the rest as if not nested: no recursion, no backtracking
	}
	l.depth++
	defer func() { l.depth-- }()
	var out []any
	for {
		was := l.pos
		o, ok := l.token()
		if !ok || o == end {
			return out
		}
		switch k := o.(type) {
		case Keyword:
			if k == "endobj" || k == "stream" || k == "endstream" || k == endArray && end == endDict && l.depth > 1 {
				l.pos = was
				return out
			}
			continue
		case int64:
			if l.refs {
				o = l.reference(k)
			}
		}
		if len(out) < maxItems {
			out = append(out, o)
		}
	}
}

func (l *Lexer) array() Array { return Array(l.list(endArray)) }

func (l *Lexer) dict() Dict {
	items := l.list(endDict)
	d := make(Dict, len(items)/2)
	for i := 0; i+1 < len(items); {
		key, ok := items[i].(Name)
		if !ok {
			i++
			continue
		}
		d[key] = items[i+1]
		i += 2
	}
	return d
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isRegular reports whether a byte is neither white space nor a delimiter.
func isRegular(c byte) bool {
	switch c {
	case ' ', '\n', '\r', '\t', '\f', 0, '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return false
	}
	return true
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
