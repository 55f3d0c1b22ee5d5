package sandbox

import "sync"

// replyQueue sends replies to the worker one at a time; those with a place in the log are sent in that order. A
// reply gets its place when it is recorded. Replies may be recorded concurrently; each one that is sent wakes only
// the next.
type replyQueue struct {
	sending chan struct{} // a token, held while a reply is sent
	closed  chan struct{}

	mu    sync.Mutex
	next  int
	turns map[int]chan struct{} // channels of waiting replies, by place; closed when it is their turn
}

func newReplyQueue() *replyQueue {
	return &replyQueue{
		sending: make(chan struct{}, 1), closed: make(chan struct{}), next: 1,
		turns: make(map[int]chan struct{}),
	}
}

// send calls do when it is the turn of the reply with this place. A reply without a place (0) does not wait for a
// turn.
func (o *replyQueue) send(place int, do func()) {
	if turn := o.turn(place); turn != nil {
		select {
		case <-turn:
		case <-o.closed:
		}
	}
	select {
	case o.sending <- struct{}{}: // blocks while the worker does not read
		do()
		<-o.sending
	case <-o.closed:
		do()
	}
	o.sent(place)
}

// turn returns a channel to wait on, or nil if the reply need not wait.
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

// sent lets the reply after place proceed.
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

// close wakes all waiting replies.
func (o *replyQueue) close() { close(o.closed) }
