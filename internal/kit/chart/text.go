package chart

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
)

// Usual and smallest sizes of text charts, in columns and lines.
const (
	barWidth   = 36
	labelWidth = 24
	lineWidth  = 60
	lineHeight = 12

	leastBar   = 8
	leastLabel = 6
	leastLine  = 16
)

// Glyphs are the characters that draw data in a text chart: Blocks for bars, then the marks of lines in order.
const (
	Blocks = "█▏▎▍▌▋▊▉"
	Glyphs = Blocks + marks

	marks = "●○◆◇■□▲△"
)

// Text draws a chart with characters. Every value can also be read as a number.
func (c Chart) Text() string { return c.TextIn(math.MaxInt32) }

// TextIn is Text in at most the given number of columns, if the numbers fit into them. It never draws wider than
// Text.
func (c Chart) TextIn(columns int) string {
	var lines []string
	switch c.Kind {
	case Bars:
		lines = bars(c.Labels, c.Values, columns)
	case Histogram:
		lines = bars(c.ranges(), c.Values, columns)
	case Line:
		lines = c.line(columns)
	}
	if len(lines) == 0 {
		lines = []string{"(nothing to draw)"}
	}
	if c.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", c.More))
	}
	if c.NotNumbers > 0 {
		lines = append(lines, units.Of(c.NotNumbers, "value")+" left out: not a number")
	}
	return strings.Join(lines, "\n")
}

// ranges names the bins of a histogram.
func (c Chart) ranges() []string {
	out := make([]string, len(c.Values))
	for i := range out {
		end := ")"
		if i == len(out)-1 {
			end = "]"
		}
		out[i] = "[" + format(float64(c.Edges[i])) + ", " + format(float64(c.Edges[i+1])) + end
	}
	return out
}

func cut(label string, columns int) string { return text.Middle(oneLine(label), columns) }

// bars draws a line for each bar, on one scale with a common column for zero.
func bars(labels []string, values []Number, columns int) []string {
	low, high := 0.0, 0.0
	width, numbers := 0, 0
	for i, v := range values {
		width, numbers = max(width, displaywidth.String(oneLine(labels[i]))), max(numbers, len(format(float64(v))))
		if v.finite() {
			low, high = min(low, float64(v)), max(high, float64(v))
		}
	}
	room := columns - numbers - len("    │")
	width = min(width, labelWidth, max(leastLabel, room-leastBar))
	barWidth := min(barWidth, max(leastBar, room-width))
	shown := make([]string, len(labels))
	for i, l := range labels {
		shown[i] = cut(l, width)
	}
	width = 0
	for _, l := range shown {
		width = max(width, displaywidth.String(l))
	}
	scale := 1.0
	if math.IsInf(high-low, 0) { // the difference exceeds the range of float64
		scale = 0.25
	}
	low, high = low*scale, high*scale
	span := high - low
	left := 0 // columns below zero
	if low < 0 {
		left = int(math.Round(-low / span * float64(barWidth)))
	}
	var out []string
	for i, v := range values {
		text := format(float64(v))
		before, after := strings.Repeat(" ", left), ""
		if v.finite() && span > 0 {
			f := float64(v) * scale
			if size := math.Abs(f) / span * float64(barWidth); f < 0 {
				n := min(int(math.Round(size)), left)
				before = strings.Repeat(" ", left-n) + strings.Repeat("█", n)
			} else {
				after = blocks(size)
			}
		}
		axis := ""
		if left > 0 {
			axis = "│"
		}
		pad := strings.Repeat(" ", width-displaywidth.String(shown[i]))
		rest := strings.Repeat(" ", max(0, barWidth-left-displaywidth.String(after)))
		out = append(out, fmt.Sprintf("%s%s  %s%s%s%s  %*s", shown[i], pad, before, axis, after, rest, numbers, text))
	}
	return out
}

// blocks returns a bar of a length in columns. A value above zero always shows.
func blocks(size float64) string {
	eighths := []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}
	n := int(math.Round(size * 8))
	if n == 0 && size > 0 {
		n = 1
	}
	return strings.Repeat("█", n/8) + eighths[n%8]
}

// line draws all series on one grid, with the ends of both axes and a line of figures for each series.
func (c Chart) line(columns int) []string {
	f, ok := c.frame()
	if !ok {
		return nil
	}
	top, bottom := format(f.top), format(f.bottom)
	width := max(len(top), len(bottom))
	lineWidth := min(lineWidth, max(leastLine, columns-width-len(" │")))
	grid := make([][]rune, lineHeight)
	for y := range grid {
		grid[y] = []rune(strings.Repeat(" ", lineWidth))
	}
	mark := []rune(marks)
	for n, s := range c.Series {
		for i := range s.X {
			if s.X[i].finite() && s.Y[i].finite() {
				x, y := f.at(s.X[i], s.Y[i])
				grid[int(math.Round((1-y)*(lineHeight-1)))][int(math.Round(x*float64(lineWidth-1)))] = mark[n]
			}
		}
	}
	var out []string
	for y, row := range grid {
		label := ""
		switch {
		case f.top == f.bottom: // all points are on one line, in the middle
			if y == lineHeight/2 {
				label = top
			}
		case y == 0:
			label = top
		case y == lineHeight-1:
			label = bottom
		}
		out = append(out, strings.TrimRight(fmt.Sprintf("%*s ┤%s", width, label, string(row)), " "))
	}
	out = append(out, strings.Repeat(" ", width)+" └"+strings.Repeat("─", lineWidth))
	for _, ends := range c.ends(f, lineWidth) {
		out = append(out, strings.Repeat(" ", width+2)+ends)
	}
	for n, s := range c.Series {
		out = append(out, string(mark[n])+" "+c.figures(s))
	}
	if c.Points > 0 {
		out = append(out, fmt.Sprintf(
			"drawn from %s points, with their lowest and highest", units.Exact(int64(c.Points))))
	}
	return out
}

// ends labels the ends of a horizontal axis, or its only value in the middle. If there is no room for both on one
// line, the second one gets its own.
func (c Chart) ends(f frame, lineWidth int) []string {
	left, right := c.place(f.left), c.place(f.right)
	if f.left == f.right {
		return []string{strings.Repeat(" ", max(0, (lineWidth-len(left))/2)) + left}
	}
	if gap := lineWidth - len(left) - len(right); gap > 0 {
		return []string{left + strings.Repeat(" ", gap) + right}
	}
	return []string{left, strings.Repeat(" ", max(0, lineWidth-len(right))) + right}
}

// figures summarises a series.
func (c Chart) figures(s Series) string {
	low, high, last := -1, -1, -1
	for i, y := range s.Y {
		if !y.finite() || !s.X[i].finite() {
			continue
		}
		if low < 0 || y < s.Y[low] {
			low = i
		}
		if high < 0 || y > s.Y[high] {
			high = i
		}
		last = i
	}
	name := oneLine(s.Name)
	if name != "" {
		name += ": "
	}
	if last < 0 {
		return name + "no values"
	}
	say := func(i int) string { return format(float64(s.Y[i])) + " at " + c.place(float64(s.X[i])) }
	return fmt.Sprintf("%slowest %s, highest %s, last %s", name, say(low), say(high), say(last))
}

// place formats a value of the horizontal axis for people.
func (c Chart) place(x float64) string {
	if !c.Time || math.Abs(x) > 1e11 {
		return format(x)
	}
	seconds, part := math.Modf(x)
	t := time.Unix(int64(seconds), int64(part*1e9)).UTC()
	if t.Equal(t.Truncate(24 * time.Hour)) {
		return t.Format(time.DateOnly)
	}
	return t.Format(time.DateTime)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
