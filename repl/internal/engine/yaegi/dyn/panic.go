package dyn

import "sync/atomic"

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

// Defers are the deferred calls of one function.
type Defers struct{ calls []func() }

// NewDefers starts the list of a function.
func (r *Runtime) NewDefers() *Defers { return &Defers{} }

// Push defers a call.
func (r *Runtime) Push(d *Defers, call func()) { d.calls = append(d.calls, call) }

// Protect runs a function's body and then its deferred calls, also where it panics or its goroutine exits.
func (r *Runtime) Protect(d *Defers, body func()) {
	defer d.run()
	defer r.passing()
	body()
}

func (d *Defers) run() {
	if len(d.calls) == 0 {
		return
	}
	call := d.calls[len(d.calls)-1]
	d.calls = d.calls[:len(d.calls)-1]
	defer d.run()
	call()
}

// ending is how the running unit ends.
type ending struct {
	ended   atomic.Bool
	stopped atomic.Bool
	kept    atomic.Pointer[any]
}

// Ended is called at the end of a unit's entry function.
func (r *Runtime) Ended() { r.ended.Store(true) }

// Start runs a unit's entry function and makes sure that it came to its end: an interpreter that leaves it early must
// not pass for a cell that is done.
func (r *Runtime) Start(entry func()) {
	r.ended.Store(false)
	entry()
	if !r.ended.Load() && !r.stopped.Load() {
		panic(&Fault{"it left the cell before its end"})
	}
}

// Stop says that the unit is being cancelled.
func (r *Runtime) Stop() { r.stopped.Store(true) }

// passing notes a panic on its way up: compiled code such as fmt may keep it to itself, and a deferred function may end the cell otherwise.
func (r *Runtime) passing() {
	if v := recover(); v != nil {
		r.kept.CompareAndSwap(nil, &v)
		panic(v)
	}
}

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
