package runner

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// ReplayedCell is the result of running one cell again.
type ReplayedCell struct {
	Path string `json:"path,omitempty"` // path of the cell's run
	Cell int    `json:"cell"`
	Same bool   `json:"same"`
	// Before and After are what the model saw then and would see now; they are set if the two differ.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Skipped is the reason why the cell was not run again: it had killed its worker, or it never ran.
	Skipped string `json:"skipped,omitempty"`
}

// Replay runs all cells of a run again, including those of child runs, without any model: sub-calls are answered
// from the log. For each cell it yields whether the result is the same; the caller may stop at the first
// difference. The log is only read. opts change the run's configuration, such as the engine.
func (r *Runner) Replay(ctx context.Context, id string, opts ...Option) iter.Seq2[ReplayedCell, error] {
	return func(yield func(ReplayedCell, error) bool) {
		p, err := r.replayer(id, opts)
		if err != nil {
			yield(ReplayedCell{}, err)
			return
		}
		defer p.close()
		for _, path := range p.paths {
			for cell, err := range p.cellsOf(ctx, path) {
				if !yield(cell, err) || err != nil {
					return
				}
			}
		}
	}
}

// replayer holds the parts of a log that a replay needs.
type replayer struct {
	cfg     config
	session *Session
	events  []trajectory.Event
	paths   []string
	starts  map[string]trajectory.RunStarted
	records map[string][]sandbox.CellRecord // by path
	workers *sandbox.Workers
	texts   []*corpus.Text
}

func (r *Runner) replayer(id string, opts []Option) (*replayer, error) {
	id, dir, err := r.findRun(id)
	if err != nil {
		return nil, err
	}
	events, err := journal.Read(dir)
	if err != nil {
		return nil, err
	}
	cfg, err := r.cfg.recorded(id, events)
	if err == nil {
		cfg, err = cfg.with(opts...)
	}
	if err != nil {
		return nil, err
	}
	events = trajectory.Kept(events)
	p := &replayer{
		cfg: cfg, session: &Session{cfg: cfg, id: id, dir: dir}, events: events,
		starts: map[string]trajectory.RunStarted{}, records: journal.Cells(events),
		workers: cfg.host.Starter.Workers(0, 0),
	}
	for _, ev := range events {
		switch d := ev.Data.(type) {
		case trajectory.RunStarted:
			if _, ok := p.starts[ev.Path]; !ok {
				p.paths = append(p.paths, ev.Path)
				p.starts[ev.Path] = d
			}
		}
	}
	slices.Sort(p.paths)
	return p, nil
}

func (p *replayer) close() {
	_ = p.workers.Close()
	for _, t := range p.texts {
		_ = t.Close()
	}
}

// cellsOf runs the cells of one path again.
func (p *replayer) cellsOf(ctx context.Context, path string) iter.Seq2[ReplayedCell, error] {
	return func(yield func(ReplayedCell, error) bool) {
		contexts, err := p.contexts(ctx, path)
		if err != nil {
			yield(ReplayedCell{}, err)
			return
		}
		depth := strings.Count(path, "/")
		specs := p.cfg.specs(termination.Mode(p.starts[path].Mode), depth)
		cfg := p.cfg.sandbox(depth, contexts.first, specs, p.workers, p.session.id, path)
		cfg.Engine = goingOn(cfg.Engine, journal.Engine(p.events, path))
		cfg.Call = func(context.Context, sandbox.Call) sandbox.Reply {
			return sandbox.Reply{Error: "this call is not in the log"}
		}
		cfg.Marks = given(journal.Marks(p.events)[path], p.text(path, contexts.first))
		s, err := sandbox.New(ctx, cfg)
		if err != nil {
			yield(ReplayedCell{}, fmt.Errorf("starting a notebook for the replay: %w", err))
			return
		}
		defer s.Close()
		p.cells(ctx, path, s, contexts, yield)
	}
}

// cells runs the recorded cells of a path in a session and compares their results.
func (p *replayer) cells(
	ctx context.Context, path string, s *sandbox.Session, contexts pathContexts, yield func(ReplayedCell, error) bool,
) {
	var source trajectory.CellStarted
	for _, ev := range p.events {
		if ev.Path != path {
			continue
		}
		switch d := ev.Data.(type) {
		case trajectory.CellStarted:
			source = d
			if c, ok := contexts.before[d.Cell]; ok {
				if err := s.SetContext(ctx, c.context, c.history); err != nil {
					yield(ReplayedCell{}, fmt.Errorf("changing the context before cell %d: %w", d.Cell, err))
					return
				}
			}
		case trajectory.CellEnded:
			out, err := p.cell(ctx, s, path, source, d)
			out.Path = path
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}

// cell runs one cell again.
func (p *replayer) cell(
	ctx context.Context, s *sandbox.Session, path string, started trajectory.CellStarted, d trajectory.CellEnded) (
	ReplayedCell, error,
) {
	out := ReplayedCell{Cell: d.Cell}
	before, err := decodeCell(d)
	if err != nil {
		return out, err
	}
	if journal.LeftNothing(before.kind()) {
		out.Skipped = fmt.Sprintf("it ended with %s", before.kind())
		if d.Kept != "" { // later cells need the variables that the stopped cell had set
			if _, err := s.Run(ctx, sandbox.Cell{Source: d.Kept, Number: d.Cell}); err != nil {
				return out, fmt.Errorf("restoring the variables that cell %d had set: %w", d.Cell, err)
			}
		}
		return out, nil
	}
	cell := sandbox.Cell{
		Source: started.Source, Untagged: started.Untagged, Number: d.Cell,
		Output: p.cfg.cellOutput(strings.Count(path, "/")),
	}
	for _, r := range p.records[path] {
		if r.Cell == d.Cell {
			cell.Clock, cell.Fired, cell.Calls = r.Clock, r.Fired, r.Calls
		}
	}
	res, err := s.Run(ctx, cell)
	if err != nil {
		return out, fmt.Errorf("running cell %d again: %w", d.Cell, err)
	}
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	after := resultOf(res)
	after.Restore = nil
	before.Restore = nil
	// The recorded result is that after the check of the answer against the schema.
	if out.Same = before.shown() == after.shown(); !out.Same && path == "" {
		p.cfg.fitCell(&res)
		after.Result, after.OK = res.Result, res.Error == nil
		out.Same = before.shown() == after.shown()
	}
	if !out.Same {
		out.Before, out.After = before.shown(), after.shown()
	}
	return out, nil
}

// pathContexts are the contexts that the cells of a path saw.
type pathContexts struct {
	first  sandbox.Context
	before map[int]notebookView // by cell: the view changed before it
	by     map[string]sandbox.Context
}

// contexts loads what the cells of a path saw: the recorded contexts for the root; for a child, a range of such a
// context or a separate text.
func (p *replayer) contexts(ctx context.Context, path string) (pathContexts, error) {
	if path != "" {
		first, err := p.childContext(ctx, path)
		return pathContexts{first: first}, err
	}
	texts := map[string]*corpus.Text{}
	c := pathContexts{by: map[string]sandbox.Context{}}
	for _, ev := range p.events {
		d, ok := ev.Data.(trajectory.ContextAdded)
		if !ok || ev.Path != "" || texts[d.Hash] != nil {
			continue
		}
		text, err := p.session.loadContext(ctx, d)
		if errors.Is(err, corpus.ErrChanged) {
			return c, fmt.Errorf("the cells cannot be run again as before%s: %w", asTheyWere(d.Sources), err)
		}
		if err != nil {
			return c, err
		}
		p.texts = append(p.texts, text)
		texts[d.Hash], c.by[d.Hash] = text, whole(text)
	}
	c.first, c.before = firstContext(p.events, texts), changes(p.events, texts)
	return c, nil
}

// text returns a function that finds the texts of marks, by hash or, for the text of a child run, by its path. The
// text that the cells see takes precedence: a text may exist more than once.
func (p *replayer) text(path string, first sandbox.Context) func(hash string) *corpus.Text {
	return func(hash string) *corpus.Text {
		var found *corpus.Text
		for _, t := range p.texts {
			is, seen := t.Facts().SHA256 == hash, t.File() == first.File
			if seen && (is || hash == path) {
				return t
			}
			if is {
				found = t
			}
		}
		return found
	}
}

// childContext rebuilds the context of a child run.
func (p *replayer) childContext(ctx context.Context, path string) (sandbox.Context, error) {
	above := journal.Above(path)
	var hash string
	for _, ev := range p.events {
		d, ok := ev.Data.(trajectory.ContextAdded)
		switch {
		case !ok:
		case ev.Path == above && d.Hash != "":
			hash = d.Hash
		case ev.Path == path && d.Text.Size() > 0:
			text, err := corpus.Build(ctx, []corpus.Source{{Name: "text", String: d.Text.String()}})
			if err != nil {
				return sandbox.Context{}, fmt.Errorf("making the text of child run %s again: %w", path, err)
			}
			p.texts = append(p.texts, text)
			return whole(text), nil
		case ev.Path == path && d.Size > 0:
			parent, err := p.contexts(ctx, above)
			if err != nil {
				return sandbox.Context{}, err
			}
			from := parent.first
			if c, ok := parent.by[hash]; ok {
				from = c
			}
			return sandbox.Context{
				File: from.File, Offset: from.Offset + d.Offset, Size: d.Size,
				Docs: within(from.Docs, d.Offset, d.Size),
			}, nil
		}
	}
	return sandbox.Context{}, nil
}

// asTheyWere returns advice to restore the sources of a context, "" if they are not known.
func asTheyWere(sources []string) string {
	if len(sources) == 0 {
		return ""
	}
	return ", put back " + strings.Join(sources, ", ") + " first"
}
