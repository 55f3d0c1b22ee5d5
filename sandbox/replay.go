package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Restore runs recorded cells in this new session after their host has exited. As after a worker's death, their
// output is not shown, and their calls are answered from the records. Cells that did not compile may be left out of
// the records.
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
			s.text = s.state(*c.Context, c.History)
		}
	}
	return s.replay(ctx, time.Now())
}

// revive starts another worker and rebuilds the session's state in it. It fails only if no worker is available.
func (s *Session) revive(ctx context.Context) (Restore, error) {
	began := time.Now()
	if s.replays >= s.limits.Replays && len(s.records) > 0 {
		lost := holdingsOf(s.records).names()
		s.forget(0)
		err := s.begin(ctx)
		return Restore{
			Lost: lost, Took: time.Since(began),
			Why: fmt.Sprintf("the worker was replaced %d times before in this run; "+
				"the state is not built up again", s.replays),
		}, err
	}
	s.replays++
	restored, err := s.replay(ctx, began)
	if err == nil { // a worker that died once may die again
		s.workers.warm(s.worker.how)
	}
	return restored, err
}

// rerunAll runs the recorded cells in a worker. If a cell strays, only what it set itself is lost: if it breaks the
// worker, all other cells run in a new one.
func (s *Session) rerunAll(ctx context.Context, began time.Time) (Restore, error) {
	b := newRebuild(s)
	for {
		if s.worker == nil || !s.worker.alive() {
			s.discard()
			if err := s.begin(context.WithoutCancel(ctx)); err != nil {
				return Restore{}, err
			}
		}
		s.worker.thaw()
		failed := b.attempt(ctx)
		if failed == nil {
			return b.restored(began), s.restoreText(ctx)
		}
		if s.kept != nil { // the old worker, which was kept, still has the state
			return Restore{broken: true, died: !failed.late}, nil
		}
		s.discard()
		if ctx.Err() != nil { // the caller has cancelled; the records are kept for the next time
			return Restore{}, fmt.Errorf("run the earlier cells again: %w", context.Cause(ctx))
		}
		b.giveUp(failed)
	}
}

// replayTime is how long the recorded cells may take together: a multiple of what they took the first time.
func (s *Session) replayTime() time.Duration {
	if limit := s.cfg.Limits.ReplayTime; limit > 0 {
		return limit
	}
	var took time.Duration
	for _, r := range s.records {
		took += r.Took
	}
	return max(s.limits.ReplayTime, replayFactor*took)
}

// replayFactor is how much longer a replay may take than the first run: the machine may be busier.
const replayFactor = 3

// begin gives the session a worker with the context of its first cell.
func (s *Session) begin(ctx context.Context) error {
	p, err := s.start(ctx)
	if err != nil {
		return fmt.Errorf("replace the worker: %w", err)
	}
	s.worker = p
	return nil
}

// restoreText gives the worker the context of the next cell, if the context was changed after the last recorded
// cell.
func (s *Session) restoreText(ctx context.Context) error {
	if !s.changed {
		return nil
	}
	return s.worker.setContext(context.WithoutCancel(ctx), s.text)
}

// forget drops the records from index n on.
func (s *Session) forget(n int) {
	for last := len(s.records) - 1; last >= n; last-- {
		s.drop(last)
	}
}

// drop drops the record at index i. If a change of the context preceded its cell, the next record inherits it.
func (s *Session) drop(i int) {
	gone := s.records[i]
	s.records = append(s.records[:i], s.records[i+1:]...)
	switch {
	case gone.Context == nil:
	case i == len(s.records):
		s.changed = true
	case s.records[i].Context == nil:
		s.records[i].Context, s.records[i].History = gone.Context, gone.History
	}
}

// message explains to the model what became of its variables.
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

// Losses lists the names that are gone and those that differ, with the reasons; "" if nothing was lost.
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
