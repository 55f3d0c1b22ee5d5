package font

import (
	"cmp"
	"strings"

	"golang.org/x/text/width"

	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/syntax"
)

// loadComposite loads a font whose codes have one to four bytes.
func (f *Font) loadComposite(d syntax.Dict) {
	f.glyphs = map[uint64]Glyph{}
	var descendant syntax.Dict
	if list := f.file.Array(d["DescendantFonts"]); len(list) > 0 {
		descendant = f.file.Dict(list[0])
	}
	f.loadEncoding(d["Encoding"])
	system := f.file.Dict(descendant["CIDSystemInfo"])
	f.collection = collection(f.file.String(system["Ordering"]))
	f.program = readProgram(f.file, f.file.Dict(descendant["FontDescriptor"]))
	if s := f.file.Stream(descendant["CIDToGIDMap"]); s != nil {
		f.toGlyph, _ = f.file.Data(s)
	}
	f.width = 1
	if o := f.file.Resolve(descendant["DW"]); o != nil {
		f.width = f.file.Number(o) / 1000
	}
	f.loadWidths(f.file.Array(descendant["W"]))
	if f.program == nil && f.file.Name(descendant["Subtype"]) == "CIDFontType2" {
		f.usual = usualOrder(string(f.file.Name(descendant["BaseFont"])), f.widths)
	}
}

func (f *Font) loadEncoding(o any) {
	name := string(f.file.Name(o))
	if s := f.file.Stream(o); s != nil {
		data, _ := f.file.Data(s)
		f.encoding = parseCMap(data)
		f.Vertical = f.encoding.vertical || f.file.Int(s.Dict["WMode"]) == 1
		if name = f.encoding.use; name == "" {
			name = string(f.file.Name(s.Dict["UseCMap"]))
		}
		if len(f.encoding.spaces) == 0 && name != "" {
			f.charset = predefined(name)
		}
		return
	}
	f.Vertical = strings.HasSuffix(name, "-V") || name == "V"
	f.charset = predefined(name)
}

// loadWidths reads a list of widths: "1 [500 600] 10 20 700".
func (f *Font) loadWidths(list syntax.Array) {
	f.widths = map[uint32]float64{}
	for i := 0; i+1 < len(list) && len(f.widths) < maxMappings; {
		first := f.file.Int(list[i])
		if each := f.file.Array(list[i+1]); each != nil {
			for j, w := range f.file.Numbers(each) {
				f.widths[uint32(first+j)] = w / 1000
			}
			i += 2
			continue
		}
		if i+2 >= len(list) {
			return
		}
		last, w := f.file.Int(list[i+1]), f.file.Number(list[i+2])/1000
		for c := first; c <= last && c-first < 1<<16 && len(f.widths) < maxMappings; c++ {
			f.widths[uint32(c)] = w
		}
		i += 3
	}
}

func (f *Font) codeLength(s syntax.String) int {
	switch {
	case f.charset != nil:
		return max(f.charset.next(s), 1)
	case f.encoding != nil:
		_, n := f.encoding.next(s)
		return max(n, 1)
	}
	return min(2, len(s))
}

// composite returns the glyph of a code.
func (f *Font) composite(c uint32, s syntax.String) Glyph {
	g := Glyph{Space: len(s) == 1 && c == ' '}
	cid := c
	if f.encoding != nil {
		if n, ok := f.encoding.cid(c); ok {
			cid = n
		}
	}
	g.Text = f.unicode.text(c)
	if g.Text == "" && f.charset != nil {
		g.Text = clean(f.charset.text(s))
	}
	if g.Text == "" {
		g.Text = cmp.Or(f.collection.text(cid), f.program.text(f.glyph(cid)))
	}
	if g.Text == "" && f.usual != nil {
		g.Text = glyphText(f.usual(cid))
		g.Guess = g.Text != ""
	}
	g.Width = f.compositeWidth(cid, g.Text)
	return g
}

func (f *Font) compositeWidth(cid uint32, text string) float64 {
	if f.Vertical {
		return 1
	}
	if f.charset == nil {
		if w, ok := f.widths[cid]; ok {
			return w
		}
		return f.width
	}
	// The widths are by CID, which is unknown here: assume half width for characters that are narrow in East Asia.
	for _, r := range text {
		switch width.LookupRune(r).Kind() {
		case width.EastAsianWide, width.EastAsianFullwidth, width.EastAsianAmbiguous:
			return f.width
		}
	}
	return f.width / 2
}

// glyph returns the glyph number of a CID in the embedded font.
func (f *Font) glyph(cid uint32) int {
	if i := int(cid) * 2; i+1 < len(f.toGlyph) {
		return int(f.toGlyph[i])<<8 | int(f.toGlyph[i+1])
	}
	if f.program != nil && f.program.cidKeys {
		return -1 // CIDs follow the character collection, not the font
	}
	return int(cid)
}
