package live

import (
	"context"
	"iter"
	"maps"
	"slices"
	"sync"
)

// changes says which sessions changed, for those who watch the list.
type changes struct {
	mu      sync.Mutex
	watches map[*watch]struct{}
}

// watch gathers what one watcher has not heard of yet.
type watch struct {
	ids  map[string]struct{}
	some chan struct{} // holds one when there are ids
}

// note says that a session changed, is new or was deleted.
func (c *changes) note(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for w := range c.watches {
		w.ids[id] = struct{}{}
		select {
		case w.some <- struct{}{}:
		default:
		}
	}
}

// Changes yields the ids of sessions that change from the call on, each time those that changed meanwhile, until ctx is done.
func (s *Sessions) Changes(ctx context.Context) iter.Seq[[]string] {
	c, w := &s.changes, &watch{map[string]struct{}{}, make(chan struct{}, 1)}
	c.mu.Lock()
	c.watches[w] = struct{}{}
	c.mu.Unlock()
	context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.watches, w)
	})
	return func(yield func([]string) bool) {
		for {
			select {
			case <-w.some:
			case <-ctx.Done():
				return
			}
			c.mu.Lock()
			ids := slices.Sorted(maps.Keys(w.ids))
			clear(w.ids)
			c.mu.Unlock()
			if !yield(ids) {
				return
			}
		}
	}
}
