package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/kit/text"
)

// rebuild restores a notebook by running its recorded cells again, in as many workers as necessary.
type rebuild struct {
	s        *Session
	limit    time.Duration
	deadline time.Time
	before   nameTable      // the names according to the records
	now      nameTable      // the names in the worker
	reasons  map[int]string // how cells differed from their first runs, by cell number
	errors   map[int]string // errors of cells in the replay, by cell number
	ran      int            // number of cells that ran again
	late     bool
	died     bool // a worker died
	refused  bool // the engine refuses a cell that ran before, or does not know its panic exactly
	// probing means that an empty cell is run after each cell, because workers kept dying in later cells; leftOut
	// lists the cells after which no cell can run.
	probing bool
	leftOut []int
}

// failure describes a cell that left its worker unusable.
type failure struct {
	at   int // index of the cell's record
	why  string
	late bool // the time for all cells was used up
	// useless means that the cell ran, but no cell can run after it.
	useless bool
}

var errReplayTime = errors.New("it took too long")

func newRebuild(s *Session) *rebuild {
	limit := s.replayTime()
	return &rebuild{
		s: s, limit: limit, deadline: time.Now().Add(limit), before: holdingsOf(s.records),
		reasons: map[int]string{}, errors: map[int]string{}, probing: s.deaths >= deathsInARow,
	}
}

// deathsInARow is how many workers must die in a row before the earlier cells are suspected.
const deathsInARow = 2

// attempt runs the records in the session's worker, up to the first failure.
func (b *rebuild) attempt(ctx context.Context) *failure {
	s := b.s
	ctx, cancel := context.WithDeadlineCause(ctx, b.deadline, errReplayTime)
	defer cancel()
	current := s.text
	defer func() { s.text = current }()
	s.text = s.first
	b.now, b.ran = nameTable{}, 0
	for i := 0; i < len(s.records); {
		cell := s.records[i].Cell
		delete(b.reasons, cell)
		delete(b.errors, cell)
		compiled, problem := b.again(ctx, &s.records[i])
		if problem != "" {
			return &failure{at: i, why: problem, late: errors.Is(context.Cause(ctx), errReplayTime)}
		}
		if problem := b.probe(ctx, s.records[i]); problem != "" {
			late := errors.Is(context.Cause(ctx), errReplayTime)
			return &failure{
				at: i, why: "was left out, because no cell runs after it: " + problem, late: late,
				useless: !late,
			}
		}
		if !compiled { // the cell changed nothing
			s.drop(i)
			continue
		}
		i++
		b.ran++
		if s.cfg.Restoring != nil {
			s.cfg.Restoring(i, len(s.records))
		}
	}
	return nil
}

// again runs one cell again. It returns a problem if the worker has become unusable.
func (b *rebuild) again(ctx context.Context, record *CellRecord) (compiled bool, problem string) {
	s := b.s
	if record.Context != nil {
		s.text = s.state(*record.Context, record.History)
		if err := s.worker.setContext(ctx, s.text); err != nil {
			return false, err.Error()
		}
	}
	r := s.newRunning(*record)
	r.replay, r.longest = true, max(b.limit/2, replayFactor*record.Took)
	r.run(ctx)
	if r.result == nil {
		return false, r.problem(ctx)
	}
	result := trim(*r.result, r.number, 0)
	b.refused = b.refused || r.result.Result.Inexact
	if !r.result.Sound {
		return false, cmp.Or(r.astray, "it left the notebook unsound")
	}
	if r.astray != "" {
		b.reasons[record.Cell] = r.astray + " and ended there"
	}
	if result.Error != nil {
		b.errors[record.Cell] = text.Line(result.Error.Message, errorShown)
		if leftNothing(result.Error.Kind) && len(namesOf(*record)) > 0 { // without names, it may never have compiled
			b.refused = b.refused || result.Error.Kind == cellerror.Refused
			b.reasons[record.Cell] = "does not compile any more: " + b.errors[record.Cell]
			return false, ""
		}
	}
	b.now.add(*record, result.Changed)
	record.Changed = slices.Clone(result.Changed) // the next replay is compared with the present values
	return true, ""
}

// probe runs an empty cell after the given one, if b.probing is set. problem says why even the empty cell fails.
func (b *rebuild) probe(ctx context.Context, after CellRecord) (problem string) {
	if !b.probing {
		return ""
	}
	r := b.s.newRunning(CellRecord{Cell: after.Cell, Source: "func() {}()", Seed: after.Seed})
	r.replay, r.longest = true, b.limit/2
	r.run(ctx)
	switch {
	case r.result == nil:
		return r.problem(ctx)
	case !r.result.Sound:
		return "it left the notebook unsound"
	}
	return ""
}

// errorShown is how many characters are quoted of an error that occurred only in a replay.
const errorShown = 160

// problem explains why a replayed cell returned no result.
func (r *cellRun) problem(ctx context.Context) string {
	if c := r.p.cause.Load(); c != nil && c.what == causeCancelled {
		return context.Cause(ctx).Error()
	} else if c != nil && c.what == causeReplay {
		return c.detail
	}
	return r.s.autopsy(r.p).text
}

// giveUp drops the record of the cell that failed; if the time was used up, it also drops all later records. Then
// the earlier cells, which ran in time, get the same time again.
func (b *rebuild) giveUp(f *failure) {
	s := b.s
	cell := s.records[f.at].Cell
	if b.died = b.died || !f.late; !f.late {
		if f.useless {
			b.leftOut = append(b.leftOut, cell)
		}
		if f.useless || len(namesOf(s.records[f.at])) > 0 {
			b.reasons[cell] = f.why
		}
		s.drop(f.at)
		return
	}
	b.late = true
	b.deadline = time.Now().Add(b.limit)
	b.reasons[cell] = "could not be run again, nor those after it: " + f.why
	s.forget(f.at)
}

// restored reports which names were restored, lost or changed.
func (b *rebuild) restored(began time.Time) Restore {
	r := Restore{Cells: b.ran, Took: time.Since(began), Late: b.late, LeftOut: b.leftOut}
	r.Lost, r.Differing = b.before.compare(b.now, func(cell int) bool { return b.reasons[cell] != "" }, b.isBuiltin)
	for _, name := range r.Lost {
		if cell := b.before[name].cell; b.reasons[cell] == "" && b.errors[cell] != "" {
			b.reasons[cell] = "failed this time: " + b.errors[cell]
		}
	}
	r.Why, r.strayed, r.refused, r.died = b.why(), len(b.reasons) > 0, b.refused, b.died
	if r.Why == "" && len(r.Lost)+len(r.Differing) > 0 {
		r.Why = "they came out with another value when their cells were run again"
	}
	return r
}

// after adds the changes of an earlier rebuild that have not been reported yet, because r lists only the changes
// since then.
func (r Restore) after(earlier *Restore) Restore {
	if earlier == nil {
		return r
	}
	r.Took += earlier.Took
	r.Late = r.Late || earlier.Late
	r.Lost = union(earlier.Lost, r.Lost)
	r.LeftOut = union(earlier.LeftOut, r.LeftOut)
	r.Differing = slices.DeleteFunc(
		union(earlier.Differing, r.Differing), func(name string) bool { return slices.Contains(r.Lost, name) })
	if earlier.Why != "" && !strings.Contains(r.Why, earlier.Why) {
		r.Why = strings.TrimSuffix(earlier.Why+"; "+r.Why, "; ")
	}
	return r
}

func union[T cmp.Ordered](a, b []T) []T {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// isBuiltin reports whether a variable exists from the start.
func (b *rebuild) isBuiltin(name string) bool {
	for _, spec := range b.s.cfg.Builtins {
		if spec.Name == name {
			return true
		}
	}
	return false
}

// mostReasons is the number of cells that are explained individually.
const mostReasons = 3

func (b *rebuild) why() string {
	var parts []string
	for i, cell := range slices.Sorted(maps.Keys(b.reasons)) {
		if i == mostReasons {
			parts = append(parts, fmt.Sprintf("and %d more cells went another way", len(b.reasons)-mostReasons))
			break
		}
		parts = append(parts, fmt.Sprintf("cell %d %s", cell, b.reasons[cell]))
	}
	return strings.Join(parts, "; ")
}

// leftNothing reports whether a cell with such an error never ran.
func leftNothing(k cellerror.Kind) bool {
	switch k {
	case cellerror.NotACell, cellerror.CompileError, cellerror.Refused:
		return true
	}
	return false
}
