package exact

import (
	"context"
	"reflect"
	"time"

	"github.com/gorlm/rlm/repl/internal/engine"
)

// After a cell has ended, the engine waits for its goroutines at least this long, and for at least this many looks.
// A goroutine that panics runs its deferred calls (wg.Done) first, and the cell may have waited only for these. On
// a busy machine the time alone may pass before the goroutines get a processor.
const (
	lateness = 20 * time.Millisecond
	looks    = 300
)

// Unwind panics with the sentinel of the calling goroutine's run.
func (e *Engine) Unwind() {
	if g := e.calling(); g != nil {
		g.ending = true
	}
	e.unwinding.Throw(e.runOfCaller().sentinel, deepestPanic)
}

// deepestPanic is the number of Go frames, made by more than 16 000 calls, at which a stack becomes too deep for a
// panic to unwind it.
const deepestPanic = 1 << 16

// await waits for the end of a run.
func (e *Engine) await(ctx context.Context, r *run, prog *program, ended <-chan *goroutinePanic) engine.Outcome {
	select {
	case u := <-ended:
		if late := e.late(r); late != nil && u == nil {
			return e.outcome(prog, late, !late.own)
		}
		return e.outcome(prog, u, false)
	case u := <-r.failures:
		out := e.outcome(prog, u, !u.own)
		select { // the other goroutines end too, except those that wait for the one that panicked
		case <-ended:
			out.Running = e.runningCount()
			return out
		case <-time.After(e.host.Grace):
			out.Sound = false
			e.stop(r, ended)
			return out
		case <-ctx.Done():
			e.stop(r, ended)
			return engine.Outcome{Cancelled: true}
		}
	case <-ctx.Done():
		sound := e.stop(r, ended)
		return engine.Outcome{Cancelled: true, Sound: sound && !e.broken, Running: e.runningCount()}
	}
}

// stop ends the goroutines of a run and reports whether all of them have ended. Only then is the engine's state
// consistent.
func (e *Engine) stop(r *run, ended <-chan *goroutinePanic) bool {
	e.stopping.Add(1)
	close(r.done)
	defer e.stopping.Add(-1)
	limit := time.After(e.host.Grace)
	select {
	case <-ended:
	case <-limit:
		e.broken = true
		return false
	}
	for e.runningCount() > 0 {
		select {
		case <-limit:
			e.broken = true
			return false
		case <-time.After(time.Millisecond):
		}
	}
	return true
}

// late waits for a panic of a goroutine around the time when the cell ends, and returns it; nil if there is none.
func (e *Engine) late(r *run) *goroutinePanic {
	deadline := time.Now().Add(lateness)
	for look := 0; e.runningCount() > 0 && (look < looks || time.Now().Before(deadline)); look++ {
		select {
		case u := <-r.failures:
			return u
		case <-time.After(50 * time.Microsecond):
		}
	}
	select {
	case u := <-r.failures:
		return u
	default:
		return nil
	}
}

// outcome describes how a run ended.
func (e *Engine) outcome(prog *program, u *goroutinePanic, inGoroutine bool) engine.Outcome {
	out := engine.Outcome{Sound: !e.broken, Running: e.runningCount()}
	if u == nil {
		return out
	}
	out.Panic, out.Goroutine = u.value, inGoroutine
	out.PanicType = e.typeName(u.value)
	if u.trace != nil {
		u.trace.describe(e, &out, prog.cell)
	}
	return out
}

// typeName returns the type of a value as cells write it.
func (e *Engine) typeName(v any) string { return reflect.TypeOf(v).String() }
