package runner

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/gorlm/rlm/runner/trajectory"
)

// Review records a person's decision on a run that is pending review. Approval closes it, and the decision is the
// only event. Rejection continues the run with the note as the user's message, and yields events like Run.
func (r *Runner) Review(ctx context.Context, id string, approved bool, note string) iter.Seq2[trajectory.Event, error] {
	return once(func(yield func(trajectory.Event, error) bool) {
		s, err := r.openRecorded(ctx, id)
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

// Review is Runner.Review for an open session.
func (s *Session) Review(ctx context.Context, approved bool, note string) iter.Seq2[trajectory.Event, error] {
	return once(s.stream(ctx, nil, func(ctx context.Context, p *backpressure) error {
		switch {
		case !s.rest.inReview:
			return fmt.Errorf("run %s is not pending review", s.id)
		case !approved && note == "":
			return errors.New("a rejection needs a note that says what is missing")
		}
		if _, err := s.log.Append(
			"", 0, trajectory.Reviewed{Approved: approved, Note: note, Request: requestOf(ctx)}); err != nil {
			return err
		}
		if approved {
			rest := s.rest
			rest.inReview, rest.rejected = false, ""
			s.leaves(rest)
			return nil
		}
		return s.rework(ctx, p, note)
	}))
}

// rework continues the work with the reviewer's note.
func (s *Session) rework(ctx context.Context, p *backpressure, note string) error {
	s.leaves(pendingWork{})
	s.runs++
	return s.answer(ctx, p, nil, questionInput{question: note, kind: kindReview})
}
