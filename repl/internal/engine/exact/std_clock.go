package exact

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"time"

	"github.com/gorlm/rlm/repl/internal/engine"
)

// clock is the clock of the running cell.
type clock struct {
	e   *Engine
	mu  sync.Mutex
	now func() time.Time
	// made are the timers of cells: weak pointers to timers and tickers → *cellTimer.
	made sync.Map
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

// standIn is what takes the place of a function that asks for the time, or waits; nil for others.
func (c *clock) standIn(name string) any {
	switch name {
	case "time.Now":
		return c.read
	case "time.Since":
		return func(t time.Time) time.Duration { return c.read().Sub(t) }
	case "time.Until":
		return func(t time.Time) time.Duration { return t.Sub(c.read()) }
	case "time.LoadLocation":
		return loadLocation
	case "time.Sleep":
		return c.sleep
	case "time.After":
		return c.after
	case "time.Tick":
		return c.tick
	case "time.NewTimer":
		return c.newTimer
	case "time.NewTicker":
		return c.newTicker
	case "time.AfterFunc":
		return c.afterFunc
	case "(*time.Timer).Stop":
		return c.stopTimer
	case "(*time.Timer).Reset":
		return c.resetTimer
	case "(*time.Ticker).Stop":
		return c.stopTicker
	case "(*time.Ticker).Reset":
		return c.resetTicker
	}
	return c.contextStandIn(name)
}

// contextStandIn is for package context, whose deadlines come from the machine's own clock: it is only known that they come.
func (c *clock) contextStandIn(name string) any {
	switch name {
	case "context.WithTimeout":
		return func(p context.Context, d time.Duration) (context.Context, context.CancelFunc) {
			return c.expected(context.WithTimeout(p, d))
		}
	case "context.WithDeadline":
		return func(p context.Context, at time.Time) (context.Context, context.CancelFunc) {
			return c.expected(context.WithDeadline(p, at))
		}
	case "context.WithTimeoutCause":
		return func(p context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
			return c.expected(context.WithTimeoutCause(p, d, cause))
		}
	case "context.WithDeadlineCause":
		return func(p context.Context, at time.Time, cause error) (context.Context, context.CancelFunc) {
			return c.expected(context.WithDeadlineCause(p, at, cause))
		}
	case "context.AfterFunc":
		return func(ctx context.Context, body func()) func() bool {
			start := c.e.starter(body)
			return context.AfterFunc(ctx, start)
		}
	}
	return nil
}

// expected counts a context until it is done.
func (c *clock) expected(ctx context.Context, cancel context.CancelFunc) (context.Context, context.CancelFunc) {
	context.AfterFunc(ctx, c.e.host.Arrivals.Hold())
	return ctx, cancel
}

// loadLocation is time.LoadLocation with the error of a machine that lets it look for files and has none.
func loadLocation(name string) (*time.Location, error) {
	l, err := time.LoadLocation(name)
	if _, refused := errors.AsType[syscall.Errno](err); refused {
		err = errors.New("unknown time zone " + name)
	}
	return l, err
}
