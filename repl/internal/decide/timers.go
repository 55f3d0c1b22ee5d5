package decide

import (
	"context"
	"runtime"
	"sync"
	"time"
	"weak"
)

// Timers implements the timers of package time, and the deadlines of package context, for cells. Timers fire
// through the session's Arrivals, one at a time.
type Timers struct {
	Arrivals *Arrivals
	Clock    *Clock
	// Stream returns the calling goroutine's stream, which gives the goroutine's timers their ids.
	Stream func() *Stream
	// Starter returns a function that starts a goroutine of a cell. That goroutine runs body, and belongs to the
	// run that called Starter.
	Starter func(body func()) (start func())
	// Done is closed when the caller's run should stop: all sleepers then wake up and end. It is nil if the
	// engine ends sleepers itself.
	Done func() <-chan struct{}
	// Unwind ends the calling goroutine when Done is closed. It does not return.
	Unwind func()

	made sync.Map // weak pointers to timers and tickers → *cellTimer
}

// Functions maps the full names of functions and methods that read the time or wait to their replacements.
func (t *Timers) Functions() map[string]any {
	return map[string]any{
		"time.Now":                  t.Clock.Now,
		"time.Since":                t.Clock.since,
		"time.Until":                t.Clock.until,
		"time.LoadLocation":         loadLocation,
		"time.Sleep":                t.sleep,
		"time.After":                t.after,
		"time.Tick":                 t.tick,
		"time.NewTimer":             t.newTimer,
		"time.NewTicker":            t.newTicker,
		"time.AfterFunc":            t.AfterFunc,
		"(*time.Timer).Stop":        t.TimerStop,
		"(*time.Timer).Reset":       t.TimerReset,
		"(*time.Ticker).Stop":       t.TickerStop,
		"(*time.Ticker).Reset":      t.TickerReset,
		"context.WithTimeout":       t.withTimeout,
		"context.WithDeadline":      t.withDeadline,
		"context.WithTimeoutCause":  t.withTimeoutCause,
		"context.WithDeadlineCause": t.withDeadlineCause,
		"context.AfterFunc":         t.ContextAfterFunc,
	}
}

// cellTimer implements a time.Timer or time.Ticker of a cell.
type cellTimer struct {
	*Timer
	ch chan time.Time // nil for a timer that calls a function
}

// ring makes a timer that sends on a channel.
func (t *Timers) ring(d, every time.Duration) *cellTimer {
	ch := make(chan time.Time, 1)
	hand := func() {
		select {
		case ch <- t.Clock.Now():
		default: // the last value has not been received yet
		}
	}
	return &cellTimer{t.Arrivals.NewTimer(t.Stream().Timer(), d, every, hand), ch}
}

// stop disarms a timer. A value that was sent but not received is dropped, as in package time.
func (c *cellTimer) stop() bool { return c.Stop() || c.drain() }

func (c *cellTimer) reset(d, every time.Duration) bool {
	drained := c.drain()
	return c.Reset(d, every) || drained
}

func (c *cellTimer) drain() bool {
	select {
	case <-c.ch:
		return true
	default:
		return false
	}
}

// remember stores the cellTimer behind a timer for as long as the cell refers to the timer.
func remember[T any](t *Timers, timer *T, c *cellTimer) *T {
	at := weak.Make(timer)
	t.made.Store(at, c)
	runtime.AddCleanup(timer, func(at weak.Pointer[T]) { t.made.Delete(at) }, at)
	return timer
}

// behind returns the cellTimer behind a timer; nil if no cell made the timer.
func behind[T any](t *Timers, timer *T) *cellTimer {
	if timer == nil {
		return nil
	}
	c, _ := t.made.Load(weak.Make(timer))
	ct, _ := c.(*cellTimer)
	return ct
}

func (t *Timers) sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	var done <-chan struct{}
	if t.Done != nil {
		done = t.Done()
	}
	c := t.ring(d, 0)
	select {
	case <-c.ch:
	case <-done:
		c.Stop()
		t.Unwind()
	}
}

func (t *Timers) after(d time.Duration) <-chan time.Time { return t.ring(d, 0).ch }

func (t *Timers) tick(d time.Duration) <-chan time.Time {
	if d <= 0 {
		return nil
	}
	return t.ring(d, d).ch
}

func (t *Timers) newTimer(d time.Duration) *time.Timer {
	c := t.ring(d, 0)
	return remember(t, &time.Timer{C: c.ch}, c)
}

func (t *Timers) newTicker(d time.Duration) *time.Ticker {
	if d <= 0 {
		panic("non-positive interval for NewTicker")
	}
	c := t.ring(d, d)
	return remember(t, &time.Ticker{C: c.ch}, c)
}

// AfterFunc is time.AfterFunc for cells.
func (t *Timers) AfterFunc(d time.Duration, body func()) *time.Timer {
	start := t.Starter(body)
	c := &cellTimer{Timer: t.Arrivals.NewTimer(t.Stream().Timer(), d, 0, start)}
	return remember(t, &time.Timer{}, c)
}

// TimerStop is the method Stop of a time.Timer.
func (t *Timers) TimerStop(timer *time.Timer) bool {
	if c := behind(t, timer); c != nil {
		return c.stop()
	}
	return timer.Stop()
}

// TimerReset is the method Reset of a time.Timer.
func (t *Timers) TimerReset(timer *time.Timer, d time.Duration) bool {
	if c := behind(t, timer); c != nil {
		return c.reset(d, 0)
	}
	return timer.Reset(d)
}

// TickerStop is the method Stop of a time.Ticker.
func (t *Timers) TickerStop(ticker *time.Ticker) {
	if c := behind(t, ticker); c != nil {
		c.stop()
		return
	}
	ticker.Stop()
}

// TickerReset is the method Reset of a time.Ticker.
func (t *Timers) TickerReset(ticker *time.Ticker, d time.Duration) {
	c := behind(t, ticker)
	if c == nil || d <= 0 {
		ticker.Reset(d)
		return
	}
	c.reset(d, d)
}

// ContextAfterFunc is context.AfterFunc for cells.
func (t *Timers) ContextAfterFunc(ctx context.Context, body func()) (stop func() bool) {
	return context.AfterFunc(ctx, t.Starter(body))
}

func (t *Timers) withTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return t.expected(context.WithTimeout(parent, d))
}

func (t *Timers) withDeadline(parent context.Context, at time.Time) (context.Context, context.CancelFunc) {
	return t.expected(context.WithDeadline(parent, at))
}

func (t *Timers) withTimeoutCause(
	parent context.Context, d time.Duration, cause error,
) (context.Context, context.CancelFunc) {
	return t.expected(context.WithTimeoutCause(parent, d, cause))
}

func (t *Timers) withDeadlineCause(
	parent context.Context, at time.Time, cause error,
) (context.Context, context.CancelFunc) {
	return t.expected(context.WithDeadlineCause(parent, at, cause))
}

// expected counts a context as pending until it is done: deadlines of contexts use the machine's own clock, so it
// is only known that they will be reached.
func (t *Timers) expected(ctx context.Context, cancel context.CancelFunc) (context.Context, context.CancelFunc) {
	context.AfterFunc(ctx, t.Arrivals.Hold())
	return ctx, cancel
}
