package decide

import (
	"errors"
	"sync"
	"syscall"
	"time"
)

// Clock is the clock of the running cell. The zero Clock is that of the machine. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now func() time.Time
}

// Set makes now provide all further readings; nil means the machine's clock.
func (c *Clock) Set(now func() time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Now is time.Now for cells.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	now := c.now
	c.mu.Unlock()
	if now == nil {
		return time.Now()
	}
	return now()
}

// since is time.Since for cells.
func (c *Clock) since(t time.Time) time.Duration { return c.Now().Sub(t) }

// until is time.Until for cells.
func (c *Clock) until(t time.Time) time.Duration { return t.Sub(c.Now()) }

// loadLocation is time.LoadLocation for cells. If files cannot be opened, it returns the error for an unknown time
// zone.
func loadLocation(name string) (*time.Location, error) {
	l, err := time.LoadLocation(name)
	if _, refused := errors.AsType[syscall.Errno](err); refused {
		err = errors.New("unknown time zone " + name)
	}
	return l, err
}
