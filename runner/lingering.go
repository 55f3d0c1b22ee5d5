package runner

import (
	"context"
	"errors"
	"time"

	"github.com/gorlm/rlm/runner/internal/hostopt"
)

// endingTime bounds the wait for replies when the program is about to end.
const endingTime = 30 * time.Second

// untilReplied returns a context for a call in flight: it is done when ctx is, or later if the program is about to
// end.
func untilReplied(ctx context.Context) (call context.Context, replied func()) {
	done, over := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		if !errors.Is(context.Cause(ctx), hostopt.ErrEnding) {
			return
		}
		late := time.NewTimer(endingTime)
		defer late.Stop()
		select {
		case <-late.C:
		case <-over:
		}
	})
	return lingeringContext{ctx, done}, func() {
		stop()
		close(over)
	}
}

// lingeringContext is a context that outlives its parent.
type lingeringContext struct {
	context.Context
	done chan struct{}
}

func (l lingeringContext) Done() <-chan struct{} { return l.done }

func (l lingeringContext) Err() error {
	err := l.Context.Err()
	if err == nil || !errors.Is(context.Cause(l.Context), hostopt.ErrEnding) {
		return err
	}
	select {
	case <-l.done:
		return err
	default:
		return nil
	}
}
