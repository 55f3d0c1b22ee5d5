package font

import (
	"math"
	"strings"
)

// usualOrder guesses the glyph names of a font that is not embedded: glyphs are numbered in Apple's order, as in
// most Windows fonts, or by Unicode. It returns nil unless the document's widths agree with those of the similar
// standard font.
func usualOrder(base string, widths map[uint32]float64) func(cid uint32) string {
	t, column := standard(), standardColumn(strings.ReplaceAll(base, " ", ""))
	if column < 0 {
		return nil // fixed width, so nothing can be compared
	}
	apple := func(cid uint32) string {
		if cid < uint32(len(t.macintosh)) {
			return t.macintosh[cid]
		}
		return ""
	}
	byUnicode := func(cid uint32) string { return glyphName(string(rune(cid))) }
	fits := func(name func(uint32) string) bool {
		right, wrong := 0, 0
		for cid, w := range widths {
			known, ok := t.widths[name(cid)]
			switch {
			case !ok || cid > 0xFF:
			case math.Abs(float64(known[column])-1000*w) < 3:
				right++
			default:
				wrong++
			}
		}
		return right >= 3 && right > 4*wrong
	}
	switch {
	case fits(apple):
		return apple
	case fits(byUnicode):
		return byUnicode
	}
	return nil
}
