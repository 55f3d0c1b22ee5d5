package repl

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/engine"
)

// maxErrors bounds the errors reported for one cell: further ones are rarely read.
const maxErrors = 5

// compileError formats the errors of a cell, each with its line.
func compileError(number int, source string, err error) *CellError {
	var errs cell.Errors
	if !errors.As(err, &errs) || len(errs) == 0 {
		return &CellError{Kind: cellerror.CompileError, Message: err.Error()}
	}
	var b strings.Builder
	said := map[string]bool{}
	for i, e := range errs {
		if i == maxErrors {
			fmt.Fprintf(&b, "\n\nand %d more errors", len(errs)-i)
			break
		}
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(place(number, e.Line, e.Column) + e.Message)
		if q := quote(source, e.Line, e.Column); q != "" {
			b.WriteString("\n" + q)
		}
		if advice := unsaid(e.Hint, said); advice != "" {
			b.WriteString("\n" + advice)
		}
	}
	return &CellError{Kind: cellerror.CompileError, Message: b.String(), Line: errs[0].Line, Column: errs[0].Column}
}

// unsaid returns the lines of advice that have not been given before. Different pieces of advice may end with the
// same line, such as the list of packages.
func unsaid(advice string, said map[string]bool) string {
	if said[advice] {
		return ""
	}
	rest, last := "", advice
	if i := strings.LastIndexByte(advice, '\n'); i >= 0 {
		rest, last = advice[:i], advice[i+1:]
	}
	twice := said[last]
	said[advice], said[last] = true, true
	if twice {
		return rest
	}
	return advice
}

// place formats a position as the start of a message: "cell 3, line 2, column 5: ".
func place(cell, line, column int) string {
	switch {
	case line == 0:
		return fmt.Sprintf("cell %d: ", cell)
	case column == 0:
		return fmt.Sprintf("cell %d, line %d: ", cell, line)
	}
	return fmt.Sprintf("cell %d, line %d, column %d: ", cell, line, column)
}

const lineWidth = 120

// quote returns a line of a cell with a caret below the column; empty if there is no such line.
func quote(source string, line, column int) string {
	lines := strings.Split(source, "\n")
	if line < 1 || line > len(lines) || strings.TrimSpace(lines[line-1]) == "" {
		return ""
	}
	text := strings.TrimRight(lines[line-1], " \t\r")
	at := min(max(column-1, 0), len(text))
	start := 0
	if at > lineWidth*2/3 {
		start = at - lineWidth/2
	}
	head, tail := text[start:at], text[at:]
	if len(head)+len(tail) > lineWidth {
		tail = strings.ToValidUTF8(tail[:min(len(tail), lineWidth-len(head))], "") + "…"
	}
	head = strings.ToValidUTF8(head, "")
	if start > 0 {
		head = "…" + head
	}
	number := fmt.Sprintf("%5d | ", line)
	out := number + head + tail
	if column > 0 {
		out += "\n" + strings.Repeat(" ", len(number)-2) + "| " + blank(head) + "^"
	}
	return out
}

// blank replaces every character of s except tabs by a space, so that the caret is in the right column.
func blank(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, s)
}

// refusal explains why the engine does not run a cell.
func refusal(by Engine, number int, source string, r *engine.RefusedError, line, column int) *CellError {
	var b strings.Builder
	b.WriteString(place(number, line, column) + "this notebook cannot run " + r.Construct + ": " + r.Why)
	if q := quote(source, line, column); q != "" {
		b.WriteString("\n" + q)
	}
	if r.Instead != "" {
		b.WriteString("\n" + r.Instead)
	}
	b.WriteString("\nNothing of the cell was run.")
	if by != Exact && Exact.Check() == nil {
		b.WriteString(" The exact engine runs nearly everything that yaegi does not: --engine auto or exact.")
	}
	return &CellError{Kind: cellerror.Refused, Message: cell.Display(b.String()), Line: line, Column: column}
}

const maxFrames = 10

// panics maps parts of the texts of panics, of the language and its library, to advice.
var panics = []struct{ text, advice string }{
	{"assignment to entry in nil map", "a map is made before it is written to: m := map[string]int{}"},
	{
		"invalid or unsupported Perl syntax: `(?",
		"Go's regexp has no look-around: match more and cut, or use two patterns",
	},
	{
		"error parsing regexp: invalid escape sequence: `\\",
		"Go's regexp has no back-references and not all escapes of Perl: match more and compare in Go",
	},
	{"slice bounds out of range", "cut at the end at the latest: x[:min(n, len(x))]"},
	{"index out of range", "test the length first, as in if len(x) > i; what was not found is an empty list"},
	{"nil pointer dereference", "a pointer, a function or an interface is nil here: test x != nil first"},
	{"integer divide by zero", "test for 0 before dividing"},
	{"interface conversion: ", "v, ok := x.(T) says in ok whether x is a T"},
}

// panicAdvice returns advice about a panic; empty if there is none.
func panicAdvice(text string) string {
	for _, known := range panics {
		if strings.Contains(text, known.text) {
			return known.advice
		}
	}
	return ""
}

// panicError formats a panic: Go's message, its position, the source line and the stack.
func panicError(number int, source string, out engine.Outcome, text string) *CellError {
	var b strings.Builder
	kind := cellerror.Panic
	if out.Goroutine {
		kind = cellerror.GoroutinePanic
		b.WriteString("in a goroutine: ")
	}
	b.WriteString("panic: " + text)
	at := number
	if out.Cell != 0 {
		at = out.Cell
	}
	if out.Line > 0 {
		b.WriteString("\n" + strings.TrimSuffix(place(at, out.Line, out.Column), ": "))
		if q := quote(source, out.Line, out.Column); q != "" {
			b.WriteString("\n" + q)
		}
	}
	if advice := panicAdvice(text); advice != "" {
		b.WriteString("\n" + advice)
	}
	if out.Inexact {
		b.WriteString("\nyaegi does not know Go's words for it, nor the line")
		if Exact.Check() == nil {
			b.WriteString(": --engine auto or exact does")
		}
	}
	if len(out.Frames) > 1 {
		b.WriteString("\nstack:")
		for i, f := range out.Frames {
			if i == maxFrames {
				fmt.Fprintf(&b, "\n  … %d more", len(out.Frames)-i)
				break
			}
			b.WriteString("\n  " + f)
		}
	}
	return &CellError{Kind: kind, Message: cell.Display(b.String()), Line: out.Line, Column: out.Column}
}
