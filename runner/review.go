package runner

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// Review records a person's decision on a run that is pending review. An approval closes it; the events are then only the decision. A
// rejection continues the run with the note as the user's message, and yields what happens like Run.
func (r *Runner) Review(ctx context.Context, id string, approved bool, note string) iter.Seq2[trajectory.Event, error] {
	return once(func(yield func(trajectory.Event, error) bool) {
		s, err := r.reopen(ctx, id)
		if err != nil {
			yield(trajectory.Event{}, err)
			return
		}
		defer s.Close()
		for ev, err := range s.Review(ctx, approved, note) {
			if !yield(ev, err) {
				return
			}
		}
	})
}

// Review is Runner.Review for a session that is open.
func (s *Session) Review(ctx context.Context, approved bool, note string) iter.Seq2[trajectory.Event, error] {
	return once(s.stream(ctx, nil, func(ctx context.Context, p *pace) error {
		switch {
		case !s.inReview:
			return fmt.Errorf("run %s is not pending review", s.id)
		case !approved && note == "":
			return errors.New("a rejection needs a note that says what is missing")
		}
		if _, err := s.log.Append("", 0, trajectory.Reviewed{Approved: approved, Note: note}); err != nil {
			return err
		}
		s.inReview = false
		if approved {
			return nil
		}
		s.runs++
		r, err := s.run(p, nil, false)
		if err != nil {
			return err
		}
		return s.answer(ctx, r, note, kindReview)
	}))
}

// pendingReview reports whether a run waits for a person's decision.
func pendingReview(end trajectory.RunEnded) bool {
	return end.Status == string(termination.PendingReview)
}
