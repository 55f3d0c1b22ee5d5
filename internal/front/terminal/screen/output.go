// Package screen is the way to the terminal. Nothing is printed but through an Output: on a terminal it takes out
// whatever the terminal would obey, in a file or a pipe it leaves every byte.
//
// A command holds an Output for stdout and one for stderr and prints with fmt.Fprint and its like, whatever the
// text is made of. What is to look different goes through Paint or Markdown, which clean what they are given, and
// out by Styled; what is to stay the last line goes through Status. There is no other way, and none is needed:
//
//	fmt.Fprintln(out, record.Question)               // a title, a clipboard write in it: gone on a terminal
//	out.Styled(out.Paint(screen.Faint, line) + "\n") // faint where that can be shown, plain elsewhere
//	out.Styled(out.Markdown(answer) + "\n")          // set for the width of the terminal
//	out.Status(p.Line(now))                          // kept current below what is printed
package screen

import (
	"io"
	"os"
	"strings"
	"sync"

	"github.com/charmbracelet/x/term"
)

// Output is a stream that is a terminal, or a file or a pipe. It is safe for concurrent use.
type Output struct {
	w        io.Writer
	terminal bool
	colour   bool

	mu     sync.Mutex
	clean  filter
	prose  bool   // whole lines are broken between words
	mid    bool   // the last line is not at its end
	status string // the last line of the terminal, "" if none is kept
}

// NewOutput makes an Output for w, which is a terminal if it is a file that says so.
func NewOutput(w io.Writer) *Output {
	o := &Output{w: w}
	if f, ok := w.(*os.File); ok && term.IsTerminal(f.Fd()) {
		o.terminal = true
		o.colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	return o
}

// Wrap says that what is printed from here on is prose: lines that are wider than the terminal are broken between words.
func (o *Output) Wrap() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.prose = o.terminal
}

// Terminal reports whether a person looks at it.
func (o *Output) Terminal() bool { return o.terminal }

// Colour reports whether styles can be shown: on a terminal that is not dumb, unless NO_COLOR is set.
func (o *Output) Colour() bool { return o.colour }

// Size is the terminal's, 80 columns and 24 lines if it does not say.
func (o *Output) Size() (columns, lines int) {
	if f, ok := o.w.(*os.File); ok {
		if columns, lines, err := term.GetSize(f.Fd()); err == nil && columns > 0 && lines > 0 {
			return columns, lines
		}
	}
	return 80, 24
}

// Write prints text from anywhere. On a terminal whatever it would obey is taken out, also where it begins in one
// Write and ends in another.
func (o *Output) Write(p []byte) (int, error) {
	if !o.terminal {
		return o.w.Write(p)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.put(string(o.clean.add(nil, string(p)))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Styled prints text that Paint or Markdown made. Of all sequences only those pass that set how characters look.
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

// Paint is text, cleaned for a terminal, in a style where one can be shown. Print it with Styled.
func (o *Output) Paint(s Style, text string) string {
	if !o.terminal {
		return text
	}
	if text = Clean(text); o.colour {
		return Render(s, text)
	}
	return text
}

// Fit is text, cleaned for a terminal and with its lines broken between words where they are wider than that; for anything
// else it is text as it is. Print it with Styled.
func (o *Output) Fit(text string) string {
	if !o.terminal {
		return text
	}
	columns, _ := o.Size()
	return hang(Clean(text), columns)
}

// Prose is Fit that leaves fenced code as it is, so that it can be copied.
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

// Cut is text, cleaned for a terminal and with its lines cut where they are wider than that; for anything else it is text as it is.
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

// Markdown is text, set for the width of a terminal; for anything else it is text as it is. Words of it that are to be underlined are, where
// colours are. Print it with Styled.
func (o *Output) Markdown(text string, underlined ...string) string {
	if !o.terminal {
		return text
	}
	columns, _ := o.Size()
	return Markdown(Clean(text), min(columns, widthMost), o.colour, underlined...)
}

// Status keeps text as the last line of the terminal, cut to its width, until the next Status; what is printed
// meanwhile stands above it. The empty text takes it away. Where there is no terminal nothing is kept.
func (o *Output) Status(text string) {
	if !o.terminal || os.Getenv("TERM") == "dumb" {
		return
	}
	columns, _ := o.Size()
	text = Truncate(Line(text), max(10, columns-1))
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.status == text {
		return
	}
	io.WriteString(o.w, o.erase()+text) // a lost status line costs nothing
	o.status = text
}

// put writes what was cleaned above the status line. A line that is not at its end yet takes the status line away.
func (o *Output) put(text string) error {
	if text == "" {
		return nil
	}
	whole := strings.HasSuffix(text, "\n")
	if o.prose && !o.mid && whole {
		columns, _ := o.Size()
		text = hang(text, columns)
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
	return err
}

// erase is what takes the status line off the terminal.
func (o *Output) erase() string {
	if o.status == "" {
		return ""
	}
	return "\r\x1b[K"
}

// Program hands over the terminal itself to a program that draws all of it. Only a session does; it prints through
// a Printer, which cleans as this does.
func (o *Output) Program() io.Writer { return o.w }
