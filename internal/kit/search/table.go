package search

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"github.com/gorlm/rlm/internal/kit/text"
)

const (
	longestCell = 100 // characters of a cell that are shown
	leastCell   = 12  // columns that a text keeps on a narrow screen
)

// Align lays out rows in columns; the first row is the header. Columns of numbers are right-aligned, line ends are
// shown as spaces, and long cells are truncated with "…".
func Align(rows [][]string) string {
	g := newGrid(rows, utf8.RuneCountInString)
	return strings.Join(g.lines(g.widths), "\n")
}

// AlignIn is Align within so many columns of a screen, a line for each row: it cuts the longest texts, but no
// number. If that does not suffice, it leaves out the last columns; shown is how many remain.
func AlignIn(rows [][]string, columns int) (lines []string, shown int) {
	g := newGrid(rows, displaywidth.String)
	for n := len(g.widths); ; n-- {
		for limit := longestCell; limit >= leastCell; limit-- {
			widths, sum := make([]int, n), -len(gap)
			for j := range widths {
				widths[j] = max(min(g.widths[j], limit), g.least[j])
				sum += widths[j] + len(gap)
			}
			if sum > columns && (n > 1 || limit > leastCell) {
				continue
			}
			return g.lines(widths), n
		}
	}
}

// gap separates columns.
const gap = "  "

// grid is a table's cells as they are shown.
type grid struct {
	cells  [][]string
	widths []int  // of the columns
	least  []int  // widths that no column goes below: of its longest number
	right  []bool // columns of numbers
	size   func(string) int
}

func newGrid(rows [][]string, size func(string) int) grid {
	g := grid{cells: make([][]string, len(rows)), size: size}
	for i, row := range rows {
		for j, cell := range row {
			cell = flat(cell)
			g.cells[i] = append(g.cells[i], cell)
			if j == len(g.widths) {
				g.widths, g.least = append(g.widths, 0), append(g.least, 0)
			}
			g.widths[j] = max(g.widths[j], size(cell))
			if i > 0 {
				g.least[j] = max(g.least[j], size(cell))
			}
		}
	}
	g.right = numeric(g.cells, len(g.widths))
	for j, right := range g.right {
		if !right {
			g.least[j] = 0
		}
	}
	return g
}

// lines lays out the first columns in these widths.
func (g grid) lines(widths []int) []string {
	lines := make([]string, len(g.cells))
	for i, row := range g.cells {
		var b strings.Builder
		for j, cell := range row[:min(len(row), len(widths))] {
			if g.size(cell) > widths[j] {
				cell = within(cell, widths[j])
			}
			pad := strings.Repeat(" ", widths[j]-g.size(cell))
			if g.right[j] {
				cell, pad = pad+cell, ""
			}
			b.WriteString(cell + pad + gap)
		}
		lines[i] = strings.TrimRight(b.String(), " ")
	}
	return lines
}

// within cuts prose at its end, and a name or a path, whose end tells it apart, in its middle.
func within(cell string, columns int) string {
	if strings.Contains(cell, " ") {
		return displaywidth.TruncateString(cell, columns, text.Ellipsis)
	}
	return text.Middle(cell, columns)
}

// flat makes a cell fit into a line.
func flat(cell string) string {
	cell = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ").Replace(cell)
	if utf8.RuneCountInString(cell) <= longestCell {
		return cell
	}
	return string([]rune(cell)[:longestCell-1]) + "…"
}

// numeric reports which columns have only numbers below the header.
func numeric(rows [][]string, columns int) []bool {
	out := make([]bool, columns)
	for j := range out {
		numbers := 0
		for i, row := range rows {
			if i == 0 || j >= len(row) || row[j] == "" {
				continue
			}
			if _, err := strconv.ParseFloat(strings.TrimSuffix(row[j], "%"), 64); err != nil {
				numbers = 0
				break
			}
			numbers++
		}
		out[j] = numbers > 0
	}
	return out
}
