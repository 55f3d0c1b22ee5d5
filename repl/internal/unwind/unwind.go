// Package unwind throws the sentinels of cells, and detects compiled code that recovers one.
package unwind

import (
	"io"
	"reflect"
	"runtime"
	"slices"
	"sync"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/repl/internal/caller"
)

// Goroutines records the goroutines of a session that a sentinel is unwinding: it was thrown there, and has not yet
// reached a function of a cell that runs its deferred calls. If such a goroutine runs other code of a cell,
// compiled code has recovered the sentinel, as fmt does around String. The zero value is ready to use, and safe for
// concurrent use.
type Goroutines struct{ thrown sync.Map } // keys are from caller.Self

// Throw panics with a sentinel. A goroutine that compiled code started (such as one of sync.WaitGroup.Go, called
// through an interface) is not inside Boundary, so the panic would end the process; there, and on stacks of deepest
// or more Go frames, Throw calls runtime.Goexit instead.
func (g *Goroutines) Throw(s *answer.Sentinel, deepest int) {
	if !bounded(deepest) {
		runtime.Goexit()
	}
	g.Pass()
	panic(s)
}

// Boundary runs work for a caller that recovers its panics.
//
//go:noinline
func Boundary(work func()) { work() }

// boundary is the entry address of Boundary.
var boundary = reflect.ValueOf(Boundary).Pointer()

// bounded reports whether the calling goroutine is inside Boundary, on a stack of fewer than deepest frames.
func bounded(deepest int) bool {
	for size := 1024; size <= deepest; size *= 8 {
		frames := make([]uintptr, size)
		if n := runtime.Callers(1, frames); n < size {
			return slices.ContainsFunc(
				frames[:n], func(pc uintptr) bool { return runtime.FuncForPC(pc-1).Entry() == boundary })
		}
	}
	return false
}

// Pass records that the calling goroutine is about to panic with a sentinel.
func (g *Goroutines) Pass() { g.thrown.Store(caller.Self(), true) }

// Catch records that the sentinel has reached a function where the calling goroutine runs deferred calls.
func (g *Goroutines) Catch() { g.thrown.Delete(caller.Self()) }

// Reset forgets all goroutines. It is called before a cell runs.
func (g *Goroutines) Reset() { g.thrown.Clear() }

// Writer returns w for the output of cells. A goroutine whose sentinel was recovered by compiled code does not
// print: Write calls unwind instead.
func (g *Goroutines) Writer(w io.Writer, unwind func()) io.Writer { return writer{w, g, unwind} }

type writer struct {
	io.Writer
	goroutines *Goroutines
	unwind     func()
}

// Write prints b, or unwinds the goroutine.
func (w writer) Write(b []byte) (int, error) {
	if _, kept := w.goroutines.thrown.Load(caller.Self()); kept {
		w.unwind()
	}
	return w.Writer.Write(b)
}
