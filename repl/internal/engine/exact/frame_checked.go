//go:build framecheck

package exact

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
)

const checked = true

// guard contains the generation of a frame: no two calls of a process have the same one, and a released frame has
// none.
type guard struct{ generation uint64 }

var generations atomic.Uint64

func (s *stack) watch(f *frame) { f.guard.generation = generations.Add(1) }

// poison makes a released frame unusable: anything that reads it finds nil pointers. The frame is never reused.
func (s *stack) poison(f *frame) bool {
	layout := f.body.layout
	mem.Clear(layout, mem.Of(f))
	return true
}

// watchLent wraps a function so that it ends the process if it is called after end, on another goroutine, or
// with a frame of another call.
func watchLent(f reflect.Value, fr *frame) (lent reflect.Value, end func()) {
	var ended atomic.Bool
	generation, self := fr.guard.generation, ownNumber()
	return reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
		switch {
		case ended.Load():
			fatal("a lent function is called after its call has ended")
		case ownNumber() != self:
			fatal("a lent function is called on another goroutine")
		case fr.guard.generation != generation:
			fatal("a lent function is called with a frame that was given back")
		}
		return f.Call(args)
	}), func() { ended.Store(true) }
}

// ownNumber returns the number of the calling goroutine, as in stack traces.
func ownNumber() string {
	head := make([]byte, 40)
	name, _, _ := strings.Cut(string(head[:runtime.Stack(head, false)]), "[")
	return name
}

func fatal(what string) {
	fmt.Fprintln(os.Stderr, "framecheck:", what)
	os.Exit(2)
}
