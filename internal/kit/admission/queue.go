// Package admission bounds what goes on at once.
package admission

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// Queue has a number of places. A free one goes to the highest priority, among equals to the one who has the fewest places and whose last turn
// is longest ago, so that somebody with a hundred wishes does not keep others waiting for all of them. Those of one keep their order.
// It is safe for concurrent use.
type Queue struct {
	mu      sync.Mutex
	free    int
	inside  map[string]int // places that are taken, by whom
	turns   int            // that were given
	last    map[string]int // the last turn of each
	waiting []*waiter      // in the order in which they came
}

// Wish is for a place.
type Wish struct {
	Who      string
	Priority int
	Ahead    func(n int) // called with how many are ahead while it waits, under the queue's lock; nil: nobody hears
}

type waiter struct {
	Wish
	turn chan struct{} // closed when it is its turn
}

// NewQueue makes a queue with so many places.
func NewQueue(places int) *Queue {
	return &Queue{free: places, inside: map[string]int{}, last: map[string]int{}}
}

// Enter waits for a place. The error is that of ctx: then there is none to leave.
func (q *Queue) Enter(ctx context.Context, wish Wish) error {
	q.mu.Lock()
	if q.try(wish.Who) {
		q.mu.Unlock()
		return nil
	}
	w := &waiter{wish, make(chan struct{})}
	q.waiting = append(q.waiting, w)
	q.tellAll()
	q.mu.Unlock()
	select {
	case <-w.turn:
		return nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, w)
	if i < 0 { // its turn came at the same moment
		q.next(wish.Who)
		return ctx.Err()
	}
	q.waiting = slices.Delete(q.waiting, i, i+1)
	q.tellAll()
	return ctx.Err()
}

// Room reports whether there is a place for which nobody waits.
func (q *Queue) Room() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.free > 0
}

// Try takes a place if there is room.
func (q *Queue) Try(who string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.try(who)
}

func (q *Queue) try(who string) bool {
	if q.free == 0 {
		return false
	}
	q.free--
	q.give(who)
	return true
}

// Leave gives the place of somebody to the next.
func (q *Queue) Leave(who string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.next(who)
}

// next takes a place from somebody and lets the next one in. The caller holds mu.
func (q *Queue) next(who string) {
	if q.inside[who]--; q.inside[who] == 0 {
		delete(q.inside, who)
	}
	if len(q.waiting) == 0 {
		q.free++
		if len(q.inside) == 0 {
			clear(q.last) // nobody is left whom turns could be counted against
		}
		return
	}
	w := q.order()[0]
	q.waiting = slices.DeleteFunc(q.waiting, func(o *waiter) bool { return o == w })
	q.give(w.Who)
	close(w.turn)
	q.tellAll()
}

// give counts a turn of somebody. The caller holds mu.
func (q *Queue) give(who string) {
	q.turns++
	q.inside[who]++
	q.last[who] = q.turns
}

// order are those who wait, as their turns come if nobody else does. The caller holds mu.
func (q *Queue) order() []*waiter {
	before := map[*waiter]int{} // places and wishes of the same one that come before
	count := map[string]int{}
	for _, w := range q.waiting {
		before[w] = q.inside[w.Who] + count[w.Who]
		count[w.Who]++
	}
	out := slices.Clone(q.waiting)
	slices.SortStableFunc(out, func(a, b *waiter) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(before[a], before[b]), cmp.Compare(q.last[a.Who], q.last[b.Who]))
	})
	return out
}

func (q *Queue) tellAll() {
	if !slices.ContainsFunc(q.waiting, func(w *waiter) bool { return w.Ahead != nil }) {
		return
	}
	for i, w := range q.order() {
		if w.Ahead != nil {
			w.Ahead(i)
		}
	}
}
