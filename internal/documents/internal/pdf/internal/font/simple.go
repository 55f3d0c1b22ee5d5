package font

import (
	"cmp"
	"strings"

	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/syntax"
)

// loadSimple loads a font with one-byte codes: Type 1, TrueType, Type 3.
func (f *Font) loadSimple(d syntax.Dict) {
	descriptor := f.file.Dict(d["FontDescriptor"])
	base := strings.ReplaceAll(string(f.file.Name(d["BaseFont"])), " ", "")
	if _, rest, ok := strings.Cut(base, "+"); ok {
		base = rest
	}
	type3 := f.file.Name(d["Subtype"]) == "Type3"
	names, texts := f.simpleEncoding(d, descriptor, base)
	glyphs := &[256]Glyph{}
	for c := range glyphs {
		text := cmp.Or(f.unicode.text(uint32(c)), texts[c])
		if text == "" && names[c] != "" {
			text = numberedText(names[c], c)
		}
		if text == "" && type3 && names[c] == "" && c > ' ' && c < 0x7F {
			text = string(rune(c))
		}
		glyphs[c] = Glyph{Text: text, Space: c == ' '}
	}
	f.simpleWidths(d, descriptor, base, names, glyphs)
	if type3 {
		f.type3Widths(d, glyphs)
	}
	f.simple = glyphs
}

// simpleEncoding returns the known glyph names, and the texts, by code.
func (f *Font) simpleEncoding(d, descriptor syntax.Dict, base string) (names, texts [256]string) {
	encoding := f.file.Resolve(d["Encoding"])
	e, _ := encoding.(syntax.Dict)
	name, _ := encoding.(syntax.Name)
	if e != nil {
		name = f.file.Name(e["BaseEncoding"])
	}
	symbolic := f.file.Int(descriptor["Flags"])&4 != 0
	texts, known := latin(name)
	if !known || symbolic {
		embedded := readProgram(f.file, descriptor)
		own, found := f.ownEncoding(embedded, base, &names)
		switch {
		case found && (!known || embedded != nil && len(embedded.codes) > 0 && e == nil):
			texts = own
		case !known:
			texts, _ = latin("StandardEncoding")
			if f.file.Name(d["Subtype"]) == "TrueType" {
				texts, _ = latin("WinAnsiEncoding")
			}
		}
	}
	c := 0
	for _, o := range f.file.Array(e["Differences"]) {
		switch o := f.file.Resolve(o).(type) {
		case int64:
			c = int(max(min(o, 256), 0))
		case syntax.Name:
			if c < 256 {
				names[c], texts[c] = string(o), glyphText(string(o))
				if base == "ZapfDingbats" && texts[c] == "" {
					texts[c] = dingbat(string(o))
				}
			}
			c++
		}
	}
	return names, texts
}

// ownEncoding returns the encoding inside the font.
func (f *Font) ownEncoding(p *program, base string, names *[256]string) (texts [256]string, found bool) {
	if p == nil {
		var symbols *[256]symbolGlyph
		switch {
		case strings.HasPrefix(base, "Symbol"):
			symbols = &standard().symbol
		case strings.HasPrefix(base, "ZapfDingbats"):
			symbols = &standard().dingbats
		default:
			return texts, false
		}
		for c, s := range symbols {
			texts[c] = s.text
		}
		return texts, true
	}
	for c, name := range p.byName {
		if name != "" && name != ".notdef" {
			names[c], texts[c] = name, glyphText(name)
			found = true
		}
	}
	if found {
		return texts, true
	}
	fallback, _ := latin("MacRomanEncoding")
	for c, glyph := range p.codes {
		if c < 0 || c > 255 {
			continue
		}
		if texts[c] = p.text(glyph); texts[c] == "" {
			texts[c] = fallback[c]
		}
		found = true
	}
	return texts, found
}

func (f *Font) simpleWidths(d, descriptor syntax.Dict, base string, names [256]string, glyphs *[256]Glyph) {
	widths, first := f.file.Numbers(d["Widths"]), f.file.Int(d["FirstChar"])
	missing := f.file.Number(descriptor["MissingWidth"])
	if len(widths) == 0 {
		standardWidths(base, names, glyphs)
		return
	}
	for c := range glyphs {
		glyphs[c].Width = missing / 1000
		if i := c - first; i >= 0 && i < len(widths) {
			glyphs[c].Width = widths[i] / 1000
		}
	}
}

// standardWidths sets the widths of the standard fonts, which documents need not describe.
func standardWidths(base string, names [256]string, glyphs *[256]Glyph) {
	t := standard()
	column := standardColumn(base)
	for c := range glyphs {
		width := 500.0
		switch {
		case strings.HasPrefix(base, "Symbol"):
			width = float64(t.symbol[c].width)
		case strings.HasPrefix(base, "ZapfDingbats"):
			width = float64(t.dingbats[c].width)
		case column < 0:
			width = 600
		default:
			name := names[c]
			if name == "" {
				name = glyphName(glyphs[c].Text)
			}
			if w := t.widths[name]; len(w) > column {
				width = float64(w[column])
			} else if column < 2 {
				width = 556
			}
		}
		glyphs[c].Width = width / 1000
	}
}

// standardColumn returns the column of a font's widths, or of the most similar font's; -1 for a fixed-width font.
func standardColumn(base string) int {
	b := strings.ToLower(base)
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(b, p) {
				return true
			}
		}
		return false
	}
	bold, italic := has("bold", "black", "heavy"), has("italic", "oblique")
	switch {
	case has("courier", "mono", "consol", "typewriter"):
		return -1
	case has("times", "serif", "roman", "georgia", "garamond", "palatino", "bookman") && !has("sans"):
		switch {
		case bold && italic:
			return 5
		case italic:
			return 4
		case bold:
			return 3
		}
		return 2
	case bold:
		return 1
	}
	return 0
}

// type3Widths sets widths in the units of the font's own matrix.
func (f *Font) type3Widths(d syntax.Dict, glyphs *[256]Glyph) {
	m := f.file.Numbers(d["FontMatrix"])
	if len(m) != 6 || m[0] == 0 && m[1] == 0 {
		return
	}
	scale := m[0]
	if scale == 0 {
		scale = m[1]
	}
	for c := range glyphs {
		glyphs[c].Width *= 1000 * scale
	}
	// Size is how large letters look. Programs that draw letters as pictures choose any unit, so it is computed
	// from the font's bounding box.
	if box := f.file.Numbers(d["FontBBox"]); len(box) == 4 && box[3] > box[1] && m[3] != 0 {
		if size := (box[3] - box[1]) * max(m[3], -m[3]); size > 0.01 && size < 1000 {
			f.Size = size
		}
	}
}
