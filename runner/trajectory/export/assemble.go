// Package export writes the events of a run for other readers: a transcript, a page of HTML and a Jupyter notebook for people,
// and the log format of the original RLM implementation for its visualizer.
package export

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
)

// turn is one turn with all that belongs to it, put together from events. Events of concurrent sub-calls
// and child runs are mixed in the log.
type turn struct {
	number int
	kind   string // as in TurnStarted
	at     time.Time
	until  time.Time     // of the last event
	paused time.Duration // between, while the run was interrupted
	start  *trajectory.RunStarted
	before []trajectory.Data // MessageAdded, Compacted, ContextAdded since the turn before
	reply  *trajectory.ReplyReceived
	cells  []*cell
	notes  []trajectory.Data // Warned, Nudged, SignalIgnored, LimitReached, TurnFailed, Restored, Undone, Reviewed
	end    *trajectory.RunEnded
	back   *takenBack // what stood here; then there is nothing else
}

// takenBack is what a session took back at a place: it counts no more, so only this is told of it.
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
	ended   *trajectory.CellEnded // nil when the run stopped in it
	at      time.Time             // when it was started, for the last time
	until   time.Time
	calls   []*call // batches in the order of their prompts
}

// stopped says that a cell was ended on its way by the one who ran it. It is shown, and must not run again: it would go on.
func (c *cell) stopped() bool { return c.ended == nil || c.ended.ErrorKind == "Cancelled" }

// kept is a cell that leaves behind what a stopped one left; "" if that is nothing.
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

// assembly puts turns together.
type assembly struct {
	runs map[string]*run // by path, of runs under way
	back *takenBack      // what is left out, until the event that took it back
}

// run is a run of the tree, under way.
type run struct {
	current *turn
	done    []*turn
	said    []trajectory.Data // behind the cells of the current turn: it belongs before the next one
	cells   map[int]*cell
	calls   map[trajectory.CallKey]*call
}

// turns yields the turns of the root run; those of child runs hang at their calls. Only what belongs to the
// turn under way is held. The events are gone through twice: what was taken back is known at its end only.
func turns(events iter.Seq2[trajectory.Event, error]) iter.Seq2[*turn, error] {
	return func(yield func(*turn, error) bool) {
		a := &assembly{runs: map[string]*run{}}
		gone, _ := trajectory.ReadTakenBack(events) // an error comes again below
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

// finish ends the turn under way.
func (r *run) finish() {
	if r.current != nil {
		for _, c := range r.current.cells {
			inOrder(c.calls)
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

// begun says that something happened in the turn under way.
func (r *run) begun() bool {
	return r.current != nil && (r.current.reply != nil || len(r.current.cells) > 0)
}

// turn is the turn that an event belongs to.
func (r *run) turn(e trajectory.Event) *turn {
	if r.current == nil {
		r.current = &turn{number: e.Turn, at: e.Time, before: r.said}
		r.said = nil
	}
	r.current.until = e.Time
	return r.current
}

// leaveOut takes in an event of what was taken back.
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
	case trajectory.Warned, trajectory.Nudged, trajectory.SignalIgnored, trajectory.LimitReached, trajectory.TurnFailed, trajectory.Restored, trajectory.EngineMoved, trajectory.Reviewed:
		t := r.turn(e)
		t.notes = append(t.notes, d)
	default:
		a.addToCell(r, e)
	}
}

// addToCell takes the events of cells and their calls.
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
		c.at, c.until = e.Time, e.Time // one that was interrupted is started again
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

// inOrder puts the calls of each batch in the order of its prompts, where its first one stands: they are
// recorded as they begin.
func inOrder(calls []*call) {
	first := map[int]int{}
	at := make(map[*call]int, len(calls))
	for i, s := range calls {
		at[s] = i
		if b := s.started.Batch; b > 0 {
			if _, ok := first[b]; !ok {
				first[b] = i
			}
			at[s] = first[b]
		}
	}
	slices.SortStableFunc(calls, func(a, b *call) int {
		if at[a] != at[b] {
			return at[a] - at[b]
		}
		return a.started.Index - b.started.Index
	})
}
