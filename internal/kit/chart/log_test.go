package chart_test

import (
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/chart"
)

// On a logarithmic axis, values with the same ratio are equally far apart, and each value is labelled.
func TestALogarithmicAxis(t *testing.T) {
	c := chart.NewLine([]chart.Series{
		{Name: "a", X: []chart.Number{8000, 32_000, 128_000, 512_000}, Y: []chart.Number{1, 2, 3, 4}},
	}, false)
	c.Log = true
	require.NoError(t, c.Check())
	svg := c.SVG()
	for _, tick := range []string{"8000", "32k", "128k", "512k"} {
		require.Contains(t, svg, ">"+tick+"</text>")
	}
	var at []float64
	for _, m := range regexp.MustCompile(`[ML]([\d.]+) `).FindAllStringSubmatch(svg, -1) {
		x, err := strconv.ParseFloat(m[1], 64)
		require.NoError(t, err)
		at = append(at, x)
	}
	require.Len(t, at, 4)
	require.Less(t, math.Abs((at[1]-at[0])-(at[3]-at[2])), 0.1)

	c.Series[0].X[0] = 0
	require.Error(t, c.Check(), "there is no logarithm of 0")
}
