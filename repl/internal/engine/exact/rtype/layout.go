package rtype

import (
	"reflect"
	"runtime"
	"unsafe"
)

// Everything below mirrors internal/abi and package reflect of Go 1.26. Check compares it with what the compiler made.
//
// Invariants: a *Type is the descriptor of a run-time type, and stays valid for the life of the process (it is reachable from the
// runtime's table of offsets). Offsets come from addReflectOff alone. Memory of a type is made by New and NewArray alone,
// so that the garbage collector knows its pointers.

type (
	nameOff int32
	typeOff int32
	textOff int32
)

// Type is the descriptor of a run-time type.
type Type struct {
	Size     uintptr
	PtrBytes uintptr
	Hash     uint32
	TFlag    uint8
	Align    uint8
	FieldAl  uint8
	Kind     uint8
	Equal    func(unsafe.Pointer, unsafe.Pointer) bool
	GCData   *byte
	Str      nameOff
	PtrTo    typeOff
}

const (
	flagUncommon    = 1 << 0
	flagExtraStar   = 1 << 1
	flagNamed       = 1 << 2
	flagRegular     = 1 << 3
	flagGCOnDemand  = 1 << 4
	flagDirectIface = 1 << 5
)

type uncommon struct {
	pkgPath nameOff
	mcount  uint16
	xcount  uint16
	moff    uint32
	_       uint32
}

type method struct {
	name nameOff
	mtyp typeOff
	ifn  textOff
	tfn  textOff
}

type imethod struct {
	name nameOff
	typ  typeOff
}

type (
	elemType struct {
		Type
		elem *Type
	} // pointers and slices
	arrayType struct {
		Type
		elem, slice *Type
		len         uintptr
	}
	chanType struct {
		Type
		elem *Type
		dir  int
	}
	funcType struct {
		Type
		in, out uint16
	}
	interfaceType struct {
		Type
		pkgPath *byte
		methods []imethod
	}
	// MapType is the descriptor of a map type.
	MapType struct {
		Type
		key, elem, group           *Type
		hasher                     func(unsafe.Pointer, uintptr) uintptr
		groupSize, slotSize, elemO uintptr
		flags                      uint32
	}
	structType struct {
		Type
		pkgPath *byte
		fields  []structField
	}
	structField struct {
		name   *byte
		typ    *Type
		offset uintptr
	}
)

// Itab is the beginning of what the first word of an interface value points to, if the interface type has methods.
type Itab struct {
	Inter *Type
	Type  *Type
	_     [8]byte
	funcs [1]uintptr // as many as the interface type has methods
}

//go:linkname addReflectOff reflect.addReflectOff
func addReflectOff(ptr unsafe.Pointer) int32

//go:linkname getitab runtime.getitab
func getitab(inter *Type, typ *Type, canfail bool) *Itab

// New makes a zero value of a type.
//
//go:linkname New reflect.unsafe_New
func New(t *Type) unsafe.Pointer

// NewArray makes n zero values of a type in a row.
//
//go:linkname NewArray reflect.unsafe_NewArray
func NewArray(t *Type, n int) unsafe.Pointer

// Move copies a value of a type.
//
//go:linkname Move runtime.typedmemmove
func Move(t *Type, dst, src unsafe.Pointer)

// Clear makes a value of a type zero.
//
//go:linkname Clear reflect.typedmemclr
func Clear(t *Type, p unsafe.Pointer)

// GrowSlice is what append does when there is no room: num elements more than the slice had, so that newLen are there.
//
//go:linkname GrowSlice runtime.growslice
func GrowSlice(old unsafe.Pointer, newLen, oldCap, num int, elem *Type) Slice

// CopySlice is copy.
func CopySlice(elem *Type, dst unsafe.Pointer, dstLen int, src unsafe.Pointer, srcLen int) int {
	if elem.PtrBytes > 0 {
		return typedslicecopy(elem, dst, dstLen, src, srcLen)
	}
	n := min(dstLen, srcLen)
	if size := uintptr(n) * elem.Size; size > 0 {
		copy(unsafe.Slice((*byte)(dst), size), unsafe.Slice((*byte)(src), size))
	}
	return n
}

//go:linkname typedslicecopy runtime.typedslicecopy
func typedslicecopy(elem *Type, dst unsafe.Pointer, dstLen int, src unsafe.Pointer, srcLen int) int

// MakeSlice is the memory of make([]T, n, c), with the compiler's panics.
//
//go:linkname MakeSlice runtime.makeslice
func MakeSlice(elem *Type, n, c int) unsafe.Pointer

// MapGet is the element of a key, or nil. It panics as Go does for keys that cannot be compared.
func MapGet(t *Type, m, key unsafe.Pointer) unsafe.Pointer {
	p, ok := mapaccess2((*MapType)(unsafe.Pointer(t)), m, key)
	if !ok {
		return nil
	}
	return p
}

//go:linkname mapaccess2 runtime.mapaccess2
func mapaccess2(t *MapType, m, key unsafe.Pointer) (unsafe.Pointer, bool)

// MapSet is where the element of a key goes.
func MapSet(t *Type, m, key unsafe.Pointer) unsafe.Pointer {
	return mapassign((*MapType)(unsafe.Pointer(t)), m, key)
}

//go:linkname mapassign runtime.mapassign
func mapassign(t *MapType, m, key unsafe.Pointer) unsafe.Pointer

// MapDelete deletes a key.
func MapDelete(t *Type, m, key unsafe.Pointer) { mapdelete((*MapType)(unsafe.Pointer(t)), m, key) }

//go:linkname mapdelete runtime.mapdelete
func mapdelete(t *MapType, m, key unsafe.Pointer)

// MakeMap makes a map with room for n.
func MakeMap(t *Type, n int) unsafe.Pointer { return makemap((*MapType)(unsafe.Pointer(t)), n, nil) }

//go:linkname makemap runtime.makemap
func makemap(t *MapType, n int, m unsafe.Pointer) unsafe.Pointer

// Slice is a slice's layout.
type Slice struct {
	Data     unsafe.Pointer
	Len, Cap int
}

// Of is the descriptor of a type.
func Of(t reflect.Type) *Type {
	return (*Type)((*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1])
}

// Reflect is the type of a descriptor.
func (t *Type) Reflect() reflect.Type {
	var v any
	(*[2]unsafe.Pointer)(unsafe.Pointer(&v))[0] = unsafe.Pointer(t)
	return reflect.TypeOf(v)
}

// Direct reports whether the word of an interface holds such a value itself, not a pointer to it.
func (t *Type) Direct() bool { return t.TFlag&flagDirectIface != 0 }

// ItabOf is the itab of a type for an interface type that has methods; nil if the type does not implement it.
func ItabOf(iface, t *Type) *Itab { return getitab(iface, t, true) }

// MustItabOf is ItabOf; it panics as a failed conversion does.
func MustItabOf(iface, t *Type) *Itab { return getitab(iface, t, false) }

// assertionError has the layout of typeAssertionError.
type assertionError struct {
	iface, concrete, asserted *Type
	missing                   string
}

type typeAssertionError = runtime.TypeAssertionError

// keep makes memory live as long as the process, and gives the number by which descriptors name it.
func keep(p unsafe.Pointer) int32 { return addReflectOff(p) }

// name encodes a name as descriptors have it.
func name(s, tag string, exported, embedded bool, pkgPath string) *byte {
	var bits byte
	if exported {
		bits |= 1
	}
	if tag != "" {
		bits |= 2
	}
	if pkgPath != "" {
		bits |= 4
	}
	if embedded {
		bits |= 8
	}
	b := append([]byte{bits}, varint(len(s))...)
	b = append(b, s...)
	if tag != "" {
		b = append(append(b, varint(len(tag))...), tag...)
	}
	if pkgPath != "" {
		off := keep(unsafe.Pointer(name(pkgPath, "", false, false, "")))
		b = append(b, (*[4]byte)(unsafe.Pointer(&off))[:]...)
	}
	return &b[0]
}

func varint(n int) (b []byte) {
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

func nameOffset(n *byte) nameOff { return nameOff(keep(unsafe.Pointer(n))) }

func typeOffset(t *Type) typeOff { return typeOff(keep(unsafe.Pointer(t))) }
