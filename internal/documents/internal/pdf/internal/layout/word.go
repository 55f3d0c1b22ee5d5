package layout

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// wordGap is the largest gap between two characters of a word, in units of the font's size.
const wordGap = 0.12

// word is adjacent characters without a space, from left to right.
type word struct {
	glyphs []glyph
	x0, x1 float64
	y      float64 // y of its base line; for a raised number, of the word before it
	size   float64
	spaced bool // a space precedes it
	leader bool // dots between a text and its number
}

// makeWords joins characters in drawing order, which is nearly always the order in words.
func makeWords(chars []glyph) []word {
	var words []word
	spaced := false
	var space glyph
	start := 0
	flush := func(end int) {
		if end > start {
			words = append(words, newWord(chars[start:end]))
		}
		start = end
	}
	kept := 0
	for _, c := range chars {
		c.text = plain(c.text)
		if c.text == "" {
			continue
		}
		if blank(c.text) {
			spaced, space = true, c
			continue
		}
		c.spaced = spaced && !covers(c, space)
		c.rtl = isRTL(c.text)
		spaced = false
		if kept > start && !follows(chars[start], chars[kept-1], c) {
			flush(kept)
		}
		chars[kept] = c
		kept++
	}
	flush(kept)
	attach(words)
	return words
}

// covers reports whether a character is drawn over a space, which then does not count: some programs back up over
// the spaces that they draw between letters.
func covers(c, space glyph) bool {
	return space.w > 0.1*c.size && math.Abs(c.x-space.x) < 0.05*c.size && math.Abs(c.y-space.y) < 0.05*c.size
}

// follows reports whether c continues the word from first to last.
func follows(first, last, c glyph) bool {
	size := min(last.size, c.size)
	if c.spaced || math.Abs(c.y-last.y) > 0.05*size || max(last.size, c.size) > 1.3*size {
		return false
	}
	gap := c.x - (last.x + last.w)
	if c.rtl || last.rtl || gap < -0.5*size { // drawn from right to left
		if left := last.x - (c.x + c.w); math.Abs(left) < wordGap*size && (c.rtl || first.rtl) {
			return true
		}
	}
	return gap < wordGap*size && gap > -0.3*size-min(last.w, c.w)*boolTo(isMark(c.text) || isMark(last.text))
}

func boolTo(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func newWord(g []glyph) word {
	spaced := g[0].spaced
	if !slices.IsSortedFunc(g, byX) {
		slices.SortStableFunc(g, byX)
	}
	g = compose(g)
	w := word{glyphs: g, x0: g[0].x, y: g[0].y, size: g[0].size, spaced: spaced}
	for _, c := range g {
		w.x1 = max(w.x1, c.x+c.w)
		w.size = max(w.size, c.size)
	}
	w.x1 = max(w.x1, w.x0)
	return w
}

func byX(a, b glyph) int { return cmp.Compare(a.x, b.x) }

// attach moves superscripts and subscripts to the base line of their neighbour: "x²", "H₂O", footnote marks.
func attach(words []word) {
	for i := 1; i < len(words); i++ {
		a, b := &words[i-1], &words[i]
		small, large := b, a
		if a.size < b.size {
			small, large = a, b
		}
		rise := math.Abs(a.y - b.y)
		gap := b.x0 - a.x1
		if small.size < 0.9*large.size && rise > 0.05*large.size && rise < 0.62*large.size && gap > -0.3*large.size &&
			gap < 0.35*large.size {
			small.y = large.y
		}
	}
}

// accents maps characters that are also drawn over a letter to the combining accents that they then represent.
var accents = map[string]rune{
	"´": 0x301, "`": 0x300, "ˆ": 0x302, "^": 0x302, "¨": 0x308, "˜": 0x303, "~": 0x303, "¸": 0x327, "˚": 0x30A,
	"ˇ": 0x30C, "¯": 0x304,
	"˘": 0x306, "˙": 0x307, "˝": 0x30B, "˛": 0x328,
}

// isMark reports whether a text is drawn onto a letter.
func isMark(s string) bool {
	if s[0] < utf8.RuneSelf && s != "^" && s != "~" && s != "`" {
		return false
	}
	r, n := utf8.DecodeRuneInString(s)
	return n == len(s) && (unicode.Is(unicode.Mn, r) || accents[s] != 0)
}

// compose combines accents with the letters under them.
func compose(g []glyph) []glyph {
	if !slices.ContainsFunc(g, func(c glyph) bool { return isMark(c.text) }) {
		return g
	}
	out := g[:0:0]
	var waiting []string // marks of right-to-left scripts, which wait for the letter to their right
	for i, c := range g {
		if !isMark(c.text) {
			for _, mark := range slices.Backward(waiting) {
				c.text = norm.NFC.String(c.text + mark)
			}
			waiting = nil
			out = append(out, c)
			continue
		}
		mark, accent := c.text, false
		if r, ok := accents[c.text]; ok {
			mark, accent = string(r), true
		}
		middle := c.x + c.w/2
		over := func(o glyph) bool {
			r, _ := utf8.DecodeRuneInString(o.text)
			return unicode.IsLetter(r) && middle > o.x-0.05*o.size && middle < o.x+o.w+0.05*o.size
		}
		n := len(out)
		switch {
		case !accent && i+1 < len(g) && ofHebrewOrArabic(c.text):
			waiting = append(waiting, mark)
		case n > 0 && (over(out[n-1]) || !accent):
			out[n-1].text = norm.NFC.String(out[n-1].text + mark)
		case i+1 < len(g) && over(g[i+1]):
			waiting = append(waiting, mark)
		default:
			out = append(out, c)
		}
	}
	for _, mark := range waiting {
		out = append(out, glyph{text: mark, x: g[len(g)-1].x, y: g[0].y, size: g[0].size, rtl: true})
	}
	if len(out) == 0 {
		return g
	}
	return out
}

// ofHebrewOrArabic reports whether a mark belongs to a right-to-left script. Such marks are drawn before their
// letter.
func ofHebrewOrArabic(mark string) bool {
	r, _ := utf8.DecodeRuneInString(mark)
	return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac) || r >= 0x64B && r <= 0x670
}

func blank(s string) bool {
	for _, r := range s {
		if !unicode.IsSpace(r) {
			return false
		}
	}
	return true
}

// plain replaces presentation forms, which fonts use for appearance only, with plain letters. It keeps characters
// that differ in meaning: "²", "½", "①", full-width letters.
func plain(s string) string {
	if s == "" || s[0] < utf8.RuneSelf && len(s) == 1 {
		if s != "" && s[0] < ' ' && s[0] != '\t' {
			return ""
		}
		return s
	}
	change := false
	for _, r := range s {
		change = change || r >= 0xFB00 || r >= 0x2E80 && r <= 0x2FDF || r == 0xAD || r < ' ' ||
			unicode.Is(unicode.Cf, r) || r >= 0xE000 && r <= 0xF8FF
	}
	if !change {
		return s
	}
	out := make([]rune, 0, len(s))
	for _, r := range s {
		switch {
		case r >= 0xFB00 && r <= 0xFDFF, r >= 0xFE10 && r <= 0xFE19, r >= 0xFE30 && r <= 0xFE48, r >= 0xFE70 &&
			r <= 0xFEFC,
			r >= 0x2E80 && r <= 0x2FDF:
			for _, k := range norm.NFKC.String(string(r)) {
				if k != ' ' { // part of the form of an isolated vowel sign
					out = append(out, k)
				}
			}
		case r == 0xAD: // a soft hyphen that is drawn is visible
			out = append(out, '-')
		case unicode.Is(unicode.Cf, r) && r != 0x200C && r != 0x200D, r < ' ' && r != '\t' && r != '\n':
		default:
			out = append(out, r)
		}
	}
	return symbols.Replace(string(out))
}

// symbols pairs private code points of the fonts Symbol and Wingdings with the markers of lists and forms.
var symbols = strings.NewReplacer("\uF0B7", "•", "\uF09F", "•", "\uF0A7", "▪", "\uF06E", "▪", "\uF0D8", "➢",
	"\uF0FC", "✓", "\uF0FE", "☑", "\uF052", "☑", "\uF0A8", "☐", "\uF06F", "☐", "\uF071", "☐",
	"\uF0E0", "→", "\uF02D", "-")

func isRTL(s string) bool {
	if s[0] < 0xD6 { // s begins before the Hebrew block
		return false
	}
	p, _ := bidi.LookupString(s)
	return p.Class() == bidi.R || p.Class() == bidi.AL
}
