package budget

import (
	"context"
	"fmt"
	"time"

	"github.com/gorlm/rlm/internal/kit/callback"
	"github.com/gorlm/rlm/runner/internal/hostopt"
	"github.com/gorlm/rlm/termination"
)

// releaseTime bounds the wait for a quota to release a reservation: a reply should not be delayed longer.
const releaseTime = time.Second

// Share makes the lease draw on a quota too.
func (l *Lease) Share(q hostopt.Quota) { l.quota = q }

// ReserveTurn is like HoldTurn but also reserves in the quota. It does not refuse the last turn after one of the
// run's own limits. Errors are those of Reserve.
func (l *Lease) ReserveTurn(ctx context.Context, model string, prompt int64, last bool) (Hold, error) {
	h := l.HoldTurn(model, prompt)
	if last && !l.sharedHit() {
		return h, nil
	}
	return l.acquire(ctx, h, false)
}

func (l *Lease) sharedHit() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hit != nil && l.hit.shared != nil
}

// acquire reserves in the quota the budget that the lease has granted.
func (l *Lease) acquire(ctx context.Context, h Hold, below bool) (Hold, error) {
	if l.quota == nil {
		return h, nil
	}
	shared, err := callback.Call(ctx, "the quota", func() (hostopt.Reservation, error) {
		return l.quota.Acquire(ctx, hostopt.Reservation{Prompt: h.promptCost, Reply: h.replyCost})
	})
	if err == nil && !(shared.Reply >= 0 && shared.Prompt >= 0) {
		err = fmt.Errorf("the quota reserved %v USD for the prompt and %v for the reply", shared.Prompt, shared.Reply)
	}
	if err == nil && shared.Reply >= h.replyCost {
		h.shared = shared
		return h, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil { // the reply must be shorter
		less := h
		less.shared, less.replyCost = shared, shared.Reply
		less.Reply = max(1, int64(float64(h.Reply)*shared.Reply/h.replyCost))
		l.hold(h, -1)
		l.hold(less, 1)
		return less, nil
	}
	l.release(h)
	if below {
		l.calls--
	}
	if ctx.Err() != nil {
		return Hold{}, context.Cause(ctx)
	}
	if l.hit == nil {
		l.hit = &Limit{Name: "cost", Status: termination.CostLimit, shared: err}
	}
	return Hold{}, l.hit
}
