package screen

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/bundle"
	"github.com/gorlm/rlm/internal/chart"
)

// TestChartsAreTheSameInColour: colours add nothing to a chart but themselves, and touch no other text.
func TestChartsAreTheSameInColour(t *testing.T) {
	bars := chart.NewBars([]string{"a █ name", "b"}, []float64{3, -1})
	line := chart.NewLine([]chart.Series{{X: []chart.Number{1, 2}, Y: []chart.Number{1, 2}}, {X: []chart.Number{1, 2}, Y: []chart.Number{2, 1}}}, false)
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
