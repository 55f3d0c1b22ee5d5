package exact

import (
	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
)

// frame is the header of a call's memory; the slots follow it.
type frame struct {
	body   *body
	stack  *stack
	caller *frame
	next   *frame // of the free ones
	defers *deferredCall
	failed *failure // the panic that runs the deferred calls, if one does
	pc     int32    // index into body.places
	synth  bool     // a wrapper, which recover looks through
	lent   bool     // compiled code calls it again and again: what it was given at first it reads each time
	guard  guard
}

// addr is the address of a slot. What lies there has the type that the layout of the frame's body gave it (rtype.Record).
func addr(fr *frame, off uintptr) mem.Ptr { return mem.Of(fr).Add(off) }

// stack is what a goroutine needs to run interpreted code: frames that are free, and how deep it is. Code that compiled code calls back
// has one of its own.
type stack struct {
	e     *Engine
	gor   *goroutine // nil until somebody asks, on a stack of a callback
	free  []*frame   // by body.id
	top   *frame
	depth int
	// again is set while a panic goes on that a frame below has already seen.
	again bool
	trace *trace
	wide  uint64 // the last index that no int held
	seen  uint64 // the cycle of the garbage collector in which dead values were let go of
}

// take is a frame for a call.
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

// give takes a frame back after its call.
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

// enter makes a frame the running one.
func (s *stack) enter(b *body, caller *frame) *frame {
	if s.depth++; s.depth&(between-1) == 0 {
		s.measure()
	}
	f := s.take(b)
	f.caller = caller
	s.top = f
	return f
}

// leave is for calls that came to their end.
func (s *stack) leave(b *body, f *frame) {
	s.depth--
	s.top = f.caller
	s.give(b, f)
}
