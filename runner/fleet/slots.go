package fleet

import (
	"context"
	"slices"
	"sync"
)

// slots are what jobs run in. Who waits for one gets it by priority, and in the order in which they came.
type slots struct {
	mu      sync.Mutex
	free    int
	waiting []*waiter
}

type waiter struct {
	priority int
	got      chan struct{}
}

func newSlots(n int) *slots { return &slots{free: max(1, n)} }

// take waits for a slot. It is false when ctx is done first.
func (s *slots) take(ctx context.Context, priority int) bool {
	s.mu.Lock()
	if s.free > 0 && len(s.waiting) == 0 {
		s.free--
		s.mu.Unlock()
		return true
	}
	w := &waiter{priority, make(chan struct{})}
	at := len(s.waiting)
	for at > 0 && s.waiting[at-1].priority < priority {
		at--
	}
	s.waiting = slices.Insert(s.waiting, at, w)
	s.mu.Unlock()
	select {
	case <-w.got:
		return true
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, w); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
		return false
	}
	return true // it came at the same time
}

// room says that there is a slot that nobody waits for, and try takes it.
func (s *slots) room() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.free > 0 && len(s.waiting) == 0
}

func (s *slots) try() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.free == 0 || len(s.waiting) > 0 {
		return false
	}
	s.free--
	return true
}

// give gives a slot back.
func (s *slots) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		s.free++
		return
	}
	next := s.waiting[0]
	s.waiting = s.waiting[1:]
	close(next.got)
}
