package rtype

import (
	"go/types"
	"reflect"
	"unsafe"
)

// Record lays out memory that holds values of several types in a row, after a header.
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
	if s.size == 0 { // its address must not be that of the next thing in memory
		r.s.size++
	}
	return at
}

// Type is a descriptor for New. The descriptor must be kept as long as such memory is in use: the
// memory does not keep it alive.
func (r *Record) Type() *Type {
	t := &Type{Size: up(r.s.size, word), Align: uint8(word), FieldAl: uint8(word), Kind: uint8(reflect.Struct)}
	t.GCData, t.PtrBytes = r.s.mask()
	return t
}

// Size is the size of a value of t, and whether it holds pointers.
func (b *Builder) Size(t types.Type) (size uintptr, pointers bool) {
	s := b.shapeOf(t)
	return s.size, len(s.ptrs) > 0
}

// Word is the data word of an interface that holds the value at p.
func (t *Type) Word(p unsafe.Pointer) unsafe.Pointer {
	if t.Direct() {
		return *(*unsafe.Pointer)(p)
	}
	if t.Size == 0 {
		return unsafe.Pointer(&zero)
	}
	q := New(t)
	Move(t, q, p)
	return q
}

// zero is where values without a size are.
var zero uintptr

// Load copies the value that an interface's data word stands for to p.
func (t *Type) Load(p, data unsafe.Pointer) {
	if t.Direct() {
		*(*unsafe.Pointer)(p) = data
		return
	}
	Move(t, p, data)
}

// AssertionError is the panic of an assertion of what iface holds (nil: nothing) to a type.
func AssertionError(iface, concrete, asserted *Type, missing string) any {
	e := &assertionError{iface, concrete, asserted, missing}
	var err any = (*typeAssertionError)(nil)
	(*[2]unsafe.Pointer)(unsafe.Pointer(&err))[1] = unsafe.Pointer(e)
	return err
}
