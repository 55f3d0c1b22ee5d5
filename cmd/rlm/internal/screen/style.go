package screen

import "charm.land/lipgloss/v2"

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
