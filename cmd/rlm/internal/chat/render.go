package chat

import (
	"strings"
	"sync"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
)

// Widths between which text is set; wider lines are hard to read.
const (
	widthLeast = 20
	widthMost  = 120
)

// renderer turns what happened into text for a screen of a given width. It is safe for concurrent use.
type renderer struct {
	colour bool

	mu    sync.Mutex // guards what follows
	width int
}

// newRenderer makes a renderer.
func newRenderer(width int, colour bool) *renderer {
	r := &renderer{colour: colour}
	r.resize(width)
	return r
}

// resize sets the width for what is rendered from now on.
func (r *renderer) resize(width int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.width = min(max(width, widthLeast), widthMost)
}

// Markdown renders prose and cells.
func (r *renderer) Markdown(text string) string {
	return "  " + strings.ReplaceAll(screen.Markdown(text, r.cells()-2, r.colour), "\n", "\n  ")
}

// Cell renders Go source with colours.
func (r *renderer) Cell(source string) string {
	fence := "```"
	for strings.Contains(source, fence) {
		fence += "`"
	}
	return r.Markdown(fence + "go\n" + strings.TrimRight(source, "\n") + "\n" + fence)
}

// The styles of a session.
var (
	faint = screen.Faint
	bold  = screen.Bold
	red   = screen.Red
	green = screen.Green
	cyan  = screen.Cyan
)

func (r *renderer) paint(s screen.Style, text string) string {
	if !r.colour {
		return text
	}
	return s.Render(text)
}

// indent puts prefix before the first line of text and blanks of its width before the others.
func indent(prefix, text string) string {
	pad := strings.Repeat(" ", lipgloss.Width(prefix))
	return prefix + strings.ReplaceAll(text, "\n", "\n"+pad)
}

// wrap breaks lines that are wider than the renderer, keeping their words where it can.
func (r *renderer) wrap(text string, less int) string {
	return lipgloss.Wrap(text, max(r.cells()-less, widthLeast), "")
}

// tail is the last lines of text.
func tail(text string, lines int) string {
	text = strings.TrimRight(text, "\n")
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] != '\n' {
			continue
		}
		if lines--; lines == 0 {
			return text[i+1:]
		}
	}
	return text
}

// truncate cuts a line to a width in cells and says so.
func truncate(line string, width int) string {
	return ansi.Truncate(line, max(width, 1), "…")
}

// cells is the width in cells that text is set to.
func (r *renderer) cells() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.width
}
