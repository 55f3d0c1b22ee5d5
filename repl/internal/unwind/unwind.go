// Package unwind throws the sentinels of cells, and notices where compiled code keeps one to itself.
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

// Goroutines are those of a session that a sentinel is on its way through: it was thrown, and has not come to a
// function of a cell that runs its deferred calls. A goroutine that runs other code of a cell then has been through
// compiled code that recovers, as fmt does around String. The zero value is ready to use, from any goroutine.
type Goroutines struct{ thrown sync.Map } // by caller.Self

// Throw panics with a sentinel. Goroutines that compiled code started (sync.WaitGroup.Go, called through an
// interface) have no boundary, and a panic would end the process; they exit with runtime.Goexit, and so do those
// whose stacks have deepest of Go's frames or more.
func (g *Goroutines) Throw(s *answer.Sentinel, deepest int) {
	if !bounded(deepest) {
		runtime.Goexit()
	}
	g.Pass()
	panic(s)
}

// Boundary runs work for a caller that catches what it panics with.
//
//go:noinline
func Boundary(work func()) { work() }

// boundary is where the code of Boundary begins.
var boundary = reflect.ValueOf(Boundary).Pointer()

// bounded reports whether Boundary runs on the calling goroutine, on a stack with fewer frames than deepest.
func bounded(deepest int) bool {
	for size := 1024; size <= deepest; size *= 8 {
		frames := make([]uintptr, size)
		if n := runtime.Callers(1, frames); n < size {
			return slices.ContainsFunc(frames[:n], func(pc uintptr) bool { return runtime.FuncForPC(pc-1).Entry() == boundary })
		}
	}
	return false
}

// Pass notes that the calling goroutine is about to panic with a sentinel.
func (g *Goroutines) Pass() { g.thrown.Store(caller.Self(), true) }

// Catch notes that a sentinel has come to where the calling goroutine runs deferred calls.
func (g *Goroutines) Catch() { g.thrown.Delete(caller.Self()) }

// Reset forgets all goroutines, before a cell runs.
func (g *Goroutines) Reset() { g.thrown.Clear() }

// Writer is w for what cells print. A goroutine whose sentinel compiled code has kept does not print: unwind is called.
func (g *Goroutines) Writer(w io.Writer, unwind func()) io.Writer { return writer{w, g, unwind} }

type writer struct {
	io.Writer
	goroutines *Goroutines
	unwind     func()
}

// Write prints, or unwinds.
func (w writer) Write(b []byte) (int, error) {
	if _, kept := w.goroutines.thrown.Load(caller.Self()); kept {
		w.unwind()
	}
	return w.Writer.Write(b)
}
