package sandbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/repl"
)

// Restore runs recorded cells again, muted, with calls answered from the records, as after a death. It is for a session that
// has not run a cell yet and stands for one whose host is gone. Cells that did not compile need not be among the records.
func (s *Session) Restore(ctx context.Context, cells []CellRecord) (Restore, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.rest()
	if s.closed {
		return Restore{}, errors.New("the session is closed")
	}
	if len(s.records) > 0 || s.next > 1 {
		return Restore{}, errors.New("only a new session can be restored")
	}
	for _, c := range cells {
		s.keep(c)
		s.next = max(s.next, c.Cell+1)
		if c.Context != nil {
			s.text = textState{*c.Context, c.History}
		}
	}
	began := time.Now()
	return s.replay(ctx, began)
}

// revive starts another worker and brings it to the state that the session had. The error is for when there is no worker at all.
func (s *Session) revive(ctx context.Context) (Restore, error) {
	began := time.Now()
	if s.replays >= s.limits.Replays && len(s.records) > 0 {
		lost := s.lostFrom(0)
		s.forget(0)
		err := s.begin(ctx)
		return Restore{Lost: lost, Took: time.Since(began), Why: fmt.Sprintf("the worker was replaced %d times before in this run; "+
			"the state is not built up again", s.replays)}, err
	}
	s.replays++
	return s.replay(ctx, began)
}

// replay runs the recorded cells in a worker. If one of them goes another way than the first time, it and those after it are given
// up, and a fresh worker gets the ones before it.
func (s *Session) replay(ctx context.Context, began time.Time) (Restore, error) {
	var lost []string
	var why string
	late := false
	for {
		if s.worker == nil || !s.worker.alive() {
			s.discard()
			if err := s.begin(context.WithoutCancel(ctx)); err != nil {
				return Restore{}, err
			}
		}
		s.worker.thaw()
		done, problem, over := s.inTime(ctx)
		late = late || over
		if problem == "" {
			if len(s.differing) > 0 && why == "" {
				why = "they came out with another value when their cells were run again"
			}
			gone, differing := s.split(lost)
			return Restore{Cells: done, Took: time.Since(began), Lost: gone, Differing: differing, Why: why, Late: late}, s.restoreText(ctx)
		}
		s.discard()
		if ctx.Err() != nil { // the caller is gone; the records stay for the next time
			return Restore{}, fmt.Errorf("run the earlier cells again: %w", context.Cause(ctx))
		}
		lost = append(lost, s.lostFrom(s.records[done].Cell)...)
		why = fmt.Sprintf("cell %d could not be run again: %s", s.records[done].Cell, problem)
		s.forget(done)
	}
}

// inTime is rerun within the time that the cells may need: a multiple of what they took the first time. It ends when the time of
// a cell is over, so that those before it can be run again, which they did in time; over says that it did.
func (s *Session) inTime(ctx context.Context) (done int, problem string, over bool) {
	var took time.Duration
	for _, r := range s.records {
		took += r.Took
	}
	limit := s.cfg.Limits.ReplayTime
	if limit <= 0 {
		limit = max(s.limits.ReplayTime, replayFactor*took)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errReplayTime)
	defer cancel()
	done, problem = s.rerun(ctx)
	return done, problem, problem != "" && errors.Is(context.Cause(ctx), errReplayTime)
}

// replayFactor is how much longer cells may take when they are run again: the machine may be busier.
const replayFactor = 3

var errReplayTime = errors.New("it took too long")

// begin gives the session a worker with the context of its first cell.
func (s *Session) begin(ctx context.Context) error {
	p, err := s.start(ctx)
	if err != nil {
		return fmt.Errorf("replace the worker: %w", err)
	}
	s.worker = p
	return nil
}

// rerun runs the records in the session's worker. It returns how many went as before, and what was wrong with the next one.
func (s *Session) rerun(ctx context.Context) (done int, problem string) {
	s.differing = nil
	current := s.text
	defer func() { s.text = current }()
	s.text = s.first
	for i := range s.records {
		record := &s.records[i]
		if record.Context != nil {
			s.text = textState{*record.Context, record.History}
			if err := s.worker.setContext(ctx, s.text); err != nil {
				return i, err.Error()
			}
		}
		r := s.newRunning(*record)
		r.replay = true
		r.run(ctx)
		if r.result == nil {
			return i, r.problem(ctx)
		}
		now := trim(*r.result, r.number, 0).Changed
		s.differing = append(s.differing, differences(record.Changed, now)...)
		if !r.result.Sound {
			return i, "it left the notebook unsound"
		}
		if s.cfg.Restoring != nil {
			s.cfg.Restoring(i+1, len(s.records))
		}
	}
	return len(s.records), ""
}

// problem says why a replayed cell has no result.
func (r *running) problem(ctx context.Context) string {
	if c := r.p.cause.Load(); c != nil && c.what == causeCancelled {
		return context.Cause(ctx).Error()
	} else if c != nil && c.what == causeReplay {
		return c.detail
	}
	return r.p.autopsy(r.s.limits).text
}

// restoreText gives the worker the context for the cells to come, if it was changed after the last recorded cell.
func (s *Session) restoreText(ctx context.Context) error {
	if !s.changed {
		return nil
	}
	return s.worker.setContext(context.WithoutCancel(ctx), s.text)
}

// differences names the variables whose value can be compared and is another one.
func differences(before, after []repl.Var) []string {
	digests := make(map[string]string, len(after))
	for _, v := range after {
		digests[v.Name] = v.Digest
	}
	var names []string
	for _, v := range before {
		if now := digests[v.Name]; v.Digest != "" && now != "" && now != v.Digest {
			names = append(names, v.Name)
		}
	}
	return names
}

// split parts what was lost, with what came out differently, into what is gone and what an earlier cell left with another value.
func (s *Session) split(lost []string) (gone, differing []string) {
	differing = s.differing
	s.differing = nil
	there := map[string]bool{}
	for _, record := range s.records {
		for _, name := range record.names() {
			there[name] = true
		}
	}
	for _, name := range lost {
		if there[name] {
			differing = append(differing, name)
		} else {
			gone = append(gone, name)
		}
	}
	slices.Sort(gone)
	slices.Sort(differing)
	return slices.Compact(gone), slices.Compact(differing)
}

// lostFrom names what cell and the cells after it set or declared last.
func (s *Session) lostFrom(cell int) []string {
	var names []string
	for name, setBy := range s.setBy {
		if setBy >= cell {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// forget drops the records from index n on, and what is known of their variables.
func (s *Session) forget(n int) {
	if n < len(s.records) {
		from := s.records[n].Cell
		maps.DeleteFunc(s.setBy, func(_ string, cell int) bool { return cell >= from })
		for _, record := range s.records[n:] {
			s.changed = s.changed || record.Context != nil
		}
	}
	s.records = s.records[:n]
}

// message tells the model what became of its variables.
func (r Restore) message() string {
	switch {
	case r.Losses() != "":
		return "The notebook was restarted: " + r.Losses() + ". What this cell set is gone."
	case r.Why != "":
		return "The notebook was restarted (" + r.Why + ")."
	case r.Cells == 0:
		return "The notebook was restarted; what this cell set is gone."
	}
	return "The notebook was restarted and the earlier cells were run again: variables, functions and types are as they were before this cell. What this cell set is gone."
}

// Losses says which names are gone, which variables are not what they were, and why; "" if all is as it was.
func (r Restore) Losses() string {
	var parts []string
	if len(r.Lost) > 0 {
		parts = append(parts, strings.Join(r.Lost, ", ")+" could not be restored and must be defined again")
	}
	if len(r.Differing) > 0 {
		parts = append(parts, "these variables are not what they were: "+strings.Join(r.Differing, ", "))
	}
	if len(parts) > 0 && r.Why != "" {
		parts[len(parts)-1] += " (" + r.Why + ")"
	}
	return strings.Join(parts, "; ")
}
