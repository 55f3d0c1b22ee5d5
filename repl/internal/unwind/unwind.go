// Package unwind panics with the sentinels of cells, and detects compiled code that recovers one.
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

// Goroutines records the goroutines of a session that a sentinel is unwinding: the sentinel was thrown there, and
// has not yet reached a function of a cell that runs its deferred calls. If such a goroutine runs other code of a
// cell, compiled code has recovered the sentinel, as fmt does when it calls String. The zero value is ready to use,
// and safe for concurrent use.
type Goroutines struct{ thrown sync.Map } // keys are from caller.Self

// Throw panics with a sentinel. If compiled code started the goroutine (for example sync.WaitGroup.Go, called
// through an interface), it is not inside Boundary, and the panic would end the process. There, and on stacks of
// deepest or more Go frames, Throw calls runtime.Goexit instead.
func (g *Goroutines) Throw(s *answer.Sentinel, deepest int) {
	if !bounded(deepest) {
		runtime.Goexit()
	}
	g.Pass()
	panic(s)
}

// Boundary runs work for a caller that recovers the panics of work.
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

// Catch records that the sentinel has reached a function of the calling goroutine that runs deferred calls.
func (g *Goroutines) Catch() { g.thrown.Delete(caller.Self()) }

// Reset forgets all goroutines. It is called before a cell runs.
func (g *Goroutines) Reset() { g.thrown.Clear() }

// Writer returns a writer to w for the output of cells. If compiled code has recovered the sentinel of a goroutine,
// the goroutine does not print any more: Write calls unwind instead.
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
