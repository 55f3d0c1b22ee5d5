package font

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed glyphs.txt
var glyphsFile string

//go:embed standard.txt
var standardFile string

// glyphTexts maps glyph names to their texts: Adobe's list, and additional names from TeX.
var glyphTexts = sync.OnceValue(func() map[string]string {
	texts := make(map[string]string, 4400)
	for line := range strings.Lines(glyphsFile) {
		name, points, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && name != "#" {
			texts[name] = codePoints(points)
		}
	}
	for name, text := range texts { // the list has private code points for old-style digits and small capitals
		if r, _ := utf8.DecodeRuneInString(text); r < 0xE000 || r > 0xF8FF {
			continue
		}
		for _, style := range []string{"oldstyle", "small", "inferior", "superior"} {
			if base, ok := strings.CutSuffix(name, style); ok && texts[base] != "" {
				texts[name] = texts[base]
			}
		}
	}
	return texts
})

func codePoints(hex string) string {
	var b strings.Builder
	for f := range strings.FieldsSeq(hex) {
		if n, err := strconv.ParseUint(f, 16, 32); err == nil {
			b.WriteRune(rune(n))
		}
	}
	return b.String()
}

// standardTables describe the standard fonts and font formats, which every PDF reader must know.
type standardTables struct {
	columns   []string            // the fonts of the columns in widths
	widths    map[string][]uint16 // widths by glyph name, one column for each font
	standard  [256]string         // glyph names of StandardEncoding
	symbol    [256]symbolGlyph
	dingbats  [256]symbolGlyph
	strings   []string // standard strings of CFF
	macintosh []string // glyph names in Apple's standard order
}

type symbolGlyph struct {
	name, text string
	width      uint16
}

var standard = sync.OnceValue(func() *standardTables {
	t := &standardTables{widths: map[string][]uint16{}}
	table := ""
	for line := range strings.Lines(standardFile) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || f[0] == "#":
			continue
		case f[0][0] == '@':
			if table = f[0]; len(f) > 1 {
				t.columns = f[1:]
			}
			continue
		}
		t.add(table, f)
	}
	return t
})

func (t *standardTables) add(table string, f []string) {
	switch table {
	case "@widths":
		w := make([]uint16, 0, len(f))
		for _, s := range f[1:] {
			n, _ := strconv.ParseUint(s, 10, 16)
			w = append(w, uint16(n))
		}
		t.widths[f[0]] = w
	case "@standard":
		code, _ := strconv.ParseUint(f[0], 10, 8)
		t.standard[code] = f[1]
	case "@symbol", "@dingbats":
		code, _ := strconv.ParseUint(f[0], 10, 8)
		width, _ := strconv.ParseUint(f[2], 10, 16)
		g := symbolGlyph{f[1], codePoints(strings.Join(f[3:], " ")), uint16(width)}
		if table == "@symbol" {
			t.symbol[code] = g
		} else {
			t.dingbats[code] = g
		}
	case "@strings":
		t.strings = append(t.strings, f[0])
	case "@macintosh":
		t.macintosh = append(t.macintosh, f[0])
	}
}

// glyphText returns the text of a glyph name; empty if the name has no known meaning: "A", "uni20AC", "u1F600",
// "f_i", "one.oldstyle".
func glyphText(name string) string {
	if len(name) > 128 {
		return ""
	}
	if t, ok := glyphTexts()[name]; ok {
		return t
	}
	name, _, _ = strings.Cut(name, ".")
	if name == "" {
		return ""
	}
	if strings.Contains(name, "_") {
		var b strings.Builder
		for part := range strings.SplitSeq(name, "_") {
			t := glyphText(part)
			if t == "" {
				return ""
			}
			b.WriteString(t)
		}
		return b.String()
	}
	if t, ok := glyphTexts()[name]; ok {
		return t
	}
	if hex, ok := strings.CutPrefix(name, "uni"); ok && len(hex) >= 4 && len(hex)%4 == 0 {
		var b strings.Builder
		for ; hex != ""; hex = hex[4:] {
			n, err := strconv.ParseUint(hex[:4], 16, 16)
			if err != nil {
				return ""
			}
			b.WriteRune(rune(n))
		}
		return b.String()
	}
	if hex, ok := strings.CutPrefix(name, "u"); ok && len(hex) >= 4 && len(hex) <= 6 {
		if n, err := strconv.ParseUint(hex, 16, 32); err == nil && utf8.ValidRune(rune(n)) {
			return string(rune(n))
		}
	}
	return ""
}

// numberedText decodes glyph names that programs make from the code: "a65", "c65", "G41", "char65". It trusts them
// only if the number is the code itself.
func numberedText(name string, code int) string {
	digits := strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	if digits == "" || digits == name || code < ' ' || code > '~' {
		return ""
	}
	if n, err := strconv.Atoi(digits); err == nil && n == code {
		return string(rune(code))
	}
	if n, err := strconv.ParseUint(digits, 16, 16); err == nil && int(n) == code {
		return string(rune(code))
	}
	return ""
}

// glyphName returns the glyph name of a character in the standard fonts.
func glyphName(text string) string { return glyphNames()[text] }

var glyphNames = sync.OnceValue(func() map[string]string {
	names := make(map[string]string, 400)
	for name := range standard().widths {
		if t := glyphTexts()[name]; t != "" {
			names[t] = name
		}
	}
	return names
})

// dingbat returns the character of a ZapfDingbats glyph name: "a20".
func dingbat(name string) string { return dingbats()[name] }

var dingbats = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for _, g := range standard().dingbats {
		names[g.name] = g.text
	}
	return names
})
