package layout

import "math"

// stack turns East Asian characters that are drawn one below another in a horizontal font into vertical lines.
func stack(chars []Char) {
	for from := 0; from < len(chars); {
		to := from + 1
		for to < len(chars) && below(chars[to-1], chars[to]) {
			to++
		}
		if to-from >= 3 {
			for i := range chars[from:to] {
				if c := &chars[from+i]; c.Angle == 0 {
					c.Y, c.DX, c.DY, c.Angle = c.top(), 0, -c.Size, -90
				}
			}
		}
		from = to
	}
}

// below reports whether b is the next character after a in a vertical line.
func below(a, b Char) bool {
	if !a.square() || !b.square() || math.Abs(a.X-b.X) > 0.2*a.Size || math.Abs(a.Size-b.Size) > 0.1*a.Size {
		return false
	}
	step := a.top() - b.top()
	return step > 0.7*a.Size && step < 1.35*a.Size
}

// square reports whether a character fills a square, as East Asian ones do.
func (c Char) square() bool {
	return len(c.Text) > 2 && c.Text[0] > 0xE2 && (c.Angle == 0 && math.Abs(c.DX-c.Size) < 0.3*c.Size || c.Angle == -90)
}

// top returns the y coordinate of a character's upper edge.
func (c Char) top() float64 {
	if c.Angle == 0 {
		return c.Y + 0.88*c.Size
	}
	return c.Y
}
