package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/trajectory"
)

// ranCell is a cell of the session as its log has it.
type ranCell struct {
	start trajectory.CellStarted
	end   trajectory.CellEnded
	ended bool
}

// past is the questions and cells of a session, from its events. Those that were taken back are left out.
type past struct {
	before []ranCell // cells from before any question
	asked  []exchange
}

// add takes the next event.
func (p *past) add(ev trajectory.Event) {
	if ev.Path != "" {
		return
	}
	cells := &p.before
	if n := len(p.asked); n > 0 {
		cells = &p.asked[n-1].cells
	}
	switch d := ev.Data.(type) {
	case trajectory.RunStarted:
		p.asked = append(p.asked, exchange{question: d.Question})
	case trajectory.RunEnded:
		if n := len(p.asked); n > 0 {
			p.asked[n-1].end = ev
		}
	case trajectory.Undone:
		p.asked = p.asked[:max(0, len(p.asked)-d.Runs)]
	case trajectory.CellStarted:
		*cells = append(*cells, ranCell{start: d})
	case trajectory.CellEnded:
		if n := len(*cells); n > 0 && (*cells)[n-1].start.Cell == d.Cell {
			(*cells)[n-1].end, (*cells)[n-1].ended = d, true
		}
	}
}

// cells are all there are, in order.
func (p *past) cells() []ranCell {
	all := slices.Clone(p.before)
	for _, e := range p.asked {
		all = append(all, e.cells...)
	}
	return all
}

// past reads the session's log.
func (c *core) past() (past, error) {
	var p past
	for ev, err := range trajectory.Skim(c.current().Dir()) {
		if err != nil {
			return p, fmt.Errorf("reading the session: %w", err)
		}
		p.add(ev)
	}
	return p, nil
}

// numbered finds the cell that args names.
func (p *past) numbered(args string) (ranCell, error) {
	n, err := strconv.Atoi(args)
	if err != nil {
		return ranCell{}, fmt.Errorf("name a cell by its number; /cells lists them")
	}
	for _, cell := range slices.Backward(p.cells()) {
		if cell.start.Cell == n {
			return cell, nil
		}
	}
	return ranCell{}, fmt.Errorf("there is no cell %d; /cells lists them", n)
}

func (c *core) numbered(args string) (ranCell, error) {
	p, err := c.past()
	if err != nil {
		return ranCell{}, err
	}
	return p.numbered(args)
}

func (c *core) cells(_ context.Context, _ string, out sink) error {
	p, err := c.past()
	if err == nil {
		out.show(c.cellList(p.cells()))
	}
	return err
}

// cellList is a line for each cell.
func (b *board) cellList(all []ranCell) string {
	if len(all) == 0 {
		return "no cell ran yet"
	}
	var lines []string
	for _, cell := range all {
		mark := b.render.paint(green, "✓")
		switch {
		case !cell.ended:
			mark = "…"
		case !cell.end.OK:
			mark = b.render.paint(red, "✗")
		}
		whose := ""
		if cell.start.Own {
			whose = b.render.paint(cyan, " (yours)")
		}
		source := strings.Join(strings.Fields(screen.Clean(cell.start.Source)), " ")
		lines = append(lines, b.render.cut(fmt.Sprintf("%s %3d%s  %s", mark, cell.start.Cell, whose, source)))
	}
	return strings.Join(lines, "\n")
}

func (c *core) show(_ context.Context, args string, out sink) error {
	cell, err := c.numbered(args)
	if err != nil {
		return err
	}
	text, err := c.cellText(cell)
	if err == nil {
		out.show(text)
	}
	return err
}

// cellText is a cell with all that it printed.
func (b *board) cellText(cell ranCell) (string, error) {
	parts := []string{b.render.paint(bold, fmt.Sprintf("cell %d", cell.start.Cell)), b.render.Cell(screen.Clean(cell.start.Source))}
	var result repl.Result
	if cell.ended {
		if err := json.Unmarshal(cell.end.Result, &result); err != nil {
			return "", fmt.Errorf("reading what cell %d did: %w", cell.start.Cell, err)
		}
	}
	for _, text := range []string{cell.end.Output, result.Value} {
		if text != "" {
			parts = append(parts, b.render.wrap(screen.Clean(text), 0))
		}
	}
	if result.Error != nil {
		parts = append(parts, b.render.paint(red, screen.Clean(result.Error.Message)))
	}
	return strings.Join(parts, "\n"), nil
}

// edit puts a cell into the input; without a number it opens the person's editor.
func (c *core) edit(_ context.Context, args string, out sink) error {
	return edit(args, c.numbered, out)
}

func edit(args string, numbered func(string) (ranCell, error), out sink) error {
	if args == "" {
		if out.edit == nil {
			return errors.New("there is no terminal for an editor; /edit N shows cell N")
		}
		out.edit("")
		return nil
	}
	cell, err := numbered(args)
	if err != nil {
		return err
	}
	if text := fenced(cell.start.Source); out.edit == nil {
		out.show(text)
	} else {
		out.fill(text)
	}
	return nil
}

func (c *core) runAgain(ctx context.Context, args string, out sink) error {
	cell, err := c.numbered(args)
	if err != nil {
		return err
	}
	return c.exec(ctx, cell.start.Source, out)
}

func (c *core) vars(ctx context.Context, _ string, out sink) error {
	vars, err := c.current().Vars(ctx)
	if err == nil {
		out.show(c.varList(vars))
	}
	return err
}

// varList is a line for each variable.
func (b *board) varList(vars []repl.Var) string {
	if len(vars) == 0 {
		return "no variables yet"
	}
	var lines []string
	for _, v := range vars {
		about := strings.TrimSpace(v.Type + " " + v.Size)
		line := fmt.Sprintf("%-16s %-20s %s", v.Name, about, strings.Join(strings.Fields(v.Preview), " "))
		lines = append(lines, b.render.line(line))
	}
	return strings.Join(lines, "\n")
}
