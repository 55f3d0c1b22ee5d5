package sandbox

import "sync"

// replyQueue lets replies go to the worker one at a time, those that have a place in the log in its order. The place is given
// when a reply is recorded, and several are recorded at once: each wakes the one after it, and no other.
type replyQueue struct {
	sending chan struct{} // has room while nobody sends
	closed  chan struct{}

	mu    sync.Mutex
	next  int
	turns map[int]chan struct{} // of those that wait, by place; closed when it is their turn
}

func newReplyQueue() *replyQueue {
	return &replyQueue{sending: make(chan struct{}, 1), closed: make(chan struct{}), next: 1, turns: make(map[int]chan struct{})}
}

// send calls do when it is the turn of place; at once for place 0.
func (o *replyQueue) send(place int, do func()) {
	if turn := o.turn(place); turn != nil {
		select {
		case <-turn:
		case <-o.closed:
		}
	}
	select {
	case o.sending <- struct{}{}: // a worker may not read what it is sent
		do()
		<-o.sending
	case <-o.closed:
		do()
	}
	o.sent(place)
}

// turn is what to wait for, nil if place need not wait.
func (o *replyQueue) turn(place int) <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if place <= o.next {
		return nil
	}
	if o.turns[place] == nil {
		o.turns[place] = make(chan struct{})
	}
	return o.turns[place]
}

// sent lets the one behind place have its turn.
func (o *replyQueue) sent(place int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if place != o.next {
		return
	}
	o.next++
	if turn := o.turns[o.next]; turn != nil {
		close(turn)
		delete(o.turns, o.next)
	}
}

// close lets nobody wait any more.
func (o *replyQueue) close() { close(o.closed) }
