package trajectory

import (
	"iter"
	"sync"
)

// Bounds of the queue of a slow subscriber, which reads further events from the log.
const (
	queueLen   = 1024
	queueBytes = 4 << 20 // bytes of long texts
)

// subscription is a reader of a log that is being written.
type subscription struct {
	dir string

	mu     sync.Mutex
	wake   sync.Cond
	queue  []positionedEvent
	bytes  int64    // bytes of long texts in queue
	held   int64    // bytes of long texts that the reader took last, and may still use
	behind bool     // durable events are missing from the queue
	missed position // where the first missing event starts
	latest int64    // the latest durable event offered
	ended  bool     // no further events follow
	gone   bool     // the reader is gone
}

// Subscribe returns the events from now on; they can be ranged over once. A slow reader loses transient events,
// never others (it gets them from the log), and never blocks the run. The events end after Close, after stop, or if
// the log cannot be read. stop may be called more than once.
func (l *Log) Subscribe() (events iter.Seq[Event], stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &subscription{dir: l.dir, latest: l.durable.seq, ended: l.closed}
	s.wake.L = &s.mu
	if !l.closed {
		l.subs[s] = struct{}{}
	}
	stop = func() {
		l.mu.Lock()
		delete(l.subs, s)
		l.mu.Unlock()
		s.leave()
	}
	return func(yield func(Event) bool) {
		defer stop()
		s.run(yield)
	}, stop
}

// Observe makes the log call f with each durable event from now on, in order and before Settle returns. The log
// waits for f, which must be quick and not use the log.
func (l *Log) Observe(f func(Event)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.observe = f
}

// offer adds a durable event, or records that the reader must get it from the log.
func (s *subscription) offer(e positionedEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latest = e.Seq
	if s.behind {
		return
	}
	size := longTexts(e.Data)
	// A text that exceeds the bound is queued if it would be alone in the queue, unless the reader may still hold
	// another such text.
	full := s.bytes+size > queueBytes && (len(s.queue) > 0 || s.held > queueBytes)
	if len(s.queue) >= queueLen || full {
		s.behind = true
		s.missed = position{e.Seq - 1, e.at}
		return
	}
	s.queue = append(s.queue, e)
	s.bytes += size
	s.wake.Signal()
}

// longTexts is the size of the texts of d that are in the side file.
func longTexts(d Data) (size int64) {
	// The mapping changes nothing and cannot fail.
	_, _ = mapTexts(d, func(t Text) (Text, error) {
		if t.Size() > longText {
			size += t.Size()
		}
		return t, nil
	})
	return size
}

// offerTransient adds an event that may be dropped.
func (s *subscription) offerTransient(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.behind && len(s.queue) < queueLen/2 {
		s.queue = append(s.queue, positionedEvent{Event: e})
		s.wake.Signal()
	}
}

// end records that no further events follow.
func (s *subscription) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.wake.Signal()
}

// leave records that the reader is gone.
func (s *subscription) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone, s.queue = true, nil
	s.wake.Signal()
}

func (s *subscription) run(yield func(Event) bool) {
	for {
		queue, missed, ok := s.take()
		for _, e := range queue {
			if s.left() || !yield(e.Event) {
				return
			}
		}
		if !ok {
			return
		}
		if missed.at >= 0 && !s.catchUp(missed, yield) {
			return
		}
	}
}

// take waits for events. missed.at is negative unless the reader must catch up from the log; ok is false if the
// returned events are the last.
func (s *subscription) take() (queue []positionedEvent, missed position, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = 0
	for len(s.queue) == 0 && !s.behind && !s.ended && !s.gone {
		s.wake.Wait()
	}
	if s.gone {
		return nil, position{}, false
	}
	queue, s.queue, s.held, s.bytes = s.queue, nil, s.bytes, 0
	if s.behind {
		return queue, s.missed, true
	}
	return queue, position{at: -1}, len(queue) > 0 || !s.ended
}

func (s *subscription) left() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone
}

// catchUp yields the missing events from the log until none are left, or returns false if the reader or the log
// ends.
func (s *subscription) catchUp(from position, yield func(Event) bool) bool {
	for {
		for e, err := range readFrom(s.dir, from, readOptions{texts: true}) {
			if err != nil || s.left() || !yield(e.Event) {
				return false
			}
			from = position{e.Seq, e.at}
			if s.caughtUp(from.seq) {
				return true
			}
		}
		if s.caughtUp(from.seq) {
			return true
		}
	}
}

// caughtUp makes the subscription use the queue again if the reader has all durable events so far.
func (s *subscription) caughtUp(seq int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seq < s.latest {
		return false
	}
	s.behind = false
	return true
}
