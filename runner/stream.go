package runner

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/gorlm/rlm/runner/trajectory"
)

// ErrBusy says that the session is doing something else.
var ErrBusy = errors.New("the session is busy with something else: stop that first, or wait for its end")

// acquire takes the session for one thing.
func (s *Session) acquire() error {
	if !s.mu.TryLock() {
		return ErrBusy
	}
	if s.closed {
		s.mu.Unlock()
		return errors.New("the session is closed")
	}
	return nil
}

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

// watched does work before the first question and yields the transient events of the session's log meanwhile; the others come with the question.
// stays reports whether the reader wants more; one who left has cancelled the work.
func (s *Session) watched(ctx context.Context, yield func(trajectory.Event, error) bool, work func(context.Context) error) (stays bool, failed error) {
	ctx, cancel := context.WithCancel(ctx)
	events, stop := s.log.Subscribe()
	var working sync.WaitGroup
	defer working.Wait()
	defer cancel()
	working.Go(func() {
		defer stop()
		failed = work(ctx)
	})
	for ev := range events {
		if trajectory.Transient(ev.Data) && !yield(ev, nil) {
			return false, nil
		}
	}
	working.Wait()
	return true, failed
}

// once makes a sequence that can be ranged over a single time.
func once(seq iter.Seq2[trajectory.Event, error]) iter.Seq2[trajectory.Event, error] {
	used := false
	return func(yield func(trajectory.Event, error) bool) {
		if used {
			yield(trajectory.Event{}, errors.New("these events were ranged over before; a run happens once"))
			return
		}
		used = true
		seq(yield)
	}
}

// failing is a sequence of one error.
func failing(err error) iter.Seq2[trajectory.Event, error] {
	return func(yield func(trajectory.Event, error) bool) { yield(trajectory.Event{}, err) }
}

// pace lets the one who ranges over a run set its speed: a turn begins when the reply before it has been taken. Events of
// sub-calls are not waited for one by one, so that a slow reader never holds up calls that are under way. A nil pace does not wait.
type pace struct {
	mu   sync.Mutex
	seen int64
	gone bool          // nobody reads any more
	wake chan struct{} // closed when seen grows or gone is set
}

// newPace begins after the event seq.
func newPace(seq int64) *pace { return &pace{seen: seq, wake: make(chan struct{})} }

// took says that the reader has taken the event seq.
func (p *pace) took(seq int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if seq > p.seen {
		p.seen = seq
		close(p.wake)
		p.wake = make(chan struct{})
	}
}

// leave says that nobody reads any more.
func (p *pace) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = true
	close(p.wake)
	p.wake = make(chan struct{})
}

// drain returns when the reader has taken everything or left.
func (p *pace) drain(log *trajectory.Log) {
	last := log.Seq()
	for {
		p.mu.Lock()
		done, wake := p.gone || p.seen >= last, p.wake
		p.mu.Unlock()
		if done {
			return
		}
		<-wake
	}
}

// wait returns when the reader has taken the event last.
func (p *pace) wait(ctx context.Context, last int64) error {
	if p == nil {
		return ctx.Err()
	}
	for {
		p.mu.Lock()
		seen, wake := p.seen, p.wake
		p.mu.Unlock()
		if seen >= last {
			return ctx.Err()
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
