package llm

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// limiter keeps the calls of one model within the limits of its endpoint: concurrent calls, requests and tokens
// per minute, and none at all while the endpoint has asked everyone to wait.
type limiter struct {
	slots chan struct{}
	pace  RateLimiter

	mu    sync.Mutex
	pause time.Time
}

func newLimiter(cfg Config) *limiter {
	l := &limiter{slots: make(chan struct{}, cfg.Concurrency), pace: cfg.Pace}
	if l.pace == nil {
		l.pace = newRates(cfg.RequestsPerMinute, cfg.TokensPerMinute)
	}
	return l
}

// enter acquires a slot; leave releases it.
func (l *limiter) enter(ctx context.Context) error {
	select {
	case l.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *limiter) leave() { <-l.slots }

// admit waits until a request of about so many tokens may be sent. It calls held with a wait that the endpoint has
// asked for.
func (l *limiter) admit(ctx context.Context, tokens int64, held func(time.Duration)) error {
	if err := l.pace.Admit(ctx, tokens); err != nil {
		return err
	}
	l.mu.Lock()
	left := max(0, time.Until(l.pause))
	l.mu.Unlock()
	wait := left + rand.N(left/10+1)  // so that calls do not restart simultaneously
	if wait >= 100*time.Millisecond { // a shorter wait is often the rest of one that was reported
		held(wait)
	}
	return sleep(ctx, wait)
}

// settle charges the tokens of a call above its estimate; later calls wait for them.
func (l *limiter) settle(reckoned, used int64) {
	if used > reckoned {
		l.pace.Settle(used - reckoned)
	}
}

// hold makes all calls wait: one has been asked to retry later, and the others would get the same answer.
func (l *limiter) hold(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := time.Now().Add(d); until.After(l.pause) {
		l.pause = until
	}
}

// sleep waits for d or for the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
