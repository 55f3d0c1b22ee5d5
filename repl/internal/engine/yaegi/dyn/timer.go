package dyn

import (
	"context"
	"runtime"
	"sync"
	"time"
	"weak"

	"github.com/gorlm/rlm/repl/internal/decide"
)

// timers are those of package time that cells have made. They fire through the arrivals of the session, one at a time.
type timers struct {
	Arrivals *decide.Arrivals
	// Now is the clock of the running cell.
	Now func() time.Time

	made sync.Map // weak pointers to timers and tickers → *cellTimer
}

// cellTimer is what stands behind a time.Timer or time.Ticker of a cell.
type cellTimer struct {
	*decide.Timer
	ch chan time.Time // nil for one that calls a function
}

// ring makes a timer that sends on a channel.
func (r *Runtime) ring(d, every time.Duration) *cellTimer {
	ch := make(chan time.Time, 1)
	hand := func() {
		select {
		case ch <- r.Now():
		default: // nobody has received the last one
		}
	}
	return &cellTimer{r.Arrivals.NewTimer(r.stream().Timer(), d, every, hand), ch}
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
func remember[T any](r *Runtime, timer *T, t *cellTimer) *T {
	at := weak.Make(timer)
	r.made.Store(at, t)
	runtime.AddCleanup(timer, func(at weak.Pointer[T]) { r.made.Delete(at) }, at)
	return timer
}

func behind[T any](r *Runtime, timer *T) *cellTimer {
	if timer == nil {
		return nil
	}
	t, _ := r.made.Load(weak.Make(timer))
	ct, _ := t.(*cellTimer)
	return ct
}

// Sleep is time.Sleep.
func (r *Runtime) Sleep(d time.Duration) {
	if d > 0 {
		<-r.ring(d, 0).ch
	}
}

// After is time.After.
func (r *Runtime) After(d time.Duration) <-chan time.Time { return r.ring(d, 0).ch }

// Tick is time.Tick.
func (r *Runtime) Tick(d time.Duration) <-chan time.Time {
	if d <= 0 {
		return nil
	}
	return r.ring(d, d).ch
}

// NewTimer is time.NewTimer.
func (r *Runtime) NewTimer(d time.Duration) *time.Timer {
	t := r.ring(d, 0)
	return remember(r, &time.Timer{C: t.ch}, t)
}

// NewTicker is time.NewTicker.
func (r *Runtime) NewTicker(d time.Duration) *time.Ticker {
	if d <= 0 {
		panic("non-positive interval for NewTicker")
	}
	t := r.ring(d, d)
	return remember(r, &time.Ticker{C: t.ch}, t)
}

// AfterFunc is time.AfterFunc. Its goroutine belongs to the run that made it.
func (r *Runtime) AfterFunc(d time.Duration, body func()) *time.Timer {
	g := r.next()
	t := &cellTimer{Timer: r.Arrivals.NewTimer(r.stream().Timer(), d, 0, func() { r.launch(g, 0, body) })}
	return remember(r, &time.Timer{}, t)
}

// ContextAfterFunc is context.AfterFunc. Its goroutine belongs to the run that made it.
func (r *Runtime) ContextAfterFunc(ctx context.Context, body func()) func() bool {
	g := r.next()
	return context.AfterFunc(ctx, func() { r.launch(g, 0, body) })
}

// TimerStop is the method Stop of a time.Timer.
func (r *Runtime) TimerStop(timer *time.Timer) bool {
	if t := behind(r, timer); t != nil {
		return t.stop()
	}
	return timer.Stop()
}

// TimerReset is the method Reset of a time.Timer.
func (r *Runtime) TimerReset(timer *time.Timer, d time.Duration) bool {
	if t := behind(r, timer); t != nil {
		return t.reset(d, 0)
	}
	return timer.Reset(d)
}

// TickerStop is the method Stop of a time.Ticker.
func (r *Runtime) TickerStop(ticker *time.Ticker) {
	if t := behind(r, ticker); t != nil {
		t.stop()
		return
	}
	ticker.Stop()
}

// TickerReset is the method Reset of a time.Ticker.
func (r *Runtime) TickerReset(ticker *time.Ticker, d time.Duration) {
	t := behind(r, ticker)
	if t == nil || d <= 0 {
		ticker.Reset(d)
		return
	}
	t.reset(d, d)
}

// WithTimeout is context.WithTimeout. The deadlines of contexts come from the machine's own clock; they are only known to come.
func (r *Runtime) WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return r.expected(context.WithTimeout(parent, d))
}

// WithDeadline is context.WithDeadline.
func (r *Runtime) WithDeadline(parent context.Context, at time.Time) (context.Context, context.CancelFunc) {
	return r.expected(context.WithDeadline(parent, at))
}

// WithTimeoutCause is context.WithTimeoutCause.
func (r *Runtime) WithTimeoutCause(parent context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	return r.expected(context.WithTimeoutCause(parent, d, cause))
}

// WithDeadlineCause is context.WithDeadlineCause.
func (r *Runtime) WithDeadlineCause(parent context.Context, at time.Time, cause error) (context.Context, context.CancelFunc) {
	return r.expected(context.WithDeadlineCause(parent, at, cause))
}

// expected counts a context until it is done.
func (r *Runtime) expected(ctx context.Context, cancel context.CancelFunc) (context.Context, context.CancelFunc) {
	context.AfterFunc(ctx, r.Arrivals.Hold())
	return ctx, cancel
}
