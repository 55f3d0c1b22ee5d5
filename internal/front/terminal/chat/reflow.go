package chat

import (
	"fmt"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// frame is the live part as it was drawn last, and where the cursor stands in it.
type frame struct {
	lines  []string
	column int
	line   int
}

// above is how many rows of a screen of the given width stand between the top of the frame and the cursor, beyond
// those that the library knows of: a terminal that gets narrower breaks the lines that were drawn.
func (f frame) above(columns int) int {
	if columns <= 0 {
		return 0
	}
	rows := 0
	for _, line := range f.lines[:min(f.line, len(f.lines))] {
		width := ansi.StringWidth(strings.TrimRight(ansi.Strip(line), " "))
		rows += max(width-1, 0) / columns
	}
	return rows + f.column/columns
}

// narrowed moves the cursor up by what the terminal broke, so that the next drawing begins where the frame does and
// nothing of it stays on the screen.
func (f frame) narrowed(columns int) string {
	if n := f.above(columns); n > 0 && reflows() {
		return fmt.Sprintf("\x1b[%dA", n)
	}
	return ""
}

// reflows reports whether the terminal wraps lines again when it gets narrower. Most do; old ones cut them.
func reflows() bool {
	switch {
	case os.Getenv("TMUX") != "":
		return true
	case os.Getenv("XTERM_VERSION") != "", os.Getenv("STY") != "":
		return false
	}
	for _, old := range []string{"rxvt", "st-", "linux", "screen", "vt"} {
		if strings.HasPrefix(os.Getenv("TERM"), old) {
			return false
		}
	}
	return true
}
