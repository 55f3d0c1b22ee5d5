package rtype

import (
	"go/types"
	"reflect"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
)

// Record lays out memory for a header followed by values of several types.
type Record struct {
	b *Builder
	s shape
}

// NewRecord begins a record with a value of a compiled type.
func (b *Builder) NewRecord(header reflect.Type) *Record {
	return &Record{b, shapeOfCompiled(header)}
}

// Add makes room for a value and returns its offset.
func (r *Record) Add(t types.Type) uintptr { return r.add(r.b.shapeOf(t)) }

// AddCompiled makes room for a value of a compiled type.
func (r *Record) AddCompiled(t reflect.Type) uintptr { return r.add(shapeOfCompiled(t)) }

func (r *Record) add(s shape) uintptr {
	at := up(r.s.size, max(s.align, 1))
	for _, p := range s.ptrs {
		r.s.ptrs = append(r.s.ptrs, at+p)
	}
	r.s.size = fitting(at + s.size)
	if s.size == 0 { // without it, the value could have the address of the next object in memory
		r.s.size++
	}
	return at
}

// Type returns a descriptor for New. The caller must keep the descriptor as long as memory made with it is in use,
// because the memory does not keep it alive.
func (r *Record) Type() *mem.Type {
	t := &mem.Type{
		Size: up(r.s.size, mem.Word), Align: uint8(mem.Word), FieldAl: uint8(mem.Word),
		Kind: uint8(reflect.Struct),
	}
	t.GCData, t.PtrBytes = r.s.mask()
	return t
}

// Size returns the size of a value of t, and whether it contains pointers.
func (b *Builder) Size(t types.Type) (size uintptr, pointers bool) {
	s := b.shapeOf(t)
	return s.size, len(s.ptrs) > 0
}

// AssertionError returns the panic value of a failed assertion of an interface value, with dynamic type concrete
// (nil for a nil interface), to a type.
func AssertionError(iface, concrete, asserted *mem.Type, missing string) any {
	e := &assertionError{iface, concrete, asserted, missing}
	var err any = (*typeAssertionError)(nil)
	mem.WordsOf(&err).Data = mem.Of(e)
	return err
}
