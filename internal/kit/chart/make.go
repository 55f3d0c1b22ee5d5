package chart

import (
	"math"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/kit/text"
)

// NewBars makes a chart of bars. Bars beyond the bound are only counted.
func NewBars(labels []string, values []float64) Chart {
	c := Chart{Kind: Bars, More: max(0, len(labels)-mostBars)}
	for i := range labels[:min(len(labels), mostBars)] {
		c.Labels = append(c.Labels, clip(labels[i]))
		v := Number(values[i])
		if !v.finite() {
			v = Number(math.NaN())
		}
		c.Values = append(c.Values, v)
	}
	return c
}

// NewHistogram counts values in bins of equal width; with 0 bins their number depends on the number of values.
func NewHistogram(values []float64, bins int) Chart {
	c := Chart{Kind: Histogram}
	var kept []float64
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !Number(v).finite() {
			c.NotNumbers++
			continue
		}
		kept = append(kept, v)
		low, high = min(low, v), max(high, v)
	}
	if len(kept) == 0 {
		return c
	}
	if bins <= 0 {
		bins = int(math.Ceil(math.Log2(float64(len(kept))))) + 1 // Sturges' rule
	}
	bins = min(max(bins, 1), mostBins)
	width := high/float64(bins) - low/float64(bins)
	if low == high || width == 0 || low+width == low {
		bins, width = 1, high-low
	}
	counts := make([]Number, bins)
	for _, v := range kept {
		at := 0
		if width > 0 {
			at = min(int((v/float64(bins)-low/float64(bins))/width*float64(bins)), bins-1)
		}
		counts[max(at, 0)]++
	}
	for i := range bins {
		at := float64(i) / float64(bins)
		c.Edges = append(c.Edges, Number(low*(1-at)+high*at))
	}
	c.Edges, c.Values = append(c.Edges, Number(high)), counts
	return c
}

// NewLine makes a chart of lines. Points are sorted by x, and thinned if there are too many: of each stretch the
// lowest and the highest remain.
func NewLine(series []Series, isTime bool) Chart {
	c := Chart{Kind: Line, Time: isTime, More: max(0, len(series)-mostSeries)}
	for _, s := range series[:min(len(series), mostSeries)] {
		var bad, points int
		s, bad = inOrder(s)
		points = len(s.X)
		s = thin(s)
		if len(s.X) < points {
			c.Points = max(c.Points, points)
		}
		s.Name = clip(s.Name)
		c.NotNumbers += bad
		c.Series = append(c.Series, s)
	}
	return c
}

// inOrder drops points without an x, keeps gaps, and sorts by x.
func inOrder(s Series) (out Series, notNumbers int) {
	at := make([]int, 0, len(s.X))
	for i := range s.X {
		if !s.Y[i].finite() || !s.X[i].finite() {
			notNumbers++
		}
		if s.X[i].finite() {
			at = append(at, i)
		}
	}
	slices.SortStableFunc(at, func(a, b int) int {
		switch x, y := s.X[a], s.X[b]; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	out = Series{Name: s.Name, X: make([]Number, len(at)), Y: make([]Number, len(at))}
	for i, n := range at {
		out.X[i], out.Y[i] = s.X[n], s.Y[n]
	}
	return out, notNumbers
}

// thin keeps the lowest and the highest point of each of many stretches, and the first and last point of the
// series.
func thin(s Series) Series {
	n := len(s.X)
	if n <= mostPoints {
		return s
	}
	out := Series{Name: s.Name}
	keep := func(i int) { out.X, out.Y = append(out.X, s.X[i]), append(out.Y, s.Y[i]) }
	keep(0)
	const stretches = mostPoints/2 - 1
	for b := range stretches {
		from, to := 1+b*(n-2)/stretches, 1+(b+1)*(n-2)/stretches
		low, high := -1, -1
		for i := from; i < to; i++ {
			if !s.Y[i].finite() {
				continue
			}
			if low < 0 || s.Y[i] < s.Y[low] {
				low = i
			}
			if high < 0 || s.Y[i] > s.Y[high] {
				high = i
			}
		}
		switch {
		case low < 0:
			if from < to {
				keep(from) // the whole stretch is a gap
			}
		case low == high:
			keep(low)
		default:
			keep(min(low, high))
			keep(max(low, high))
		}
	}
	keep(n - 1)
	return out
}

// clip truncates a label that is too long.
func clip(s string) string {
	return text.Short(strings.ToValidUTF8(s, "\uFFFD"), longestLabel)
}
