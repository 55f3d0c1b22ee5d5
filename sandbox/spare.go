package sandbox

import (
	"context"

	"github.com/gorlm/rlm/sandbox/internal/worker"
)

// spare is a worker that is locked in and waits to be used.
type spare struct {
	how  start
	stop context.CancelFunc // ends the start
	done chan struct{}
	p    *process
	err  error
}

// warm has a spare made, if there is none and one more process is allowed. It costs as much as the worker of a short run: to be called where
// another worker is likely to be needed, and when the one in use is ready, so that the two do not compete for the processor.
func (w *Workers) warm(how start) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.spare != nil || len(w.live)+w.queue >= w.max {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &spare{how: how, stop: stop, done: make(chan struct{})}
	w.spare = s
	w.joined.Add(1)
	go func() {
		defer w.joined.Done()
		defer close(s.done)
		defer stop()
		s.p, s.err = w.launch(ctx, worker.Cells, nil, how)
	}()
}

// takeSpare takes the spare if it was started in the right way and lives.
func (w *Workers) takeSpare(how start) *process {
	w.mu.Lock()
	s := w.spare
	if s == nil || s.how != how {
		w.mu.Unlock()
		return nil
	}
	w.spare = nil
	w.mu.Unlock()
	<-s.done
	if s.err != nil || !s.p.alive() {
		s.discard()
		return nil
	}
	w.explain(s.p)
	return s.p
}

// discard ends the spare, also one that is still starting: a program that is done does not wait for a worker it has no use for.
func (s *spare) discard() {
	s.stop()
	<-s.done
	if s.p != nil {
		s.p.end()
	}
}
