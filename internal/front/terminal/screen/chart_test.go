package screen

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/internal/kit/chart"
)

// TestChartsAreTheSameInColour: colours do not change the text of a chart, and text that is not a chart has none.
func TestChartsAreTheSameInColour(t *testing.T) {
	bars := chart.NewBars([]string{"a █ name", "b"}, []float64{3, -1})
	line := chart.NewLine([]chart.Series{
		{X: []chart.Number{1, 2}, Y: []chart.Number{1, 2}}, {X: []chart.Number{1, 2}, Y: []chart.Number{2, 1}},
	}, false)
	var items []bundle.Item
	text := "█ of a person\n"
	for _, c := range []chart.Chart{bars, line} {
		item, err := bundle.New(c.Text(), bundle.ChartType, c)
		require.NoError(t, err)
		items = append(items, item)
		text += c.Text() + "\n"
	}
	painted := Charts(text, items, func(s Style, text string) string { return s.Render(text) })
	require.NotEqual(t, text, painted)
	require.Equal(t, text, ansi.Strip(painted))
	require.Contains(t, painted, "█ of a person\n", "what only looks like a chart stays as it is")
	require.Contains(t, painted, "\x1b[36m███")
	require.Contains(t, painted, "\x1b[34m●")
	require.Contains(t, painted, "\x1b[31m○")
	require.Equal(t, text, Charts(text, nil, nil))
}

// Only a chart that is wider than the terminal is redrawn.
func TestChartsFitTheTerminal(t *testing.T) {
	c := chart.NewLine([]chart.Series{{X: []chart.Number{0, 1000}, Y: []chart.Number{1, 8}}}, false)
	item, err := bundle.New(c.Text(), bundle.ChartType, c)
	require.NoError(t, err)
	text := "before\n" + c.Text() + "\nafter " + strings.Repeat("long ", 20)
	fitted, items := FitCharts(text, []bundle.Item{item}, 40)
	require.Equal(t, "before\n"+c.TextIn(40)+"\nafter "+strings.Repeat("long ", 20), fitted)
	require.Equal(t, c.TextIn(40), items[0].Text())
	same, _ := FitCharts(text, []bundle.Item{item}, 80)
	require.Equal(t, text, same)
}
