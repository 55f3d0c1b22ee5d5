package dyn

import "runtime"

// where does what panics as Go does, at a position.
func (r *Runtime) where(site int, f func()) {
	defer func() {
		if v := recover(); v != nil {
			panic(&Panic{Value: v, Site: site})
		}
	}()
	f()
}

// Index panics for an index out of range.
func (r *Runtime) Index(i, n, site int) {
	r.where(site, func() { _ = make([]struct{}, n)[i] })
}

// Ix checks an index and returns it.
func (r *Runtime) Ix(i, n, site int) int {
	if uint(i) >= uint(n) {
		r.Index(i, n, site)
	}
	return i
}

// None stands for an operand of a slice expression that is not there.
const None = -1 << 62

// Bounds checks the operands of a slice expression as Go does.
func (r *Runtime) Bounds(lo, hi, most, length, capacity, site int) {
	s := make([]struct{}, length, capacity)
	r.where(site, func() {
		switch {
		case most != None:
			_ = s[r.Low(lo):hi:most]
		case hi == None:
			_ = s[r.Low(lo):]
		default:
			_ = s[r.Low(lo):hi]
		}
	})
}

// Low and High are the operands of a checked slice expression.
func (r *Runtime) Low(lo int) int {
	if lo == None {
		return 0
	}
	return lo
}

// High is the upper bound.
func (r *Runtime) High(hi, length, capacity int) int {
	if hi == None {
		return length
	}
	return hi
}

// Substring is s[lo:hi].
func (r *Runtime) Substring(s string, lo, hi, site int) (out string) {
	if hi == None {
		r.where(site, func() { out = s[r.Low(lo):] })
		return out
	}
	r.where(site, func() { out = s[r.Low(lo):hi] })
	return out
}

// nilPanic is the panic for a nil pointer.
func (r *Runtime) nilPanic(site int) *Panic { return &Panic{Value: nilPointer, Site: site} }

// nilPointer is what Go panics with for a nil pointer.
var nilPointer = func() (err any) {
	defer func() { err = recover() }()
	var p *int
	*p = 0
	return nil
}()

// Nil panics for a nil pointer.
func (r *Runtime) Nil(site int) { panic(r.nilPanic(site)) }

// NilValue panics for a value method that is called through a nil pointer in an interface.
func (r *Runtime) NilValue(method, pointer string) {
	panic(&Panic{Value: plainError("value method " + method + " called using nil " + pointer + " pointer"), Site: *r.mark})
}

// Divide panics for a division by zero.
func (r *Runtime) Divide(site int) {
	var zero int
	r.where(site, func() { _ = 1 / zero })
}

// Shift checks a shift count.
func (r *Runtime) Shift(n int64, site int) uint {
	r.where(site, func() { _ = 1 << n })
	return uint(n)
}

// MakeLen checks the length of a slice to be made.
func (r *Runtime) MakeLen(n, site int) int {
	if n < 0 || n > 1<<46 {
		r.where(site, func() { _ = make([][1 << 40]byte, n) })
	}
	return n
}

// MakeCap checks the capacity of a slice to be made.
func (r *Runtime) MakeCap(n, c, site int) int {
	if c < n || c > 1<<46 {
		r.where(site, func() { _ = make([][1 << 40]byte, n, c) })
	}
	return c
}

// The states of a range over a function.
const (
	rangeReady = iota
	rangeInBody
	rangeDone      // the body has returned false
	rangeExhausted // the function has returned
	rangeLost      // it has, while the body was panicking
)

// RangeState panics when an iterator calls the body of its loop, or returns, in a state in which it must not.
func (r *Runtime) RangeState(state, site int) {
	panic(&Panic{Value: runtimeError("range function " + map[int]string{
		rangeInBody:    "continued iteration after loop body panic",
		rangeDone:      "continued iteration after function for loop body returned false",
		rangeExhausted: "continued iteration after whole loop exit",
		rangeLost:      "recovered a loop body panic and did not resume panicking",
	}[state]), Site: site})
}

// runtimeError is a run-time error with Go's words.
type runtimeError string

func (e runtimeError) Error() string { return "runtime error: " + string(e) }
func (runtimeError) RuntimeError()   {}

// plainError is a run-time error without the prefix.
type plainError string

func (e plainError) Error() string { return string(e) }
func (plainError) RuntimeError()   {}

var _, _ runtime.Error = runtimeError(""), plainError("")
