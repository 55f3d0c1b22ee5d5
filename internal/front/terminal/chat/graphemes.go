package chat

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

const joiner = "\u200d"

// apart splits joined emoji for a terminal that cannot draw them as one, because there the library would not draw
// them at all. The input itself does not change.
func (m *tui) apart(view string) string {
	if m.joins {
		return view
	}
	return strings.ReplaceAll(view, joiner, "")
}

// shift returns how many cells further right the cursor is because of split emoji.
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
