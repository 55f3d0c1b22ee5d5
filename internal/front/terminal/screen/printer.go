package screen

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/gorlm/rlm/internal/kit/startup"
)

// Printer queues everything that a session prints above its live part. It returns the text in pieces that are short
// enough for the screen; no line is wider than the screen. The zero value is an empty queue.
type Printer struct {
	lines []string
}

// Add cleans a text as Styled does, breaks lines that are wider than columns, and queues them.
func (p *Printer) Add(text string, columns int) {
	if text == "" {
		return
	}
	p.lines = append(p.lines, strings.Split(Fit(text, columns), "\n")...)
}

// Empty reports whether the queue is empty.
func (p *Printer) Empty() bool { return len(p.lines) == 0 }

// Next removes up to most lines from the queue, and returns them.
func (p *Printer) Next(most int) string {
	n := min(max(most, 1), len(p.lines))
	piece := strings.Join(p.lines[:n], "\n")
	p.lines = slices.Delete(p.lines, 0, n)
	return piece
}

// Fit cleans a text as Styled does, and breaks lines that are not narrower than columns: the last column stays
// free, because terminals differ in how they treat it. Styles continue on the next line.
func Fit(text string, columns int) string {
	text = strings.ReplaceAll(styled(text), "\t", "    ")
	columns = max(columns-1, 2)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = fitLine(line, columns)
	}
	var out bytes.Buffer
	w := lipgloss.NewWrapWriter(&out)
	io.WriteString(w, strings.Join(lines, "\n")) // writing to a buffer never fails
	w.Close()
	return out.String()
}

// Hang is Fit, but continues an indented line further to the right: below its second column, if it has one.
func Hang(text string, columns int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if indent == 0 || indent > columns/2 || width(line) < columns {
			lines[i] = Fit(line, columns)
			continue
		}
		head, rest := line[:indent], line[indent:]
		pad := indent + 2
		if at := secondColumn().FindStringIndex(line); at != nil && width(line[:at[1]]) <= columns/2 {
			head, rest = line[:at[1]], line[at[1]:]
			pad = width(head)
		}
		lines[i] = head + strings.ReplaceAll(Fit(rest, columns-pad), "\n", "\n"+strings.Repeat(" ", pad))
	}
	return strings.Join(lines, "\n")
}

// secondColumn finds where the second column of an indented line begins, if nothing before it is styled.
var secondColumn = startup.Regexp(`^ +[^ \x1b]+( [^ \x1b]+)* {2,}`)

// fitLine breaks a line by the width of its characters or by that of its graphemes, whichever is larger, because
// terminals disagree about the width of flags and of emoji of families. Flags, dates and names with hyphens stay
// whole.
func fitLine(line string, columns int) string {
	if width(line) <= columns {
		return line
	}
	return solid(line, func(line string) string { return fitWords(line, columns) })
}

// solid wraps a text without breaking it at hyphens, unless the text contains non-breaking hyphens itself.
func solid(text string, wrap func(string) string) string {
	const hyphen = "\u2011" // the non-breaking hyphen: no library breaks a line there
	if strings.Contains(text, hyphen) {
		return wrap(text)
	}
	return strings.ReplaceAll(wrap(strings.ReplaceAll(text, "-", hyphen)), hyphen, "-")
}

func fitWords(line string, columns int) string {
	if broken := ansi.Wrap(line, columns, ""); !tooWide(broken, columns) {
		return broken
	}
	if broken := ansi.WrapWc(line, columns, ""); !tooWide(broken, columns) {
		return broken
	}
	return ansi.HardwrapWc(ansi.Hardwrap(line, columns, true), columns, true)
}

func tooWide(text string, columns int) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if width(line) > columns {
			return true
		}
	}
	return false
}

func width(line string) int { return max(ansi.StringWidth(line), ansi.StringWidthWc(line)) }
