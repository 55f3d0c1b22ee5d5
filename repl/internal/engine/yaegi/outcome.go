package yaegi

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/traefik/yaegi/interp"

	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// lateness is how long a cell that has come to its end waits for its goroutines: one that is panicking has run its
// deferred calls already (wg.Done), which may be what the cell waited for.
const lateness = 20 * time.Millisecond

// late is the panic of a goroutine that comes with the end of the cell.
func (e *Engine) late(failures <-chan any) any {
	for deadline := time.Now().Add(lateness); e.run.Running() > 0 && len(failures) == 0 && time.Now().Before(deadline); {
		time.Sleep(50 * time.Microsecond)
	}
	select {
	case failed := <-failures:
		return failed
	default:
		return nil
	}
}

// outcome is how a program ended whose entry function has ended with err.
func (e *Engine) outcome(ctx context.Context, failures <-chan any, err error) engine.Outcome {
	failed, panics := err.(interp.Panic)
	switch {
	case err != nil && ctx.Err() != nil:
		e.broken = true
		return engine.Outcome{Cancelled: true, Running: e.run.Running()}
	case panics:
		return e.panicked(failed.Value)
	case err != nil:
		return e.panicked(err)
	default:
		if v := e.late(failures); v != nil {
			out := e.panicked(v)
			out.Goroutine = true
			return out
		}
		if v := e.run.Kept(); v != nil {
			return e.panicked(v)
		}
	}
	return engine.Outcome{Sound: !e.broken, Running: e.run.Running()}
}

// panicked is the outcome of a panic. Go's words for it, and where it happened, are known to the exact engine.
func (e *Engine) panicked(v any) engine.Outcome {
	if rv, ok := v.(reflect.Value); ok && rv.IsValid() && rv.CanInterface() {
		v = rv.Interface()
	}
	if _, ok := v.(*dyn.Fault); ok {
		e.broken = true
	}
	return engine.Outcome{Panic: v, PanicType: fmt.Sprintf("%T", v), Inexact: true, Sound: !e.broken, Running: e.run.Running()}
}
