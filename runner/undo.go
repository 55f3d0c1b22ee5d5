package runner

import (
	"context"
	"errors"

	"github.com/gorlm/rlm/runner/trajectory"
)

// Undo takes back the last question: its messages leave the conversation and the notebook returns to its earlier
// state. Its cost stays spent, and its events stay in the log.
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
	if err := s.reread(ctx); err != nil {
		return err
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	return old.close()
}
