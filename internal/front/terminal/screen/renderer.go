package screen

import (
	"strings"
	"sync"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/gorlm/rlm/internal/kit/bundle"
)

// Renderer renders text for a screen of a given width, or for a file or a pipe, where lines are not changed. It is
// safe for concurrent use.
type Renderer struct {
	colour bool
	plain  bool // no screen: text is returned unchanged

	mu    sync.Mutex // guards the fields below
	width int
	full  int // the screen's width even if it is too wide for prose
}

// NewRenderer makes a Renderer for a screen; width is in cells.
func NewRenderer(width int, colour bool) *Renderer {
	r := &Renderer{colour: colour}
	r.Resize(width)
	return r
}

// PlainRenderer makes a Renderer for a file or a pipe.
func PlainRenderer() *Renderer { return &Renderer{plain: true} }

// Renderer makes a Renderer for this output with its present width. Print its results with Styled.
func (o *Output) Renderer() *Renderer {
	if !o.terminal {
		return PlainRenderer()
	}
	columns, _ := o.Size()
	return NewRenderer(columns, o.colour)
}

// Plain reports whether the Renderer has no screen.
func (r *Renderer) Plain() bool { return r.plain }

// Resize sets the width of the screen.
func (r *Renderer) Resize(width int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.full = max(width-1, widthLeast)
	r.width = min(r.full, widthMost)
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

// Fenced returns a cell as a Markdown code block, even if it contains fences.
func Fenced(source string) string {
	fence := "```"
	for strings.Contains(source, fence) {
		fence += "`"
	}
	return fence + "go\n" + strings.TrimRight(source, "\n") + "\n" + fence
}

// Style returns s, or Plain if there are no colours.
func (r *Renderer) Style(s Style) Style {
	if !r.colour {
		return Plain
	}
	return s
}

// Paint returns text in a style, if there are colours.
func (r *Renderer) Paint(s Style, text string) string {
	if !r.colour {
		return text
	}
	return Render(s, text)
}

// Wrap breaks lines that are wider than the screen minus less cells, between words where possible.
func (r *Renderer) Wrap(text string, less int) string {
	if r.plain {
		return text
	}
	return wrap(text, r.Width()-less)
}

// WrapOutput is Wrap for what cells print, which may use the whole width.
func (r *Renderer) WrapOutput(text string, less int) string {
	if r.plain {
		return text
	}
	return wrap(text, r.Full()-less)
}

// Wide reports whether a line is wider than the screen minus less cells.
func (r *Renderer) Wide(line string, less int) bool { return !r.plain && tooWide(line, r.Full()-less) }

// FitItems redraws the charts and tables among items that occur in a text and are wider than the screen minus less
// cells.
func (r *Renderer) FitItems(text string, items []bundle.Item, less int) (string, []bundle.Item) {
	if r.plain {
		return text, items
	}
	return FitItems(text, items, r.Full()-less)
}

func wrap(text string, columns int) string {
	columns = max(columns, widthLeast)
	if strings.Contains("\n"+text, "\n ") {
		return Hang(text, columns+1) // Hang leaves the last column free
	}
	return lipgloss.Wrap(text, columns, "")
}

// Line cleans text, and cuts it to a single line that fits on the screen.
func (r *Renderer) Line(text string) string { return r.Cut(Line(text)) }

// Cut cuts a line to the width of the screen.
func (r *Renderer) Cut(line string) string {
	if r.plain {
		return line
	}
	return Truncate(line, r.Width())
}

// Truncate cuts a line to a width in cells, and marks the cut with an ellipsis.
func Truncate(line string, columns int) string {
	columns = max(columns, 1)
	if cut := ansi.Truncate(line, columns, "…"); width(cut) <= columns {
		return cut
	}
	return ansi.TruncateWc(line, columns, "…")
}

// Full returns the width in cells of the screen without its last column.
func (r *Renderer) Full() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.full
}

// Width returns the width in cells to which text is rendered.
func (r *Renderer) Width() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.width
}
