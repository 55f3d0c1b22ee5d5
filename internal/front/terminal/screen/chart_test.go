package screen

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/internal/kit/chart"
	"github.com/gorlm/rlm/internal/kit/search"
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
	fitted, items := FitItems(text, []bundle.Item{item}, 40)
	require.Equal(t, "before\n"+c.TextIn(40)+"\nafter "+strings.Repeat("long ", 20), fitted)
	require.Equal(t, c.TextIn(40), items[0].Text())
	same, _ := FitItems(text, []bundle.Item{item}, 80)
	require.Equal(t, text, same)
}

// A table that is wider than the terminal keeps one line for each row; numbers stay whole.
func TestTablesFitTheTerminal(t *testing.T) {
	rows := [][]string{{"id", "path", "words of the note", "a number with a long name", "owner"}}
	for _, name := range []string{"one", "two", "two"} {
		rows = append(rows, []string{
			"7", "/srv/data/of/a/long/path/" + name + ".csv", "a note about " + strings.Repeat("日本 ", 9),
			"1234567.25", "somebody \x1b]0;x\a",
		})
	}
	table, _, ok := bundle.NewTable(rows, true)
	require.True(t, ok)
	item, err := bundle.New(search.Align(rows), bundle.TableType, table)
	require.NoError(t, err)
	text := Clean("before\n" + search.Align(rows) + "\n| after " + strings.Repeat("long ", 30))
	for _, columns := range []int{36, 56, 76, 116} {
		fitted, _ := FitItems(text, []bundle.Item{item}, columns)
		lines := strings.Split(fitted, "\n")
		require.Equal(t, "before", lines[0])
		require.Equal(t, "| after "+strings.Repeat("long ", 30), lines[len(lines)-1], "the rest stays")
		lines = lines[1 : len(lines)-1]
		require.False(t, tooWide(strings.Join(lines, "\n"), columns), fitted)
		require.Contains(t, lines[1], "e.csv", "names differ at their ends")
		require.Equal(t, lines[2], lines[3])
		if columns > 36 {
			require.Len(t, lines, 4)
			require.Contains(t, lines[1], "1234567.25")
		} else {
			require.Regexp(t, `^… and 2 more columns: a number`, lines[4])
		}
	}
	same, _ := FitItems(text, []bundle.Item{item}, 500)
	require.Equal(t, text, same)
}
