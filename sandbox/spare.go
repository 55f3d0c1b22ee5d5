package sandbox

import (
	"context"
	"time"

	"github.com/gorlm/rlm/sandbox/internal/worker"
)

// spareWorker is a locked-in worker that waits to be used.
type spareWorker struct {
	how    startMode
	stop   context.CancelFunc // cancels the start
	done   chan struct{}
	p      *process
	err    error
	expiry *time.Timer
}

// likely reports whether another worker will probably be needed soon, because this is not the first tree.
func (s *Starter) likely() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.trees > 1
}

// warm starts a spare, if there is none. A spare takes as much time and memory as the worker of a short run. So
// call warm only if another worker is likely to be needed, and only once the one in use is ready, so that the two
// do not compete for the processor.
func (s *Starter) warm(how startMode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.spare != nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	next := &spareWorker{how: how, stop: stop, done: make(chan struct{})}
	s.spare = next
	s.users++
	s.ending.Add(1)
	next.expiry = time.AfterFunc(s.idle, func() { s.expire(next) })
	go func() {
		defer close(next.done)
		next.p, next.err = s.launch(ctx, worker.Cells, nil, how)
	}()
}

// expire ends a spare that was not used in time.
func (s *Starter) expire(old *spareWorker) {
	s.mu.Lock()
	mine := s.spare == old
	if mine {
		s.spare = nil
	}
	s.mu.Unlock()
	if mine {
		s.discard(old)
	}
}

// takeSpare returns the spare if it was started in the right mode and is alive, otherwise nil.
func (s *Starter) takeSpare(how startMode) *process {
	s.mu.Lock()
	next := s.spare
	if next == nil || next.how != how {
		s.mu.Unlock()
		return nil
	}
	s.spare = nil
	s.mu.Unlock()
	<-next.done
	if next.err != nil || !next.p.alive() {
		s.discard(next)
		return nil
	}
	next.release()
	s.drop()
	s.ending.Done()
	s.explain(next.p)
	next.p.waited = true
	return next.p
}

// discard ends a spare that has been removed. If it is still starting, the start is cancelled.
func (s *Starter) discard(old *spareWorker) {
	old.release()
	<-old.done
	if old.p != nil {
		old.p.end()
	}
	s.drop()
	s.ending.Done()
}

// release frees whatever a spare needs only while it waits.
func (s *spareWorker) release() {
	s.expiry.Stop()
	s.stop()
}
