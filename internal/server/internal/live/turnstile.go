package live

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// turnstile bounds the runs that go on at once. The next place goes to the user with the fewest runs under way, and among equals to the one
// whose last turn is longest ago, so that a user with a hundred questions does not keep others waiting for all of them. Questions of one
// user keep their order.
type turnstile struct {
	mu      sync.Mutex
	free    int
	inside  map[string]int // runs that go on, by who began them
	turns   int            // that were given
	last    map[string]int // the last turn of each
	waiting []*waiter      // in the order in which they came
}

type waiter struct {
	who  string
	turn chan struct{} // closed when it is its turn
	tell func(ahead int)
}

func newTurnstile(n int) *turnstile {
	return &turnstile{free: n, inside: map[string]int{}, last: map[string]int{}}
}

// enter waits for a place for somebody. While it waits, tell hears how many are ahead. Leave by leave.
func (t *turnstile) enter(ctx context.Context, who string, tell func(ahead int)) error {
	t.mu.Lock()
	if t.free > 0 {
		t.free--
		t.give(who)
		t.mu.Unlock()
		return nil
	}
	w := &waiter{who, make(chan struct{}), tell}
	t.waiting = append(t.waiting, w)
	t.tellAll()
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
		t.next(who)
		return ctx.Err()
	}
	t.waiting = slices.Delete(t.waiting, i, i+1)
	t.tellAll()
	return ctx.Err()
}

// leave gives the place to the next.
func (t *turnstile) leave(who string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next(who)
}

// next takes a run of somebody out and lets the next one in. The caller holds mu.
func (t *turnstile) next(who string) {
	if t.inside[who]--; t.inside[who] == 0 {
		delete(t.inside, who)
	}
	if len(t.waiting) == 0 {
		t.free++
		return
	}
	w := t.order()[0]
	t.waiting = slices.DeleteFunc(t.waiting, func(o *waiter) bool { return o == w })
	t.give(w.who)
	close(w.turn)
	t.tellAll()
}

// give counts a turn of somebody. The caller holds mu.
func (t *turnstile) give(who string) {
	t.turns++
	t.inside[who]++
	t.last[who] = t.turns
}

// order are those who wait, as their turns come if nobody else does. The caller holds mu.
func (t *turnstile) order() []*waiter {
	before := map[*waiter]int{} // runs of the same one that come before
	count := map[string]int{}
	for _, w := range t.waiting {
		before[w] = t.inside[w.who] + count[w.who]
		count[w.who]++
	}
	out := slices.Clone(t.waiting)
	slices.SortStableFunc(out, func(a, b *waiter) int {
		return cmp.Or(cmp.Compare(before[a], before[b]), cmp.Compare(t.last[a.who], t.last[b.who]))
	})
	return out
}

func (t *turnstile) tellAll() {
	for i, w := range t.order() {
		w.tell(i)
	}
}
