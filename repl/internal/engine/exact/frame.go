package exact

import (
	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
)

// frame is the header of a call's memory; the slots follow it.
type frame struct {
	body   *body
	stack  *stack
	caller *frame
	next   *frame // next frame in the list of free frames
	defers *deferredCall
	failed *failure // the panic that makes deferred calls run; nil if there is none
	pc     int32    // index into body.places
	synth  bool     // belongs to a wrapper, which recover ignores
	lent   bool     // lent to compiled code, which makes each of its calls with the initial slots
	guard  guard
}

// addr returns the address of a slot. The value there has the type that the body's layout gave it
// (rtype.Record).
func addr(fr *frame, off uintptr) mem.Ptr { return mem.Of(fr).Add(off) }

// stack contains what a goroutine needs to run interpreted code: its free frames and its call depth. A callback
// from compiled code has a separate stack.
type stack struct {
	e     *Engine
	gor   *goroutine // on the stack of a callback, nil until needed
	free  []*frame   // lists of free frames, by body.id
	top   *frame
	depth int
	// again is set while a panic continues that was already recorded in a frame closer to its origin.
	again bool
	trace *trace
	wide  uint64 // the last index that did not fit into an int
	seen  uint64 // value of Engine.cycles when dead values were last dropped
}

// take returns a frame for a call.
func (s *stack) take(b *body) *frame {
	if b.id < len(s.free) {
		if f := s.free[b.id]; f != nil {
			s.free[b.id] = f.next
			return f
		}
	}
	return s.grow(b)
}

// grow makes a new frame with its constants.
func (s *stack) grow(b *body) *frame {
	f := mem.As[frame](mem.New(b.layout))
	f.body, f.stack, f.synth = b, s, b.synthetic
	s.watch(f)
	for i := range b.constants {
		c := &b.constants[i]
		c.class.copy(addr(f, c.off), c.value)
	}
	return f
}

// give releases a frame after its call.
func (s *stack) give(b *body, f *frame) {
	if s.poison(f) {
		return
	}
	if b.id >= len(s.free) {
		more := make([]*frame, b.id+16)
		copy(more, s.free)
		s.free = more
	}
	f.next = s.free[b.id]
	s.free[b.id] = f
}

// enter takes a frame for a call and makes it the running one.
func (s *stack) enter(b *body, caller *frame) *frame {
	if s.depth++; s.depth&(between-1) == 0 {
		s.measure()
	}
	f := s.take(b)
	f.caller = caller
	s.top = f
	return f
}

// leave ends a call that returned.
func (s *stack) leave(b *body, f *frame) {
	s.depth--
	s.top = f.caller
	s.give(b, f)
}
