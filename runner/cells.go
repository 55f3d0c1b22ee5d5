package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
	"github.com/gorlm/rlm/termination/reply"
)

// runCells runs the cells of a reply in order. The first failure and the first answer stop the rest; what did not run is
// told with its reason.
func (r *run) runCells(ctx context.Context, d trajectory.ReplyReceived) (termination.Turn, error) {
	t := termination.Turn{Reply: r.read(d)}
	obs := prompts.Observation{Cut: t.Reply.Cut}
	for _, s := range t.Reply.Skipped {
		obs.Skipped = append(obs.Skipped, prompts.Skipped{Lang: s.Lang, Line: s.Line, Reason: s.Reason})
	}
	why := ""
	for i, cell := range t.Reply.Cells {
		if why != "" {
			obs.Cells = append(obs.Cells, prompts.Cell{Number: r.nb.next() + i - len(t.Cells), NotRun: why})
			continue
		}
		res, err := r.runCell(ctx, cell)
		if err != nil {
			return t, err
		}
		if res.kind() == repl.KindNotACell {
			obs.Skipped = append(obs.Skipped, prompts.Skipped{Line: cell.Line, Reason: "this block is not Go and was not run; tag a cell with go"})
		} else {
			obs.Cells = append(obs.Cells, res.observation())
		}
		t.Cells = append(t.Cells, res.outcome(cell.Source))
		switch {
		case res.Final != nil:
			why = "the answer was given before it"
		case res.Error != nil && res.kind() != repl.KindNotACell:
			why = "a cell before it failed"
		}
	}
	t.Observation = obs.String()
	return t, nil
}

// ran is what a cell did, as the log has it.
type ran struct {
	repl.Result
	Output    string
	Truncated int64
	Restore   *sandbox.Restore
}

// runCell runs one cell, or takes what it did from the log.
func (r *run) runCell(ctx context.Context, cell reply.Cell) (ran, error) {
	if !r.journal.replaying(r.path) {
		if err := r.nb.start(ctx); err != nil {
			return ran{}, err
		}
	}
	number := r.nb.next()
	started, err := note(r.journal, r.path, r.turn, trajectory.CellStarted{
		Cell: number, Source: cell.Source, Seed: r.nb.seed(number), Untagged: cell.Untagged,
	})
	if err != nil {
		return ran{}, err
	}
	d, replayed, err := step(r.journal, r.path, r.turn, func() (trajectory.CellEnded, error) { return r.execute(ctx, started.Cell, cell) })
	if err != nil {
		return ran{}, err
	}
	if replayed {
		r.nb.skip(started.Cell)
	}
	res, err := decodeCell(d)
	if err != nil {
		return ran{}, err
	}
	r.cells++
	r.cellTime += res.Duration
	r.nb.learn(res.Changed)
	return res, nil
}

// execute runs a cell in the notebook. A cell that was cut short because the run is cancelled leaves no trace: it is run
// again when the run is taken up.
func (r *run) execute(ctx context.Context, number int, cell reply.Cell) (trajectory.CellEnded, error) {
	within, cancel := r.untilTimeIsUp(ctx)
	defer cancel()
	res, err := r.nb.run(within, r, sandbox.Cell{Source: cell.Source, Untagged: cell.Untagged, Number: number})
	if ctx.Err() != nil {
		return trajectory.CellEnded{}, ctx.Err()
	}
	if failed := r.journal.failed(); failed != nil {
		return trajectory.CellEnded{}, failed
	}
	if err != nil {
		return trajectory.CellEnded{}, fmt.Errorf("running a cell: %w", cause(within, err))
	}
	return encodeCell(res)
}

// encodeCell is what the log holds of a result.
func encodeCell(res sandbox.Result) (trajectory.CellEnded, error) {
	d := trajectory.CellEnded{
		Cell: res.Cell, Output: strings.ToValidUTF8(res.Output, "\uFFFD"), Truncated: res.Truncated, OK: res.Error == nil,
	}
	if res.Error != nil {
		d.ErrorKind = string(res.Error.Kind)
	}
	var err error
	if d.Result, err = json.Marshal(res.Result); err != nil {
		return d, fmt.Errorf("recording a cell's result: %w", err)
	}
	if res.Restore != nil {
		if d.Restore, err = json.Marshal(res.Restore); err != nil {
			return d, fmt.Errorf("recording a cell's result: %w", err)
		}
	}
	return d, nil
}

func decodeCell(d trajectory.CellEnded) (ran, error) {
	res := ran{Output: d.Output, Truncated: d.Truncated}
	if err := json.Unmarshal(d.Result, &res.Result); err != nil {
		return res, fmt.Errorf("reading cell %d from the log: %w", d.Cell, err)
	}
	if len(d.Restore) > 0 {
		res.Restore = &sandbox.Restore{}
		if err := json.Unmarshal(d.Restore, res.Restore); err != nil {
			return res, fmt.Errorf("reading cell %d from the log: %w", d.Cell, err)
		}
	}
	return res, nil
}

func (c ran) kind() repl.Kind {
	if c.Error == nil {
		return ""
	}
	return c.Error.Kind
}

// observation is what the model sees of the cell.
func (c ran) observation() prompts.Cell {
	return CellObservation(c.Result, c.Output, c.Truncated, c.Restore)
}

// CellObservation is what a model sees of a cell's result; `rlm exec` prints the same.
func CellObservation(res repl.Result, output string, truncated int64, restore *sandbox.Restore) prompts.Cell {
	p := prompts.Cell{
		Number: res.Cell, Output: output, Truncated: truncated, Value: res.Value, Answered: res.Final != nil, Notes: res.Notes,
	}
	if res.Error != nil {
		p.ErrorKind, p.Error = string(res.Error.Kind), res.Error.Message
	}
	for _, v := range res.Changed {
		p.Changed = append(p.Changed, prompts.Var{Name: v.Name, Type: v.Type, Size: v.Size})
	}
	if restore != nil && len(restore.Lost) > 0 {
		p.Restored = fmt.Sprintf("the worker was replaced; these variables are lost: %s", strings.Join(restore.Lost, ", "))
		if restore.Why != "" {
			p.Restored += " (" + restore.Why + ")"
		}
	}
	return p
}

// outcome is what the policy is told of the cell.
func (c ran) outcome(source string) termination.CellOutcome {
	o := termination.CellOutcome{Source: source, Output: c.shown(), Printed: c.Output + "\n" + c.Value, Error: string(c.kind()), Final: c.Final, Called: c.Called}
	var digests strings.Builder
	for _, v := range c.Changed {
		fmt.Fprintf(&digests, "%s %s %s %s\n", v.Name, v.Type, v.Digest, v.Preview)
	}
	o.Changed = digests.String()
	return o
}

// shown is the observation without the cell's number, which differs each time.
func (c ran) shown() string {
	p := c.observation()
	p.Number = 0
	return prompts.Observation{Cells: []prompts.Cell{p}}.String()
}
