package exact

import (
	"sync"
	"time"

	"github.com/gorlm/rlm/repl/internal/engine"
)

// clock is the clock of the running cell.
type clock struct {
	e   *Engine
	mu  sync.Mutex
	now func() time.Time
}

func newClock(e *Engine) *clock { return &clock{e: e, now: time.Now} }

func (c *clock) set(k engine.Conditions) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = k.Now
	if c.now == nil {
		c.now = time.Now
	}
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	now := c.now
	c.mu.Unlock()
	return now()
}

// standIn is what takes the place of a function that reads the clock; nil for others.
func (c *clock) standIn(name string) any {
	switch name {
	case "time.Now":
		return c.read
	case "time.Since":
		return func(t time.Time) time.Duration { return c.read().Sub(t) }
	case "time.Until":
		return func(t time.Time) time.Duration { return t.Sub(c.read()) }
	}
	return nil
}
