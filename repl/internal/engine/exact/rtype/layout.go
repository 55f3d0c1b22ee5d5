package rtype

//lint:file-ignore U1000 a layout has fields that nobody names

import (
	"runtime"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
)

// Everything below mirrors internal/abi and package reflect of Go 1.26. Check compares it with the compiler's.
//
// Invariants: a *Type is the descriptor of a run-time type, and stays valid for the life of the process (it is
// reachable from the runtime's table of offsets). Offsets come only from mem.Keep. Memory of a type is only made by
// mem.New, so that the garbage collector knows its pointers.

type (
	nameOff int32
	typeOff int32
	textOff int32
)

const (
	flagUncommon    = 1 << 0
	flagExtraStar   = 1 << 1
	flagNamed       = 1 << 2
	flagRegular     = 1 << 3
	flagGCOnDemand  = 1 << 4
	flagDirectIface = mem.DirectIface
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
		mem.Type
		elem *mem.Type
	} // elemType is for pointers and slices
	arrayType struct {
		mem.Type
		elem, slice *mem.Type
		len         uintptr
	}
	chanType struct {
		mem.Type
		elem *mem.Type
		dir  int
	}
	funcType struct {
		mem.Type
		in, out uint16
	}
	interfaceType struct {
		mem.Type
		pkgPath *byte
		methods []imethod
	}
	// mapType is the descriptor of a map type.
	mapType struct {
		mem.Type
		key, elem, group           *mem.Type
		hasher                     func(mem.Ptr, uintptr) uintptr
		groupSize, slotSize, elemO uintptr
		flags                      uint32
	}
	structType struct {
		mem.Type
		pkgPath *byte
		fields  []structField
	}
	structField struct {
		name   *byte
		typ    *mem.Type
		offset uintptr
	}
)

// assertionError has the layout of the runtime's TypeAssertionError.
type assertionError struct {
	iface, concrete, asserted *mem.Type
	missing                   string
}

type typeAssertionError = runtime.TypeAssertionError

// name encodes a name in the descriptors' format.
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
		off := mem.Keep(mem.Of(name(pkgPath, "", false, false, "")))
		b = append(b, mem.View[[4]byte](&off)[:]...)
	}
	return &b[0]
}

func varint(n int) (b []byte) {
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

func nameOffset(n *byte) nameOff { return nameOff(mem.Keep(mem.Of(n))) }

func typeOffset(t *mem.Type) typeOff { return typeOff(mem.Keep(mem.Of(t))) }
