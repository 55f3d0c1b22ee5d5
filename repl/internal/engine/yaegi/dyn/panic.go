package dyn

import (
	"sync/atomic"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/repl/internal/unwind"
)

// A cell that panics runs again in the exact engine, which reports the value and position of the panic. Here it
// only matters that there was one.

// Fault is a failure of the engine itself.
type Fault struct{ Text string }

func (f *Fault) String() string { return f.Text }

// Panic is the builtin function panic.
func (r *Runtime) Panic(v any) { panic(v) }

// Nil panics as Go does for a nil pointer.
func (r *Runtime) Nil() { panic(nilPointer) }

// nilPointer is Go's panic value for a nil pointer.
var nilPointer = func() (err any) {
	defer func() { err = recover() }()
	var p *int
	*p = 0
	return nil
}()

// Shift returns a shift count, and panics as Go does if it is negative.
func (r *Runtime) Shift(n int64) uint {
	_ = 1 << n
	return uint(n)
}

// DeferStack holds the deferred calls of one function.
type DeferStack struct{ calls []func() }

// NewDefers makes the empty stack of a function.
func (r *Runtime) NewDefers() *DeferStack { return &DeferStack{} }

// Push adds a deferred call.
func (r *Runtime) Push(d *DeferStack, call func()) { d.calls = append(d.calls, call) }

// Protect runs a function's body and then its deferred calls, even if the body panics or its goroutine exits. If
// the body panicked with the cell's sentinel, this panic continues afterwards, whatever the deferred calls did.
func (r *Runtime) Protect(d *DeferStack, body func()) {
	var ends *answer.Sentinel
	defer r.pass(&ends)
	defer r.finish(d, &ends)
	defer r.passing(&ends)
	body()
}

// finish runs the remaining deferred calls, one after the other, even if some of them panic.
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

// unitExit records how the running unit ends.
type unitExit struct {
	own     atomic.Pointer[answer.Sentinel]
	ended   atomic.Bool
	stopped atomic.Bool
	kept    atomic.Pointer[any]
	unwind.Goroutines
}

// Ended is called at the end of a unit's entry function.
func (r *Runtime) Ended() { r.ended.Store(true) }

// Start runs a unit's entry function and checks that it reached its end: if the interpreter left it early, the cell
// must not count as done.
func (r *Runtime) Start(entry func()) {
	r.ended.Store(false)
	unwind.Boundary(entry)
	if !r.ended.Load() && !r.stopped.Load() {
		panic(&Fault{"it left the cell before its end"})
	}
}

// Stop records that the unit is being cancelled.
func (r *Runtime) Stop() { r.stopped.Store(true) }

// passing records a panic as it propagates, because compiled code such as fmt may recover it, and a deferred
// function may end the cell differently. The cell's sentinel is not recorded as a panic, but stored in ends if
// deferred calls follow.
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

// pass panics with the sentinel again after the deferred calls, in place of their own panics.
func (r *Runtime) pass(ends **answer.Sentinel) {
	if *ends != nil {
		_ = recover()
		r.Throw(*ends, deepestPanic)
	}
}

// Begin starts a run with the sentinel own.
func (r *Runtime) Begin(own *answer.Sentinel) {
	r.own.Store(own)
	r.Reset()
	r.kept.Store(nil)
}

// Sentinel returns the current run's sentinel.
func (r *Runtime) Sentinel() *answer.Sentinel { return r.own.Load() }

// Unwind panics with the sentinel of the current run.
func (r *Runtime) Unwind() { r.Throw(r.Sentinel(), deepestPanic) }

// deepestPanic is the number of Go frames, made by a few hundred calls of the cell, from which on a stack is too
// deep to be unwound by a panic: the interpreter recovers and panics again in every frame, which takes time
// quadratic in their number.
const deepestPanic = 1024

// Kept returns the recorded panic of the run; nil if there is none.
func (r *Runtime) Kept() any {
	if p := r.kept.Load(); p != nil {
		return *p
	}
	return nil
}

// Recover is the builtin function recover. It does not recover a panic, but panics again: the code that follows
// must not run as if there had been none.
func (r *Runtime) Recover() any {
	if v := r.Kept(); v != nil {
		panic(v)
	}
	return nil
}
