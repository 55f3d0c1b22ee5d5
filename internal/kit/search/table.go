package search

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// longestCell bounds what Align shows of one cell, in characters.
const longestCell = 100

// Align lays out rows in columns; the first row is the header. Columns of numbers are right-aligned, line ends are
// shown as spaces, and long cells are truncated with "…".
func Align(rows [][]string) string {
	var widths []int
	shown := make([][]string, len(rows))
	for i, row := range rows {
		for j, cell := range row {
			cell = flat(cell)
			shown[i] = append(shown[i], cell)
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], utf8.RuneCountInString(cell))
		}
	}
	right := numeric(shown, len(widths))
	lines := make([]string, len(shown))
	for i, row := range shown {
		var b strings.Builder
		for j, cell := range row {
			pad := strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell))
			if right[j] {
				cell, pad = pad+cell, ""
			}
			b.WriteString(cell + pad + "  ")
		}
		lines[i] = strings.TrimRight(b.String(), " ")
	}
	return strings.Join(lines, "\n")
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
