package runner

import (
	"context"
	"fmt"
	"iter"

	"github.com/gorlm/rlm/runner/trajectory"
)

// Pending reports whether the last run of the session was interrupted and can be taken up with Resume.
func (s *Session) Pending() bool { return len(s.pending) > 0 }

// Resume takes up the last run: one that was interrupted, or whose endpoint failed, where it stopped; one that a limit ended with its question
// anew and a budget of its own. It yields the recorded events of an interrupted run first, then what happens.
func (s *Session) Resume(ctx context.Context) iter.Seq2[trajectory.Event, error] {
	switch {
	case s.Pending():
		return once(s.takeUp(ctx, s.pending))
	case s.limited != "":
		question := s.limited
		return once(s.stream(ctx, nil, func(ctx context.Context, p *pace) error {
			s.runs++
			r, err := s.run(p, nil, false)
			if err != nil {
				return err
			}
			return s.answer(ctx, r, question, kindMore)
		}))
	case s.runs == 0:
		return failing(fmt.Errorf("run %s has no question yet: there is nothing to take up", s.id))
	}
	return failing(fmt.Errorf("run %s is complete: there is nothing to take up; fork it to go on from one of its turns", s.id))
}

func failing(err error) iter.Seq2[trajectory.Event, error] {
	return func(yield func(trajectory.Event, error) bool) { yield(trajectory.Event{}, err) }
}

// takeUp goes on with an interrupted run.
func (s *Session) takeUp(ctx context.Context, past []trajectory.Event) iter.Seq2[trajectory.Event, error] {
	start := past[0].Data.(trajectory.RunStarted)
	return s.stream(ctx, past, func(ctx context.Context, p *pace) error {
		if err := s.rewind(ctx); err != nil {
			return err
		}
		s.pending = nil
		s.remember(past)
		r, err := s.run(p, past, start.Interactive)
		if err != nil {
			return err
		}
		kind := kindQuestion
		if start.Review {
			kind = kindReview
		}
		return s.answer(ctx, r, start.Question, kind)
	})
}

// rewind brings a session that was not opened just now back to where its interrupted run began.
func (s *Session) rewind(ctx context.Context) error {
	if s.nb.session == nil {
		return nil
	}
	old := s.nb
	if err := s.reload(ctx); err != nil {
		return err
	}
	return old.close()
}

// reload rebuilds the session from its log. A mode that was set meanwhile stays.
func (s *Session) reload(ctx context.Context) error {
	events, err := read(s.dir)
	if err != nil {
		return err
	}
	mode := s.mode
	s.conv, s.runs, s.answered, s.pending, s.own = &conversation{}, 0, nil, nil, nil
	if err := s.recall(ctx, events); err != nil {
		return err
	}
	if s.mode != mode {
		s.mode = mode
		s.info.Lock()
		s.cfg.Mode = mode
		s.info.Unlock()
		s.rebuild(trajectory.Kept(events))
	}
	return nil
}

// Kinds of messages that open a run.
const (
	kindQuestion = "question"
	kindReview   = "review"
	kindMore     = "more"
)

// Resume takes up the run id where it stopped: not one call of a model that the log holds is made again. A run that a limit ended goes on with
// a budget of its own, which opts may raise. opts change the
// configuration that the run was begun with; without them it goes on as it was. It yields the recorded events first.
func (r *Runner) Resume(ctx context.Context, id string, opts ...Option) iter.Seq2[trajectory.Event, error] {
	return once(func(yield func(trajectory.Event, error) bool) {
		s, err := r.reopen(ctx, id, opts...)
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

// reopen opens a session with the configuration that its last run was begun with, changed by opts.
func (r *Runner) reopen(ctx context.Context, id string, opts ...Option) (*Session, error) {
	cfg, err := r.recorded(id)
	if err != nil {
		return nil, err
	}
	if cfg, err = cfg.with(opts...); err != nil {
		return nil, err
	}
	again := &Runner{cfg: cfg}
	return again.open(ctx, id, false)
}
