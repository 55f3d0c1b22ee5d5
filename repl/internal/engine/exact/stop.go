package exact

import (
	"math/bits"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
)

// deepest bounds the number of nested interpreted calls if memory does not: a recursion of a million calls, plus
// its callers.
const deepest = 1_010_000

// between is the number of calls between two measurements of a stack, a power of two. These calls use much less of
// Go's stack than a measurement leaves free.
const between = 64

// maxStack is held while Go's stack limit is read, because it can be read only by setting it.
var maxStack sync.Mutex

// roomOf returns how many bytes of Go's stack interpreted calls may use: all but an eighth. Stacks grow by
// doubling, so the effective limit is a power of two.
func roomOf() uintptr {
	maxStack.Lock()
	defer maxStack.Unlock()
	limit := debug.SetMaxStack(1 << 30)
	debug.SetMaxStack(limit)
	whole := uintptr(1) << (bits.Len(uint(limit)) - 1)
	return whole - whole/8
}

// measure panics if calls are nested too deep, before Go ends the process because of it.
func (s *stack) measure() {
	if s.depth > deepest || mem.StackUsed() > s.e.room {
		s.depth--
		panic(errOverflow)
	}
}

// measureCallback does the same as measure, for callbacks from compiled code. It makes the cell fail and ends the
// goroutine instead of panicking: compiled code may recover a panic, which would not end the recursion, and a panic
// would leave no room for deferred calls.
func (e *Engine) measureCallback() {
	if mem.StackUsed() <= e.room {
		return
	}
	g := e.calling()
	if g == nil { // compiled code started the goroutine
		panic(errOverflow)
	}
	select {
	case g.run.failures <- &goroutinePanic{errOverflow, g.trace, g.first}:
	default:
	}
	g.ending = true
	runtime.Goexit()
}

const errOverflow = runtimeError(
	"stack overflow: calls are nested too deep; check that the recursion ends, or use a loop with a stack of its own")

// stopped is called in loops and calls while any run should stop. It ends the calling goroutine if that belongs to
// such a run.
func (s *stack) stopped() {
	select {
	case <-s.member().run.done:
		s.e.Unwind()
	default:
	}
}
