package runner

import (
	"context"
	"errors"
	"time"
)

// errTimeIsUp cancels what is under way when the time budget ends.
var errTimeIsUp = errors.New("the time of this run is used up")

// lastTurnTime is what the turn after a limit may take at most when the time is up.
const lastTurnTime = 2 * time.Minute

// untilTimeIsUp bounds ctx by the budget of time, and the last turn by a time of its own.
func (r *run) untilTimeIsUp(ctx context.Context) (context.Context, context.CancelFunc) {
	end := r.lease.Deadline()
	if end.IsZero() {
		return context.WithCancel(ctx)
	}
	if r.state.Limit != nil {
		end = time.Now().Add(min(lastTurnTime, max(10*time.Second, r.bounds.Time/10)))
	}
	return context.WithDeadlineCause(ctx, end, errTimeIsUp)
}

// cause is errTimeIsUp when that is why ctx ended, else err.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), errTimeIsUp) {
		return errTimeIsUp
	}
	return err
}

// acquire takes one of a number of slots.
func acquire(ctx context.Context, slots chan struct{}) error {
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
