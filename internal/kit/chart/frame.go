package chart

import "math"

// frame is the part of the plane that a line chart shows.
type frame struct{ left, right, bottom, top float64 }

// frame finds the frame of all points; ok is false if there are none.
func (c Chart) frame() (f frame, ok bool) {
	f = frame{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
	for _, s := range c.Series {
		for i := range s.X {
			if x, y := s.X[i], s.Y[i]; x.finite() && y.finite() {
				f.left, f.right = min(f.left, float64(x)), max(f.right, float64(x))
				f.bottom, f.top = min(f.bottom, float64(y)), max(f.top, float64(y))
				ok = true
			}
		}
	}
	return f, ok
}

// at places a point in the frame: from 0 to 1 in both directions. If the frame has no extent, the point is in the
// middle.
func (f frame) at(x, y Number) (float64, float64) {
	return part(float64(x), f.left, f.right), part(float64(y), f.bottom, f.top)
}

func part(v, from, to float64) float64 {
	if to == from {
		return 0.5
	}
	if math.IsInf(to-from, 0) {
		v, from, to = v/4, from/4, to/4
	}
	return min(max((v-from)/(to-from), 0), 1)
}

// ticks returns round values between from and to: at least one, and at most n+1.
func ticks(from, to float64, n int) []float64 {
	if from == to {
		return []float64{from}
	}
	if math.IsInf(to-from, 0) {
		return []float64{from, to}
	}
	raw := (to - from) / float64(n)
	unit := math.Pow(10, math.Floor(math.Log10(raw)))
	step := 10 * unit
	for _, m := range []float64{1, 2, 5} {
		if m*unit >= raw {
			step = m * unit
			break
		}
	}
	var out []float64
	for i := math.Ceil(from / step); i*step <= to+step*1e-9 && len(out) <= n+1; i++ {
		out = append(out, i*step)
	}
	if len(out) == 0 {
		return []float64{from}
	}
	return out
}
