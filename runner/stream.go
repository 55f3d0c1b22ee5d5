package runner

import (
	"context"
	"iter"
	"sync"

	"github.com/gorlm/rlm/runner/trajectory"
)

// stream runs work and yields the events of the session's log meanwhile, after those that are given. The one who ranges over it
// sets the pace; break cancels the work and waits for its end.
func (s *Session) stream(ctx context.Context, before []trajectory.Event, work func(context.Context, *pace) error) iter.Seq2[trajectory.Event, error] {
	return func(yield func(trajectory.Event, error) bool) {
		if err := s.acquire(); err != nil {
			yield(trajectory.Event{}, err)
			return
		}
		defer s.mu.Unlock()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		for _, ev := range before {
			if !yield(ev, nil) {
				return
			}
		}
		p := newPace(s.log.Seq())
		events, stop := s.log.Subscribe()
		var failed error
		var working sync.WaitGroup
		defer working.Wait()
		working.Go(func() {
			defer stop()
			failed = work(ctx, p)
			p.drain(s.log)
		})
		defer p.leave()
		defer cancel()
		for ev := range events {
			if !yield(ev, nil) {
				return
			}
			if !trajectory.Transient(ev.Data) {
				p.took(ev.Seq)
			}
		}
		working.Wait()
		if failed != nil {
			yield(trajectory.Event{}, failed)
		}
	}
}
