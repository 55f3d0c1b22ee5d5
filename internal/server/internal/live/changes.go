package live

import (
	"context"
	"sync"
)

// changes says which sessions changed, for those who watch the list.
type changes struct {
	mu      sync.Mutex
	version int64
	last    map[string]int64 // by session: the version of its last change
	changed chan struct{}    // closed with the next change
}

func newChanges() changes { return changes{last: map[string]int64{}, changed: make(chan struct{})} }

// note says that a session changed, is new or was deleted.
func (c *changes) note(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
	c.last[id] = c.version
	close(c.changed)
	c.changed = make(chan struct{})
}

// Changed waits until sessions changed after a version, and returns their ids with the version to ask for the next time. A negative
// version is that of now.
func (s *Sessions) Changed(ctx context.Context, after int64) (ids []string, version int64) {
	c := &s.changes
	for {
		c.mu.Lock()
		if after < 0 {
			after = c.version
		}
		for id, at := range c.last {
			if at > after {
				ids = append(ids, id)
			}
		}
		version, changed := c.version, c.changed
		c.mu.Unlock()
		if len(ids) > 0 {
			return ids, version
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, version
		}
	}
}
