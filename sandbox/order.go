package sandbox

import "sync"

// order lets replies go to the worker one at a time, those that have a place in the log in its order. The place is given
// when a reply is recorded, and several are recorded at once.
type order struct {
	mu      sync.Mutex
	turn    sync.Cond
	next    int
	sending bool
	closed  bool
}

func newOrder() *order {
	o := &order{next: 1}
	o.turn.L = &o.mu
	return o
}

// send calls do when it is the turn of place; at once for place 0.
func (o *order) send(place int, do func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for (o.sending || place > o.next) && !o.closed {
		o.turn.Wait()
	}
	o.sending = true
	o.mu.Unlock() // a worker may not read what it is sent
	do()
	o.mu.Lock()
	o.sending = false
	if place == o.next {
		o.next++
	}
	o.turn.Broadcast()
}

// close lets nobody wait any more.
func (o *order) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.turn.Broadcast()
}
