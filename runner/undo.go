package runner

import (
	"context"
	"errors"

	"github.com/gorlm/rlm/runner/trajectory"
)

// Undo takes back the last question: its messages leave the conversation and the notebook is what it was before. What it
// cost stays spent, and its events stay in the log.
func (s *Session) Undo(ctx context.Context) error {
	if err := s.acquire(); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if s.runs == 0 {
		return errors.New("there is no question to take back")
	}
	if _, err := s.log.Append("", 0, trajectory.Undone{Runs: 1}); err != nil {
		return err
	}
	old := s.nb
	if err := s.reload(ctx); err != nil {
		return err
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	return old.close()
}

// kept are the events that were not taken back.
func kept(events []trajectory.Event) []trajectory.Event {
	var out []trajectory.Event
	var starts []int
	for _, ev := range events {
		switch d := ev.Data.(type) {
		case trajectory.RunStarted:
			if ev.Path == "" {
				starts = append(starts, len(out))
			}
		case trajectory.Undone:
			first := max(0, len(starts)-d.Runs)
			if first < len(starts) {
				out = withContext(out[:starts[first]], out[starts[first]:])
				starts = starts[:first]
			}
			continue
		}
		out = append(out, ev)
	}
	return out
}

// withContext keeps changes of the context that were made during what is taken back: a person made them.
func withContext(before, undone []trajectory.Event) []trajectory.Event {
	for _, ev := range undone {
		if _, ok := ev.Data.(trajectory.ContextAdded); ok && ev.Path == "" {
			before = append(before, ev)
		}
	}
	return before
}
