package chart_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gorlm/rlm/internal/kit/chart"
)

func line(ys ...float64) chart.Chart {
	var s chart.Series
	for i, y := range ys {
		s.X, s.Y = append(s.X, chart.Number(i)), append(s.Y, chart.Number(y))
	}
	return chart.NewLine([]chart.Series{s}, false)
}

// requireSound checks what is true of every chart: it is within bounds, survives JSON, and produces valid text,
// and valid XML that loads nothing.
func requireSound(t require.TestingT, c chart.Chart) {
	require.NoError(t, c.Check())
	raw, err := json.Marshal(c)
	require.NoError(t, err)
	require.Less(t, len(raw), 150_000)
	var again chart.Chart
	require.NoError(t, json.Unmarshal(raw, &again))
	require.Equal(t, c.Text(), again.Text(), "the data is all that a drawing needs")
	require.Equal(t, c.SVG(), again.SVG())
	for l := range strings.Lines(c.Text()) {
		require.LessOrEqual(t, displaywidth.String(strings.TrimRight(l, "\n")), 320)
	}
	svg := c.SVG()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err, svg)
		if e, ok := tok.(xml.StartElement); ok {
			require.Contains(t, []string{"svg", "text", "line", "rect", "path", "circle"}, e.Name.Local)
			for _, a := range e.Attr {
				require.NotContains(t, []string{"href", "src", "style", "onload"}, a.Name.Local)
				if a.Name.Local != "aria-label" {
					require.NotContains(t, a.Value, "NaN")
					require.NotContains(t, a.Value, "Inf")
				}
			}
		}
	}
}

func TestBarsReadAsNumbersToo(t *testing.T) {
	c := chart.NewBars([]string{"checkout", "cart", "北京", "none"}, []float64{250, 125, 31.25, 0})
	requireSound(t, c)
	require.Equal(t, strings.Join([]string{
		"checkout  ████████████████████████████████████    250",
		"cart      ██████████████████                      125",
		"北京      ████▌                                 31.25",
		"none                                                0",
	}, "\n"), c.Text())

	c = chart.NewBars([]string{"up", "down", "gap"}, []float64{3, -1, math.NaN()})
	requireSound(t, c)
	require.Equal(t, strings.Join([]string{
		"up             │███████████████████████████          3",
		"down  █████████│                                    -1",
		"gap            │                             no number",
	}, "\n"), c.Text())
}

func TestLineTellsItsEndsAndPeaks(t *testing.T) {
	text := line(1, 5, 3, math.NaN(), 2).Text()
	require.Contains(t, text, "5 ┤               ●")
	require.Contains(t, text, "1 ┤●")
	require.Contains(t, text, "lowest 1 at 0, highest 5 at 1, last 2 at 4")
	require.Contains(t, text, "1 value left out: not a number")

	days := chart.NewLine([]chart.Series{
		{Name: "errors", X: []chart.Number{1767225600, 1767312000}, Y: []chart.Number{4, 9}},
	}, true)
	requireSound(t, days)
	require.Contains(t, days.Text(), "errors: lowest 4 at 2026-01-01, highest 9 at 2026-01-02, last 9 at 2026-01-02")
}

// TestOddData checks that the picture is complete, whatever the data.
func TestOddData(t *testing.T) {
	long := strings.Repeat("a long label, with <tags> & \"quotes\" ", 20)
	for name, c := range map[string]chart.Chart{
		"no bars":      chart.NewBars(nil, nil),
		"one bar":      chart.NewBars([]string{"x"}, []float64{1}),
		"all zero":     chart.NewBars([]string{"x", "y"}, []float64{0, 0}),
		"all negative": chart.NewBars([]string{"x", "y"}, []float64{-1, -2}),
		"infinite":     chart.NewBars([]string{"x", "y"}, []float64{math.Inf(1), math.Inf(-1)}),
		"huge":         chart.NewBars([]string{"x", "y"}, []float64{math.MaxFloat64, -math.MaxFloat64}),
		"tiny":         chart.NewBars([]string{"x", "y"}, []float64{5e-324, 1}),
		"long labels": chart.NewBars(
			[]string{long, "\x1b[31mred\nline\x00\xff", strings.Repeat("\xff", 500)}, []float64{1, 2, 3}),
		"wide labels":    chart.NewBars([]string{strings.Repeat("漢字", 40), "한국어", "👩‍👩‍👧"}, []float64{1, 2, 3}),
		"too many":       chart.NewBars(make([]string, 5000), make([]float64, 5000)),
		"empty line":     line(),
		"no lines":       chart.NewLine(nil, false),
		"one point":      line(7),
		"level":          line(2, 2, 2),
		"only gaps":      line(math.NaN(), math.Inf(1)),
		"huge line":      line(math.MaxFloat64, -math.MaxFloat64, 0),
		"alone":          line(1, math.NaN(), 2, math.NaN(), 3),
		"empty spread":   chart.NewHistogram(nil, 0),
		"one value":      chart.NewHistogram([]float64{3}, 0),
		"equal values":   chart.NewHistogram([]float64{3, 3, 3}, 10),
		"no numbers":     chart.NewHistogram([]float64{math.NaN()}, 0),
		"near values":    chart.NewHistogram([]float64{1, math.Nextafter(1, 2)}, 10),
		"huge values":    chart.NewHistogram([]float64{math.MaxFloat64, -math.MaxFloat64}, 3),
		"too many bins":  chart.NewHistogram([]float64{1, 2, 3}, 100_000),
		"too many lines": chart.NewLine(make([]chart.Series, 50), false),
		"far times": chart.NewLine(
			[]chart.Series{{Name: long, X: []chart.Number{-1e18, 1e18}, Y: []chart.Number{1, 2}}}, true),
	} {
		t.Run(name, func(t *testing.T) {
			requireSound(t, c)
			require.NotEmpty(t, c.Text())
			require.NotContains(t, c.SVG(), "<tags>")
			require.NotContains(t, c.SVG(), "\x1b")
		})
	}
}

// TestThinningKeepsPeaks checks that an outlier among a million points is still drawn.
func TestThinningKeepsPeaks(t *testing.T) {
	ys := make([]float64, 1_000_000)
	for i := range ys {
		ys[i] = math.Sin(float64(i) / 1000)
	}
	ys[333_333], ys[777_777] = 50, -40
	c := line(ys...)
	requireSound(t, c)
	require.Less(t, len(c.Series[0].X), 2100)
	require.Contains(t, c.Text(), "lowest -40 at 777777, highest 50 at 333333")
	require.Contains(t, c.Text(), "drawn from 1 000 000 points")
}

func TestHistogramCountsEveryValueOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		values := rapid.SliceOf(rapid.Float64()).Draw(rt, "values")
		c := chart.NewHistogram(values, rapid.IntRange(0, 150).Draw(rt, "bins"))
		requireSound(rt, c)
		sum := c.NotNumbers
		for _, n := range c.Values {
			sum += int(n)
		}
		require.Equal(rt, len(values), sum)
	})
}

func TestRandomLinesAreSound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		requireSound(rt, line(rapid.SliceOf(rapid.Float64()).Draw(rt, "ys")...))
		values := rapid.SliceOfN(rapid.Float64(), 0, 120).Draw(rt, "values")
		requireSound(rt, chart.NewBars(
			rapid.SliceOfN(rapid.String(), len(values), len(values)).Draw(rt, "labels"), values))
	})
}
