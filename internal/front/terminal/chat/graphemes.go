package chat

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

const joiner = "\u200d"

// apart takes emoji apart that are joined of several, for a terminal that draws each of them by itself: the library
// would not draw them at all there. What is typed stays as it is.
func (m *tui) apart(view string) string {
	if m.joins {
		return view
	}
	return strings.ReplaceAll(view, joiner, "")
}

// shift is how many cells the cursor stands further to the right because of emoji that are taken apart.
func (m *tui) shift() int {
	if m.joins {
		return 0
	}
	lines := strings.Split(m.area.Value(), "\n")
	at := m.area.LineInfo()
	runes := []rune(lines[min(m.area.Line(), len(lines)-1)])
	start := min(at.StartColumn, len(runes))
	before := string(runes[start:min(start+at.ColumnOffset, len(runes))])
	if !strings.Contains(before, joiner) {
		return 0
	}
	return ansi.StringWidthWc(strings.ReplaceAll(before, joiner, "")) - at.CharOffset
}
