package exact

import (
	"go/types"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
)

// class determines how values of a type are copied.
type class struct {
	kind kind
	size uintptr
	typ  *mem.Type // only for kindTyped
}

type kind uint8

const (
	kindNone kind = iota // values without size
	kind1                // kind1 to kind8 are values of that many bytes, without pointers
	kind2
	kind4
	kind8
	kind16
	kindBytes
	kindPointer // a word that is a pointer
	kindString
	kindSlice
	kindIface
	kindTyped // any other value with pointers
)

func (c *compiler) classOf(t types.Type) class { return c.e.classOf(t) }

func (e *Engine) classOf(t types.Type) class {
	size, pointers := e.types.Size(t)
	if !pointers {
		switch size {
		case 0:
			return class{kind: kindNone}
		case 1:
			return class{kind: kind1, size: 1}
		case 2, 4, 8, 16:
			if align := e.types.Of(t).Align; uintptr(align) == min(size, 8) {
				return class{kind: map[uintptr]kind{2: kind2, 4: kind4, 8: kind8, 16: kind16}[size], size: size}
			}
		}
		return class{kind: kindBytes, size: size}
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return class{kind: kindPointer, size: size}
	case *types.Slice:
		return class{kind: kindSlice, size: size}
	case *types.Interface:
		return class{kind: kindIface, size: size}
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return class{kind: kindString, size: size}
		}
		return class{kind: kindPointer, size: size}
	}
	return class{kind: kindTyped, size: size, typ: e.types.Of(t)}
}

// copy copies a value.
func (c *class) copy(dst, src mem.Ptr) {
	switch c.kind {
	case kind8:
		*mem.As[uint64](dst) = *mem.As[uint64](src)
	case kindPointer:
		*mem.As[mem.Ptr](dst) = *mem.As[mem.Ptr](src)
	case kindString:
		*mem.As[string](dst) = *mem.As[string](src)
	case kindSlice:
		*mem.As[mem.Slice](dst) = *mem.As[mem.Slice](src)
	case kindIface:
		*mem.As[mem.Words](dst) = *mem.As[mem.Words](src)
	case kind1:
		*mem.As[uint8](dst) = *mem.As[uint8](src)
	case kind4:
		*mem.As[uint32](dst) = *mem.As[uint32](src)
	case kind2:
		*mem.As[uint16](dst) = *mem.As[uint16](src)
	case kind16:
		*mem.As[[2]uint64](dst) = *mem.As[[2]uint64](src)
	case kindBytes:
		copy(mem.Elems[byte](dst, int(c.size)), mem.Elems[byte](src, int(c.size)))
	case kindTyped:
		mem.Move(c.typ, dst, src)
	}
}

// clear makes a value zero.
func (c *class) clear(dst mem.Ptr) {
	switch c.kind {
	case kind8:
		*mem.As[uint64](dst) = 0
	case kindPointer:
		*mem.As[mem.Ptr](dst) = mem.Ptr{}
	case kindString:
		*mem.As[string](dst) = ""
	case kindSlice:
		*mem.As[mem.Slice](dst) = mem.Slice{}
	case kindIface:
		*mem.As[mem.Words](dst) = mem.Words{}
	case kindTyped:
		mem.Clear(c.typ, dst)
	default:
		clear(mem.Elems[byte](dst, int(c.size)))
	}
}

// move returns the closure that copies one slot to another.
func move(c class, d, s uintptr) op {
	switch c.kind {
	case kindNone:
		return nil
	case kind1:
		return moveOf[uint8](d, s)
	case kind2:
		return moveOf[uint16](d, s)
	case kind4:
		return moveOf[uint32](d, s)
	case kind8:
		return moveOf[uint64](d, s)
	case kindPointer:
		return func(fr *frame) { *mem.Slot[mem.Ptr](fr, d) = *mem.Slot[mem.Ptr](fr, s) }
	case kindString:
		return moveOf[string](d, s)
	case kindSlice:
		return func(fr *frame) { *mem.Slot[mem.Slice](fr, d) = *mem.Slot[mem.Slice](fr, s) }
	case kindIface:
		return func(fr *frame) { *mem.Slot[mem.Words](fr, d) = *mem.Slot[mem.Words](fr, s) }
	}
	return func(fr *frame) { c.copy(addr(fr, d), addr(fr, s)) }
}

//go:noinline
func moveOf[T any](d, s uintptr) op {
	return func(fr *frame) { *mem.Slot[T](fr, d) = *mem.Slot[T](fr, s) }
}

// instances contains, by kind, functions that make closures for loading and storing values; kinds that are copied
// by class have none.
var instances = [kindTyped + 1]struct {
	load   func(d, p uintptr, fail func(fr *frame)) op
	store  func(p, s uintptr, fail func(fr *frame)) op
	read   func(d uintptr, p elementRef) op
	write  func(s uintptr, p elementRef) op
	append func(d, x, from uintptr, pc int32, size int) op
}{
	kind1:       {loadOf[uint8], storeOf[uint8], readingOf[uint8], writingOf[uint8], appendOne[uint8]},
	kind2:       {loadOf[uint16], storeOf[uint16], readingOf[uint16], writingOf[uint16], appendOne[uint16]},
	kind4:       {loadOf[uint32], storeOf[uint32], readingOf[uint32], writingOf[uint32], appendOne[uint32]},
	kind8:       {loadOf[uint64], storeOf[uint64], readingOf[uint64], writingOf[uint64], appendOne[uint64]},
	kindPointer: {loadOf[mem.Ptr], storeOf[mem.Ptr], readingOf[mem.Ptr], writingOf[mem.Ptr], appendOne[mem.Ptr]},
	kindString:  {loadOf[string], storeOf[string], readingOf[string], writingOf[string], appendOne[string]},
	kindSlice: {
		loadOf[mem.Slice], storeOf[mem.Slice], readingOf[mem.Slice], writingOf[mem.Slice],
		appendOne[mem.Slice],
	},
	kindIface: {
		loadOf[mem.Words], storeOf[mem.Words], readingOf[mem.Words], writingOf[mem.Words],
		appendOne[mem.Words],
	},
}

// load returns the closure that copies a pointer's target into a slot.
func load(c class, d, p uintptr, fail func(fr *frame)) op {
	if of := instances[c.kind]; of.load != nil {
		return of.load(d, p, fail)
	}
	return func(fr *frame) {
		q := *mem.Slot[mem.Ptr](fr, p)
		if q.Nil() {
			fail(fr)
		}
		c.copy(addr(fr, d), q)
	}
}

//go:noinline
func loadOf[T any](d, p uintptr, fail func(fr *frame)) op {
	return func(fr *frame) {
		q := *mem.Slot[*T](fr, p)
		if q == nil {
			fail(fr)
		}
		*mem.Slot[T](fr, d) = *q
	}
}

// store returns the closure that copies a slot to a pointer's target.
func store(c class, p, s uintptr, fail func(fr *frame)) op {
	if of := instances[c.kind]; of.store != nil {
		return of.store(p, s, fail)
	}
	return func(fr *frame) {
		q := *mem.Slot[mem.Ptr](fr, p)
		if q.Nil() {
			fail(fr)
		}
		c.copy(q, addr(fr, s))
	}
}

//go:noinline
func storeOf[T any](p, s uintptr, fail func(fr *frame)) op {
	return func(fr *frame) {
		q := *mem.Slot[*T](fr, p)
		if q == nil {
			fail(fr)
		}
		*q = *mem.Slot[T](fr, s)
	}
}
