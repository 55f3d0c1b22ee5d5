package chart_test

import (
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/chart"
)

// A chart fits the given width without losing a number.
func TestAChartFits(t *testing.T) {
	many := []chart.Number{0, 250, 1000}
	for _, c := range []chart.Chart{
		chart.NewBars([]string{"/srv/data/part-0001.csv", "/srv/data/part-0002.csv", "日本語のとても長い名前のファイル"},
			[]float64{1234567, -0.5, 12}),
		chart.NewLine([]chart.Series{{X: many, Y: []chart.Number{8, 1, 5}}}, false),
		chart.NewLine([]chart.Series{{X: []chart.Number{1.7e9, 1.8e9}, Y: []chart.Number{1, 2}}}, true),
	} {
		whole := c.Text()
		require.Equal(t, whole, c.TextIn(200))
		for columns := 100; columns >= 40; columns-- {
			text := c.TextIn(columns)
			for line := range strings.Lines(text) {
				if strings.HasPrefix(line, "●") { // a legend, whose words are wrapped
					continue
				}
				require.LessOrEqual(t, displaywidth.String(strings.TrimRight(line, "\n")), columns, text)
			}
			for _, number := range []string{"1234567", "-0.5"} {
				require.Equal(t, strings.Contains(whole, number), strings.Contains(text, number), text)
			}
		}
	}
}

// Long labels often differ only at their ends.
func TestLongLabelsStayApart(t *testing.T) {
	c := chart.NewBars([]string{"/a/long/path/to/the/data/of/january.csv", "/a/long/path/to/the/data/of/february.csv"},
		[]float64{1, 2})
	for _, text := range []string{c.Text(), c.TextIn(40), c.SVG()} {
		require.Contains(t, text, "january.csv"[4:])
		require.Contains(t, text, "ruary.csv")
		require.Contains(t, text, "…")
	}
}
