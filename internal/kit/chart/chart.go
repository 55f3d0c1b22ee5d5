// Package chart holds small charts as data and draws them: as text that people and models can read, and as SVG.
package chart

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
)

// Chart is the data to draw. A value that is not a number (NaN, an infinity) is a gap, written as null.
type Chart struct {
	Kind string `json:"kind"` // Bars, Line or Histogram
	// Labels and Values are the bars. A histogram has Edges, one more than Values, instead of Labels.
	Labels []string `json:"labels,omitempty"`
	Values []Number `json:"values,omitempty"`
	Edges  []Number `json:"edges,omitempty"`
	// Series are the lines.
	Series []Series `json:"series,omitempty"`
	// Time means that the horizontal axis shows times, in seconds since 1970.
	Time bool `json:"time,omitempty"`
	// Log means that the horizontal axis is logarithmic, with a tick at each point; all of its values are above 0.
	Log bool `json:"log,omitempty"`
	// More is how many bars were left out, NotNumbers how many values are not numbers, Points how many points
	// there were before thinning.
	More       int `json:"more,omitempty"`
	NotNumbers int `json:"not_numbers,omitempty"`
	Points     int `json:"points,omitempty"`
}

// The kinds of charts.
const (
	Bars      = "bars"
	Line      = "line"
	Histogram = "histogram"
)

// Series is one line: its points in order of X.
type Series struct {
	Name string   `json:"name,omitempty"`
	X    []Number `json:"x"`
	Y    []Number `json:"y"`
}

// Number is a float64 that is null in JSON if it is NaN or infinite.
type Number float64

// MarshalJSON writes the shortest form that can be read back.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.finite() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON reads a number or null.
func (n *Number) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	var f float64
	if err := json.Unmarshal(raw, &f); err != nil {
		return err
	}
	*n = Number(f)
	return nil
}

func (n Number) finite() bool { return !math.IsNaN(float64(n)) && !math.IsInf(float64(n), 0) }

// Bounds of a chart.
const (
	mostBars     = 100
	mostBins     = 100
	mostSeries   = 8
	mostPoints   = 2000 // points per series
	longestLabel = 200  // bytes
)

var errShape = errors.New("this is no chart")

// Check rejects invalid charts and those that exceed the bounds.
func (c Chart) Check() error {
	if c.More < 0 || c.NotNumbers < 0 || c.Points < 0 || len(c.Labels) > mostBars || len(c.Values) > mostBars ||
		len(c.Edges) > mostBins+1 || len(c.Series) > mostSeries {
		return errShape
	}
	if slices.ContainsFunc(c.Labels, func(s string) bool { return len(s) > longestLabel+8 }) {
		return errShape
	}
	switch c.Kind {
	case Bars:
		if len(c.Labels) != len(c.Values) || len(c.Series) > 0 || len(c.Edges) > 0 {
			return errShape
		}
	case Histogram:
		if len(c.Labels) > 0 || len(c.Series) > 0 || len(c.Values) > 0 && len(c.Edges) != len(c.Values)+1 ||
			len(c.Values) == 0 && len(c.Edges) > 0 {
			return errShape
		}
		if slices.ContainsFunc(c.Edges, func(n Number) bool { return !n.finite() }) {
			return errShape
		}
	case Line:
		if len(c.Labels) > 0 || len(c.Values) > 0 || len(c.Edges) > 0 {
			return errShape
		}
		for _, s := range c.Series {
			if len(s.X) != len(s.Y) || len(s.X) > mostPoints+2 || len(s.Name) > longestLabel+8 {
				return errShape
			}
			if c.Log && slices.ContainsFunc(s.X, func(x Number) bool { return !(x > 0) }) {
				return errShape
			}
		}
	default:
		return errShape
	}
	return nil
}

// format writes a number for people: six digits of a fraction, all of a whole number, and no exponent if possible.
func format(f float64) string {
	if f == 0 {
		return "0" // also for -0
	}
	switch abs := math.Abs(f); {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return "no number"
	case f == math.Trunc(f) && abs < 1e15:
		return strconv.FormatFloat(f, 'f', -1, 64)
	case abs >= 1e15 || abs < 1e-4:
		return strconv.FormatFloat(f, 'g', 4, 64)
	case abs >= 1e6:
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	s := strconv.FormatFloat(f, 'g', 6, 64)
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return s
}
