package exact

import (
	"context"
	"runtime"
	"time"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/exact/rtype"
)

const (
	// lateness is how long a cell that came to its end waits for its goroutines: one that panics has run its deferred calls
	// (wg.Done) already, which may be what the cell waited for.
	lateness = 20 * time.Millisecond
	// patience is how long a run that is to stop may take until its goroutines are given up.
	patience = 500 * time.Millisecond
)

// Unwind ends the calling goroutine's part in its run. runtime.Goexit runs what is deferred, and nothing can recover from it.
func (e *Engine) Unwind() {
	if g := e.calling(); g != nil {
		g.ending = true
	}
	runtime.Goexit()
}

// await waits for the end of a run.
func (e *Engine) await(ctx context.Context, r *run, prog *program, ended <-chan *uncaught) engine.Outcome {
	select {
	case u := <-ended:
		if late := e.late(r); late != nil && u == nil {
			return e.outcome(prog, late, !late.own)
		}
		return e.outcome(prog, u, false)
	case u := <-r.failures:
		out := e.outcome(prog, u, !u.own)
		select { // the others come to their end, unless they wait for the one that is gone
		case <-ended:
			out.Running = e.runningCount()
			return out
		case <-time.After(patience):
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

// stop ends the goroutines of a run and reports whether all of them are gone: then the state is what they left.
func (e *Engine) stop(r *run, ended <-chan *uncaught) bool {
	e.stopping.Add(1)
	close(r.done)
	defer e.stopping.Add(-1)
	limit := time.After(patience)
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

// late is the panic of a goroutine that comes with the end of the cell.
func (e *Engine) late(r *run) *uncaught {
	for deadline := time.Now().Add(lateness); e.runningCount() > 0 && time.Now().Before(deadline); {
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
func (e *Engine) outcome(prog *program, u *uncaught, inGoroutine bool) engine.Outcome {
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

// typeName is the type of a value as written.
func (e *Engine) typeName(v any) string {
	w := mem.WordsOf(&v)
	if t := e.types.GoType(mem.As[mem.Type](w.Tab)); t != nil {
		return rtype.Name(t)
	}
	return mem.As[mem.Type](w.Tab).Reflect().String()
}
