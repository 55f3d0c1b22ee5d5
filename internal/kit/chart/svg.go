package chart

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/gorlm/rlm/internal/kit/units"
)

// Sizes of a drawing. It is narrow, so that its text is legible on a phone, where it is scaled down.
const (
	svgWidth  = 460
	svgHeight = 240
	rowHeight = 22
	character = 7 // width of a character
)

// colours are distinguishable for people with colour blindness; dashes distinguish lines without colours.
var (
	colours = [mostSeries]string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#777777"}
	dashes  = [mostSeries]string{"", "6 3", "2 2", "8 2 2 2", "4 4", "1 3", "10 4", "3 1"}
)

// SVG draws the chart as a self-contained svg element. It contains no script, refers to nothing outside, and
// escapes every text.
func (c Chart) SVG() string {
	d := &svgBuilder{}
	switch {
	case c.Kind == Line:
		c.drawLines(d)
	default:
		labels := c.Labels
		if c.Kind == Histogram {
			labels = c.ranges()
		}
		d.bars(labels, c.Values)
	}
	if d.height == 0 {
		d.height = 40
		d.text(10, 24, "start", "nothing to draw")
	}
	d.height += 8
	var more []string
	if c.More > 0 {
		more = append(more, fmt.Sprintf("and %d more", c.More))
	}
	if c.NotNumbers > 0 {
		more = append(more, fmt.Sprintf("not a number: %d", c.NotNumbers))
	}
	if c.Points > 0 {
		more = append(more, fmt.Sprintf("%d points", c.Points))
	}
	if len(more) > 0 {
		d.height += 14
		d.text(10, d.height-6, "start", strings.Join(more, " · "))
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %s" width="%d" height="%s" role="img" aria-label="%s" font-family="sans-serif" font-size="12">%s</svg>`,
		svgWidth, px(d.height), svgWidth, px(d.height), escape(c.Text()), d.b.String())
}

type svgBuilder struct {
	b      strings.Builder
	height float64
}

func escape(s string) string { return html.EscapeString(printable(s)) }

// printable removes characters that XML does not allow.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// px formats a length.
func px(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", v), "0"), ".")
}

func (d *svgBuilder) text(x, y float64, anchor, s string) {
	fmt.Fprintf(&d.b, `<text x="%s" y="%s" text-anchor="%s" fill="currentColor">%s</text>`, px(x), px(y), anchor,
		escape(s))
}

func (d *svgBuilder) stroke(x1, y1, x2, y2, opacity float64) {
	fmt.Fprintf(&d.b, `<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="currentColor" stroke-opacity="%s"/>`, px(x1),
		px(y1), px(x2), px(y2), px(opacity))
}

// bars draws horizontal bars with their names to the left and their values to the right.
func (d *svgBuilder) bars(labels []string, values []Number) {
	if len(values) == 0 {
		return
	}
	const most = 24
	low, high := 0.0, 0.0
	wide, numbers := 0, 0
	names := make([]string, len(labels))
	for i, v := range values {
		names[i] = cut(labels[i], most)
		wide, numbers = max(wide, displaywidth.String(names[i])), max(numbers, len(format(float64(v))))
		if v.finite() {
			low, high = min(low, float64(v)), max(high, float64(v))
		}
	}
	left := 10 + float64(wide*character) + 8
	right := svgWidth - 10 - float64(numbers*character) - 6
	zero := left + part(0, low, high)*(right-left)
	if low == high {
		zero = left
	}
	for i, v := range values {
		y := 6 + float64(i)*rowHeight
		d.text(left-8, y+15, "end", names[i])
		d.text(svgWidth-10, y+15, "end", format(float64(v)))
		if !v.finite() || low == high {
			continue
		}
		at := left + part(float64(v), low, high)*(right-left)
		width := math.Abs(at - zero)
		if width < 0.5 && v != 0 {
			width = 0.5
		}
		fmt.Fprintf(&d.b, `<rect x="%s" y="%s" width="%s" height="%d" fill="%s"/>`, px(min(at, zero)), px(y+3),
			px(width), rowHeight-6, colours[0])
	}
	d.height = 6 + float64(len(values))*rowHeight
	d.stroke(zero, 4, zero, d.height, 0.6)
}

// drawLines draws the series over two axes.
func (c Chart) drawLines(d *svgBuilder) {
	f, ok := c.frame()
	if !ok {
		return
	}
	yTicks := ticks(f.bottom, f.top, 5)
	wide := 0
	for _, t := range yTicks {
		wide = max(wide, len(tickText(t, yTicks)))
	}
	left, right, top, bottom := 14+float64(wide*character), float64(svgWidth-14), 10.0, float64(svgHeight-30)
	place := func(x, y Number) (float64, float64) {
		px, py := f.at(x, y)
		if c.Log {
			px = part(math.Log(float64(x)), math.Log(f.left), math.Log(f.right))
		}
		return left + px*(right-left), bottom - py*(bottom-top)
	}
	for _, t := range yTicks {
		_, y := place(Number(f.left), Number(t))
		d.stroke(left, y, right, y, 0.15)
		d.text(left-6, y+4, "end", tickText(t, yTicks))
	}
	d.stroke(left, top, left, bottom, 0.6)
	d.stroke(left, bottom, right, bottom, 0.6)
	switch {
	case c.Log:
		c.logTicks(d, bottom, place)
	case f.right == f.left:
		d.text((left+right)/2, bottom+16, "middle", c.place(f.left))
	default:
		d.text(left, bottom+16, "start", c.place(f.left))
		d.text(right, bottom+16, "end", c.place(f.right))
	}
	d.height = svgHeight - 6
	for n, s := range c.Series {
		d.path(s, n, place)
		if name := oneLine(s.Name); name != "" {
			d.height += 16
			y := d.height - 6
			fmt.Fprintf(&d.b, `<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="%s" stroke-width="2" stroke-dasharray="%s"/>`, px(left), px(y-4), px(left+24), px(y-4), colours[n], dashes[n])
			d.text(left+30, y, "start", cut(name, 50))
		}
	}
}

// logTicks labels the points below the axis, as many as do not overlap.
func (c Chart) logTicks(d *svgBuilder, bottom float64, place func(x, y Number) (float64, float64)) {
	var all []Number
	for _, s := range c.Series {
		all = append(all, s.X...)
	}
	slices.Sort(all)
	free := 0.0
	for _, x := range slices.Compact(all) {
		text := units.Count(int64(x))
		at, _ := place(x, 0)
		half := float64(displaywidth.String(text)*character) / 2
		at = min(at, svgWidth-half-2) // the last label ends at the edge
		if at-half < free {
			continue
		}
		free = at + half + character
		d.text(at, bottom+16, "middle", text)
	}
}

// tickText formats a tick with the precision that its neighbours need.
func tickText(t float64, all []float64) string {
	if len(all) < 2 {
		return format(t)
	}
	step := all[1] - all[0]
	if abs := max(math.Abs(all[0]), math.Abs(all[len(all)-1])); abs >= 1e7 || step < 1e-5 {
		return fmt.Sprintf("%.3g", t)
	}
	return fmt.Sprintf("%.*f", max(0, int(-math.Floor(math.Log10(step)+1e-9))), t)
}

// path draws one line. A gap interrupts it; an isolated point is a dot.
func (d *svgBuilder) path(s Series, n int, place func(x, y Number) (float64, float64)) {
	var b strings.Builder
	run := 0
	finite := func(i int) bool { return i >= 0 && i < len(s.X) && s.X[i].finite() && s.Y[i].finite() }
	for i := range s.X {
		if !finite(i) {
			run = 0
			continue
		}
		x, y := place(s.X[i], s.Y[i])
		command := "L"
		if run == 0 {
			command = "M"
		}
		run++
		b.WriteString(command + px(x) + " " + px(y))
		if !finite(i-1) && !finite(i+1) {
			fmt.Fprintf(&d.b, `<circle cx="%s" cy="%s" r="3" fill="%s"/>`, px(x), px(y), colours[n])
		}
	}
	if b.Len() > 0 {
		fmt.Fprintf(&d.b, `<path d="%s" fill="none" stroke="%s" stroke-width="1.5" stroke-linejoin="round" stroke-dasharray="%s"/>`, b.String(), colours[n], dashes[n])
	}
}
