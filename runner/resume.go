package runner

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/gorlm/rlm/runner/trajectory"
)

// Resume continues the run id where it stopped; no recorded call of a model is made again. A run that a limit
// ended continues with a new budget, which opts may raise; one whose review was rejected continues with the note.
// opts change the run's configuration; without them it continues unchanged. It yields the recorded events first.
func (r *Runner) Resume(ctx context.Context, id string, opts ...Option) iter.Seq2[trajectory.Event, error] {
	return once(func(yield func(trajectory.Event, error) bool) {
		s, err := r.openRecorded(ctx, id, opts...)
		if err != nil {
			yield(trajectory.Event{}, err)
			return
		}
		defer s.Close()
		for ev, err := range s.Resume(ctx) {
			if !yield(ev, err) {
				return
			}
		}
	})
}

// Pending reports whether the last run of the session was interrupted, or its review was rejected and nothing
// happened since. Resume continues it.
func (s *Session) Pending() bool {
	rest := s.left()
	return len(rest.interrupted) > 0 || rest.rejected != ""
}

// Resume continues the last run. An interrupted run, or one whose endpoint failed, continues where it stopped; one
// that a limit ended asks its question again, with a new budget; one whose review was rejected continues with the
// note. Resume yields the recorded events of an interrupted run first, then new ones.
func (s *Session) Resume(ctx context.Context) iter.Seq2[trajectory.Event, error] {
	switch rest := s.left(); {
	case len(rest.interrupted) > 0:
		return once(s.resumeInterrupted(ctx, rest.interrupted))
	case rest.rejected != "":
		return once(s.stream(ctx, nil, func(ctx context.Context, p *backpressure) error {
			return s.rework(ctx, p, rest.rejected)
		}))
	case rest.limited != "":
		return once(s.stream(ctx, nil, func(ctx context.Context, p *backpressure) error {
			s.runs++
			return s.answer(ctx, p, nil, questionInput{question: rest.limited, kind: kindMore})
		}))
	}
	return func(yield func(trajectory.Event, error) bool) {
		err := s.acquire()
		if err == nil {
			if err = fmt.Errorf("run %s is complete: there is nothing to resume; fork it to continue from one of its turns", s.id); s.runs == 0 {
				err = fmt.Errorf("run %s has no question yet: there is nothing to resume", s.id)
			}
			s.mu.Unlock()
		}
		yield(trajectory.Event{}, err)
	}
}

// resumeInterrupted continues an interrupted run.
func (s *Session) resumeInterrupted(ctx context.Context, past []trajectory.Event) iter.Seq2[trajectory.Event, error] {
	start := past[0].Data.(trajectory.RunStarted)
	q := questionInput{question: start.Question, kind: kindQuestion, interactive: start.Interactive}
	if start.Review {
		q.kind = kindReview
	}
	return s.stream(ctx, past, func(ctx context.Context, p *backpressure) error {
		if err := s.rewind(ctx); err != nil {
			return err
		}
		s.leaves(pendingWork{})
		s.remember(past)
		if err := s.append(trajectory.Resumed{
			Pause: max(0, time.Since(past[len(past)-1].Time)), Request: requestOf(ctx),
		}); err != nil {
			return err
		}
		return s.answer(ctx, p, past, q)
	})
}

// rewind resets a session to the state in which its interrupted run began, unless it has just been opened and is in
// that state already.
func (s *Session) rewind(ctx context.Context) error {
	if s.nb.session == nil && s.nb.begun == nil && !s.left().said {
		return nil
	}
	old := s.nb
	if err := s.reread(ctx); err != nil {
		return err
	}
	return old.close()
}
