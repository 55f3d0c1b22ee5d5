package trajectory

import (
	"iter"
	"sync"
)

// What waits in memory for a slow subscriber is bounded; what exceeds it is read back from the log.
const (
	queueLen   = 1024
	queueBytes = 4 << 20 // of long texts
)

// subscription is one reader of a log that is being written.
type subscription struct {
	dir string

	mu     sync.Mutex
	wake   sync.Cond
	queue  []positionedEvent
	bytes  int64    // of long texts in queue
	held   int64    // of long texts that the reader took last, and may still hold
	behind bool     // durable events were left out of the queue
	missed position // where the first of them starts
	latest int64    // the last durable event that was offered
	ended  bool     // no further events come
	gone   bool     // nobody reads any more
}

// Subscribe returns the events from now on; it can be ranged over once. A slow reader loses transient
// events, never others (it gets them from the log), and never blocks the run. The events end after Close,
// after stop, or when the log cannot be read. stop may be called more than once.
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

// offer adds a durable event, or notes that the reader must fetch it from the log.
func (s *subscription) offer(e positionedEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latest = e.Seq
	if s.behind {
		return
	}
	size := longTexts(e.Data)
	// A text that is too long for any queue waits in an empty one, unless the reader may hold another such text.
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

// longTexts is the size of the texts of d that the log holds in its side file.
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

// offerTransient adds an event that may be lost.
func (s *subscription) offerTransient(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.behind && len(s.queue) < queueLen/2 {
		s.queue = append(s.queue, positionedEvent{Event: e})
		s.wake.Signal()
	}
}

// end says that no further events come.
func (s *subscription) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.wake.Signal()
}

// leave says that nobody reads any more.
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

// take waits for events. missed.at is negative unless the reader must catch up from the log; ok is false
// when these are the last.
func (s *subscription) take() (queue []positionedEvent, missed position, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = 0
	for len(s.queue) == 0 && !s.behind && !s.ended && !s.gone {
		s.wake.Wait()
	}
	if s.gone {
		return nil, position{at: -1}, false
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

// catchUp yields what was left out, from the log, until nothing is.
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

// caughtUp goes back to the queue if the reader has all durable events up to now.
func (s *subscription) caughtUp(seq int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seq < s.latest {
		return false
	}
	s.behind = false
	return true
}
