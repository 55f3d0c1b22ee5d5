package screen

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/internal/kit/chart"
)

// chartStyles are the styles of a chart's glyphs: the first for bars, the others for its lines in order.
var chartStyles = []Style{
	lipgloss.NewStyle().Foreground(lipgloss.Cyan), lipgloss.NewStyle().Foreground(lipgloss.Blue),
	lipgloss.NewStyle().Foreground(lipgloss.Red),
	lipgloss.NewStyle().Foreground(lipgloss.Green), lipgloss.NewStyle().Foreground(lipgloss.Magenta),
	lipgloss.NewStyle().Foreground(lipgloss.Yellow),
}

// FitCharts narrows charts that occur in a text and are wider than columns. items has the charts; they are replaced
// in the text and in the items that it returns.
func FitCharts(text string, items []bundle.Item, columns int) (string, []bundle.Item) {
	fitted := slices.Clone(items)
	for n, i := range items {
		c, ok := i.Chart()
		drawn := i.Text()
		if !ok || lipgloss.Width(drawn) <= columns || !strings.Contains(text, drawn) {
			continue
		}
		narrow := c.TextIn(columns)
		if item, err := bundle.New(narrow, bundle.ChartType, c); err == nil {
			text, fitted[n] = strings.Replace(text, drawn, narrow, 1), item
		}
	}
	return text, fitted
}

// Charts colours those charts of items that occur in a text. paint applies a style; only characters that draw data
// are painted.
func Charts(text string, items []bundle.Item, paint func(Style, string) string) string {
	drawn := map[string]bool{}
	for _, i := range items {
		if _, ok := i.Chart(); !ok {
			continue
		}
		for line := range strings.SplitSeq(i.Text(), "\n") {
			if strings.ContainsAny(line, chart.Glyphs) {
				drawn[strings.TrimRight(line, " ")] = true
			}
		}
	}
	if len(drawn) == 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for n, line := range lines {
		if drawn[strings.TrimRight(line, " ")] {
			lines[n] = coloured(line, paint)
		}
	}
	return strings.Join(lines, "\n")
}

// coloured paints each sequence of glyphs that have the same style.
func coloured(line string, paint func(Style, string) string) string {
	var b strings.Builder
	for line != "" {
		style := styleOf(line)
		end := len(line)
		for at := range line {
			if styleOf(line[at:]) != style {
				end = at
				break
			}
		}
		if style < 0 {
			b.WriteString(line[:end])
		} else {
			b.WriteString(paint(chartStyles[style], line[:end]))
		}
		line = line[end:]
	}
	return b.String()
}

// styleOf returns the index of the style of the first character; -1 if the character is not a glyph.
func styleOf(s string) int {
	for mark, glyph := range []rune(chart.Glyphs) {
		if strings.HasPrefix(s, string(glyph)) {
			if strings.ContainsRune(chart.Blocks, glyph) {
				return 0
			}
			first := len([]rune(chart.Blocks))
			return 1 + (mark-first)%(len(chartStyles)-1)
		}
	}
	return -1
}
