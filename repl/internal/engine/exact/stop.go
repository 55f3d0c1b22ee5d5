package exact

import (
	"math/bits"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
)

// deepest is how many interpreted calls a stack holds where memory does not end it before: a recursion of a million, and what calls it.
const deepest = 1_010_000

// between is how many calls a stack grows by until it is measured, a power of two. What they take of Go's stack is much less than what
// is left of it then.
const between = 64

// maxStack guards asking for Go's limit of a stack: it is told only to who sets it.
var maxStack sync.Mutex

// roomOf is how much of Go's stack interpreted calls may use, all but an eighth. Stacks double, so that the limit is a power of two.
func roomOf() uintptr {
	maxStack.Lock()
	defer maxStack.Unlock()
	limit := debug.SetMaxStack(1 << 30)
	debug.SetMaxStack(limit)
	whole := uintptr(1) << (bits.Len(uint(limit)) - 1)
	return whole - whole/8
}

// measure ends a recursion that has no end, before Go ends the process for it.
func (s *stack) measure() {
	if s.depth > deepest || mem.StackUsed() > s.e.room {
		s.depth--
		panic(errOverflow)
	}
}

// measureCallback is measure for code that compiled code calls. Since compiled code may recover, which ends no recursion, the cell fails
// and its goroutine exits: a panic would have no room for what is deferred.
func (e *Engine) measureCallback() {
	if mem.StackUsed() <= e.room {
		return
	}
	g := e.calling()
	if g == nil { // of compiled code
		panic(errOverflow)
	}
	select {
	case g.run.failures <- &goroutinePanic{errOverflow, g.trace, g.first}:
	default:
	}
	g.ending = true
	runtime.Goexit()
}

const errOverflow = runtimeError("stack overflow: calls are nested too deep; check that the recursion ends, or use a loop with a stack of its own")

// stopped is called at loops and calls while some run is to stop: it ends the goroutine if it is one of its own.
func (s *stack) stopped() {
	select {
	case <-s.member().run.done:
		s.e.Unwind()
	default:
	}
}
