package chat

import (
	"fmt"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// frame is the live part as last drawn, and the cursor's position in it.
type frame struct {
	lines  []string
	column int
	line   int
}

// above returns by how many rows the part of the frame above the cursor grows when the screen has the given width,
// because a terminal that gets narrower wraps the drawn lines. The library does not know of these rows.
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

// narrowed returns the sequence that moves the cursor up by the rows that wrapping added, so that the next drawing
// overwrites the whole frame.
func (f frame) narrowed(columns int) string {
	if n := f.above(columns); n > 0 && reflows() {
		return fmt.Sprintf("\x1b[%dA", n)
	}
	return ""
}

// reflows reports whether the terminal rewraps lines when it gets narrower. Most do; old ones cut them.
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
