package font

import (
	"math"
	"strings"
)

// usualOrder guesses what the glyphs of a font that is not in the file are called: they are numbered in Apple's
// order, as in most fonts of Windows, or by Unicode. The widths that the file gives have to be those of the standard
// font that looks like it; nil where they are not.
func usualOrder(base string, widths map[uint32]float64) func(cid uint32) string {
	t, column := standard(), standardColumn(strings.ReplaceAll(base, " ", ""))
	if column < 0 {
		return nil // one width for all
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
