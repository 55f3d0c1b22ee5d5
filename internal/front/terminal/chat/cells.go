package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner/trajectory"
)

// ranCell is a cell that ran, from the session's log.
type ranCell struct {
	start trajectory.CellStarted
	end   trajectory.CellEnded
	ended bool
}

// sessionCells are the questions and cells of a session, built from its events. Undone ones are left out.
type sessionCells struct {
	before []ranCell // cells before the first question
	asked  []exchange
}

// add adds the next event.
func (p *sessionCells) add(ev trajectory.Event) {
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

// cells returns all cells, in order.
func (p *sessionCells) cells() []ranCell {
	all := slices.Clone(p.before)
	for _, e := range p.asked {
		all = append(all, e.cells...)
	}
	return all
}

// numbered returns the cell whose number is args.
func (p *sessionCells) numbered(args string) (ranCell, error) {
	n, err := strconv.Atoi(args)
	if err != nil {
		return ranCell{}, fmt.Errorf("give the number of a cell; /cells lists them")
	}
	for _, cell := range slices.Backward(p.cells()) {
		if cell.start.Cell == n {
			return cell, nil
		}
	}
	return ranCell{}, fmt.Errorf("there is no cell %d; /cells lists them", n)
}

func (t *terminal) numbered(args string) (ranCell, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.past.numbered(args)
}

func (t *terminal) cells(_ context.Context, _ string, out sink) error {
	t.mu.Lock()
	all := t.past.cells()
	t.mu.Unlock()
	out.show(t.cellList(all))
	return nil
}

// cellList lists cells, one per line.
func (b *console) cellList(all []ranCell) string {
	if len(all) == 0 {
		return "no cell has run yet"
	}
	var lines []string
	for _, cell := range all {
		mark := b.render.Paint(screen.Green, "✓")
		switch {
		case !cell.ended:
			mark = "…"
		case !cell.end.OK:
			mark = b.render.Paint(screen.Red, "✗")
		}
		whose := ""
		if cell.start.Own {
			whose = b.render.Paint(screen.Cyan, " (yours)")
		}
		source := strings.Join(strings.Fields(screen.Clean(cell.start.Source)), " ")
		lines = append(lines, b.render.Cut(fmt.Sprintf("%s %3d%s  %s", mark, cell.start.Cell, whose, source)))
	}
	return strings.Join(lines, "\n")
}

func (t *terminal) showCell(_ context.Context, args string, out sink) error {
	cell, err := t.numbered(args)
	if err != nil {
		return err
	}
	text, err := t.cellText(cell)
	if err == nil {
		out.show(text)
	}
	return err
}

// cellText shows a cell and all its output.
func (b *console) cellText(cell ranCell) (string, error) {
	parts := []string{
		b.render.Paint(screen.Bold, fmt.Sprintf("cell %d", cell.start.Cell)),
		b.render.Cell(screen.Clean(cell.start.Source)),
	}
	var result trajectory.CellResult
	if cell.ended {
		var err error
		if result, err = cell.end.Decode(); err != nil {
			return "", err
		}
	}
	for _, text := range []string{cell.end.Output, result.Value} {
		if text != "" {
			text, items := b.render.FitItems(screen.Clean(text), result.Items, 0)
			parts = append(parts, screen.Charts(b.render.WrapOutput(text, 0), items, b.render.Paint))
		}
	}
	if result.Error != nil {
		parts = append(parts, b.render.Paint(screen.Red, screen.Clean(result.Error.Message)))
	}
	return strings.Join(parts, "\n"), nil
}

// edit puts a cell into the input, or opens the person's editor if no number is given.
func (t *terminal) edit(_ context.Context, args string, out sink) error {
	if args == "" {
		if out.edit == nil {
			return errors.New("an editor needs a terminal; /edit N shows cell N")
		}
		out.edit("")
		return nil
	}
	cell, err := t.numbered(args)
	if err != nil {
		return err
	}
	if text := screen.Fenced(cell.start.Source); out.edit == nil {
		out.show(text)
	} else {
		out.fill(text)
	}
	return nil
}

func (t *terminal) runAgain(ctx context.Context, args string, out sink) error {
	cell, err := t.numbered(args)
	if err != nil {
		return err
	}
	return t.exec(ctx, cell.start.Source, out)
}

// varList lists variables, one per line.
func (b *console) varList(vars []session.Variable) string {
	if len(vars) == 0 {
		return "no variables yet"
	}
	var lines []string
	for _, v := range vars {
		about := strings.TrimSpace(v.Type + " " + v.Size)
		line := fmt.Sprintf("%-16s %-20s %s", v.Name, about, strings.Join(strings.Fields(v.Preview), " "))
		lines = append(lines, b.render.Line(line))
	}
	return strings.Join(lines, "\n")
}
