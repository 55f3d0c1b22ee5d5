package runner

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorlm/rlm/internal/kit/callback"
	"github.com/gorlm/rlm/runner/internal/hostopt"
	"github.com/gorlm/rlm/runner/trajectory"
)

// ErrBusy means that the session is doing something else.
var ErrBusy = errors.New("the session is busy: stop what it is doing, or wait for it to finish")

// acquire locks the session for one operation.
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

// within calls do while the options in ctx are added to the session's own; see package host.
func (s *Session) within(ctx context.Context, do func() error) error {
	opts, _ := ctx.Value(hostopt.WithinKey{}).([]Option)
	if len(opts) == 0 {
		return do()
	}
	own := s.cfg
	cfg, err := own.with(opts...)
	if err == nil {
		err = s.adopt(cfg)
	}
	if err != nil {
		return err
	}
	err = do()
	own.Tools, own.outside = s.cfg.Tools, s.cfg.outside // do may have listed the tools again
	return errors.Join(err, s.adopt(own))
}

// stream runs work and yields the events of the session's log meanwhile, after past and the events recorded before
// the question. The caller's loop sets the pace; break cancels the work and waits for its end.
func (s *Session) stream(
	ctx context.Context, past []trajectory.Event,
	work func(context.Context, *backpressure) error,
) iter.Seq2[trajectory.Event, error] {
	return func(yield func(trajectory.Event, error) bool) {
		if err := s.acquire(); err != nil {
			yield(trajectory.Event{}, err)
			return
		}
		defer s.mu.Unlock()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer s.boundStore(ctx)()
		for _, ev := range slices.Concat(past, s.early) {
			if !yield(ev, nil) {
				return
			}
		}
		s.early = nil
		p := newBackpressure(s.log.Seq())
		events, stop := s.log.Subscribe()
		var failed error
		var working sync.WaitGroup
		defer working.Wait()
		working.Go(func() {
			defer stop()
			callback.Guard("the run", &failed, func() error {
				return s.within(ctx, func() error { return work(ctx, p) })
			})
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

// storeGrace is how long a run waits for a store, whose functions take no context, after the run's context is done.
const storeGrace = 3 * time.Second

// boundStore ends the wait for a store shortly after the end of ctx, until done is called.
func (s *Session) boundStore(ctx context.Context) (done func()) {
	over := make(chan struct{})
	context.AfterFunc(ctx, func() {
		for every := time.NewTicker(storeGrace); ; {
			select {
			case <-every.C:
				s.log.GiveUp(context.Cause(ctx))
			case <-over:
				every.Stop()
				return
			}
		}
	})
	return func() { close(over) }
}

// watched does work before the first question and yields the transient events of the session's log meanwhile; the
// others come with the question. stays reports whether the reader wants more; a reader that left has cancelled the
// work.
func (s *Session) watched(
	ctx context.Context, yield func(trajectory.Event, error) bool, work func(context.Context) error) (
	stays bool, failed error,
) {
	ctx, cancel := context.WithCancel(ctx)
	events, stop := s.log.Subscribe()
	var working sync.WaitGroup
	defer working.Wait()
	defer cancel()
	working.Go(func() {
		defer stop()
		callback.Guard("the session", &failed, func() error { return work(ctx) })
	})
	for ev := range events {
		if trajectory.Transient(ev.Data) && !yield(ev, nil) {
			return false, nil
		}
	}
	working.Wait()
	return true, failed
}

// once makes a sequence that can be ranged over only once.
func once(seq iter.Seq2[trajectory.Event, error]) iter.Seq2[trajectory.Event, error] {
	var used atomic.Bool
	return func(yield func(trajectory.Event, error) bool) {
		if used.Swap(true) {
			yield(trajectory.Event{}, errors.New("these events have already been ranged over; they can be consumed only once"))
			return
		}
		seq(yield)
	}
}

// failing is a sequence of one error.
func failing(err error) iter.Seq2[trajectory.Event, error] {
	return func(yield func(trajectory.Event, error) bool) { yield(trajectory.Event{}, err) }
}

// backpressure lets the loop over a run set its pace: a turn begins when the reply before it has been read. Events
// of sub-calls are not awaited one by one, so that a slow reader never delays calls in flight. A nil backpressure
// does not wait.
type backpressure struct {
	mu   sync.Mutex
	seen int64
	gone bool          // the reader is gone
	wake chan struct{} // closed when seen grows or gone is set
}

// newBackpressure starts after event seq.
func newBackpressure(seq int64) *backpressure {
	return &backpressure{seen: seq, wake: make(chan struct{})}
}

// took records that the reader has read event seq.
func (p *backpressure) took(seq int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if seq > p.seen {
		p.seen = seq
		close(p.wake)
		p.wake = make(chan struct{})
	}
}

// leave records that the reader is gone.
func (p *backpressure) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = true
	close(p.wake)
	p.wake = make(chan struct{})
}

// drain returns when the reader has read everything or left.
func (p *backpressure) drain(log *trajectory.Log) {
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

// wait returns when the reader has read event last.
func (p *backpressure) wait(ctx context.Context, last int64) error {
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
