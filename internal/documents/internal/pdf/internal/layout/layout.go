// Package layout turns the characters of a page, which a PDF positions one by one and in any order, into lines of
// text.
//
// Characters are joined to words and words to rows. Rows are read in human order: column by column for running
// text, row by row for tables. Text in each direction is rotated to horizontal and laid out separately.
package layout

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Char is a positioned character. Coordinates are in points, with y growing upwards.
type Char struct {
	Text   string
	X, Y   float64 // start on the base line
	DX, DY float64 // distance to the next character
	Size   float64 // font height
	Angle  float64 // angle of the base line on the displayed page, in degrees counter-clockwise
}

// directionGroup is the characters of one text direction.
type directionGroup struct {
	angle int
	chars []glyph
}

// glyph is a character on a horizontal base line.
type glyph struct {
	text   string
	x, w   float64
	y      float64
	size   float64
	spaced bool // a space precedes it
	rtl    bool
}

// Text returns the text of a page: lines, an empty line between paragraphs, tables as Markdown. Rules separate the
// cells and rows of horizontal text.
func Text(chars []Char, rules Rules) string {
	var b strings.Builder
	stack(chars)
	rules = Rules{joined(rules.Upright), joined(rules.Level)}
	for _, t := range turn(chars) {
		words := makeWords(dropDoubles(t.chars))
		if len(words) == 0 {
			continue
		}
		if t.angle != 0 {
			rules = Rules{}
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

// turn groups characters by direction, horizontal ones first, and rotates each group to horizontal.
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
			if len(all) >= 16 { // letters in a circle: any direction will do
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

// near is the maximum distance of characters that count as drawn twice, in units of their size.
const near = 0.12

// dropDoubles removes characters that are drawn again at nearly the same position for a bold or shadow effect.
func dropDoubles(chars []glyph) []glyph {
	seen := make(map[uint64]int32, len(chars)) // the last character at each place
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
					out = out[:n-1] // the space preceded this character, not the next
				}
				continue
			}
			seen[place(r, px, py)] = int32(len(out))
		}
		out = append(out, c)
	}
	return out
}

// place is a key for a square of the page and a character in it.
func place(r rune, x, y int) uint64 {
	return uint64(r)<<43 ^ uint64(x&(1<<21-1))<<22 ^ uint64(y&(1<<21-1))
}

// beyond returns the direction of the neighbouring square that is closer to v.
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
