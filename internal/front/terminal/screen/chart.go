package screen

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/internal/kit/chart"
	"github.com/gorlm/rlm/internal/kit/search"
	"github.com/gorlm/rlm/internal/kit/units"
)

// chartStyles are the styles of a chart's glyphs: the first for bars, the others for its lines in order.
var chartStyles = []Style{
	lipgloss.NewStyle().Foreground(lipgloss.Cyan), lipgloss.NewStyle().Foreground(lipgloss.Blue),
	lipgloss.NewStyle().Foreground(lipgloss.Red),
	lipgloss.NewStyle().Foreground(lipgloss.Green), lipgloss.NewStyle().Foreground(lipgloss.Magenta),
	lipgloss.NewStyle().Foreground(lipgloss.Yellow),
}

// FitItems redraws the charts and tables among items that occur in a text and are wider than columns: in the text, and
// the charts in the items that it returns.
func FitItems(text string, items []bundle.Item, columns int) (string, []bundle.Item) {
	fitted := slices.Clone(items)
	for n, i := range items {
		drawn := Clean(i.Text())
		if !tooWide(drawn, columns) {
			continue
		}
		if t, ok := i.Table(); ok {
			text = fitTable(text, drawn, t, columns)
			continue
		}
		c, ok := i.Chart()
		if !ok || !strings.Contains(text, drawn) {
			continue
		}
		narrow := Clean(c.TextIn(columns))
		if item, err := bundle.New(narrow, bundle.ChartType, c); err == nil {
			text, fitted[n] = strings.Replace(text, drawn, narrow, 1), item
		}
	}
	return text, fitted
}

// fitTable lays out the lines of a table that occur in a text anew. It goes by lines, because a long output has lost
// its middle.
func fitTable(text, drawn string, t bundle.Table, columns int) string {
	head := make([]string, len(t.Columns))
	for j, c := range t.Columns {
		head[j] = Clean(c.Name)
	}
	var rows [][]string
	headed := strings.Join(head, "") != ""
	if headed {
		rows = append(rows, head)
	}
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for j, v := range row {
			cells[j] = Clean(bundle.Cell(v))
		}
		rows = append(rows, cells)
	}
	narrow, shown := search.AlignIn(rows, columns)
	leftOut := ""
	if n := len(head) - shown; n > 0 {
		leftOut = "… and " + units.Of(n, "more column")
		if headed {
			leftOut = Truncate(leftOut+": "+strings.Join(head[shown:], ", "), columns)
		}
	}
	laid := map[string]string{}
	for n, line := range strings.Split(drawn, "\n") {
		if n < len(narrow) && t.More == 0 {
			laid[line] = narrow[n]
		} else { // of the last rows of a long table there is only the text
			laid[line], leftOut = Truncate(line, columns), ""
		}
	}
	var out []string
	inside := false
	for line := range strings.SplitSeq(text+"\n", "\n") {
		to, ok := laid[line]
		if inside && !ok && leftOut != "" {
			out = append(out, leftOut)
		}
		if inside = ok; ok {
			line = to
		}
		out = append(out, line)
	}
	return strings.Join(out[:len(out)-1], "\n")
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
