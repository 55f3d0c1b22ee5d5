// Package font decodes the strings of a PDF: the text and the width of each code.
package font

import (
	"strings"

	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/syntax"
)

// Glyph is a code of a string with its meaning in the font.
type Glyph struct {
	Text  string  // empty if unknown
	Width float64 // in units of the font's size; in a vertical font, the height
	Space bool    // word spacing applies
	Guess bool    // Text is usual for fonts of this name, not certain
}

// Font decodes the strings of one font.
type Font struct {
	// Vertical reports whether lines run from top to bottom.
	Vertical bool
	// Size is the letter size at font size 1. It differs from 1 only for Type 3 fonts.
	Size float64

	simple *[256]Glyph

	file     *syntax.File
	encoding *cmap    // set for a composite font; nil: every code has two bytes
	charset  *charset // set for a composite font with a predefined CMap
	unicode  *cmap
	// collection numbers the characters of a composite font whose codes are CIDs.
	collection collection
	program    *program
	usual      func(cid uint32) string // the usual glyph names for such fonts, or nil
	toGlyph    []byte                  // glyph numbers by CID, two bytes each
	widths     map[uint32]float64
	width      float64
	glyphs     map[uint64]Glyph // cached glyphs, by code and its length
}

// Load reads a font's dictionary. It never fails: it replaces missing or damaged entries with defaults.
func Load(f *syntax.File, d syntax.Dict) *Font {
	out := &Font{file: f, Size: 1}
	if s := f.Stream(d["ToUnicode"]); s != nil {
		if data, _ := f.Data(s); len(data) > 0 {
			out.unicode = parseCMap(data)
		}
	}
	if f.Name(d["Subtype"]) == "Type0" {
		out.loadComposite(d)
	} else {
		out.loadSimple(d)
	}
	return out
}

// Each calls yield for each glyph of a string.
func (f *Font) Each(s syntax.String, yield func(Glyph)) {
	if f.simple != nil {
		for i := range len(s) {
			yield(f.simple[s[i]])
		}
		return
	}
	for len(s) > 0 {
		n := f.codeLength(s)
		c, key := code(s[:n]), uint64(n)<<32|uint64(code(s[:n]))
		g, ok := f.glyphs[key]
		if !ok {
			g = f.composite(c, s[:n])
			if len(f.glyphs) < maxMappings {
				f.glyphs[key] = g
			}
		}
		yield(g)
		s = s[n:]
	}
}

// readProgram reads the embedded font, if there is one.
func readProgram(f *syntax.File, descriptor syntax.Dict) *program {
	for _, key := range []syntax.Name{"FontFile", "FontFile2", "FontFile3"} {
		s := f.Stream(descriptor[key])
		if s == nil {
			continue
		}
		data, _ := f.Data(s)
		if p := parseSFNT(data); p != nil {
			return p
		}
		if len(data) > 2 && (data[0] == '%' || data[0] == 0x80) {
			return parseType1(data)
		}
		return parseCFF(data)
	}
	return nil
}

// clean returns a text of ToUnicode, or "" if it has no meaning.
func clean(text string) string {
	if strings.Trim(text, "\x00\uFFFD\uFFFE\uFFFF") == "" {
		return ""
	}
	return text
}
