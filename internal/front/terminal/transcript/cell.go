package transcript

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
)

const (
	foldedSteps = 12   // maximum lines of a cell's code, and of one piece of its output, for Steps
	foldedTurns = 24   // maximum lines of a cell's output in a session; /show N shows all
	longestLine = 4096 // maximum bytes of an unfinished line of output
	longestHeld = 1 << 16
	linesIndent = 4 // at most, with a mark
)

// starts shows the code of a cell. With Steps, the code is shown only when the cell prints something; with Turns,
// it is in the reply.
func (t *Transcript) starts(ev trajectory.Event, d trajectory.CellStarted) string {
	if t.Detail == Turns {
		if !d.Own {
			return ""
		}
		head := t.r.Paint(screen.Cyan, fmt.Sprintf("cell %d (yours)", d.Cell))
		return "\n" + head + "\n" + t.r.Cell(t.clean(d.Source))
	}
	source := join(t.say(ev, "turn %d · cell %d:", ev.Turn, d.Cell), t.lines(strings.TrimRight(d.Source, "\n"), "│ "))
	if t.Detail == Cells {
		return source
	}
	if ev.Path == "" {
		t.source = source
	}
	return ""
}

// prints shows the lines of output that a piece completes. Before the first of them it shows the code of the cell
// if that was held back.
func (t *Transcript) prints(piece string) string {
	whole, last, ended := cutLast(t.last + piece)
	if t.last = last[:min(len(last), longestLine)]; !ended {
		return ""
	}
	if whole = t.hold(whole); whole == "" && t.held != "" {
		return ""
	}
	source := t.source
	t.source = ""
	return join(source, t.lines(whole, ""))
}

// hold keeps lines that look like those of a table that is too wide until their cell ends, because only then it is
// known what table they are of. It returns what is to be shown now.
func (t *Transcript) hold(lines string) string {
	if t.Detail != Cells || t.held == "" && !slices.ContainsFunc(strings.Split(lines, "\n"), func(l string) bool {
		return strings.Contains(l, "  ") && t.r.Wide(screen.Line(l), linesIndent)
	}) {
		return lines
	}
	if t.held += lines + "\n"; len(t.held) < longestHeld {
		return ""
	}
	return t.release()
}

// release returns the lines that were held.
func (t *Transcript) release() string {
	text := strings.TrimSuffix(t.held, "\n")
	t.held = ""
	return text
}

// rest shows the last line of output if it has no line end, and lines that were held.
func (t *Transcript) rest(items []bundle.Item) (text string) {
	if t.last != "" {
		text = t.prints("\n")
	}
	if held := t.release(); held != "" {
		held, _ = t.r.FitItems(screen.Clean(held), items, linesIndent)
		text = join(text, t.lines(held, ""))
	}
	t.source = ""
	return text
}

// cutLast splits a text at its last line end.
func cutLast(text string) (whole, last string, ended bool) {
	i := strings.LastIndexByte(text, '\n')
	if i < 0 {
		return "", text, false
	}
	return text[:i], text[i+1:], true
}

// lines formats lines of a cell, set apart from the transcript's own lines. With Steps it shortens them and shows
// only the first ones, because they would crowd out everything else.
func (t *Transcript) lines(text, mark string) string {
	var out []string
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if t.Detail == Steps && i == foldedSteps {
			out = append(out, "  … "+units.Of(len(lines)-i, "more line"))
			break
		}
		if l = screen.Line(strings.TrimRight(l, "\r")); t.Detail == Steps {
			l = t.r.Cut("  " + mark + l)
		} else {
			l = screen.Indent("  "+mark, t.r.WrapOutput(l, linesIndent))
		}
		out = append(out, t.r.Paint(screen.Faint, l))
	}
	return strings.Join(out, "\n")
}

// outcome describes how a cell ended, and why if it failed.
func outcome(d trajectory.CellEnded) string {
	result, _ := d.Decode() // if it cannot be decoded, the message is left out
	switch {
	case d.OK:
		return "ok"
	case result.Error == nil:
		return d.ErrorKind
	}
	return d.ErrorKind + ": " + text.FirstLine(result.Error.Message)
}

// value shows the value of a cell's last expression, or the rest of an error after its first line.
func (t *Transcript) value(d trajectory.CellEnded) string {
	result, _ := d.Decode() // if it cannot be decoded, the value is left out
	value := result.Value
	if result.Error != nil {
		_, value, _ = strings.Cut(result.Error.Message, "\n")
	}
	if value = strings.TrimRight(value, "\n"); value == "" || t.Detail == Steps {
		return ""
	}
	value, _ = t.r.FitItems(t.clean(value), result.Items, linesIndent)
	return t.lines(value, "= ")
}

// cell shows the results of a cell: output, value, error, and one line for all its sub-calls.
func (t *Transcript) cell(d trajectory.CellEnded) string {
	result, _ := d.Decode() // an older log may lack parts; the others are shown
	mark := t.r.Paint(screen.Green, "✓")
	if !d.OK {
		mark = t.r.Paint(screen.Red, "✗")
	}
	head := fmt.Sprintf("%s cell %d · %s", mark, d.Cell, result.Duration.Round(time.Millisecond))
	if calls := t.calls.SubCalls(); calls != "" {
		head += " · " + calls + " · " + t.calls.Spent()
	}
	const indent = 4
	parts := []string{t.r.Paint(screen.Faint, t.r.Wrap(head, indent))}
	if d.Output != "" {
		output, items := t.r.FitItems(t.clean(strings.TrimRight(d.Output, "\n")), result.Items, indent)
		output = t.fold(output, d.Cell)
		if d.Truncated > 0 {
			output += fmt.Sprintf("\n(%s left out)", units.Bytes(d.Truncated))
		}
		parts = append(parts, screen.Charts(t.r.WrapOutput(output, indent), items, t.r.Paint))
	}
	if result.Value != "" {
		value, items := t.r.FitItems(t.clean(result.Value), result.Items, indent)
		parts = append(parts, screen.Indent(
			"= ", screen.Charts(t.r.WrapOutput(t.fold(value, d.Cell), indent), items, t.r.Paint)))
	}
	if result.Error != nil {
		parts = append(parts, t.r.Paint(screen.Red, t.r.Wrap(t.clean(result.Error.Message), 4)))
	}
	for _, note := range result.Notes {
		parts = append(parts, t.r.Paint(screen.Faint, t.r.Wrap("note: "+t.clean(note), 4)))
	}
	return screen.Indent("  ", strings.Join(parts, "\n"))
}

// fold shortens a long text to its first and last lines on a session's screen. Elsewhere the text is not shortened.
func (t *Transcript) fold(text string, cell int) string {
	lines := strings.Split(text, "\n")
	if !t.Session || t.r.Plain() || len(lines) <= foldedTurns {
		return text
	}
	head, foot := foldedTurns*2/3, foldedTurns/3
	left := len(lines) - head - foot
	middle := fmt.Sprintf("… %d more lines: /show %d", left, cell)
	return strings.Join(append(append(lines[:head:head], middle), lines[len(lines)-foot:]...), "\n")
}
