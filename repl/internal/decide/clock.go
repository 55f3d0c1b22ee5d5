package decide

import (
	"errors"
	"sync"
	"syscall"
	"time"
)

// Clock is the clock of the running cell. The zero Clock is the machine's. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now func() time.Time
}

// Set gives the clock what answers each reading from now on; nil is the machine's clock.
func (c *Clock) Set(now func() time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Now is time.Now.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	now := c.now
	c.mu.Unlock()
	if now == nil {
		return time.Now()
	}
	return now()
}

// since is time.Since.
func (c *Clock) since(t time.Time) time.Duration { return c.Now().Sub(t) }

// until is time.Until.
func (c *Clock) until(t time.Time) time.Duration { return t.Sub(c.Now()) }

// loadLocation is time.LoadLocation. Where files cannot be opened, the error is that of an unknown time zone.
func loadLocation(name string) (*time.Location, error) {
	l, err := time.LoadLocation(name)
	if _, refused := errors.AsType[syscall.Errno](err); refused {
		err = errors.New("unknown time zone " + name)
	}
	return l, err
}
