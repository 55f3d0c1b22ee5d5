package search

import (
	"encoding/binary"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/text/unicode/norm"
)

// Form describes how a text spells words differently from how people type them.
type Form struct {
	// Decomposed: letters and their marks are separate code points, as macOS and many PDFs write them.
	Decomposed bool
	// Spaces: it contains spaces other than the blank. Invisible: it contains invisible characters, such as soft
	// hyphens.
	Spaces, Invisible bool
	// Points: it contains Hebrew or Arabic with vowels.
	Points bool
	// Presentation: it contains ligatures, full- or half-width letters, or positional forms of Arabic letters.
	Presentation bool
}

// FormOf scans a text.
func FormOf(s string) (f Form) {
	for i := 0; i < len(s); {
		if i += ascii(s[i:]); i == len(s) {
			break
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch {
		case composes(r):
			_, base := utf8.DecodeLastRuneInString(s[:i-n])
			f.Decomposed = f.Decomposed || !norm.NFC.IsNormalString(s[i-n-base:i])
		case r < 0x0900:
			f.Spaces = f.Spaces || r == nbsp
			f.Invisible = f.Invisible || r == softHyphen
			f.Points = f.Points || unicode.Is(points, r)
		case r >= 0x1680 && r <= 0x3000 || r == byteOrderMark:
			f.Spaces = f.Spaces || unicode.Is(unicode.Zs, r)
			f.Invisible = f.Invisible || unicode.Is(invisible, r)
		case presentation(r):
			f.Presentation = true
		}
	}
	return f
}

// composes reports whether a character may combine with the preceding one: accents, Indic vowels, parts of Korean
// syllables, Japanese marks.
func composes(r rune) bool {
	return r >= 0x0300 && r < 0x0370 || r >= 0x0900 && r < 0x0E00 && unicode.IsMark(r) || r >= 0x1000 && r < 0x1200 ||
		r == 0x3099 || r == 0x309A
}

// String lists the properties of a text, separated by commas.
func (f Form) String() string {
	var has []string
	for _, form := range []struct {
		has  bool
		name string
	}{
		{f.Decomposed, "decomposed letters (NFD)"},
		{f.Spaces, "non-breaking or other special spaces"},
		{f.Invisible, "soft hyphens or other invisible characters"},
		{f.Points, "vowel points"},
		{f.Presentation, "ligatures, full-width letters or other presentation forms"},
	} {
		if form.has {
			has = append(has, form.name)
		}
	}
	return strings.Join(has, ", ")
}

// Hides reports whether an expression may still miss matches in a text of this form, because it is not literal or
// the text contains presentation forms.
func (f Form) Hides(expr string) bool {
	return f.Presentation || f != Form{} && regexp.QuoteMeta(expr) != expr
}

const (
	nbsp          = '\u00A0'
	softHyphen    = '\u00AD'
	zeroWidthJoin = '\u200D'
	wordJoiner    = '\u2060'
	byteOrderMark = '\uFEFF'
)

var (
	// points are the vowels and other marks of Hebrew and Arabic, which most texts leave out, and the stroke that
	// lengthens Arabic words.
	points = &unicode.RangeTable{R16: []unicode.Range16{
		{Lo: 0x0591, Hi: 0x05BD, Stride: 1},
		{Lo: 0x05BF, Hi: 0x05BF, Stride: 1},
		{Lo: 0x05C1, Hi: 0x05C2, Stride: 1},
		{Lo: 0x05C4, Hi: 0x05C5, Stride: 1},
		{Lo: 0x05C7, Hi: 0x05C7, Stride: 1},
		{Lo: 0x0610, Hi: 0x061A, Stride: 1},
		{Lo: 0x0640, Hi: 0x0640, Stride: 1},
		{Lo: 0x064B, Hi: 0x0652, Stride: 1},
		{Lo: 0x0656, Hi: 0x065F, Stride: 1},
		{Lo: 0x0670, Hi: 0x0670, Stride: 1},
		{Lo: 0x06D6, Hi: 0x06DC, Stride: 1},
		{Lo: 0x06DF, Hi: 0x06E4, Stride: 1},
		{Lo: 0x06E7, Hi: 0x06E8, Stride: 1},
		{Lo: 0x06EA, Hi: 0x06ED, Stride: 1},
	}}
	// invisible are characters that show nothing; most of them mark where a word may be divided.
	invisible = &unicode.RangeTable{R16: []unicode.Range16{
		{Lo: softHyphen, Hi: softHyphen, Stride: 1},
		{Lo: 0x200B, Hi: 0x200F, Stride: 1},
		{Lo: wordJoiner, Hi: wordJoiner, Stride: 1},
		{Lo: byteOrderMark, Hi: byteOrderMark, Stride: 1},
	}, LatinOffset: 1}
)

// unwritten reports whether a character makes no difference to the word that contains it.
func unwritten(r rune) bool {
	switch r {
	case softHyphen, zeroWidthJoin, wordJoiner, byteOrderMark:
		return true
	}
	return r < 0x0700 && unicode.Is(points, r)
}

// ascii returns how many leading bytes of a text are ASCII.
func ascii(s string) int {
	const high = 0x8080808080808080
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	i := 0
	for i+8 <= len(b) && binary.LittleEndian.Uint64(b[i:])&high == 0 {
		i += 8
	}
	for i < len(b) && b[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// compose composes letters with their marks where a single code point exists, and replaces ligatures, full- and
// half-width letters, and positional forms of Arabic letters by plain letters.
func compose(s string) string {
	s = norm.NFC.String(s)
	if !strings.ContainsFunc(s, presentation) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if presentation(r) {
			b.WriteString(norm.NFKC.String(string(r)))
		} else {
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// presentation reports whether a character is a presentation form of one or more letters.
func presentation(r rune) bool {
	return r >= 0xFB00 && r <= 0xFFEF && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
