// Package export writes the events of a run in other formats: a transcript, an HTML page and a Jupyter notebook
// for people, and the log format of the original RLM implementation for its visualizer.
package export

import (
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
)

// turn is one turn with everything that belongs to it, assembled from events. In the log, events of concurrent
// sub-calls and child runs are mixed.
type turn struct {
	number int
	kind   string // as in TurnStarted
	at     time.Time
	until  time.Time     // time of the last event
	paused time.Duration // pauses within the turn, while the run was interrupted
	start  *trajectory.RunStarted
	before []trajectory.Data // MessageAdded, Compacted, ContextAdded since the previous turn
	reply  *trajectory.ReplyReceived
	cells  []*cell
	notes  []trajectory.Data // Warned, Nudged, SignalIgnored, LimitReached, TurnFailed, Restored, Undone, Reviewed
	end    *trajectory.RunEnded
	back   *takenBack // set for a turn that only shows what was taken back
}

// takenBack summarises questions that a session took back. Nothing else is shown of them, since they no longer
// count.
type takenBack struct {
	questions []string
	cells     int
}

func (b *takenBack) add(e trajectory.Event) {
	if e.Path != "" {
		return
	}
	switch d := e.Data.(type) {
	case trajectory.RunStarted:
		b.questions = append(b.questions, shorten(d.Question, 200))
	case trajectory.CellStarted:
		b.cells++
	}
}

func (b *takenBack) String() string {
	text := "Taken back: " + strings.Join(b.questions, "; ")
	if b.cells > 0 {
		text += " (with " + units.Of(b.cells, "cell") + ")"
	}
	return text
}

type cell struct {
	started trajectory.CellStarted
	ended   *trajectory.CellEnded // nil if the run stopped during the cell
	at      time.Time             // time of the latest start
	until   time.Time
	calls   []*call // batches in the order of their prompts
}

// stopped reports whether the cell was stopped or interrupted. Such a cell is shown but must not run again: it may
// not end.
func (c *cell) stopped() bool { return c.ended == nil || c.ended.ErrorKind == "Cancelled" }

// kept is the source of a cell with the effects that a stopped cell left; "" if it left none.
func (c *cell) kept() string {
	if c.ended == nil || c.ended.Kept == "{}" {
		return ""
	}
	return c.ended.Kept
}

// took is the time from the first to the last event of a turn, without pauses.
func (t *turn) took() time.Duration { return max(0, t.until.Sub(t.at)-t.paused) }

type call struct {
	started trajectory.SubCallStarted
	ended   *trajectory.SubCallEnded
	child   []*turn
}

// assembly assembles turns.
type assembly struct {
	runs map[string]*run // by path, of runs in progress
	back *takenBack      // questions to leave out, until the event that took them back
}

// run is a run of the tree that is being assembled.
type run struct {
	current *turn
	done    []*turn
	said    []trajectory.Data // messages after the cells of the current turn: they belong before the next one
	cells   map[int]*cell
	calls   map[trajectory.CallKey]*call
}

// turns yields the turns of the root run; those of child runs are attached to their calls. Only the data of the
// current turn is in memory. The events are read twice, since questions to leave out are known only at the end.
func turns(events iter.Seq2[trajectory.Event, error]) iter.Seq2[*turn, error] {
	return func(yield func(*turn, error) bool) {
		a := &assembly{runs: map[string]*run{}}
		gone, _ := trajectory.ReadTakenBack(events) // the error occurs again below
		give := func() bool {
			for _, t := range a.run("").take() {
				if !yield(t, nil) {
					return false
				}
			}
			return true
		}
		var failed error
		for e, err := range events {
			if failed = err; err != nil {
				break
			}
			if gone.Holds(e) {
				a.leaveOut(e)
				continue
			}
			a.add(e)
			if !give() {
				return
			}
		}
		a.run("").finish()
		if give() && failed != nil {
			yield(nil, fmt.Errorf("export the run: %w", failed))
		}
	}
}

func (a *assembly) run(path string) *run {
	r := a.runs[path]
	if r == nil {
		r = &run{cells: map[int]*cell{}, calls: map[trajectory.CallKey]*call{}}
		a.runs[path] = r
	}
	return r
}

// finish ends the current turn.
func (r *run) finish() {
	if r.current != nil {
		for _, c := range r.current.cells {
			trajectory.InOrder(c.calls, func(c *call) (int, int) { return c.started.Batch, c.started.Index })
		}
		r.done = append(r.done, r.current)
		r.current = nil
		clear(r.cells)
		clear(r.calls)
	}
}

func (r *run) take() []*turn {
	done := r.done
	r.done = nil
	return done
}

// begun reports whether the current turn has a reply or a cell.
func (r *run) begun() bool {
	return r.current != nil && (r.current.reply != nil || len(r.current.cells) > 0)
}

// turn returns the turn to which an event belongs.
func (r *run) turn(e trajectory.Event) *turn {
	if r.current == nil {
		r.current = &turn{number: e.Turn, at: e.Time, before: r.said}
		r.said = nil
	}
	r.current.until = e.Time
	return r.current
}

// leaveOut counts an event of a question that was taken back, instead of showing it.
func (a *assembly) leaveOut(e trajectory.Event) {
	if a.back == nil {
		a.back = &takenBack{}
	}
	a.back.add(e)
}

func (a *assembly) add(e trajectory.Event) {
	r := a.run(e.Path)
	switch d := e.Data.(type) {
	case trajectory.RunStarted:
		if r.begun() {
			r.finish()
		}
		r.turn(e).start = &d
	case trajectory.TurnStarted:
		if r.begun() {
			r.finish()
		}
		t := r.turn(e)
		t.number, t.kind, t.at = e.Turn, d.Kind, e.Time
	case trajectory.MessageAdded, trajectory.Compacted, trajectory.ContextAdded:
		if r.begun() {
			r.said = append(r.said, d)
			return
		}
		t := r.turn(e)
		t.before = append(t.before, d)
	case trajectory.ReplyReceived:
		r.turn(e).reply = &d
	case trajectory.RunEnded:
		r.turn(e).end = &d
		r.finish()
	case trajectory.Undone:
		if r.begun() || r.current != nil && r.current.start != nil {
			r.finish() // the question was interrupted
		}
		t := r.turn(e)
		if a.back == nil {
			t.notes = append(t.notes, d)
			return
		}
		t.back, a.back = a.back, nil
		r.finish()
	case trajectory.Resumed:
		r.turn(e).paused += d.Pause
	case trajectory.Warned, trajectory.Nudged, trajectory.SignalIgnored, trajectory.LimitReached, trajectory.TurnFailed,
		trajectory.Restored, trajectory.EngineMoved, trajectory.Reviewed:
		t := r.turn(e)
		t.notes = append(t.notes, d)
	default:
		a.addToCell(r, e)
	}
}

// addToCell adds an event of a cell or its calls.
func (a *assembly) addToCell(r *run, e trajectory.Event) {
	switch d := e.Data.(type) {
	case trajectory.CellStarted:
		t := r.turn(e)
		c := r.cells[d.Cell]
		if c == nil {
			c = &cell{started: d}
			t.cells = append(t.cells, c)
			r.cells[d.Cell] = c
		}
		c.at, c.until = e.Time, e.Time // an interrupted cell is started again
	case trajectory.CellEnded:
		r.turn(e)
		if c := r.cells[d.Cell]; c != nil {
			c.ended, c.until = &d, e.Time
		}
	case trajectory.SubCallStarted:
		r.turn(e)
		if c := r.cells[d.Cell]; c != nil {
			s := &call{started: d}
			c.calls = append(c.calls, s)
			r.calls[d.Key("")] = s
		}
	case trajectory.SubCallEnded:
		r.turn(e)
		s := r.calls[d.Key("")]
		if s == nil {
			return
		}
		s.ended = &d
		if path := s.started.Child; path != "" {
			child := a.run(path)
			child.finish()
			s.child = child.take()
			delete(a.runs, path)
		}
	}
}
