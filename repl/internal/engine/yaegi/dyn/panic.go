package dyn

import (
	"sync/atomic"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/repl/internal/unwind"
)

// A cell that panics runs again in the exact engine, which reports the value and position of the panic. Here it
// matters only that there was a panic.

// Fault is a failure of the engine itself.
type Fault struct{ Text string }

func (f *Fault) String() string { return f.Text }

// Panic is the builtin function panic.
func (r *Runtime) Panic(v any) { panic(v) }

// Nil panics as Go does when a nil pointer is dereferenced.
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

// DeferStack contains the deferred calls of one function.
type DeferStack struct{ calls []func() }

// NewDefers makes the empty stack of a function.
func (r *Runtime) NewDefers() *DeferStack { return &DeferStack{} }

// Push adds a deferred call.
func (r *Runtime) Push(d *DeferStack, call func()) { d.calls = append(d.calls, call) }

// Protect runs a function's body and then its deferred calls, even if the body panics or its goroutine exits. If
// the body panicked with the cell's sentinel, that panic continues after the deferred calls, whatever these did.
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

// Start runs a unit's entry function and checks that it reached its end. If the interpreter left it early, the cell
// must not count as finished.
func (r *Runtime) Start(entry func()) {
	r.ended.Store(false)
	unwind.Boundary(entry)
	if !r.ended.Load() && !r.stopped.Load() {
		panic(&Fault{"it left the cell before its end"})
	}
}

// Stop records that the unit is being cancelled.
func (r *Runtime) Stop() { r.stopped.Store(true) }

// passing records a panic while it propagates, because compiled code such as fmt may recover it, and a deferred
// function may end the cell in another way. It does not record the cell's sentinel as a panic, but stores it in
// ends if deferred calls follow.
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

// deepestPanic is the number of Go frames, made by a few hundred calls of the cell, at which a stack becomes too
// deep for a panic to unwind it: the interpreter recovers and panics again in every frame, which takes time
// quadratic in the number of frames.
const deepestPanic = 1024

// Kept returns the recorded panic of the run; nil if there is none.
func (r *Runtime) Kept() any {
	if p := r.kept.Load(); p != nil {
		return *p
	}
	return nil
}

// Recover is the builtin function recover. Instead of recovering a panic it panics again, because the code that
// follows must not run as if there had been no panic.
func (r *Runtime) Recover() any {
	if v := r.Kept(); v != nil {
		panic(v)
	}
	return nil
}
