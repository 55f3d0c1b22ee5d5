package runner

import (
	"context"
	"errors"
	"time"
)

// ErrEnding is the cause to cancel a context with when the program is about to end: nothing new begins, but calls of models that are under way,
// which are paid for, have half a minute for their replies to come and be recorded.
var ErrEnding = errors.New("the program ends")

// endingTime is how long replies are awaited then.
const endingTime = 30 * time.Second

// untilReplied is a context for a call under way: it is done when ctx is, or later if the program ends.
func untilReplied(ctx context.Context) (call context.Context, replied func()) {
	done, over := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		if !errors.Is(context.Cause(ctx), ErrEnding) {
			return
		}
		late := time.NewTimer(endingTime)
		defer late.Stop()
		select {
		case <-late.C:
		case <-over:
		}
	})
	return lasting{ctx, done}, func() {
		stop()
		close(over)
	}
}

// lasting is a context that is done later than the one it comes from.
type lasting struct {
	context.Context
	done chan struct{}
}

func (l lasting) Done() <-chan struct{} { return l.done }

func (l lasting) Err() error {
	err := l.Context.Err()
	if err == nil || !errors.Is(context.Cause(l.Context), ErrEnding) {
		return err
	}
	select {
	case <-l.done:
		return err
	default:
		return nil
	}
}
