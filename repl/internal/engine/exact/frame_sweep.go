package exact

import (
	"runtime"
	"weak"
)

// Values that will not be read again are dropped only when memory is requested, so that instructions need not clear
// them. A frame that waits for a call, or is about to allocate, is at a point for which the compiler knows which
// slots are still read (liveness). All other slots are cleared.

// large is the allocation size, in bytes, that always triggers a sweep. A smaller allocation triggers one if the
// garbage collector has run since the last sweep.
const large = 1 << 18

// swept is a bit of frame.pc that is set once a frame was swept at its place. When the frame moves on to another
// place, the bit is cleared.
const swept = 1 << 30

// live lists the slots that are read after a point, as indexes into body.held: before lists those read from the
// beginning of the instruction on, during those read once the called function has its arguments.
type live struct{ before, during []int32 }

// reserve is called before an instruction at the point pc allocates about size bytes, or calls compiled code
// that may.
func (fr *frame) reserve(pc int32, size int) {
	if size >= large || fr.stack.seen != fr.stack.e.cycles.Load() || checked {
		fr.sweep(pc, size)
	}
}

// sweep drops the dead values on the stack whose running frame is at pc.
func (fr *frame) sweep(pc int32, size int) {
	s, running := fr.stack, true
	fr.pc = pc
	for f := fr; f != nil && f.pc&swept == 0; f = f.caller { // a swept frame's callers have not run since
		if !f.lent {
			f.clearDead(running)
		}
		f.pc |= swept
		f.next, running = nil, false // drop the old link in the list of free frames
	}
	clear(s.free)
	s.e.forgetStacks()
	if s.seen = s.e.cycles.Load(); size >= large { // sweep again soon, when the new memory may be unused
		s.seen--
	}
}

// clearDead clears the slots that a frame will not read any more.
func (fr *frame) clearDead(running bool) {
	b := fr.body
	at, ok := b.lives[fr.pc]
	if !ok {
		return
	}
	keep := at.during
	if running {
		keep = at.before
	}
	for i := range b.held {
		if len(keep) > 0 && keep[0] == int32(i) {
			keep = keep[1:]
			continue
		}
		b.held[i].class.clear(addr(fr, b.held[i].off))
	}
}

// forgetStacks drops the stacks of callbacks that have ended, because their free frames still refer to values.
func (e *Engine) forgetStacks() {
	e.count.Lock()
	defer e.count.Unlock()
	e.stacks = nil
}

// countCycles counts garbage collections. The count grows only when the next collection will be noticed: what is made
// while one runs outlives it.
func (e *Engine) countCycles() {
	runtime.AddCleanup(&struct{ p, q *int }{}, func(w weak.Pointer[Engine]) {
		if e := w.Value(); e != nil {
			e.countCycles()
			e.cycles.Add(1)
		}
	}, weak.Make(e))
}
