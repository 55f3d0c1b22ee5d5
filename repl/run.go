package repl

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/check"
	"github.com/gorlm/rlm/repl/internal/engine"
)

// Run runs one cell to its end. It always returns a Result; errors of the cell are in Result.Error. If a cell is
// cancelled through ctx, Sound may report false afterwards: the notebook must then be discarded.
func (n *Notebook) Run(ctx context.Context, source string, opt RunOptions) (res Result) {
	start := time.Now()
	if opt.Cell == 0 {
		opt.Cell = n.cells + 1
	}
	n.cells = opt.Cell
	res.Cell = opt.Cell
	defer func() {
		if r := recover(); r != nil {
			n.unsound = true
			res.Error = &CellError{
				Kind:    cellerror.FatalRuntime,
				Message: fmt.Sprintf("the notebook itself failed: %v\n%s", r, firstLines(debug.Stack(), 12)),
			}
		}
		res.Duration = time.Since(start)
	}()
	if opt.Untagged && !cell.IsCell(source) {
		res.Error = &CellError{
			Kind:    cellerror.NotACell,
			Message: "this block is not a Go cell, so it was not run: cells are written in Go, in a block tagged go",
		}
		return res
	}
	checked, program, failed := n.compile(opt.Cell, source)
	if failed != nil {
		res.Error = failed
		return res
	}
	n.execute(ctx, checked, program, opt, &res)
	return res
}

func firstLines(b []byte, n int) string {
	lines := strings.SplitN(string(b), "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "\n")
}

// compile checks a cell and loads it into the engine. The session changes only if both succeed.
func (n *Notebook) compile(cell int, source string) (*check.CheckedUnit, engine.Program, *CellError) {
	checked, err := n.front.Check(cell, source)
	if err != nil {
		n.front.Unrun(cell, source)
		return nil, nil, compileError(cell, source, err)
	}
	program, err := n.load(checked.Unit)
	if err != nil {
		n.front.Unrun(cell, source)
		var refused *engine.RefusedError
		if errors.As(err, &refused) {
			line, column := 0, 0
			if file := checked.Unit.File; file.FileStart < refused.Pos && refused.Pos < file.FileEnd {
				p := n.front.Position(refused.Pos)
				line, column = p.Line, p.Column
			}
			return nil, nil, refusal(n.cfg.Engine, cell, source, refused, line, column)
		}
		return nil, nil, &CellError{Kind: cellerror.Refused, Message: "the engine cannot run this cell: " + err.Error()}
	}
	n.front.Commit(checked.Change)
	n.addCalls(checked)
	n.sources[cell] = checked.Unit.Source
	return checked, program, nil
}

// load passes a unit to the engine. If the engine panics, the cell is refused.
func (n *Notebook) load(u *engine.Unit) (p engine.Program, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it stumbled over it (%v); write it in another way, in smaller steps", r)
		}
	}()
	return n.engine.Load(u)
}

// execute runs a compiled cell and fills the result.
func (n *Notebook) execute(
	ctx context.Context, checked *check.CheckedUnit, program engine.Program, opt RunOptions, res *Result,
) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &execution{
		ctx: ctx, cancel: cancel, grace: n.cfg.grace, replay: opt.Clock,
		sentinel: &answer.Sentinel{Cell: opt.Cell}, unwind: n.engine.Unwind,
	}
	n.cell.Store(r)
	n.context, n.step = n.cfg.Context, 0
	n.arrivals.Begin(opt.Again, opt.Fired)
	began := func() {
		n.stdout.begin()
		if opt.Began != nil {
			opt.Began()
		}
	}
	out := n.engine.Run(ctx, program, engine.Conditions{Seed: opt.Seed, Now: r.now, Sentinel: r.sentinel, Began: began})
	if !out.Sound {
		n.unsound = true
	}
	n.front.Retract(checked.Change, n.step)
	thrown := n.panicText(out)
	failed := n.failure(ctx, r, checked, out, thrown)
	if failed == nil && r.final == nil {
		failed = n.after(r)
	}
	r.mu.Lock()
	res.Inexact = out.Inexact && !r.over
	r.over = true
	res.Value, res.Final, res.Error, res.Items = r.value, r.final, failed, r.items
	res.Notes = append(slices.Clone(checked.Change.Notes), r.notes...)
	res.Called, res.Clock, res.Fired = r.called, r.clock, n.arrivals.Fired()
	r.mu.Unlock()
	n.keepTables(res.Items)
	if out.Goroutine && res.Final != nil {
		res.Notes = append(res.Notes, "a goroutine of the cell panicked ("+thrown+"); the answer that was given stands")
	}
	if out.Running > 0 {
		res.Notes = append(res.Notes, stillRunning(out.Running))
	}
	if late := n.stdout.end(); late != "" {
		res.Notes = append(res.Notes, late)
	}
	if !n.unsound {
		res.Changed = n.changed(opt.Cell, checked.Change)
	}
}

// failure returns the error of a cell; nil if the cell succeeded or has recorded an answer.
func (n *Notebook) failure(
	ctx context.Context, r *execution, checked *check.CheckedUnit, out engine.Outcome, thrown string,
) *CellError {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.final != nil:
		return nil
	case r.failed != nil:
		return r.failed
	case r.over:
		return nil
	case out.Panic != nil:
		source := checked.Unit.Source
		if out.Cell != 0 {
			source = n.sources[out.Cell]
		}
		return panicError(checked.Unit.Cell, source, out, thrown)
	case out.Cancelled:
		if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			return &CellError{
				Kind:    cellerror.Timeout,
				Message: "the cell took too long and was stopped; work on a part of the text, or in several cells",
			}
		}
		return &CellError{Kind: cellerror.Cancelled, Message: "the cell was cancelled"}
	}
	return nil
}

// panicText formats the value of a panic as Go prints it; empty if there was none. It may call methods that a cell
// declared for the value's type.
func (n *Notebook) panicText(out engine.Outcome) (text string) {
	if out.Panic == nil {
		return ""
	}
	text = "(a value whose text cannot be had)"
	_ = n.cell.Load().apart(func() { text = n.textOf(out) }) // if this panics, text remains as set above
	return text
}

func (n *Notebook) textOf(out engine.Outcome) string {
	name := strings.ReplaceAll(out.PanicType, "main.", "")
	switch v := out.Panic.(type) {
	case runtime.Error:
		return safeText(v.Error)
	case error:
		return withType(safeText(v.Error), name)
	case string:
		if name == "" || name == "string" {
			return v
		}
		return fmt.Sprintf("%s(%q)", name, v)
	case fmt.Stringer:
		return withType(safeText(v.String), name)
	}
	shown := cut(n.reader.Described(out.Panic, nil), maxShown)
	if name == "" {
		return shown
	}
	return name + "(" + shown + ")"
}

// withType appends the type to the text of a panic's value.
func withType(text, name string) string {
	if name == "" || name == "error" || hidden(name) {
		return text
	}
	return text + " (" + name + ")"
}

// hidden reports whether a type's name is unexported by its package, such as *fmt.wrapError. Such a name does not
// help the reader.
func hidden(name string) bool {
	_, local, qualified := strings.Cut(name, ".")
	return qualified && !token.IsExported(local)
}

func safeText(text func() string) (s string) {
	defer func() {
		if r := recover(); r != nil {
			s = fmt.Sprintf("(a value whose text cannot be had: %v)", r)
		}
	}()
	return text()
}

// maxShown bounds, in bytes, the shown value of a last expression.
const maxShown = 10_000

// show records the value of a cell's last expression. A nil error as the last of several values is left out.
func (n *Notebook) show(site *Site, values ...any) {
	if k := len(values) - 1; k >= 0 && k < len(site.Types) && isError(site.Types[k]) && values[k] == nil {
		values = values[:k]
	}
	parts := make([]string, len(values))
	for i, v := range values {
		var t types.Type
		if i < len(site.Types) {
			t = site.Types[i]
		}
		parts[i] = n.reader.Shown(v, t)
	}
	r := n.cell.Load()
	text := cut(strings.Join(parts, " "), maxShown)
	r.gate() // unwinds if a method of a value, called above, has ended the cell
	r.mu.Lock()
	r.value = text
	r.mu.Unlock()
	if len(values) == 1 && len(site.Types) == 1 {
		n.showForms(r, site, values[0], text)
	}
}

// showForms adds the forms that builtins have for the value of a last expression. If a builtin panics, only its
// form is missing.
func (n *Notebook) showForms(r *execution, site *Site, value any, text string) {
	for _, b := range n.cfg.Builtins {
		if b.Shows == nil {
			continue
		}
		var item bundle.Item
		var ok bool
		panicked := r.apart(func() { item, ok = b.Shows(site, value, site.Types[0], text) })
		r.gate()
		if panicked == nil && ok {
			item.Value = true
			r.display(item)
			return
		}
	}
}

func isError(t types.Type) bool {
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

// cut shortens a long text to its beginning and its end.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	half := limit / 2
	return strings.ToValidUTF8(s[:half], "") + fmt.Sprintf("\n… %d bytes left out …\n", len(s)-2*half) +
		strings.ToValidUTF8(s[len(s)-half:], "")
}

// stillRunning returns the note about goroutines that a cell left running.
func stillRunning(n int) string {
	if n == 1 {
		return "1 goroutine of the cell is still running; wait for it (sync.WaitGroup) before the cell ends"
	}
	return fmt.Sprintf("%d goroutines of the cell are still running; wait for them (sync.WaitGroup) before the cell ends", n)
}
