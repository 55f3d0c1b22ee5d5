package screen

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Style is how a text looks. Colours are the terminal's own sixteen, so that they fit its theme.
type Style = lipgloss.Style

// The styles there are.
var (
	Plain = lipgloss.NewStyle()
	Faint = lipgloss.NewStyle().Faint(true)
	Bold  = lipgloss.NewStyle().Bold(true)
	Red   = lipgloss.NewStyle().Foreground(lipgloss.Red)
	Green = lipgloss.NewStyle().Foreground(lipgloss.Green)
	Cyan  = lipgloss.NewStyle().Foreground(lipgloss.Cyan)
)

// Widths in cells between which text is set; wider lines are hard to read.
const (
	widthLeast = 20
	widthMost  = 120
)

// Render sets a text in a style, line by line: lipgloss would fill all lines up to the longest.
func Render(s Style, text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = s.Render(line)
		}
	}
	return strings.Join(lines, "\n")
}
