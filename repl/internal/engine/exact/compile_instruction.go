package exact

import (
	"fmt"
	"go/types"
	"reflect"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"
)

// instruction compiles an instruction that does not end a block; nil if it has no effect.
func (c *compiler) instruction(in ssa.Instruction) op {
	if v, ok := in.(ssa.Value); ok && c.shared[v] {
		return nil
	}
	switch in := in.(type) {
	case *ssa.DebugRef, *ssa.Phi, *ssa.Extract:
		return nil
	case *ssa.Alloc:
		return c.alloc(in)
	case *ssa.BinOp:
		return c.binary(in)
	case *ssa.UnOp:
		return c.unary(in)
	case *ssa.Store:
		if c.spilled[in] || ofBlankField(in) {
			return nil
		}
		class := c.classOf(in.Val.Type())
		p := c.operand(in.Addr)
		if class.kind == kindNone {
			fail := c.nilFailure()
			return func(fr *frame) {
				if mem.Slot[mem.Ptr](fr, p).Nil() {
					fail(fr)
				}
			}
		}
		return store(class, p, c.operand(in.Val), c.nilFailure())
	case *ssa.FieldAddr:
		return c.fieldAddr(in)
	case *ssa.Field:
		x := c.operand(in.X)
		off := c.e.types.Fields(in.X.Type().Underlying().(*types.Struct))[in.Field]
		return move(c.classOf(in.Type()), c.slots[in], x+off)
	case *ssa.IndexAddr:
		return c.indexAddr(in)
	case *ssa.Index:
		return c.indexValue(in)
	case *ssa.Slice:
		return c.slice(in)
	case *ssa.MakeSlice:
		return c.makeSlice(in)
	case *ssa.SliceToArrayPointer:
		return c.sliceToArray(in)
	case *ssa.MakeMap:
		return c.makeMap(in)
	case *ssa.Lookup:
		return c.lookup(in)
	case *ssa.MapUpdate:
		return c.mapUpdate(in)
	case *ssa.Range:
		return c.rangeOver(in)
	case *ssa.Next:
		return c.next(in)
	case *ssa.ChangeType:
		if types.IsInterface(in.Type()) { // the itabs of two named interface types differ
			return c.changeInterface(c.slots[in], in.X, in.Type())
		}
		return move(c.classOf(in.Type()), c.slots[in], c.operand(in.X))
	case *ssa.Convert:
		return c.convert(in, in.X)
	case *ssa.MultiConvert:
		return c.convert(in, in.X)
	case *ssa.MakeInterface:
		return c.makeInterface(in)
	case *ssa.ChangeInterface:
		return c.changeInterface(c.slots[in], in.X, in.Type())
	case *ssa.TypeAssert:
		return c.typeAssert(in)
	case *ssa.MakeClosure:
		return c.makeClosure(in)
	case *ssa.Call:
		return c.call(in)
	case *ssa.Go:
		return c.goStatement(in)
	case *ssa.Defer:
		return c.deferStatement(in)
	case *ssa.RunDefers:
		pc := c.point(in)
		return func(fr *frame) {
			fr.pc = pc
			fr.runDefers()
		}
	case *ssa.MakeChan:
		return c.makeChan(in)
	case *ssa.Send:
		return c.send(in)
	case *ssa.Select:
		return c.selectStatement(in)
	}
	panic(fmt.Sprintf("instruction %T %s", in, in))
}

// ofBlankField reports whether an instruction sets a blank field in a literal. The Go compiler leaves such a field
// zero.
func ofBlankField(in *ssa.Store) bool {
	at, ok := in.Addr.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	of := at.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	return of.Field(at.Field).Name() == "_"
}

// alloc compiles the allocation of a variable: on the heap, or in the frame if its address does not escape.
func (c *compiler) alloc(in *ssa.Alloc) op {
	d, elem := c.slots[in], in.Type().Underlying().(*types.Pointer).Elem()
	if in.Heap {
		t, pc := c.e.types.Of(elem), c.point(in)
		size := int(t.Size)
		return func(fr *frame) {
			fr.reserve(pc, size)
			*mem.Slot[mem.Ptr](fr, d) = mem.New(t)
		}
	}
	local, class := c.local[in], c.classOf(elem)
	if spill(in) != nil {
		return func(fr *frame) { *mem.Slot[mem.Ptr](fr, d) = addr(fr, local) }
	}
	return func(fr *frame) {
		p := addr(fr, local)
		class.clear(p)
		*mem.Slot[mem.Ptr](fr, d) = p
	}
}

func (c *compiler) fieldAddr(in *ssa.FieldAddr) op {
	d, x, fail := c.slots[in], c.operand(in.X), c.nilFailure()
	st := in.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	off := c.e.types.Fields(st)[in.Field]
	return func(fr *frame) {
		p := *mem.Slot[mem.Ptr](fr, x)
		if p.Nil() {
			fail(fr)
		}
		*mem.Slot[mem.Ptr](fr, d) = p.Add(off)
	}
}

func (c *compiler) indexAddr(in *ssa.IndexAddr) op {
	d, x, index, pc := c.slots[in], c.operand(in.X), c.operand(in.Index), c.at()
	read := c.index(in.Index)
	switch u := in.X.Type().Underlying().(type) {
	case *types.Slice:
		size, _ := c.e.types.Size(u.Elem())
		if isInt(c, in.Index) {
			return func(fr *frame) {
				s, i := mem.Slot[mem.Slice](fr, x), *mem.Slot[int](fr, index)
				if uint(i) >= uint(s.Len) {
					outOfRange(fr, pc, read(fr), s.Len)
				}
				*mem.Slot[mem.Ptr](fr, d) = s.Data.Add(uintptr(i) * size)
			}
		}
		return func(fr *frame) {
			s, i := mem.Slot[mem.Slice](fr, x), read(fr)
			if uint(i) >= uint(s.Len) {
				outOfRange(fr, pc, i, s.Len)
			}
			*mem.Slot[mem.Ptr](fr, d) = s.Data.Add(uintptr(i) * size)
		}
	case *types.Pointer:
		a := u.Elem().Underlying().(*types.Array)
		size, _ := c.e.types.Size(a.Elem())
		n, fail := int(a.Len()), c.nilFailure()
		return func(fr *frame) {
			p, i := *mem.Slot[mem.Ptr](fr, x), read(fr)
			if p.Nil() {
				fail(fr)
			}
			if uint(i) >= uint(n) {
				outOfRange(fr, pc, i, n)
			}
			*mem.Slot[mem.Ptr](fr, d) = p.Add(uintptr(i) * size)
		}
	}
	panic("index of " + in.X.Type().String())
}

func (c *compiler) indexValue(in *ssa.Index) op {
	d, x, read, pc := c.slots[in], c.operand(in.X), c.index(in.Index), c.at()
	a, ok := in.X.Type().Underlying().(*types.Array)
	if !ok {
		if isInt(c, in.Index) {
			return c.byteAt(d, x, c.operand(in.Index), pc)
		}
		return c.byteOf(d, x, read, pc)
	}
	class, n := c.classOf(a.Elem()), int(a.Len())
	size, _ := c.e.types.Size(a.Elem())
	return func(fr *frame) {
		i := read(fr)
		if uint(i) >= uint(n) {
			outOfRange(fr, pc, i, n)
		}
		class.copy(addr(fr, d), addr(fr, x+uintptr(i)*size))
	}
}

//go:noinline
func (c *compiler) byteOf(d, x uintptr, read func(*frame) int, pc int32) op {
	return func(fr *frame) {
		s, i := *mem.Slot[string](fr, x), read(fr)
		if uint(i) >= uint(len(s)) {
			outOfRange(fr, pc, i, len(s))
		}
		*mem.Slot[byte](fr, d) = s[i]
	}
}

// byteAt is byteOf for an index of type int.
//
//go:noinline
func (c *compiler) byteAt(d, x, index uintptr, pc int32) op {
	return func(fr *frame) {
		s, i := mem.Slot[string](fr, x), *mem.Slot[int](fr, index)
		if uint(i) >= uint(len(*s)) {
			outOfRange(fr, pc, i, len(*s))
		}
		*mem.Slot[byte](fr, d) = (*s)[i]
	}
}

// isInt reports whether an index is an int.
func isInt(c *compiler, v ssa.Value) bool { return c.kindOf(v.Type()) == reflect.Int }
