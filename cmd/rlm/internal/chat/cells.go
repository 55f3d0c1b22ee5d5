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

// ran reads the session's cells from its log. Those of questions that were taken back are left out.
func (c *core) ran() ([]ranCell, error) {
	runs := [][]ranCell{nil} // by question; the first holds cells from before any
	for ev, err := range trajectory.Skim(c.current().Dir()) {
		if err != nil {
			return nil, fmt.Errorf("reading the session: %w", err)
		}
		if ev.Path != "" {
			continue
		}
		last := &runs[len(runs)-1]
		switch d := ev.Data.(type) {
		case trajectory.RunStarted:
			runs = append(runs, nil)
		case trajectory.Undone:
			runs = runs[:max(1, len(runs)-d.Runs)]
		case trajectory.CellStarted:
			*last = append(*last, ranCell{start: d})
		case trajectory.CellEnded:
			if n := len(*last); n > 0 && (*last)[n-1].start.Cell == d.Cell {
				(*last)[n-1].end, (*last)[n-1].ended = d, true
			}
		}
	}
	return slices.Concat(runs...), nil
}

// numbered finds the cell that args names.
func (c *core) numbered(args string) (ranCell, error) {
	n, err := strconv.Atoi(args)
	if err != nil {
		return ranCell{}, fmt.Errorf("name a cell by its number; /cells lists them")
	}
	all, err := c.ran()
	if err != nil {
		return ranCell{}, err
	}
	for _, cell := range slices.Backward(all) {
		if cell.start.Cell == n {
			return cell, nil
		}
	}
	return ranCell{}, fmt.Errorf("there is no cell %d; /cells lists them", n)
}

func (c *core) cells(_ context.Context, _ string, out sink) error {
	all, err := c.ran()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		out.show("no cell ran yet")
		return nil
	}
	var lines []string
	for _, cell := range all {
		mark := c.render.paint(green, "✓")
		switch {
		case !cell.ended:
			mark = "…"
		case !cell.end.OK:
			mark = c.render.paint(red, "✗")
		}
		whose := ""
		if cell.start.Own {
			whose = c.render.paint(cyan, " (yours)")
		}
		source := strings.Join(strings.Fields(screen.Clean(cell.start.Source)), " ")
		lines = append(lines, c.render.cut(fmt.Sprintf("%s %3d%s  %s", mark, cell.start.Cell, whose, source)))
	}
	out.show(strings.Join(lines, "\n"))
	return nil
}

func (c *core) show(_ context.Context, args string, out sink) error {
	cell, err := c.numbered(args)
	if err != nil {
		return err
	}
	parts := []string{c.render.paint(bold, fmt.Sprintf("cell %d", cell.start.Cell)), c.render.Cell(screen.Clean(cell.start.Source))}
	var result repl.Result
	if cell.ended {
		if err := json.Unmarshal(cell.end.Result, &result); err != nil {
			return fmt.Errorf("reading what cell %d did: %w", cell.start.Cell, err)
		}
	}
	for _, text := range []string{cell.end.Output, result.Value} {
		if text != "" {
			parts = append(parts, c.render.wrap(screen.Clean(text), 0))
		}
	}
	if result.Error != nil {
		parts = append(parts, c.render.paint(red, screen.Clean(result.Error.Message)))
	}
	out.show(strings.Join(parts, "\n"))
	return nil
}

// edit puts a cell into the input; without a number it opens the person's editor.
func (c *core) edit(_ context.Context, args string, out sink) error {
	if args == "" {
		if out.edit == nil {
			return errors.New("there is no terminal for an editor; /edit N shows cell N")
		}
		out.edit("")
		return nil
	}
	cell, err := c.numbered(args)
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
	if err != nil {
		return err
	}
	if len(vars) == 0 {
		out.show("no variables yet")
		return nil
	}
	var lines []string
	for _, v := range vars {
		about := strings.TrimSpace(v.Type + " " + v.Size)
		line := fmt.Sprintf("%-16s %-20s %s", v.Name, about, strings.Join(strings.Fields(v.Preview), " "))
		lines = append(lines, c.render.line(line))
	}
	out.show(strings.Join(lines, "\n"))
	return nil
}
