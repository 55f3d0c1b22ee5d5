package screen

import (
	"strings"
	"sync"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Renderer turns what happened into text for a screen of a given width, or for a file or a pipe, which
// takes every line as it is. It is safe for concurrent use.
type Renderer struct {
	colour bool
	plain  bool // no screen: nothing is set, broken or cut

	mu    sync.Mutex // guards what follows
	width int
}

// NewRenderer makes a Renderer for a screen of a width in cells.
func NewRenderer(width int, colour bool) *Renderer {
	r := &Renderer{colour: colour}
	r.Resize(width)
	return r
}

// PlainRenderer makes one for a file or a pipe.
func PlainRenderer() *Renderer { return &Renderer{plain: true} }

// Renderer makes one for this output as it is now. Print with Styled what it renders.
func (o *Output) Renderer() *Renderer {
	if !o.terminal {
		return PlainRenderer()
	}
	columns, _ := o.Size()
	return NewRenderer(columns, o.colour)
}

// Plain reports whether there is no screen.
func (r *Renderer) Plain() bool { return r.plain }

// Resize sets the width for what is rendered from now on.
func (r *Renderer) Resize(width int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.width = min(max(width-1, widthLeast), widthMost)
}

// Markdown renders prose and cells, with some words underlined.
func (r *Renderer) Markdown(text string, underlined ...string) string {
	if r.plain {
		return text
	}
	return Indent("  ", Markdown(text, r.Width()-2, r.colour, underlined...))
}

// Cell renders Go source with colours.
func (r *Renderer) Cell(source string) string { return r.Markdown(Fenced(source)) }

// Fenced is a cell as Markdown has it, whatever fences are in it.
func Fenced(source string) string {
	fence := "```"
	for strings.Contains(source, fence) {
		fence += "`"
	}
	return fence + "go\n" + strings.TrimRight(source, "\n") + "\n" + fence
}

// Style is a style where one can be shown, else the plain one.
func (r *Renderer) Style(s Style) Style {
	if !r.colour {
		return Plain
	}
	return s
}

// Paint is text in a style, where one can be shown.
func (r *Renderer) Paint(s Style, text string) string {
	if !r.colour {
		return text
	}
	return Render(s, text)
}

// Wrap breaks lines that are wider than the screen less some cells, keeping their words where it can.
func (r *Renderer) Wrap(text string, less int) string {
	if r.plain {
		return text
	}
	return lipgloss.Wrap(text, max(r.Width()-less, widthLeast), "")
}

// Line is text on one line that fits; text from elsewhere is cleaned.
func (r *Renderer) Line(text string) string { return r.Cut(Line(text)) }

// Cut is a line that fits.
func (r *Renderer) Cut(line string) string {
	if r.plain {
		return line
	}
	return Truncate(line, r.Width())
}

// Truncate cuts a line to a width in cells and says so.
func Truncate(line string, columns int) string {
	columns = max(columns, 1)
	if cut := ansi.Truncate(line, columns, "…"); width(cut) <= columns {
		return cut
	}
	return ansi.TruncateWc(line, columns, "…")
}

// Width is the width in cells that text is set to.
func (r *Renderer) Width() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.width
}
