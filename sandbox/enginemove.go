package sandbox

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/repl"
)

// Move reports that a notebook continues in another engine.
type Move struct {
	From repl.Engine `json:"from"`
	To   repl.Engine `json:"to"`
	// Cell is the number of the cell that begins again in the other engine or, if the notebook moves between two
	// cells, of the next one.
	Cell int `json:"cell"`
	// Reason is one of refused, panicked, computed, replay and many.
	Reason string `json:"reason"`
	// Why explains the reason to people.
	Why string `json:"why"`
	// Cells counts the earlier cells that were run again; Took is the time until the notebook was ready.
	Cells int           `json:"cells"`
	Took  time.Duration `json:"took"`
	// Differs means that the cell did not print the same as before it began again.
	Differs bool `json:"differs,omitempty"`
}

// The reasons for a move.
const (
	moveRefused  = "refused"  // yaegi refuses the cell; no part of it has run
	movePanicked = "panicked" // yaegi has neither Go's message for the cell's panic nor its position
	moveComputed = "computed" // the cell computed for longer than Limits.MoveAfter
	moveReplay   = "replay"   // the earlier cells would take too long to repeat in yaegi, or yaegi refuses one of them
	moveMany     = "many"     // yaegi retains memory for each cell, and there are many
)

// mostInYaegi is how many cells a notebook may have in yaegi, which retains a third of a megabyte for each and gets
// slower with their number.
const mostInYaegi = 100

// mayMove reports whether the notebook can move to the exact engine.
func (s *Session) mayMove() bool {
	return s.auto && s.engine == repl.Yaegi && !s.stays
}

// moves reports whether the cell should begin again in the exact engine. It never does after an answer; after a
// result, it does so only if yaegi refused the cell or does not know its panic exactly.
func (r *cellRun) moves() bool {
	switch {
	case !r.moving.may || r.final != nil:
		return false
	case r.result != nil:
		return r.result.Result.Inexact ||
			r.result.Result.Error != nil && r.result.Result.Error.Kind == cellerror.Refused
	}
	return r.moving.now
}

// move starts a cell again in the exact engine: it replaces the worker, runs the earlier cells again with their
// recorded replies, and starts the cell with everything that it has received so far. If the exact engine does not
// accept the cell either, or an earlier cell strays there (runs differently than before), the notebook stays in
// yaegi as it was. But if yaegi cannot run the cell, differences in the earlier cells are accepted, and reported.
// ctx is the caller's; calls is the context of the cell's calls.
func (s *Session) move(ctx, calls context.Context, r *cellRun) error {
	began, past, refusal := time.Now(), s.past(), r.result
	m := Move{
		From: repl.Yaegi, To: repl.Exact, Cell: r.number, Reason: moveComputed,
		Why: fmt.Sprintf("it computed for more than %s", s.limits.MoveAfter),
	}
	s.engine = repl.Exact
	switch {
	case refusal == nil:
	case refusal.Result.Inexact:
		m.Reason, m.Why = movePanicked, "it panicked, and yaegi does not know Go's words for that, nor where it was"
	default:
		m.Reason, m.Why = moveRefused, refused(refusal.Result.Error.Message)
		s.keepWorker(ctx)
	}
	restored, err := s.startOver(ctx, r)
	if err == nil && (restored.whole() || refusal != nil && restored.complete()) {
		m.Cells, m.Took = restored.Cells, time.Since(began)
		r.moving.began = func() error { return s.moved(m) }
		r.live(calls)
		if r.moving.failed != nil {
			s.dropKept()
			return r.moving.failed
		}
		if r.moving.began == nil { // the engine accepted the cell, so it ran
			m.Differs = r.moving.differs
			r.moving.done = &m
			s.tellLosses(restored)
			s.dropKept()
			return nil
		}
	}
	s.engine, s.stays = repl.Yaegi, err == nil && s.settles(restored)
	s.back(past)
	r.moving.began, r.moving.may = nil, false
	if s.kept != nil {
		s.discard()
		s.worker, s.kept = s.kept, nil
		r.p, r.result = s.worker, refusal
		return nil
	}
	if ctx.Err() != nil { // the records are kept for the next attempt
		s.discard()
		return nil
	}
	if restored, err = s.startOver(ctx, r); err != nil {
		return err
	}
	s.tellLosses(restored)
	r.live(calls)
	return nil
}

// keepWorker keeps the old worker, with the session's state, in case the other engine fails. If the pool has no
// room for both, it does nothing.
func (s *Session) keepWorker(ctx context.Context) {
	p, err := s.workers.acquireFree(ctx, s.cfg.Level)
	if p == nil || err != nil || s.initialise(ctx, p) != nil {
		return
	}
	s.worker.freeze()
	s.worker, s.kept = p, s.worker
}

func (s *Session) dropKept() {
	if s.kept != nil {
		s.workers.release(s.kept)
		s.kept = nil
	}
}

// startOver moves the session to another worker with the same state, in which the cell can begin again.
func (s *Session) startOver(ctx context.Context, r *cellRun) (Restore, error) {
	began := time.Now()
	r.rewind()
	if s.kept == nil {
		s.discard()
	}
	restored, err := s.rerunAll(ctx, began)
	if err == nil && s.worker != nil {
		r.attach(s.worker)
	}
	return restored, err
}

// tellLosses makes the result of the next cell report the names that were lost or that differ after the
// restoration.
func (s *Session) tellLosses(restored Restore) {
	if restored.Losses() != "" {
		restored = restored.after(s.revived)
		s.revived = &restored
	}
}

// replay runs the recorded cells in a worker. It uses the exact engine if their first runs took more CPU time than
// yaegi may use, or if yaegi refuses one of them.
func (s *Session) replay(ctx context.Context, began time.Time) (Restore, error) {
	computed := time.Duration(0)
	for _, record := range s.records {
		computed += record.Computed
	}
	past := s.past()
	m := Move{
		Reason: moveReplay,
		Why:    fmt.Sprintf("the earlier cells computed for %s", computed.Round(time.Millisecond)),
	}
	if !s.mayMove() || computed <= s.limits.MoveAfter {
		restored, err := s.rerunAll(ctx, began)
		if err != nil || !restored.refused || !s.mayMove() {
			return restored, err
		}
		s.back(past)
		m.Why = "yaegi cannot run all of the earlier cells"
	}
	s.discard()
	return s.moveBetween(ctx, began, past, m)
}

// outgrow moves a notebook with many cells to the exact engine before the next cell runs.
func (s *Session) outgrow(ctx context.Context) error {
	if !s.mayMove() || len(s.records) < mostInYaegi {
		return nil
	}
	began, past := time.Now(), s.past()
	s.engine = repl.Exact
	if s.keepWorker(ctx); s.kept == nil {
		s.discard()
	}
	restored, err := s.moveBetween(
		ctx, began, past, Move{Reason: moveMany, Why: fmt.Sprintf("it has %d cells", len(s.records))})
	if err == nil {
		s.tellLosses(restored)
	}
	return err
}

// moveBetween moves a notebook to the exact engine between two cells. If the earlier cells stray there, the
// notebook stays in yaegi.
func (s *Session) moveBetween(ctx context.Context, began time.Time, past savedCells, m Move) (Restore, error) {
	s.engine = repl.Exact
	restored, err := s.rerunAll(ctx, began)
	if err == nil && restored.whole() {
		s.dropKept()
		m.From, m.To, m.Cell, m.Cells, m.Took = repl.Yaegi, repl.Exact, s.next, restored.Cells, time.Since(began)
		return restored, s.moved(m)
	}
	s.engine = repl.Yaegi
	s.back(past)
	s.discard()
	if s.kept != nil {
		s.worker, s.kept, s.stays = s.kept, nil, ctx.Err() == nil && s.settles(restored)
		s.worker.thaw()
		return Restore{}, nil
	}
	if ctx.Err() != nil {
		return restored, err
	}
	s.stays = s.settles(restored)
	return s.rerunAll(ctx, began)
}

// settles reports whether a notebook stays in yaegi for good after a failed move, because its earlier cells stray
// in the exact engine. A worker may die for a reason other than a cell, so a single death is not enough.
func (s *Session) settles(r Restore) bool {
	if r.whole() {
		return false
	}
	if r.died {
		s.died++
	}
	return !r.died || s.died >= deathsInARow
}

func (s *Session) moved(m Move) error {
	if s.cfg.Moved == nil {
		return nil
	}
	return s.cfg.Moved(m)
}

// whole reports whether all cells ran as they did before. Values may still differ.
func (r Restore) whole() bool { return r.complete() && !r.strayed }

// complete reports whether all names are restored, and no cell left an unusable worker.
func (r Restore) complete() bool { return len(r.Lost) == 0 && !r.broken }

// savedCells is what a session knows about the cells that ran.
type savedCells struct {
	records []CellRecord
	changed bool
}

func (s *Session) past() savedCells {
	return savedCells{slices.Clone(s.records), s.changed}
}

// back undoes what a replay changed in the records.
func (s *Session) back(p savedCells) { s.records, s.changed = slices.Clone(p.records), p.changed }

// refused returns the first line of a refusal, without its position.
func refused(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	_, what, ok := strings.Cut(line, ": this notebook cannot run ")
	if !ok {
		return line
	}
	return "yaegi cannot run " + what
}
