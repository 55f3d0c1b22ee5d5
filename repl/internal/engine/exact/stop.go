package exact

import (
	"runtime"
)

// deepest is how many interpreted calls a stack holds: a recursion of a million, and what calls it. Each takes some hundred bytes of
// Go's own stack, of which there may be a gigabyte.
const deepest = 1_010_000

// overflow ends a recursion that has no end.
func (s *stack) overflow() {
	s.depth--
	panic(runtimeError("stack overflow: calls are nested more than a million deep"))
}

// stopped is called at loops and calls while some run is to stop: it ends the goroutine if it is one of its own.
func (s *stack) stopped() {
	select {
	case <-s.member().run.done:
		runtime.Goexit()
	default:
	}
}
