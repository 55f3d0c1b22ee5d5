package pdf

import "math"

// matrix maps (x, y) to (ax+cy+e, bx+dy+f).
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// times returns the matrix that applies m first and then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d,
		m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d,
		m.e*n.a + m.f*n.c + n.e, m.e*n.b + m.f*n.d + n.f,
	}
}

func (m matrix) apply(x, y float64) (float64, float64) {
	return m.a*x + m.c*y + m.e, m.b*x + m.d*y + m.f
}

// matrixOf returns the matrix of six numbers, or the identity.
func matrixOf(n []float64) matrix {
	if len(n) != 6 {
		return identity
	}
	return matrix{n[0], n[1], n[2], n[3], n[4], n[5]}
}

// box is a rectangle.
type box struct{ x0, y0, x1, y1 float64 }

func boxOf(n []float64) (box, bool) {
	if len(n) != 4 {
		return box{}, false
	}
	b := box{min(n[0], n[2]), min(n[1], n[3]), max(n[0], n[2]), max(n[1], n[3])}
	return b, b.x1 > b.x0 && b.y1 > b.y0
}

// under returns the bounding box of the transformed box.
func (b box) under(m matrix) box {
	out := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range [4][2]float64{{b.x0, b.y0}, {b.x1, b.y0}, {b.x0, b.y1}, {b.x1, b.y1}} {
		x, y := m.apply(p[0], p[1])
		out = box{min(out.x0, x), min(out.y0, y), max(out.x1, x), max(out.y1, y)}
	}
	return out
}

func (b box) holds(x, y float64) bool { return x >= b.x0 && x <= b.x1 && y >= b.y0 && y <= b.y1 }

// turnedBy returns the matrix of a page that is displayed rotated clockwise.
func turnedBy(degrees int) matrix {
	switch ((degrees % 360) + 360) % 360 {
	case 90:
		return matrix{b: -1, c: 1}
	case 180:
		return matrix{a: -1, d: -1}
	case 270:
		return matrix{b: 1, c: -1}
	}
	return identity
}
