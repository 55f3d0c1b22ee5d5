package screen

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Style is the style of a text. Colours are the terminal's own sixteen, so that they fit its theme.
type Style = lipgloss.Style

// The available styles.
var (
	Plain = lipgloss.NewStyle()
	Faint = lipgloss.NewStyle().Faint(true)
	Bold  = lipgloss.NewStyle().Bold(true)
	Red   = lipgloss.NewStyle().Foreground(lipgloss.Red)
	Green = lipgloss.NewStyle().Foreground(lipgloss.Green)
	Cyan  = lipgloss.NewStyle().Foreground(lipgloss.Cyan)
)

// Minimum and maximum width of rendered text in cells; longer lines are hard to read.
const (
	widthLeast = 20
	widthMost  = 120
)

// Render applies a style to each line of a text, because lipgloss would pad all lines to the width of the longest.
func Render(s Style, text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = s.Render(line)
		}
	}
	return strings.Join(lines, "\n")
}
