// Package screen is the way to the terminal. Nothing is printed but through an Output: on a terminal it takes out
// whatever the terminal would act on; in a file or a pipe it keeps every byte.
//
// A command has an Output for stdout and one for stderr, and prints any text with fmt.Fprint and the like. Styled
// text is made by Paint or Markdown, which clean their arguments, and printed with Styled. The status line is
// set with Status:
//
//	fmt.Fprintln(out, record.Question)               // escape sequences in it are removed on a terminal
//	out.Styled(out.Paint(screen.Faint, line) + "\n") // faint if the output has styles, else plain
//	out.Styled(out.Markdown(answer) + "\n")          // wrapped to the width of the terminal
//	out.Status(p.Line(now))                          // stays below what is printed
package screen

import (
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/charmbracelet/x/term"
)

// Output is a stream: a terminal, a file or a pipe. It is safe for concurrent use.
type Output struct {
	w        io.Writer
	terminal bool
	colour   bool

	mu     sync.Mutex
	clean  filter
	prose  bool   // break complete lines between words if they are too wide
	mid    bool   // the last line has no line end yet
	status string // the status line, "" if there is none

	failed atomic.Pointer[error] // the first error of writing to a file or a pipe
}

// NewOutput makes an Output for w, and checks whether w is a terminal.
func NewOutput(w io.Writer) *Output {
	o := &Output{w: w}
	if f, ok := w.(*os.File); ok && term.IsTerminal(f.Fd()) {
		o.terminal = true
		o.colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	return o
}

// Wrap makes the Output break lines that are wider than the terminal between words, from now on.
func (o *Output) Wrap() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.prose = o.terminal
}

// Terminal reports whether the output is a terminal.
func (o *Output) Terminal() bool { return o.terminal }

// Colour reports whether styles can be shown: on a terminal that is not dumb, unless NO_COLOR is set.
func (o *Output) Colour() bool { return o.colour }

// Size returns the terminal's size, or 80 columns and 24 lines if it is unknown.
func (o *Output) Size() (columns, lines int) {
	if f, ok := o.w.(*os.File); ok {
		if columns, lines, err := term.GetSize(f.Fd()); err == nil && columns > 0 && lines > 0 {
			return columns, lines
		}
	}
	return 80, 24
}

// Write prints any text. On a terminal it removes whatever the terminal would act on, even if that is split between
// several Writes.
func (o *Output) Write(p []byte) (int, error) {
	if !o.terminal {
		n, err := o.w.Write(p)
		o.note(err)
		return n, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.put(string(o.clean.add(nil, string(p)))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Styled prints text made by Paint or Markdown. It keeps only escape sequences that style text.
func (o *Output) Styled(text string) error {
	switch {
	case !o.terminal:
	case o.colour:
		text = styled(text)
	default:
		text = Clean(text)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.put(text)
}

// Paint cleans text for a terminal and applies a style if the output has styles. Print the result with Styled.
func (o *Output) Paint(s Style, text string) string {
	if !o.terminal {
		return text
	}
	if text = Clean(text); o.colour {
		return Render(s, text)
	}
	return text
}

// Fit returns text cleaned for a terminal, with lines wider than the terminal broken between words. If the output
// is not a terminal, it returns text unchanged. Print the result with Styled.
func (o *Output) Fit(text string) string {
	if !o.terminal {
		return text
	}
	columns, _ := o.Size()
	return Hang(Clean(text), columns)
}

// Prose is like Fit, but does not break fenced code, so that people can copy it.
func (o *Output) Prose(text string) string {
	if !o.terminal {
		return text
	}
	var b strings.Builder
	code := false
	for line := range strings.Lines(Clean(text)) {
		fence := strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
		if code = code != fence; !code && !fence {
			line = o.Fit(line)
		}
		b.WriteString(line)
	}
	return b.String()
}

// Cut returns text cleaned for a terminal, with lines cut to its width; otherwise text unchanged.
func (o *Output) Cut(text string) string {
	if !o.terminal {
		return text
	}
	columns, _ := o.Size()
	lines := strings.Split(Clean(text), "\n")
	for i, l := range lines {
		lines[i] = Truncate(l, max(10, columns-1))
	}
	return strings.Join(lines, "\n")
}

// Markdown returns text rendered for a terminal's width, with some words underlined if there are colours;
// otherwise text unchanged. Print it with Styled.
func (o *Output) Markdown(text string, underlined ...string) string {
	if !o.terminal {
		return text
	}
	columns, _ := o.Size()
	return Markdown(Clean(text), min(columns, widthMost), o.colour, underlined...)
}

// Status sets the status line, the terminal's last line; what is printed appears above it. The empty text removes it.
// It is cut so that the ^C of a terminal finds room behind it. Without a terminal it does nothing.
func (o *Output) Status(text string) {
	if !o.terminal || os.Getenv("TERM") == "dumb" {
		return
	}
	columns, _ := o.Size()
	text = Truncate(Line(text), max(10, columns-len("^C")-1))
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.status == text {
		return
	}
	io.WriteString(o.w, o.erase()+text) // a lost status line costs nothing
	o.status = text
}

// put prints cleaned text above the status line, and hides the status line while the text has no line end yet.
func (o *Output) put(text string) error {
	if text == "" {
		return nil
	}
	whole := strings.HasSuffix(text, "\n")
	if o.prose && !o.mid && whole {
		columns, _ := o.Size()
		text = Hang(text, columns)
	}
	o.mid = !whole
	status := o.status
	if status != "" {
		text = o.erase() + text
		if strings.HasSuffix(text, "\n") {
			text += status
		} else {
			o.status = ""
		}
	}
	_, err := io.WriteString(o.w, text)
	o.note(err)
	return err
}

// note keeps the first failure to write to a file or a pipe. Failures of a terminal do not count, because nobody
// reads it any more.
func (o *Output) note(err error) {
	if err != nil && !o.terminal {
		o.failed.CompareAndSwap(nil, &err)
	}
}

// Err returns the first failure to write to a file or a pipe, so that callers need not check each write.
func (o *Output) Err() error {
	if err := o.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// erase returns the sequence that removes the status line.
func (o *Output) erase() string {
	if o.status == "" {
		return ""
	}
	return "\r\x1b[K"
}

// Program returns the underlying stream, for a program that draws the whole terminal. Only a session uses it, and
// cleans text with a Printer.
func (o *Output) Program() io.Writer { return o.w }
