package yaegi

import (
	"context"
	"fmt"
	"reflect"

	"github.com/traefik/yaegi/interp"

	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// outcome describes how a program ended, given the error of its entry function.
func (e *Engine) outcome(ctx context.Context, err error) engine.Outcome {
	failed, panics := err.(interp.Panic)
	if panics && failed.Value == any(e.run.Sentinel()) { // a builtin has ended the cell
		panics, err = false, nil
	}
	switch {
	case err != nil && ctx.Err() != nil:
		e.broken = true
		return engine.Outcome{Cancelled: true}
	case panics:
		return e.panicked(failed.Value)
	case err != nil:
		return e.panicked(err)
	default:
		if v := e.run.Kept(); v != nil {
			return e.panicked(v)
		}
	}
	return engine.Outcome{Sound: !e.broken}
}

// panicked returns the outcome of a panic. Only the exact engine knows Go's message for the panic, and its
// position.
func (e *Engine) panicked(v any) engine.Outcome {
	if rv, ok := v.(reflect.Value); ok && rv.IsValid() && rv.CanInterface() {
		v = rv.Interface()
	}
	if _, ok := v.(*dyn.Fault); ok {
		e.broken = true
	}
	return engine.Outcome{Panic: v, PanicType: fmt.Sprintf("%T", v), Inexact: true, Sound: !e.broken}
}
