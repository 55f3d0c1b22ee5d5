package exact

import (
	"runtime"
	"time"
	"weak"

	"github.com/gorlm/rlm/repl/internal/decide"
)

// cellTimer is what stands behind a time.Timer or time.Ticker of a cell: it fires through the arrivals of the session.
type cellTimer struct {
	*decide.Timer
	ch chan time.Time // nil for one that calls a function
}

// ring makes a timer that sends on a channel.
func (c *clock) ring(d, every time.Duration) *cellTimer {
	ch := make(chan time.Time, 1)
	hand := func() {
		select {
		case ch <- c.read():
		default: // nobody has received the last one
		}
	}
	return &cellTimer{c.e.host.Arrivals.NewTimer(c.e.drawing().Timer(), d, every, hand), ch}
}

// stop disarms a timer. What it has sent and nobody received is gone, as for those of package time.
func (t *cellTimer) stop() bool { return t.Stop() || t.drain() }

func (t *cellTimer) reset(d, every time.Duration) bool {
	drained := t.drain()
	return t.Reset(d, every) || drained
}

func (t *cellTimer) drain() bool {
	select {
	case <-t.ch:
		return true
	default:
		return false
	}
}

// remember keeps what stands behind a timer for as long as the cell has it.
func remember[T any](c *clock, timer *T, t *cellTimer) *T {
	at := weak.Make(timer)
	c.made.Store(at, t)
	runtime.AddCleanup(timer, func(at weak.Pointer[T]) { c.made.Delete(at) }, at)
	return timer
}

func behind[T any](c *clock, timer *T) *cellTimer {
	if timer == nil {
		return nil
	}
	t, _ := c.made.Load(weak.Make(timer))
	ct, _ := t.(*cellTimer)
	return ct
}

func (c *clock) sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	t := c.ring(d, 0)
	select {
	case <-t.ch:
	case <-c.e.runOfCaller().done:
		t.Stop()
		runtime.Goexit()
	}
}

func (c *clock) after(d time.Duration) <-chan time.Time { return c.ring(d, 0).ch }

func (c *clock) tick(d time.Duration) <-chan time.Time {
	if d <= 0 {
		return nil
	}
	return c.ring(d, d).ch
}

func (c *clock) newTimer(d time.Duration) *time.Timer {
	t := c.ring(d, 0)
	return remember(c, &time.Timer{C: t.ch}, t)
}

func (c *clock) newTicker(d time.Duration) *time.Ticker {
	if d <= 0 {
		panic("non-positive interval for NewTicker")
	}
	t := c.ring(d, d)
	return remember(c, &time.Ticker{C: t.ch}, t)
}

// afterFunc is time.AfterFunc. Its goroutine belongs to the run that made it.
func (c *clock) afterFunc(d time.Duration, body func()) *time.Timer {
	start := c.e.starter(body)
	t := &cellTimer{Timer: c.e.host.Arrivals.NewTimer(c.e.drawing().Timer(), d, 0, start)}
	return remember(c, &time.Timer{}, t)
}

func (c *clock) stopTimer(timer *time.Timer) bool {
	if t := behind(c, timer); t != nil {
		return t.stop()
	}
	return timer.Stop()
}

func (c *clock) resetTimer(timer *time.Timer, d time.Duration) bool {
	if t := behind(c, timer); t != nil {
		return t.reset(d, 0)
	}
	return timer.Reset(d)
}

func (c *clock) stopTicker(ticker *time.Ticker) {
	if t := behind(c, ticker); t != nil {
		t.stop()
		return
	}
	ticker.Stop()
}

func (c *clock) resetTicker(ticker *time.Ticker, d time.Duration) {
	t := behind(c, ticker)
	if t == nil || d <= 0 {
		ticker.Reset(d)
		return
	}
	t.reset(d, d)
}
