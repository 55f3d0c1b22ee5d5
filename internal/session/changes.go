package session

import (
	"context"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"
)

// changes notifies watchers of the list of sessions about changes.
type changes struct {
	mu      sync.Mutex
	watches map[*watch]struct{}
}

// watch collects changes that one watcher has not received yet.
type watch struct {
	ids  map[string]struct{}
	some chan struct{} // holds one element while ids is not empty
}

// note records that a session was changed, created or deleted.
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

// Change is a session that was created, changed or deleted.
type Change struct {
	ID      string
	Session *Summary // nil if it was deleted
}

// Changes yields changes of the sessions that a person can see, from now on until ctx is done. Frequent changes of
// a session are merged into a few per second.
func (m *Manager) Changes(ctx context.Context, who Person) iter.Seq[Change] {
	changes, seen := m.changed(ctx), m.seenBy(who)
	return func(yield func(Change) bool) {
		for ids := range changes {
			for _, id := range ids {
				c := Change{ID: id}
				if l, err := m.Find(who, id); err == nil {
					if sum, err := m.Summary(l); err == nil {
						c.Session = &sum
					}
				}
				if c.Session == nil && !who.Owner && !seen[id] {
					continue
				}
				if seen[id] = c.Session != nil; !yield(c) {
					return
				}
			}
			select { // let changes accumulate: they come in bursts
			case <-time.After(changesEvery):
			case <-ctx.Done():
			}
		}
	}
}

const changesEvery = 200 * time.Millisecond

// changed yields the ids of sessions that change from now on, until ctx is done. Each batch contains the sessions
// that have changed since the previous batch.
func (m *Manager) changed(ctx context.Context) iter.Seq[[]string] {
	c, w := &m.changes, &watch{map[string]struct{}{}, make(chan struct{}, 1)}
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
