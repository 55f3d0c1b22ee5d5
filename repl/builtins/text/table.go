package text

import (
	"strings"
	"unicode/utf8"
)

// Align lays out rows in columns. Line ends in a cell are shown as a space.
func Align(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := len(row) - 1
		for i, cell := range row {
			cell = strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ").Replace(cell)
			b.WriteString(cell)
			if i < line {
				b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
			}
		}
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n")
}
