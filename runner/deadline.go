package runner

import (
	"context"
	"errors"
	"time"
)

// errTimeIsUp is the cause when the time budget cancels what is in flight.
var errTimeIsUp = errors.New("the time of this run is used up")

// lastTurnTime bounds the one turn that may follow when a limit is reached.
const lastTurnTime = 2 * time.Minute

// untilTimeIsUp bounds ctx by the time budget; the last turn has a separate, shorter time.
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

// cause returns errTimeIsUp if the time budget ended ctx, else err.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), errTimeIsUp) {
		return errTimeIsUp
	}
	return err
}

// acquire takes a slot, or fails when ctx is done.
func acquire(ctx context.Context, slots chan struct{}) error {
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
