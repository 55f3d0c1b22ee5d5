// Package font says what the codes in a PDF's strings mean and how wide their glyphs are.
package font

import (
	"strings"

	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/syntax"
)

// Glyph is one code of a string as the font shows it.
type Glyph struct {
	Text  string  // empty where nothing says what it means
	Width float64 // in units of the font's size; in a vertical font how far down it goes
	Space bool    // word spacing applies
	Guess bool    // the text is what fonts of this name usually have there
}

// Font is how a font of a document is read.
type Font struct {
	// Vertical says that lines run from top to bottom.
	Vertical bool
	// Size is how large the font is at size 1: other than 1 for fonts that are drawn by procedures.
	Size float64

	simple *[256]Glyph

	file     *syntax.File
	encoding *cmap    // of a composite font; nil for two bytes each
	charset  *charset // of a composite font with a predefined CMap
	unicode  *cmap
	// collection numbers the characters of a composite font whose codes are CIDs.
	collection collection
	program    *program
	usual      func(cid uint32) string // what the glyphs of such fonts are called, where that is known
	toGlyph    []byte                  // numbers of glyphs by CID, two bytes each
	widths     map[uint32]float64
	width      float64
	glyphs     map[uint64]Glyph // by code and its length
}

// Load reads a font's dictionary. What is missing or damaged is made up for: a font always says something.
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

// Each calls yield with the glyphs of a string.
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

// program reads the font that is embedded, if one is.
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

// clean is a mapping of ToUnicode that says something.
func clean(text string) string {
	if strings.Trim(text, "\x00\uFFFD\uFFFE\uFFFF") == "" {
		return ""
	}
	return text
}
