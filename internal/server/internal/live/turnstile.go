package live

import (
	"context"
	"slices"
	"sync"
)

// turnstile lets a number of runs go on at once, the others in the order in which they came.
type turnstile struct {
	mu      sync.Mutex
	free    int
	waiting []*waiter
}

type waiter struct {
	turn chan struct{} // closed when it is its turn
	tell func(ahead int)
}

func newTurnstile(n int) *turnstile { return &turnstile{free: n} }

// enter waits for a place. While it waits, tell hears how many are ahead. Leave by leave.
func (t *turnstile) enter(ctx context.Context, tell func(ahead int)) error {
	t.mu.Lock()
	if t.free > 0 {
		t.free--
		t.mu.Unlock()
		return nil
	}
	w := &waiter{make(chan struct{}), tell}
	t.waiting = append(t.waiting, w)
	tell(len(t.waiting) - 1)
	t.mu.Unlock()
	select {
	case <-w.turn:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.waiting, w)
	if i < 0 { // its turn came at the same moment
		t.next()
		return ctx.Err()
	}
	t.waiting = slices.Delete(t.waiting, i, i+1)
	t.tellAll()
	return ctx.Err()
}

// leave gives the place to the next.
func (t *turnstile) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next()
}

func (t *turnstile) next() {
	if len(t.waiting) == 0 {
		t.free++
		return
	}
	close(t.waiting[0].turn)
	t.waiting = t.waiting[1:]
	t.tellAll()
}

func (t *turnstile) tellAll() {
	for i, w := range t.waiting {
		w.tell(i)
	}
}
