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

// The styles of a session.
var (
	faint = screen.Faint
	bold  = screen.Bold
	red   = screen.Red
	green = screen.Green
	cyan  = screen.Cyan
)

// renderer turns what happened into text for a screen of a given width, or for a file or a pipe, which takes every
// line as it is. It is safe for concurrent use.
type renderer struct {
	colour bool
	plain  bool // no screen: nothing is set, broken or cut

	mu    sync.Mutex // guards what follows
	width int
}

func newRenderer(width int, colour bool) *renderer {
	r := &renderer{colour: colour}
	r.resize(width)
	return r
}

func plainRenderer() *renderer { return &renderer{plain: true} }

// resize sets the width for what is rendered from now on.
func (r *renderer) resize(width int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.width = min(max(width-1, widthLeast), widthMost)
}

// Markdown renders prose and cells.
func (r *renderer) Markdown(text string) string {
	if r.plain {
		return text
	}
	return indent("  ", screen.Markdown(text, r.cells()-2, r.colour))
}

// Cell renders Go source with colours.
func (r *renderer) Cell(source string) string { return r.Markdown(fenced(source)) }

// fenced is a cell as Markdown has it, whatever fences are in it.
func fenced(source string) string {
	fence := "```"
	for strings.Contains(source, fence) {
		fence += "`"
	}
	return fence + "go\n" + strings.TrimRight(source, "\n") + "\n" + fence
}

func (r *renderer) paint(s screen.Style, text string) string {
	if !r.colour {
		return text
	}
	return screen.Render(s, text)
}

// indent puts prefix before the first line of text and blanks of its width before the others.
func indent(prefix, text string) string {
	pad := strings.Repeat(" ", lipgloss.Width(prefix))
	return prefix + strings.ReplaceAll(text, "\n", "\n"+pad)
}

// wrap breaks lines that are wider than the screen less some cells, keeping their words where it can.
func (r *renderer) wrap(text string, less int) string {
	if r.plain {
		return text
	}
	return lipgloss.Wrap(text, max(r.cells()-less, widthLeast), "")
}

// line is text on one line that fits; text from elsewhere is cleaned.
func (r *renderer) line(text string) string { return r.cut(screen.Line(text)) }

// cut is a line that fits.
func (r *renderer) cut(line string) string {
	if r.plain {
		return line
	}
	return truncate(line, r.cells())
}

// tail is the last lines of text.
func tail(text string, lines int) string {
	if lines <= 0 {
		return ""
	}
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
func truncate(line string, width int) string { return ansi.Truncate(line, max(width, 1), "…") }

// cells is the width in cells that text is set to.
func (r *renderer) cells() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.width
}
