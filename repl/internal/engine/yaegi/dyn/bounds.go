package dyn

import "fmt"

// Index panics for an index out of range.
func (r *Runtime) Index(i, n, site int) {
	if i < 0 {
		panic(r.runtimeError(fmt.Sprintf("index out of range [%d]", i), site))
	}
	panic(r.runtimeError(fmt.Sprintf("index out of range [%d] with length %d", i, n), site))
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
	text := ""
	limit, what := capacity, "capacity"
	if most != None {
		switch {
		case most < 0:
			text = fmt.Sprintf("slice bounds out of range [::%d]", most)
		case most > capacity:
			text = fmt.Sprintf("slice bounds out of range [::%d] with capacity %d", most, capacity)
		case hi < 0 && hi != None:
			text = fmt.Sprintf("slice bounds out of range [:%d:]", hi)
		case hi > most:
			text = fmt.Sprintf("slice bounds out of range [:%d:%d]", hi, most)
		case lo < 0 && lo != None:
			text = fmt.Sprintf("slice bounds out of range [%d::]", lo)
		case lo > hi:
			text = fmt.Sprintf("slice bounds out of range [%d:%d:]", lo, hi)
		}
	} else {
		if hi == None {
			hi = length
		}
		switch {
		case hi < 0:
			text = fmt.Sprintf("slice bounds out of range [:%d]", hi)
		case hi > limit:
			text = fmt.Sprintf("slice bounds out of range [:%d] with %s %d", hi, what, limit)
		case lo < 0 && lo != None:
			text = fmt.Sprintf("slice bounds out of range [%d:]", lo)
		case lo > hi:
			text = fmt.Sprintf("slice bounds out of range [%d:%d]", lo, hi)
		}
	}
	if text != "" {
		panic(r.runtimeError(text, site))
	}
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
func (r *Runtime) Substring(s string, lo, hi, site int) string {
	if hi == None {
		hi = len(s)
	}
	if lo == None {
		lo = 0
	}
	switch {
	case hi < 0:
		panic(r.runtimeError(fmt.Sprintf("slice bounds out of range [:%d]", hi), site))
	case hi > len(s):
		panic(r.runtimeError(fmt.Sprintf("slice bounds out of range [:%d] with length %d", hi, len(s)), site))
	case lo < 0:
		panic(r.runtimeError(fmt.Sprintf("slice bounds out of range [%d:]", lo), site))
	case lo > hi:
		panic(r.runtimeError(fmt.Sprintf("slice bounds out of range [%d:%d]", lo, hi), site))
	}
	return s[lo:hi]
}

// Nil panics for a nil pointer.
func (r *Runtime) Nil(site int) { panic(r.runtimeError(nilDereference, site)) }

// NilValue panics for a value method that is called through a nil pointer in an interface.
func (r *Runtime) NilValue(method, pointer string) {
	panic(&Panic{Value: plainError("value method " + method + " called using nil " + pointer + " pointer"), Site: *r.mark})
}

// Divide panics for a division by zero.
func (r *Runtime) Divide(site int) { panic(r.runtimeError("integer divide by zero", site)) }

// Shift checks a shift count.
func (r *Runtime) Shift(n int64, site int) uint {
	if n < 0 {
		panic(r.runtimeError("negative shift amount", site))
	}
	return uint(n)
}

// MakeLen checks the length of a slice to be made.
func (r *Runtime) MakeLen(n, site int) int {
	if n < 0 || n > 1<<46 {
		panic(r.runtimeError("makeslice: len out of range", site))
	}
	return n
}

// MakeCap checks the capacity of a slice to be made.
func (r *Runtime) MakeCap(n, c, site int) int {
	if c < n || c > 1<<46 {
		panic(r.runtimeError("makeslice: cap out of range", site))
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
	panic(r.runtimeError("range function "+map[int]string{
		rangeInBody:    "continued iteration after loop body panic",
		rangeDone:      "continued iteration after function for loop body returned false",
		rangeExhausted: "continued iteration after whole loop exit",
		rangeLost:      "recovered a loop body panic and did not resume panicking",
	}[state], site))
}
