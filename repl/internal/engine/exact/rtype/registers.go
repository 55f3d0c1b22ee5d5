package rtype

import (
	"math"
	"reflect"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
)

// Compiled functions take arguments and return results in registers, which depend only on the words of the types:
// integers and pointers use one kind of register, in order, floats another (the ABI of the Go release, on the
// processors that have stubs). So a call through one function type can call all functions, because they ignore
// registers beyond their arguments. checkPassing tests that at start.
//
// Invariants: arguments are in memory that stays alive and unchanged until the call returns, because Call passes
// words that the garbage collector takes for mere numbers until the callee uses them. R consists of the same words
// as the function's results.

// CallLayout describes where the arguments of a call are.
type CallLayout struct {
	ints, floats []source
	few          bool // the arguments are at most fewInts whole words, and no floats
}

// source is a word of an argument, or a part of one.
type source struct {
	off  uintptr
	size uintptr
}

const (
	mostInts   = 9 // as on amd64, which has fewer registers than arm64
	mostFloats = 4
	fewInts    = 4
)

// Add adds an argument that is off bytes after the address passed to Call. It reports whether the argument can be
// passed.
func (p *CallLayout) Add(t reflect.Type, off uintptr) bool {
	ok := p.add(t, off)
	p.few = len(p.floats) == 0 && len(p.ints) <= fewInts
	for _, s := range p.ints {
		p.few = p.few && s.size == mem.Word
	}
	return ok
}

func (p *CallLayout) add(t reflect.Type, off uintptr) bool {
	whole := func(n uintptr) bool {
		for i := range n {
			p.ints = append(p.ints, source{off + i*mem.Word, mem.Word})
		}
		return len(p.ints) <= mostInts
	}
	switch t.Kind() {
	case reflect.String, reflect.Interface:
		return whole(2)
	case reflect.Slice:
		return whole(3)
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return whole(1)
	case reflect.Float64:
		p.floats = append(p.floats, source{off, mem.Word})
		return len(p.floats) <= mostFloats
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); !p.add(f.Type, off+f.Offset) {
				return false
			}
		}
		return true
	case reflect.Array, reflect.Float32, reflect.Complex64, reflect.Complex128:
		return false
	}
	p.ints = append(p.ints, source{off, t.Size()})
	return len(p.ints) <= mostInts
}

func (s *source) load(from mem.Ptr) uintptr {
	at := from.Add(s.off)
	switch s.size {
	case 1:
		return uintptr(*mem.As[uint8](at))
	case 2:
		return uintptr(*mem.As[uint16](at))
	case 4:
		return uintptr(*mem.As[uint32](at))
	}
	return *mem.As[uintptr](at)
}

// Call calls the function value fn with the arguments at from. If there are several results, R is a struct; with
// struct{}, results in registers are ignored.
func Call[R any](p *CallLayout, fn, from mem.Ptr) R {
	if p.few {
		var n [fewInts]uintptr
		for i := range p.ints {
			n[i&(fewInts-1)] = *mem.At[uintptr](from, p.ints[i].off)
		}
		f := *mem.View[func(a, b, c, d uintptr) R](&fn)
		return f(n[0], n[1], n[2], n[3])
	}
	var n [mostInts]uintptr
	for i := range p.ints {
		n[i] = p.ints[i].load(from)
	}
	if p.floats == nil {
		f := *mem.View[func(a, b, c, d, e, f, g, h, i uintptr) R](&fn)
		return f(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8])
	}
	var x [mostFloats]float64
	for i := range p.floats {
		x[i] = *mem.At[float64](from, p.floats[i].off)
	}
	f := *mem.View[func(a, b, c, d, e, f, g, h, i uintptr, w, x, y, z float64) R](&fn)
	return f(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], x[0], x[1], x[2], x[3])
}

// checkPassing calls a function with words of every kind, and a method.
func checkPassing() bool {
	type arguments struct {
		small int8
		text  string
		list  []int
		x     float64
		any   any
		yes   bool
		y     float64
	}
	type results struct {
		text string
		ok   uint8
		x    float64
		err  error
	}
	f := func(a arguments) (string, bool, float64, error) {
		return a.text, a.yes && a.small == -3 && len(a.list) == 2 && a.any == 5, math.Max(a.x, a.y), errCheck
	}
	a := &arguments{-3, "text", []int{1, 2}, 1.5, 5, true, 2.5}
	var p, m CallLayout
	if !p.Add(reflect.TypeFor[arguments](), 0) {
		return false
	}
	Call[struct{}](&p, mem.FuncOf(reflect.ValueOf(f)), mem.Of(a)) // ignored results
	r := Call[results](&p, mem.FuncOf(reflect.ValueOf(f)), mem.Of(a))
	var err error = errCheck
	w := mem.View[mem.Words](&err)
	m.Add(reflect.TypeFor[*int](), mem.Word)
	text := Call[string](&m, mem.As[mem.Itab](w.Tab).Method(0), mem.Of(&err))
	return r.text == "text" && r.ok&1 == 1 && r.err == error(errCheck) && r.x == 2.5 && text == "check 7"
}

type checkError int

const errCheck checkError = 7

func (e checkError) Error() string { return "check " + string(rune('0'+e)) }
