package exact

import (
	"math/bits"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
)

// deepest bounds the interpreted calls on a stack if memory does not: a recursion of a million, plus its
// callers.
const deepest = 1_010_000

// between is the number of calls between two measurements of a stack, a power of two. So many calls use much less
// of Go's stack than a measurement leaves.
const between = 64

// maxStack guards reading Go's stack limit, which can only be read by setting it.
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

// measure ends an endless recursion before Go ends the process because of it.
func (s *stack) measure() {
	if s.depth > deepest || mem.StackUsed() > s.e.room {
		s.depth--
		panic(errOverflow)
	}
}

// measureCallback does what measure does, for callbacks from compiled code. Because compiled code may recover a
// panic, which would not end the recursion, and because a panic would leave no room for deferred calls, the cell
// fails and the goroutine exits.
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

// stopped is called in loops and calls while any run should stop: it ends the goroutine if that belongs to such a
// run.
func (s *stack) stopped() {
	select {
	case <-s.member().run.done:
		s.e.Unwind()
	default:
	}
}
