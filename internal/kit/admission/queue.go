// Package admission bounds concurrent work.
package admission

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// Queue has a number of places. A free one goes to the request with the highest priority; among equals, to the
// owner with the fewest places, then to the owner who was last admitted the longest ago. So an owner with a hundred
// requests does not keep the others waiting. Requests of one owner keep their order. It is safe for concurrent use.
type Queue struct {
	mu      sync.Mutex
	free    int
	inside  map[string]int // places taken, by owner
	turns   int            // number of admissions so far
	last    map[string]int // each owner's last admission, as a value of turns
	waiting []*waiter      // in order of arrival
}

// Wish is a request for a place.
type Wish struct {
	Who      string
	Priority int
	Ahead    func(n int) // called under the queue's lock with the number of wishes ahead while it waits; may be nil
}

type waiter struct {
	Wish
	turn chan struct{} // closed when the wish is admitted
}

// NewQueue returns a queue with the given number of places.
func NewQueue(places int) *Queue {
	return &Queue{free: places, inside: map[string]int{}, last: map[string]int{}}
}

// Enter waits for a place. If ctx ends first, it returns ctx's error and takes no place.
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
	if i < 0 { // admitted just now
		q.next(wish.Who)
		return ctx.Err()
	}
	q.waiting = slices.Delete(q.waiting, i, i+1)
	q.tellAll()
	return ctx.Err()
}

// Room reports whether there is a free place.
func (q *Queue) Room() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.free > 0
}

// Try takes a place if there is a free one.
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

// Leave frees one of the owner's places for the next waiting request.
func (q *Queue) Leave(who string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.next(who)
}

// next takes a place from an owner and admits the next waiting request. The caller holds mu.
func (q *Queue) next(who string) {
	if q.inside[who]--; q.inside[who] == 0 {
		delete(q.inside, who)
	}
	if len(q.waiting) == 0 {
		q.free++
		if len(q.inside) == 0 {
			clear(q.last) // forgets owners that may never return
		}
		return
	}
	w := q.order()[0]
	q.waiting = slices.DeleteFunc(q.waiting, func(o *waiter) bool { return o == w })
	q.give(w.Who)
	close(w.turn)
	q.tellAll()
}

// give counts an admission of the owner who. The caller holds mu.
func (q *Queue) give(who string) {
	q.turns++
	q.inside[who]++
	q.last[who] = q.turns
}

// order returns the waiting wishes in the order in which they will be admitted, if no others arrive. The caller
// holds mu.
func (q *Queue) order() []*waiter {
	before := map[*waiter]int{} // for each wish: its owner's places and earlier wishes
	count := map[string]int{}
	for _, w := range q.waiting {
		before[w] = q.inside[w.Who] + count[w.Who]
		count[w.Who]++
	}
	out := slices.Clone(q.waiting)
	slices.SortStableFunc(out, func(a, b *waiter) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(before[a], before[b]),
			cmp.Compare(q.last[a.Who], q.last[b.Who]))
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
