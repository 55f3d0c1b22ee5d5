package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/internal/observation"
	"github.com/gorlm/rlm/internal/reply"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// maxCells bounds the cells of one reply that run: a reply can contain many thousands, and each is recorded in the
// log. Cells beyond the bound that a log already contains still run, since earlier versions had no bound.
const maxCells = 50

// runCells runs the cells of a reply in order, within the run's time. An error, an answer or the bound on cells
// stops the rest; the model sees which cells did not run, and why.
func (r *run) runCells(ctx context.Context, d trajectory.ReplyReceived) (termination.Turn, error) {
	ending := d.Ending()
	t := termination.Turn{
		Reply:    reply.Parse(d.Content.String(), r.policy.Names, ending.Partial()),
		Withheld: withheld[ending], CalledTool: ending == trajectory.CalledTool,
	}
	if ending == trajectory.Unclear && len(t.Reply.Cells) > 0 { // an unclosed cell may be incomplete
		t.Reply = reply.Parse(d.Content.String(), r.policy.Names, true)
	}
	obs := observation.Observation{Cut: d.Cut(), Remarks: r.endingOfReply(d)}
	for _, s := range t.Reply.Skipped {
		obs.Skipped = append(obs.Skipped, observation.SkippedBlock{Lang: s.Lang, Line: s.Line, Reason: s.Reason})
	}
	r.latest, r.ending = nil, ending
	within, cancel := r.untilTimeIsUp(ctx)
	defer cancel()
	why := ""
	for i, cell := range t.Reply.Cells {
		if why == "" && i >= maxCells && !r.journal.RanNext(r.path, cell.Source) {
			why = fmt.Sprintf("at most %d cells of a reply run", maxCells)
		}
		if why != "" {
			obs.Cells = append(obs.Cells, observation.Cell{Number: r.nb.next(), NotRun: why})
			r.nb.skip(r.nb.next())
			continue
		}
		res, err := r.recordCell(ctx, within, sandbox.Cell{Source: cell.Source, Untagged: cell.Untagged}, true)
		if err != nil {
			return t, err
		}
		if res.kind() == cellerror.NotACell {
			obs.Skipped = append(obs.Skipped, observation.SkippedBlock{
				Line:   cell.Line,
				Reason: "this block is not Go and was not run: cells are written in Go, in a block tagged go",
			})
		} else {
			obs.Cells = append(obs.Cells, res.observation())
		}
		t.Cells = append(t.Cells, res.outcome(cell.Source))
		r.latest = append(r.latest, res)
		if res.kind() == cellerror.UnfitAnswer {
			r.unfit, _, _ = strings.Cut(res.Error.Message, notTaken)
		}
		switch {
		case res.Final != nil:
			why = "the answer was given before it"
		case res.Error != nil && res.kind() != cellerror.NotACell:
			why = "a cell before it failed"
		}
	}
	fitOutputs(obs.Cells, r.cfg.turnOutput(r.depth))
	t.Observation = obs.String()
	return t, nil
}

// runCell is like recordCell, for a cell that the runner itself wrote.
func (r *run) runCell(ctx context.Context, cell sandbox.Cell, judged bool) (CellResult, error) {
	within, cancel := r.untilTimeIsUp(ctx)
	defer cancel()
	return r.recordCell(ctx, within, cell, judged)
}

// recordCell runs one cell until within ends, or takes its result from the log. If judged is set, an answer of the
// cell must fit the schema; it is unset for cells that only look for an answer.
func (r *run) recordCell(ctx, within context.Context, cell sandbox.Cell, judged bool) (CellResult, error) {
	number := r.nb.next()
	started, err := journal.Note(r.journal, r.path, r.turn, trajectory.CellStarted{
		Cell: number, Source: cell.Source, Seed: r.nb.seed(number), Untagged: cell.Untagged,
		Engine: string(r.nb.engine()),
	})
	if err != nil {
		return CellResult{}, err
	}
	cell.Number = started.Cell
	d, recorded, err := journal.Step(r.journal, r.path, r.turn, func() (trajectory.CellEnded, error) {
		cell := r.journal.Resumed(r.path, cell)
		res, err := r.execute(ctx, within, cell, judged)
		if err != nil {
			return trajectory.CellEnded{}, err
		}
		if err := r.tellReplies(cell, res); err != nil {
			return trajectory.CellEnded{}, err
		}
		if judged && res.Final != nil && r.ending != trajectory.Whole {
			text := "the answer comes from a reply that " + endingWords[r.ending]
			if err := r.record(trajectory.Warned{About: "reply", Text: text}); err != nil {
				return trajectory.CellEnded{}, err
			}
		}
		d, err := encodeCell(res)
		if err != nil {
			return d, err
		}
		d.Marks, err = r.marks(ctx, res.Marks)
		return d, err
	})
	if err != nil {
		return CellResult{}, err
	}
	if recorded {
		r.nb.skip(started.Cell)
	}
	res, err := decodeCell(d)
	if err != nil {
		return CellResult{}, err
	}
	r.evidence.Add(r.path, d.Marks)
	r.cells++
	r.cellTime += res.Duration
	r.nb.learn(res.Changed)
	return res, r.tellEndings(res, recorded)
}

// execute runs a cell in the notebook. A cell that was cut short by a cancelled run, or whose calls got no answers,
// is not recorded: it runs again when the run resumes.
func (r *run) execute(ctx, within context.Context, cell sandbox.Cell, judged bool) (res sandbox.Result, err error) {
	if err := r.startNotebook(within); err != nil {
		return res, cause(within, err)
	}
	res, err = r.nb.run(within, r.host(), cell)
	if ctx.Err() != nil {
		r.nb.session.Forget(cell.Number)
		return res, ctx.Err()
	}
	if failed := r.journal.Failed(); failed != nil {
		return res, failed
	}
	if err != nil {
		return res, fmt.Errorf("running a cell: %w", cause(within, err))
	}
	if judged && r.depth == 0 {
		r.cfg.fitCell(&res)
	}
	if out := r.journal.Outcome(r.path, cell.Number).Outage(); out != nil {
		return res, fmt.Errorf("the sub-calls of cell %d: %w", cell.Number, out)
	}
	if err := r.tellMoved(res); err != nil {
		return res, err
	}
	if res.Restore != nil {
		how := "worker"
		if res.Moved != nil {
			how = "moved"
		}
		text, err := tellRestore(how, *res.Restore, r.record)
		if err != nil {
			return res, err
		}
		if text != "" {
			r.remarks.add(text)
		}
	}
	return res, nil
}

// tellReplies tells the model where to find replies that a cell no longer has, either because the cell took another
// path than before the interruption and did not ask for all of them, or because its worker died with the values
// made from them.
func (r *run) tellReplies(cell sandbox.Cell, res sandbox.Result) error {
	asked := make(map[journal.Key]bool, len(res.Calls))
	for _, c := range res.Calls {
		asked[journal.Key{Hash: c.Hash, N: c.N}] = true
	}
	left := 0
	for _, c := range cell.Calls {
		if !asked[journal.Key{Hash: c.Hash, N: c.N}] {
			left++
		}
	}
	switch {
	case left > 0:
		text := fmt.Sprintf("cell %d went another way than before the run was interrupted: it did not ask for %s that had come: %s(%d) returns all there are",
			res.Cell, units.Of(left, "reply"), recordedCalls, res.Cell)
		r.remarks.add(text)
		return r.record(trajectory.Warned{About: "notebook", Text: text})
	default:
		if text := repliesLeft(res); text != "" {
			r.remarks.add(text)
		}
	}
	return nil
}

// repliesLeft returns a text that tells the model where to find the replies to the sub-calls of a cell that was
// ended from outside; "" if there are none.
func repliesLeft(res sandbox.Result) string {
	answered := func(c sandbox.CallRecord) bool { return !c.Reply.Unwind }
	if res.Error == nil || !journal.LeftNothing(res.Error.Kind) || !slices.ContainsFunc(res.Calls, answered) {
		return ""
	}
	return repliesOf(res.Cell)
}

func repliesOf(cell int) string {
	return fmt.Sprintf("the replies to the sub-calls of cell %d are still there: %s(%d)", cell, recordedCalls, cell)
}

// startNotebook starts the worker, and tells the model in the next observation what has changed.
func (r *run) startNotebook(ctx context.Context) error {
	restore, err := r.nb.start(ctx, true, r.watcher())
	if err == nil {
		err = r.tellLevel()
	}
	if err != nil || restore == nil {
		return err
	}
	text, err := tellRestore("opened", *restore, r.record)
	if text != "" {
		r.remarks.add(text)
	}
	return err
}

func (r *run) watcher() watcher {
	return watcher{
		restoring: func(cells, of int) { r.journal.Show(r.path, r.turn, trajectory.Restoring{Cells: cells, Of: of}) },
		moved:     func(m sandbox.Move) error { return r.record(engineMoved(m)) },
	}
}

// tellLevel warns when the sandbox level differs from the one in the log, which is that of an earlier worker.
func (r *run) tellLevel() error {
	now, before := r.nb.session.Level(), r.nb.told
	r.nb.told = now
	if before == "" || before == now {
		return nil
	}
	return r.record(trajectory.Warned{About: "sandbox", Text: fmt.Sprintf(
		"cells run at sandbox level %s, not %s: %s", now, before, strings.Join(r.nb.session.Missing(), "; "),
	)})
}

// tellMoved warns about a cell that started again in another engine and printed something else. The model sees
// only the second output.
func (r *run) tellMoved(res sandbox.Result) error {
	if res.Moved == nil || !res.Moved.Differs {
		return nil
	}
	return r.record(trajectory.Warned{About: "notebook", Text: fmt.Sprintf(
		"cell %d started again in the %s engine and printed something different than before", res.Cell,
		res.Moved.To,
	)})
}

// record appends an event that is not a step, so a resumed run does not look for it.
func (r *run) record(d trajectory.Data) error { return r.journal.Append(r.path, r.turn, d) }

// host returns the functions that answer the calls of the running cell and record what it does.
func (r *run) host() cellHost {
	turn := r.turn // a call may outlive its turn
	return cellHost{
		answer: func(ctx context.Context, c sandbox.Call) sandbox.Reply { return r.answer(ctx, turn, c) },
		print:  func(cell int, text []byte) { r.printed(turn, cell, text) },
		moved:  func(m sandbox.Move) error { return r.record(engineMoved(m)) },
		output: r.cfg.cellOutput(r.depth),
	}
}
