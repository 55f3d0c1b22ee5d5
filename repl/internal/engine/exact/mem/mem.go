// Package mem is memory whose types are known only at run time: addresses, typed views of them, run-time type
// descriptors, and the functions of the runtime that make and copy such memory. It is the only package of the exact
// engine, including package rtype, that imports unsafe.
//
// # Invariants
//
//   - A Ptr is nil, or the address of memory that Go's allocator returned for a type (New, a variable), or of a part
//     of it. It never points past its memory, and keeps it alive like any pointer.
//   - A view has the type that the memory was made for at this place, or one with the same size and pointers in the
//     same words. Callers get both offset and type from one layout: rtype.Record for frames and closures,
//     rtype.Builder.Fields for structs; for elements it is size times index, below the length.
//   - A view writes with the compiler's write barriers, because its type has the pointers that the memory has. Values
//     whose type is not known when the engine is compiled are copied by Move, which uses the descriptor.
//   - A *Type is the descriptor of a type: the compiler's, package reflect's, or one of package rtype, which stays
//     valid as long as the process runs.
//   - No number is ever converted to a Ptr, except the addresses of machine code that Keep needs.
//
// The layouts below mirror internal/abi of Go 1.26. rtype.Check compares them with the compiler's; no engine starts
// if they differ.
package mem

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// Word is the size of a pointer.
const Word = unsafe.Sizeof(uintptr(0))

// Ptr is the address of a value.
type Ptr struct{ p unsafe.Pointer }

// PtrType is unsafe.Pointer, the type that a Ptr has for compiled code.
var PtrType = reflect.TypeFor[unsafe.Pointer]()

// Of returns the address of a value.
func Of[T any](v *T) Ptr { return Ptr{unsafe.Pointer(v)} }

// In returns the address that a reflect.Value contains: a pointer, a map, a channel, a function, or the address of
// a slice's elements.
func In(v reflect.Value) Ptr { return Ptr{v.UnsafePointer()} }

// At returns a pointer to the value off bytes from an address.
func At[T any](p Ptr, off uintptr) *T { return (*T)(unsafe.Add(p.p, off)) }

// As returns a pointer to the value at an address.
func As[T any](p Ptr) *T { return (*T)(p.p) }

// Slot returns a pointer to a value of type T, off bytes from the beginning of a record.
//
// If the compiler inlines a function, calls of Slot in its closures are not inlined, which makes an engine's
// instruction three times as slow. So generic and small functions that return instructions are marked noinline. Nor
// is Slot called through another generic function, because that would cost every instruction two loads.
func Slot[T, R any](record *R, off uintptr) *T { return (*T)(unsafe.Add(unsafe.Pointer(record), off)) }

// View converts a pointer to a value into a pointer to another type, which must have the same layout for its whole
// length.
func View[T, R any](r *R) *T { return (*T)(unsafe.Pointer(r)) }

// Nil reports whether p is nil.
func (p Ptr) Nil() bool { return p.p == nil }

// Add returns the address off bytes further in the same memory.
func (p Ptr) Add(off uintptr) Ptr { return Ptr{unsafe.Add(p.p, off)} }

// Number returns the address as a number, for comparisons; the number does not keep the memory alive.
func (p Ptr) Number() uintptr { return uintptr(p.p) }

// Elems returns n adjacent values.
func Elems[T any](p Ptr, n int) []T { return unsafe.Slice((*T)(p.p), n) }

// Value returns the value at an address as a reflect.Value that can be set.
func Value(t reflect.Type, p Ptr) reflect.Value { return reflect.NewAt(t, p.p).Elem() }

// Pointer returns a reflect.Value that is a pointer to the value of type t at p.
func Pointer(t reflect.Type, p Ptr) reflect.Value { return reflect.NewAt(t, p.p) }

// Distance returns the offset between two parts of a value, of which from is the earlier.
func Distance[A, B any](from *A, to *B) uintptr {
	return uintptr(unsafe.Pointer(to)) - uintptr(unsafe.Pointer(from))
}

// Atomic is a pointer-sized word that goroutines share.
type Atomic struct{ p unsafe.Pointer }

// Load reads the word.
func (a *Atomic) Load() Ptr { return Ptr{atomic.LoadPointer(&a.p)} }

// Store writes the word.
func (a *Atomic) Store(p Ptr) { atomic.StorePointer(&a.p, p.p) }

// Swap writes the word and returns its previous content.
func (a *Atomic) Swap(p Ptr) Ptr { return Ptr{atomic.SwapPointer(&a.p, p.p)} }

// CompareAndSwap writes p if the word contains old, and reports whether it did.
func (a *Atomic) CompareAndSwap(old, p Ptr) bool {
	return atomic.CompareAndSwapPointer(&a.p, old.p, p.p)
}

// Type is the descriptor of a run-time type.
type Type struct {
	Size     uintptr
	PtrBytes uintptr
	Hash     uint32
	TFlag    uint8
	Align    uint8
	FieldAl  uint8
	Kind     uint8
	Equal    func(p, q Ptr) bool
	GCData   *byte
	Str      int32 // offset; see Keep
	PtrTo    int32
}

// DirectIface is the flag of types whose values are stored in the data word of an interface themselves, not by
// address.
const DirectIface = 1 << 5

// Slice is the layout of a slice.
type Slice struct {
	Data     Ptr
	Len, Cap int
}

// Offsets in slices and strings, and the size of a slice.
const (
	LenOffset = unsafe.Offsetof(Slice{}.Len)
	CapOffset = unsafe.Offsetof(Slice{}.Cap)
	SliceSize = unsafe.Sizeof(Slice{})
)

// Words is the layout of an interface.
type Words struct {
	Tab  Ptr // the type of the value, or an itab if the interface type has methods
	Data Ptr // the value, or its address: see Direct
}

// DataOffset is the offset of the second word of an interface.
const DataOffset = unsafe.Offsetof(Words{}.Data)

// WordsOf returns the words of a value.
func WordsOf(v *any) *Words { return View[Words](v) }

// Itab is the beginning of an itab, to which the first word of an interface with methods points.
type Itab struct {
	Inter *Type
	Type  *Type
	_     [8]byte
	funcs [1]uintptr // really as many as the interface type has methods
}

// Method returns the pointer of a function value that calls method number i of the interface type; the function's
// receiver is the interface's data word.
func (t *Itab) Method(i int) Ptr { return Of(t).Add(unsafe.Offsetof(t.funcs) + uintptr(i)*Word) }

// TypeOf returns the descriptor of a type.
func TypeOf(t reflect.Type) *Type { return As[Type](View[Words](&t).Data) }

// Reflect returns the type of a descriptor.
func (t *Type) Reflect() reflect.Type {
	var v any
	WordsOf(&v).Tab = Of(t)
	return reflect.TypeOf(v)
}

// Direct reports whether an interface's data word contains values of t themselves, not pointers to them.
func (t *Type) Direct() bool { return t.TFlag&DirectIface != 0 }

// Word returns the data word of an interface whose value is the one at p.
func (t *Type) Word(p Ptr) Ptr {
	if t.Direct() {
		return *As[Ptr](p)
	}
	if t.Size == 0 {
		return Of(&zero)
	}
	q := New(t)
	Move(t, q, p)
	return q
}

// zero is the address of all values of size zero.
var zero uintptr

// Load copies the value of an interface's data word to p.
func (t *Type) Load(p, data Ptr) {
	if t.Direct() {
		*As[Ptr](p) = data
		return
	}
	Move(t, p, data)
}

// FuncOf returns the pointer of a function value.
func FuncOf(f reflect.Value) Ptr {
	v := f.Interface()
	return WordsOf(&v).Data
}

// Keep keeps memory alive as long as the process runs, and returns the number by which descriptors refer to it.
//
//go:linkname Keep reflect.addReflectOff
func Keep(p Ptr) int32

// Code returns the address of machine code as a Ptr, which may only be passed to Keep.
func Code(address uintptr) Ptr { return *View[Ptr](&address) }

// ItabOf returns the itab of a type for an interface type with methods; nil if the type does not implement it.
func ItabOf(iface, t *Type) *Itab { return getitab(iface, t, true) }

// MustItabOf is ItabOf, but panics as a failed conversion does.
func MustItabOf(iface, t *Type) *Itab { return getitab(iface, t, false) }

//go:linkname getitab runtime.getitab
func getitab(iface, t *Type, canFail bool) *Itab

// New makes a zero value of a type.
//
//go:linkname New reflect.unsafe_New
func New(t *Type) Ptr

// Move copies a value of a type.
//
//go:linkname Move runtime.typedmemmove
func Move(t *Type, dst, src Ptr)

// Clear makes a value of a type zero.
//
//go:linkname Clear reflect.typedmemclr
func Clear(t *Type, p Ptr)

// GrowSlice does append's work for a full slice: it makes room for num more elements, so that the new length is
// newLen.
//
//go:linkname GrowSlice runtime.growslice
func GrowSlice(old Ptr, newLen, oldCap, num int, elem *Type) Slice

// MakeSlice returns the memory of make([]T, n, c), with the compiler's panics.
//
//go:linkname MakeSlice runtime.makeslice
func MakeSlice(elem *Type, n, c int) Ptr

// CopySlice is the builtin copy.
func CopySlice(elem *Type, dst Ptr, dstLen int, src Ptr, srcLen int) int {
	if elem.PtrBytes > 0 {
		return typedslicecopy(elem, dst, dstLen, src, srcLen)
	}
	n := min(dstLen, srcLen)
	if size := n * int(elem.Size); size > 0 {
		copy(Elems[byte](dst, size), Elems[byte](src, size))
	}
	return n
}

//go:linkname typedslicecopy runtime.typedslicecopy
func typedslicecopy(elem *Type, dst Ptr, dstLen int, src Ptr, srcLen int) int

// MapGet returns the address of a key's element, or nil. It panics as Go does for keys that cannot be compared.
func MapGet(t *Type, m, key Ptr) Ptr {
	p, ok := mapaccess2(t, m, key)
	if !ok {
		return Ptr{}
	}
	return p
}

//go:linkname mapaccess2 runtime.mapaccess2
func mapaccess2(t *Type, m, key Ptr) (Ptr, bool)

// MapSet returns the address at which to store a key's element.
//
//go:linkname MapSet runtime.mapassign
func MapSet(t *Type, m, key Ptr) Ptr

// MapDelete deletes a key.
//
//go:linkname MapDelete runtime.mapdelete
func MapDelete(t *Type, m, key Ptr)

// MakeMap makes a map with room for n elements.
func MakeMap(t *Type, n int) Ptr { return makemap(t, n, Ptr{}) }

//go:linkname makemap runtime.makemap
func makemap(t *Type, n int, m Ptr) Ptr
