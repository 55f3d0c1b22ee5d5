package dyn

import (
	"reflect"
	"runtime"
	"strings"
)

// Panic is a panic of a cell on its way up.
type Panic struct {
	Value  any // as lowered code keeps it in interfaces
	Site   int
	Broken bool // the engine itself failed
}

// Fault is a failure of the engine itself. No cell can recover it.
type Fault struct{ Text string }

func (f *Fault) String() string { return f.Text }

func (r *Runtime) fault(text string) *Fault { return &Fault{text} }

// Panic is the panic of a cell.
func (r *Runtime) Panic(v any, site int) {
	if v == nil {
		v = new(runtime.PanicNilError)
	}
	panic(&Panic{Value: v, Site: site})
}

// Translate makes a *Panic of what was recovered natively: failures of the interpreter's reflection become what Go calls
// them. Positions that the value does not carry come from the mark. It returns nil for what is no panic of a cell.
func (r *Runtime) Translate(v any) *Panic {
	site := 0
	if r.mark != nil {
		site = *r.mark
	}
	switch e := v.(type) {
	case *Panic:
		return e
	case *Fault:
		return nil
	}
	if r.Sentinel(v) {
		return nil
	}
	switch e := v.(type) {
	case *reflect.ValueError:
		return r.nilPanic(site)
	case runtime.Error:
		if strings.HasPrefix(e.Error(), "interface conversion: interp") || strings.Contains(e.Error(), "interp.") {
			return nil
		}
		return &Panic{Value: e, Site: site}
	case string:
		switch {
		case strings.Contains(e, "slice index out of range"), strings.Contains(e, "string index out of range"), strings.Contains(e, "array index out of range"):
			return &Panic{Value: runtimeError("index out of range"), Site: site}
		case strings.HasPrefix(e, "reflect: call of nil"), strings.HasPrefix(e, "reflect: Value.Call: call of nil function"), strings.HasPrefix(e, "reflect.Value.Call: call of nil function"),
			e == "reflect: Method on nil interface value":
			return r.nilPanic(site)
		case strings.HasPrefix(e, "reflect"):
			return nil
		}
	}
	return &Panic{Value: v, Site: site}
}

// Panics is what a deferred function may recover from.
type Panics struct {
	current   *Panic
	recovered bool
}

// Recover is recover() in a deferred function.
func (r *Runtime) Recover(p *Panics) any {
	if p == nil || p.current == nil || p.recovered {
		return nil
	}
	p.recovered = true
	if r.Recovered != nil {
		r.Recovered()
	}
	return p.current.Value
}

// Defers are the deferred calls of one function.
type Defers struct{ calls []func(*Panics) }

// NewDefers starts the list of a function.
func (r *Runtime) NewDefers() *Defers { return &Defers{} }

// Push defers a call.
func (r *Runtime) Push(d *Defers, call func(*Panics)) { d.calls = append(d.calls, call) }

// Protect runs a function's body and then its deferred calls, as Go does for panics, recoveries and runtime.Goexit.
func (r *Runtime) Protect(d *Defers, body func()) {
	current, foreign := r.attempt(d, body)
	r.unwind(d, current, foreign)
}

// ProtectEntry is Protect for a unit's entry function: one whose panic was recovered has come to its end as well.
func (r *Runtime) ProtectEntry(d *Defers, body func()) {
	current, foreign := r.attempt(d, body)
	r.unwind(d, current, foreign)
	if current != nil {
		r.ended.Store(true)
	}
}

// unwind runs what is deferred and goes on panicking unless that was recovered.
func (r *Runtime) unwind(d *Defers, current *Panic, foreign any) {
	for len(d.calls) > 0 {
		call := d.calls[len(d.calls)-1]
		d.calls = d.calls[:len(d.calls)-1]
		state := &Panics{current: current}
		next, other := r.attempt(d, func() { call(state) })
		switch {
		case other != nil:
			foreign, current = other, nil
		case next != nil:
			current = next
		case state.recovered:
			current = nil
		}
	}
	if foreign != nil {
		panic(foreign)
	}
	if current != nil {
		panic(current)
	}
}

// attempt runs body and returns its panic. If the goroutine is exiting, the rest of the deferred calls run on the way.
func (r *Runtime) attempt(d *Defers, body func()) (current *Panic, foreign any) {
	done := false
	defer func() {
		if done {
			return
		}
		v := recover()
		if v == nil { // runtime.Goexit: it cannot be stopped
			r.unwind(d, nil, nil)
			return
		}
		if current = r.Translate(v); current == nil {
			foreign = v
		}
	}()
	body()
	done = true
	return nil, nil
}

// Ended is called at the end of a unit's entry function.
func (r *Runtime) Ended() { r.ended.Store(true) }

// Start runs a unit's entry function and makes sure that it came to its end: an interpreter that leaves it early must
// not pass for a cell that is done.
func (r *Runtime) Start(entry func()) {
	r.ended.Store(false)
	entry()
	if !r.ended.Load() && !r.stopped.Load() {
		panic(r.fault("it left the cell before its end"))
	}
}

// Stop says that the unit is being cancelled.
func (r *Runtime) Stop() { r.stopped.Store(true) }
