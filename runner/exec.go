package runner

import (
	"context"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// Exec runs a person's cell in the notebook, without the model. The model sees the cell with the next question.
// Subscribers get the cell's events.
func (s *Session) Exec(ctx context.Context, source string) (sandbox.Result, error) {
	return s.exec(ctx, source, 0)
}

// Edit runs an edited version of a person's cell, with the variables as they are now: effects of the old version
// are not undone. The log records which cell it replaces.
func (s *Session) Edit(ctx context.Context, cell int, source string) (sandbox.Result, error) {
	if cell < 1 {
		return sandbox.Result{}, fmt.Errorf("there is no cell %d to edit", cell)
	}
	return s.exec(ctx, source, cell)
}

func (s *Session) exec(ctx context.Context, source string, replaces int) (res sandbox.Result, err error) {
	if err := s.acquire(); err != nil {
		return sandbox.Result{}, err
	}
	defer s.mu.Unlock()
	err = s.within(ctx, func() error {
		res, err = s.runOwn(ctx, source, replaces)
		return err
	})
	return res, err
}

// runOwn runs a person's cell. The caller holds mu.
func (s *Session) runOwn(ctx context.Context, source string, replaces int) (sandbox.Result, error) {
	if err := s.start(ctx); err != nil {
		return sandbox.Result{}, err
	}
	r, err := s.newRun(nil, nil, true)
	if err != nil {
		return sandbox.Result{}, err
	}
	number := s.nb.next()
	if replaces >= number {
		return sandbox.Result{}, fmt.Errorf("there is no cell %d to edit", replaces)
	}
	if err := r.record(trajectory.CellStarted{
		Cell: number, Source: source, Seed: s.nb.seed(number), Own: true, Engine: string(s.nb.engine()),
		Replaces: replaces, Request: requestOf(ctx),
	}); err != nil {
		return sandbox.Result{}, err
	}
	res, err := s.nb.run(ctx, r.host(), sandbox.Cell{Source: source, Number: number, Keep: true})
	if err != nil {
		return res, fmt.Errorf("running the cell: %w", err)
	}
	if err := r.tellMoved(res); err != nil {
		return res, err
	}
	if text := repliesLeft(res); text != "" {
		res.Error.Message += "\n" + strings.ToUpper(text[:1]) + text[1:] + "."
	}
	d, err := encodeCell(res)
	if err != nil {
		return res, err
	}
	if d.Marks, err = r.marks(ctx, res.Marks); err != nil {
		return res, err
	}
	if err := r.record(d); err != nil {
		return res, err
	}
	s.evidence.Add("", d.Marks)
	s.nb.learn(res.Changed)
	s.news = append(s.news, ownCell(source, resultOf(res)))
	return res, nil
}

// Vars lists the notebook's variables.
func (s *Session) Vars(ctx context.Context) ([]repl.Var, error) {
	if err := s.acquire(); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	return s.nb.session.Vars(ctx)
}

// Members lists what can follow an operand and a dot in the next cell; see repl.Notebook.Members.
func (s *Session) Members(ctx context.Context, operand string) ([]string, error) {
	if err := s.acquire(); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	return s.nb.session.Members(ctx, operand)
}

// ownCells are the cells that a person ran after the last run.
func ownCells(events []trajectory.Event) []notice {
	var out []notice
	source := ""
	for _, ev := range events {
		switch d := ev.Data.(type) {
		case trajectory.CellStarted:
			source = d.Source
		case trajectory.CellEnded:
			if c, err := decodeCell(d); err == nil && ev.Turn == 0 && source != "" {
				out = append(out, ownCell(source, c))
			}
			source = ""
		}
	}
	return out
}
