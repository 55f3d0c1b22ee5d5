package font

import (
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/syntax"
)

// maxMappings limits the mappings of one CMap; a font has at most 65,536 glyphs.
const maxMappings = 1 << 17

// cmap maps codes to text or to glyph numbers (CIDs).
type cmap struct {
	spaces   []codespace
	texts    runs
	cids     runs
	vertical bool
	use      string // name of the CMap that this one extends
}

// codespace is a range of codes with the same number of bytes.
type codespace struct {
	low, high uint32
	bytes     int
}

// parseCMap reads a CMap, a small PostScript program, of which only the lists matter.
func parseCMap(data []byte) *cmap {
	m := &cmap{}
	l := syntax.NewLexer(data)
	var args []any
	for mapped := 0; mapped < maxMappings; {
		o, ok := l.Next()
		if !ok {
			break
		}
		word, ok := o.(syntax.Keyword)
		if !ok {
			if len(args) < maxMappings {
				args = append(args, o)
			}
			continue
		}
		switch word {
		case "endcodespacerange":
			for ; len(args) >= 2; args = args[2:] {
				low, _ := args[0].(syntax.String)
				high, _ := args[1].(syntax.String)
				if len(low) > 0 && len(low) <= 4 && len(m.spaces) < 256 {
					m.spaces = append(m.spaces, codespace{code(low), code(high), len(low)})
				}
			}
		case "endbfchar":
			for ; len(args) >= 2; args = args[2:] {
				if low, ok := args[0].(syntax.String); ok {
					m.addText(code(low), code(low), args[1])
				}
				mapped++
			}
		case "endbfrange":
			for ; len(args) >= 3; args = args[3:] {
				mapped += m.addRange(args[0], args[1], args[2])
			}
		case "endcidrange":
			for ; len(args) >= 3; args = args[3:] {
				m.addCIDs(args[0], args[1], args[2])
				mapped++
			}
		case "endcidchar":
			for ; len(args) >= 2; args = args[2:] {
				m.addCIDs(args[0], args[0], args[1])
				mapped++
			}
		case "usecmap":
			if n := len(args); n > 0 {
				name, _ := args[n-1].(syntax.Name)
				m.use = string(name)
			}
		case "def":
			if n := len(args); n >= 2 && args[n-2] == syntax.Name("WMode") {
				m.vertical = args[n-1] == int64(1)
			}
		}
		args = args[:0]
	}
	m.texts, m.cids = m.texts.settled(), m.cids.settled()
	return m
}

func (m *cmap) addRange(low, high, to any) int {
	l, ok1 := low.(syntax.String)
	h, ok2 := high.(syntax.String)
	if !ok1 || !ok2 || code(h) < code(l) {
		return 1
	}
	if list, ok := to.(syntax.Array); ok {
		for i, o := range list[:min(len(list), int(min(code(h)-code(l), maxMappings))+1)] {
			m.addText(code(l)+uint32(i), code(l)+uint32(i), o)
		}
		return len(list) + 1
	}
	m.addText(code(l), code(h), to)
	return 1
}

// addText maps codes to a text whose last character increases with the code. A single code mapped to U+0000 or
// U+FFFD has no text; at the start of a range, U+0000 is only the first value.
func (m *cmap) addText(low, high uint32, to any) {
	text := bfText(to)
	if text == "" || clean(text) == "" && (low == high || text[0] != 0) {
		return
	}
	last, size := utf8.DecodeLastRuneInString(text)
	m.texts = append(m.texts, run{low, high, uint32(last), text[:len(text)-size]})
}

func (m *cmap) addCIDs(low, high, cid any) {
	l, ok1 := low.(syntax.String)
	h, ok2 := high.(syntax.String)
	n, ok3 := cid.(int64)
	if ok1 && ok2 && ok3 && n >= 0 && n < 1<<17 && code(l) <= code(h) {
		m.cids = append(m.cids, run{low: code(l), high: code(h), to: uint32(n)})
	}
}

// code returns the number that the bytes of a code encode.
func code(s syntax.String) (n uint32) {
	for i := range min(len(s), 4) {
		n = n<<8 | uint32(s[i])
	}
	return n
}

// bfText returns the text of a mapping: UTF-16 in most files, or a glyph name.
func bfText(o any) string {
	switch o := o.(type) {
	case syntax.Name:
		return glyphText(string(o))
	case syntax.String:
		if len(o) == 1 {
			return string(rune(o[0]))
		}
		return utf16Text(o[:min(len(o), 64)])
	}
	return ""
}

// utf16Text decodes UTF-16 and removes the zeros that some programs pad with. Zeros alone decode to U+0000.
func utf16Text(s syntax.String) string {
	u := make([]uint16, 0, len(s)/2)
	for i := 0; i+1 < len(s); i += 2 {
		u = append(u, uint16(s[i])<<8|uint16(s[i+1]))
	}
	for len(u) > 1 && u[len(u)-1] == 0 {
		u = u[:len(u)-1]
	}
	return string(utf16.Decode(u))
}

// text returns the text of a code; empty if the map has none.
func (m *cmap) text(code uint32) string {
	if m == nil {
		return ""
	}
	r, ok := m.texts.find(code)
	if !ok {
		return ""
	}
	last := rune(r.to + code - r.low)
	if !utf8.ValidRune(last) {
		return ""
	}
	return clean(r.prefix + string(last))
}

// cid returns the CID of a code.
func (m *cmap) cid(code uint32) (uint32, bool) {
	r, ok := m.cids.find(code)
	return r.to + code - r.low, ok
}

// next returns the first code of a string and its length.
func (m *cmap) next(s syntax.String) (c uint32, n int) {
	shortest := 4
	for _, sp := range m.spaces {
		if sp.bytes <= len(s) && sp.holds(code(s[:sp.bytes])) {
			return code(s[:sp.bytes]), sp.bytes
		}
		shortest = min(shortest, sp.bytes)
	}
	if len(m.spaces) == 0 {
		shortest = 2
	}
	n = min(shortest, len(s))
	return code(s[:n]), n
}

// holds compares each byte of a code separately, as the format requires.
func (sp codespace) holds(c uint32) bool {
	for i := range sp.bytes {
		b, low, high := byte(c>>(8*i)), byte(sp.low>>(8*i)), byte(sp.high>>(8*i))
		if b < low || b > high {
			return false
		}
	}
	return true
}
