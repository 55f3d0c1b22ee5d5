package exact

import (
	"reflect"
	"slices"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"

	"github.com/gorlm/rlm/repl/internal/engine/exact/rtype"
)

// nativeCall calls a compiled function value with arguments from a frame and stores the results there.
type nativeCall func(fr *frame, fn mem.Ptr)

// passing returns code that calls functions of type t without reflection; nil if it cannot pass the arguments or
// results.
func (n *reflectCall) passing(t reflect.Type) nativeCall {
	return n.passingFrom(&rtype.CallLayout{}, t)
}

// passingMethod returns code that calls, without reflection, a compiled method of the value in the interface at x.
// It also returns the method's number.
func (c *compiler) passingMethod(cc *ssa.CallCommon, x uintptr, n reflectCall) (nativeCall, int) {
	t := c.e.types.Reflect(cc.Value.Type())
	m, ok := t.MethodByName(cc.Method.Name())
	if !ok {
		return nil, 0
	}
	p := &rtype.CallLayout{}
	p.Add(reflect.TypeFor[mem.Ptr](), x+mem.DataOffset)
	return n.passingFrom(p, m.Type), m.Index
}

func (n *reflectCall) passingFrom(p *rtype.CallLayout, t reflect.Type) nativeCall {
	if t.NumIn() != len(n.args) || t.NumOut() != len(n.results) {
		return nil
	}
	for i, a := range n.args {
		if !sameWords(a.typ, t.In(i)) || !p.Add(a.typ, a.off) {
			return nil
		}
	}
	inRegisters := len(n.results) <= 3
	for i, r := range n.results {
		if !sameWords(r.typ, t.Out(i)) {
			return nil
		}
		inRegisters = inRegisters && wordsOf(r.typ) != reflect.Invalid
	}
	if n.unused && inRegisters { // results in registers need not be fetched
		return callNone(p)
	}
	switch r := n.results; len(r) {
	case 0:
		return callNone(p)
	case 1:
		return passingOne(p, r[0])
	case 2:
		return passingTwo(p, r[0], r[1])
	case 3:
		return passingThree(p, r)
	}
	return nil
}

// sameWords reports whether values of two types have the same representation in memory and in registers.
func sameWords(a, b reflect.Type) bool {
	return a == b || a.Kind() == b.Kind() && a.Kind() != reflect.Interface && a.ConvertibleTo(b)
}

// wordsOf returns the kind that stands for all result types of the same words.
func wordsOf(t reflect.Type) reflect.Kind {
	switch k := t.Kind(); k {
	case reflect.String, reflect.Slice, reflect.Interface, reflect.Float64:
		return k
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return reflect.Pointer
	case reflect.Int, reflect.Uint, reflect.Int64, reflect.Uint64, reflect.Uintptr:
		return reflect.Uint64
	case reflect.Int32, reflect.Uint32:
		return reflect.Uint32
	case reflect.Bool:
		return reflect.Bool
	case reflect.Uint8, reflect.Int8:
		return reflect.Uint8
	}
	return reflect.Invalid
}

func callNone(p *rtype.CallLayout) nativeCall {
	return func(fr *frame, fn mem.Ptr) { rtype.Call[struct{}](p, fn, mem.Of(fr)) }
}

func passingOne(p *rtype.CallLayout, r typedSlot) nativeCall {
	switch wordsOf(r.typ) {
	case reflect.String:
		return callOne[string](p, r.off)
	case reflect.Slice:
		return callOne[mem.Slice](p, r.off)
	case reflect.Interface:
		return callOne[mem.Words](p, r.off)
	case reflect.Float64:
		return callOne[float64](p, r.off)
	case reflect.Pointer:
		return callOne[mem.Ptr](p, r.off)
	case reflect.Uint64:
		return callOne[uint64](p, r.off)
	case reflect.Uint32:
		return callOne[uint32](p, r.off)
	case reflect.Uint8, reflect.Bool:
		return callOne[uint8](p, r.off)
	}
	return nil
}

//go:noinline
func callOne[A any](p *rtype.CallLayout, a uintptr) nativeCall {
	return func(fr *frame, fn mem.Ptr) { *mem.Slot[A](fr, a) = rtype.Call[A](p, fn, mem.Of(fr)) }
}

func passingTwo(p *rtype.CallLayout, r, s typedSlot) nativeCall {
	switch wordsOf(r.typ) {
	case reflect.String:
		return withSecond[string](p, r.off, s)
	case reflect.Slice:
		return withSecond[mem.Slice](p, r.off, s)
	case reflect.Interface:
		return withSecond[mem.Words](p, r.off, s)
	case reflect.Float64:
		return withSecond[float64](p, r.off, s)
	case reflect.Pointer:
		return withSecond[mem.Ptr](p, r.off, s)
	case reflect.Uint64:
		return withSecond[uint64](p, r.off, s)
	case reflect.Uint32:
		return withSecond[uint32](p, r.off, s)
	case reflect.Uint8, reflect.Bool:
		return withSecond[uint8](p, r.off, s)
	}
	return nil
}

func withSecond[A any](p *rtype.CallLayout, a uintptr, s typedSlot) nativeCall {
	switch wordsOf(s.typ) {
	case reflect.String:
		return callTwo[A, string](p, a, s.off)
	case reflect.Interface:
		return callTwo[A, mem.Words](p, a, s.off)
	case reflect.Uint64:
		return callTwo[A, uint64](p, a, s.off)
	case reflect.Uint8, reflect.Bool:
		return callTwo[A, uint8](p, a, s.off)
	}
	return nil
}

// pair holds two results.
type pair[A, B any] struct {
	a A
	b B
}

//go:noinline
func callTwo[A, B any](p *rtype.CallLayout, a, b uintptr) nativeCall {
	return func(fr *frame, fn mem.Ptr) {
		r := rtype.Call[pair[A, B]](p, fn, mem.Of(fr))
		*mem.Slot[A](fr, a), *mem.Slot[B](fr, b) = r.a, r.b
	}
}

// passingThree returns code that calls functions with three results, such as strings.Cut.
func passingThree(p *rtype.CallLayout, r []typedSlot) nativeCall {
	switch kinds := []reflect.Kind{wordsOf(r[0].typ), wordsOf(r[1].typ), wordsOf(r[2].typ)}; {
	case slices.Equal(kinds, []reflect.Kind{reflect.String, reflect.String, reflect.Bool}):
		return callThree[string](p, r)
	case slices.Equal(kinds, []reflect.Kind{reflect.Slice, reflect.Slice, reflect.Bool}):
		return callThree[mem.Slice](p, r)
	}
	return nil
}

//go:noinline
func callThree[A any](p *rtype.CallLayout, r []typedSlot) nativeCall {
	a, b, c := r[0].off, r[1].off, r[2].off
	return func(fr *frame, fn mem.Ptr) {
		r := rtype.Call[pair[A, pair[A, uint8]]](p, fn, mem.Of(fr))
		*mem.Slot[A](fr, a), *mem.Slot[A](fr, b), *mem.Slot[uint8](fr, c) = r.a, r.b.a, r.b.b
	}
}
