package dyn

import (
	"sync/atomic"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/repl/internal/unwind"
)

// What a cell panics with, and where, is told by the exact engine, in which the cell runs again: here it is enough that it panics.

// Fault is a failure of the engine itself.
type Fault struct{ Text string }

func (f *Fault) String() string { return f.Text }

// Panic is the panic of a cell.
func (r *Runtime) Panic(v any) { panic(v) }

// Nil panics for a nil pointer.
func (r *Runtime) Nil() { panic(nilPointer) }

// nilPointer is what Go panics with for a nil pointer.
var nilPointer = func() (err any) {
	defer func() { err = recover() }()
	var p *int
	*p = 0
	return nil
}()

// Shift checks a shift count.
func (r *Runtime) Shift(n int64) uint {
	_ = 1 << n
	return uint(n)
}

// DeferStack are the deferred calls of one function.
type DeferStack struct{ calls []func() }

// NewDefers starts the list of a function.
func (r *Runtime) NewDefers() *DeferStack { return &DeferStack{} }

// Push defers a call.
func (r *Runtime) Push(d *DeferStack, call func()) { d.calls = append(d.calls, call) }

// Protect runs a function's body and then its deferred calls, also where it panics or its goroutine exits. The sentinel of the cell goes on
// then, whatever the deferred calls did.
func (r *Runtime) Protect(d *DeferStack, body func()) {
	var ends *answer.Sentinel
	defer r.pass(&ends)
	defer r.finish(d, &ends)
	defer r.passing(&ends)
	body()
}

// finish runs the deferred calls that are left, one after the other, also where they panic.
func (r *Runtime) finish(d *DeferStack, ends **answer.Sentinel) {
	if len(d.calls) == 0 {
		return
	}
	call := d.calls[len(d.calls)-1]
	d.calls = d.calls[:len(d.calls)-1]
	defer r.finish(d, ends)
	defer r.passing(ends)
	call()
}

// unitExit is how the running unit ends.
type unitExit struct {
	own     atomic.Pointer[answer.Sentinel]
	ended   atomic.Bool
	stopped atomic.Bool
	kept    atomic.Pointer[any]
	unwind.Goroutines
}

// Ended is called at the end of a unit's entry function.
func (r *Runtime) Ended() { r.ended.Store(true) }

// Start runs a unit's entry function and makes sure that it came to its end: an interpreter that leaves it early must
// not pass for a cell that is done.
func (r *Runtime) Start(entry func()) {
	r.ended.Store(false)
	unwind.Boundary(entry)
	if !r.ended.Load() && !r.stopped.Load() {
		panic(&Fault{"it left the cell before its end"})
	}
}

// Stop says that the unit is being cancelled.
func (r *Runtime) Stop() { r.stopped.Store(true) }

// passing notes a panic on its way up: compiled code such as fmt may keep it to itself, and a deferred function may end the cell otherwise.
// The sentinel of the cell is none; where deferred calls follow, it is put into ends.
func (r *Runtime) passing(ends **answer.Sentinel) {
	v := recover()
	if v == nil {
		return
	}
	if s, ok := v.(*answer.Sentinel); !ok || s != r.Sentinel() {
		r.kept.CompareAndSwap(nil, &v)
	} else if ends != nil {
		*ends = s
		r.Catch()
	}
	panic(v)
}

// pass lets the sentinel go on after the deferred calls, in place of what they panicked with.
func (r *Runtime) pass(ends **answer.Sentinel) {
	if *ends != nil {
		_ = recover()
		r.Throw(*ends, deepestPanic)
	}
}

// Begin begins a run, whose sentinel is own.
func (r *Runtime) Begin(own *answer.Sentinel) {
	r.own.Store(own)
	r.Reset()
	r.kept.Store(nil)
}

// Sentinel is that of the current run.
func (r *Runtime) Sentinel() *answer.Sentinel { return r.own.Load() }

// Unwind panics with the sentinel of the current run.
func (r *Runtime) Unwind() { r.Throw(r.Sentinel(), deepestPanic) }

// deepestPanic is how many of Go's frames a stack has that is not left by a panic, some hundred calls of the cell: the
// interpreter recovers and panics again in every frame, which takes time with the square of their number.
const deepestPanic = 1024

// Kept is a panic of the run; nil if none was noted.
func (r *Runtime) Kept() any {
	if p := r.kept.Load(); p != nil {
		return *p
	}
	return nil
}

// Recover is recover(). A panic cannot be recovered here, and what follows must not run as if there were none.
func (r *Runtime) Recover() any {
	if v := r.Kept(); v != nil {
		panic(v)
	}
	return nil
}
