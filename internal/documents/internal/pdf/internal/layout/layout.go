// Package layout makes lines of text from the characters of a page, which a PDF places one by one and in any order.
//
// Characters become words, words become rows, and rows are read in the order of people: column after column where
// text runs in columns, row by row where it is a table. Text of every direction is laid out on its own, turned to be
// level.
package layout

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Char is a character as the page shows it. Places are in points, with y growing upwards.
type Char struct {
	Text   string
	X, Y   float64 // where it begins, on its base line
	DX, DY float64 // how far the next one is
	Size   float64 // the height of its font
	Angle  float64 // of its base line in degrees, counter-clockwise, as the page is looked at
}

// directionGroup is the characters of one direction.
type directionGroup struct {
	angle int
	chars []glyph
}

// glyph is a character on a level base line.
type glyph struct {
	text   string
	x, w   float64
	y      float64
	size   float64
	spaced bool // a space stands before it
	rtl    bool
}

// Text is the text of a page: lines, an empty line between paragraphs, tables as Markdown. Rules part cells of level
// text.
func Text(chars []Char, rules []Rule) string {
	var b strings.Builder
	stack(chars)
	rules = joined(rules)
	for _, t := range turn(chars) {
		words := makeWords(dropDoubles(t.chars))
		if len(words) == 0 {
			continue
		}
		if t.angle != 0 {
			rules = nil
		}
		p := newPage(words, rules)
		p.gap(&b)
		p.write(&b, p.rows, 0)
	}
	text := strings.TrimRight(b.String(), "\n")
	if text != "" {
		text += "\n"
	}
	return text
}

// turn sorts characters by their direction, the level ones first, and turns each direction level.
func turn(chars []Char) []directionGroup {
	index := map[int]int{}
	var all []directionGroup
	for _, c := range chars {
		angle := int(math.Round(c.Angle))
		if near := int(math.Round(c.Angle/90)) * 90; math.Abs(c.Angle-float64(near)) < 5 {
			angle = near
		}
		angle = ((angle % 360) + 360) % 360
		i, ok := index[angle]
		if !ok {
			if len(all) >= 16 { // a circle of letters: any direction will do
				i = 0
			} else {
				i = len(all)
				all = append(all, directionGroup{angle: angle})
			}
			index[angle] = i
		}
		all[i].chars = append(all[i].chars, level(c, float64(all[i].angle)))
	}
	slices.SortStableFunc(all, func(a, b directionGroup) int {
		if (a.angle == 0) != (b.angle == 0) {
			return cmp.Compare(a.angle, b.angle)
		}
		return cmp.Compare(len(b.chars), len(a.chars))
	})
	return all
}

func level(c Char, angle float64) glyph {
	g := glyph{text: c.Text, x: c.X, y: c.Y, w: c.DX, size: c.Size}
	if angle != 0 {
		sin, cos := math.Sincos(angle * math.Pi / 180)
		g.x, g.y = c.X*cos+c.Y*sin, c.Y*cos-c.X*sin
		g.w = c.DX*cos + c.DY*sin
	}
	if g.w < 0 {
		g.x, g.w = g.x+g.w, -g.w
	}
	return g
}

// near is how close two characters are that are drawn twice, in units of their size.
const near = 0.12

// dropDoubles leaves out characters that are drawn again nearly at the same place, to look bold or to cast a shadow.
func dropDoubles(chars []glyph) []glyph {
	seen := make(map[uint64]int32, len(chars)) // the last character of each place
	out := chars[:0]
	for _, c := range chars {
		cell := max(2*near*c.size, 0.1)
		x, y := c.x/cell, c.y/cell
		if math.Abs(x) > 1e6 || math.Abs(y) > 1e6 {
			continue
		}
		if c.text != " " && c.text != "" {
			r, _ := utf8.DecodeRuneInString(c.text)
			px, py := int(math.Floor(x)), int(math.Floor(y))
			if isDouble(out, seen, c, r, px, py, beyond(x), beyond(y)) {
				if n := len(out); n > 0 && out[n-1].text == " " {
					out = out[:n-1] // it stood before this one, not before the next
				}
				continue
			}
			seen[place(r, px, py)] = int32(len(out))
		}
		out = append(out, c)
	}
	return out
}

// place is a square of the page and a character in it.
func place(r rune, x, y int) uint64 {
	return uint64(r)<<43 ^ uint64(x&(1<<21-1))<<22 ^ uint64(y&(1<<21-1))
}

// beyond is the direction of the neighbour that a place in a square is closer to.
func beyond(v float64) int {
	if v-math.Floor(v) < 0.5 {
		return -1
	}
	return 1
}

func isDouble(out []glyph, seen map[uint64]int32, c glyph, r rune, px, py, dx, dy int) bool {
	for _, p := range [4]uint64{place(r, px, py), place(r, px+dx, py), place(r, px, py+dy), place(r, px+dx, py+dy)} {
		if i, ok := seen[p]; ok {
			o, reach := out[i], near*c.size
			if o.text == c.text && math.Abs(o.x-c.x) < reach && math.Abs(o.y-c.y) < reach &&
				math.Abs(o.size-c.size) < 0.2*c.size {
				return true
			}
		}
	}
	return false
}
