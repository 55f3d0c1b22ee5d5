package sandbox

import (
	"context"
	"fmt"
	"slices"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/repl"
)

// Cell is the input of Session.Run.
type Cell struct {
	Source   string
	Untagged bool
	// Number is the cell's number; 0 means the next one. Numbers only grow.
	Number int
	// Output, if it is neither 0 nor more than Limits.Output, bounds the output that is kept.
	Output int
	// Clock, if not nil, lists the recorded clock readings for repeating the cell. Fired and Calls list the timers
	// that fired and the calls that were answered, in the order in which the cell received the replies. Where they
	// end, the cell continues as usual.
	Clock []int64
	Fired []repl.Fire
	Calls []CallRecord
	// Keep keeps the cell's variables when ctx is cancelled. The cell gets a moment to end. If it does not end, or
	// if its engine cannot describe its variables, the worker is killed, as without Keep.
	Keep bool
}

// Run runs one cell. Errors of the cell are in Result.Error, even if the worker died; then another worker has taken
// over, and Result.Restore reports which variables were lost. Run returns an error if the session is unusable (no
// worker can be started, or the session is closed).
func (s *Session) Run(ctx context.Context, cell Cell) (Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.rest()
	if err := s.usable(ctx); err != nil {
		return Result{}, err
	}
	if err := s.outgrow(ctx); err != nil {
		return Result{}, err
	}
	number := max(s.next, cell.Number)
	s.next = number + 1
	record := CellRecord{
		Cell: number, Source: cell.Source, Untagged: cell.Untagged, Seed: s.cfg.Seed + int64(number),
		Clock: cell.Clock, Fired: cell.Fired, Calls: cell.Calls,
	}
	if len(cell.Source) > s.limits.Source {
		return tooLong(record, s.limits), nil
	}
	if s.changed {
		c := s.text.context
		record.Context, record.History = &c, s.text.history
	}
	r := s.newRunning(record)
	r.keep = cell.Keep
	if cell.Output > 0 {
		r.shown = min(r.shown, cell.Output)
	}
	err := s.live(ctx, r)
	if ctx.Err() != nil {
		s.handlers.Wait() // a stopped call's usage must be known before its cell is over
	}
	if err != nil {
		return Result{}, err
	}
	if r.result == nil && r.final == nil && r.p != nil {
		if err := r.p.endedByProgram(); err != nil {
			s.discard()
			return Result{}, fmt.Errorf("cell %d: %w", number, err)
		}
	}
	res := r.outcome(ctx.Err() != nil)
	res.Restore, s.revived = s.revived, nil
	if r.result != nil && r.result.Sound {
		if res.Error == nil || !leftNothing(res.Error.Kind) {
			if res.Kept != nil {
				r.record = r.record.As(*res.Kept)
			}
			s.keep(r.record)
			s.deaths = 0
		}
		return res, nil
	}
	s.replace(ctx, r, &res)
	return res, nil
}

// live runs a cell to its end, in the other engine if necessary.
func (s *Session) live(ctx context.Context, r *cellRun) error {
	calls, end := r.open(ctx)
	defer end()
	r.moving.may = s.mayMove()
	r.live(calls)
	if !r.moves() {
		return nil
	}
	return s.move(ctx, calls, r)
}

func tooLong(record CellRecord, l Limits) Result {
	text := fmt.Sprintf("cell %d: the source has %d bytes, at most %d are allowed; it was not run.\n"+
		"Do not paste data into a cell: it is in context already.", record.Cell, len(record.Source), l.Source)
	return Result{
		Result: repl.Result{Cell: record.Cell, Error: &repl.CellError{Kind: cellerror.CompileError, Message: text}},
		Seed:   record.Seed,
	}
}

func (s *Session) newRunning(record CellRecord) *cellRun {
	return &cellRun{
		s: s, p: s.worker, lease: s.workers.leaseOf(s.worker), shown: s.limits.Output,
		number: record.Cell, record: record, calls: newCallTable(record.Calls),
	}
}

// outcome returns what the cell did, and completes its record. stopped means that its context was cancelled.
func (r *cellRun) outcome(stopped bool) Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clock.read(false)
	res := Result{Seed: r.record.Seed, Calls: r.calls.inOrder(), Marks: r.s.marks.take()}
	took := r.clock.wall.Sub(r.began)
	if r.result != nil {
		res.Result = trim(*r.result, r.number, took)
		if r.keep && stopped && r.result.Sound && r.final == nil && r.result.Kept != nil {
			res.tellKept(*r.result.Kept)
		}
	} else {
		res.Result = repl.Result{Cell: r.number, Duration: took}
		if r.final == nil {
			res.Error = r.cellError()
		}
	}
	if r.final != nil {
		res.Final, res.Error = r.final, nil // the answer counts, whatever happened after it
	}
	res.Output, res.Truncated = r.out.text(r.shown)
	r.record.Calls, r.record.Clock, r.record.Fired, r.record.Changed = res.Calls, res.Clock, res.Fired, res.Changed
	r.record.Took, r.record.Computed = took, max(0, r.clock.used())
	res.Computed, res.Moved, res.Engine = r.record.Computed, r.moving.done, r.s.engine
	return res
}

// keep records a cell that ran, so that it can be run again.
func (s *Session) keep(record CellRecord) {
	record.Changed = slices.Clone(record.Changed)
	s.records = append(s.records, record)
	s.changed = false
}

// replace replaces a worker that died or became unusable, and completes the result.
func (s *Session) replace(ctx context.Context, r *cellRun, res *Result) {
	s.discard()
	s.deaths++
	switch {
	case res.Final != nil:
		return
	case ctx.Err() != nil: // usually the run is over; if not, the next cell gets another worker
		if res.Error != nil {
			res.Error.Message += "\nWhat this cell set is gone: the notebook is restarted for the next one, and the earlier cells are run again."
		}
		return
	}
	restored, err := s.revive(ctx)
	if err != nil {
		restored = Restore{Lost: holdingsOf(s.records).names(), Why: err.Error()}
	}
	restored = restored.after(res.Restore)
	res.Restore = &restored
	if res.Error != nil {
		res.Error.Message += "\n" + restored.message()
	} else {
		res.Notes = append(res.Notes, restored.message())
	}
}
