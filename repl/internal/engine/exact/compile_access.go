package exact

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"
)

// access is an instruction that reads or writes an element or computes its address, together with the instructions
// that locate the element.
type access struct {
	parts []ssa.Instruction
	way   accessMode
	// root is the pointer or slice that leads to the element.
	root ssa.Value
	// field is the offset of the accessed field within the element; inner is the offset of the slice or array from
	// the root.
	field, inner uintptr
	// index selects the element in a slice or array; with a slice of slices, outer selects the inner slice.
	index, outer        *ssa.IndexAddr
	pointer             ssa.Instruction // the instruction that fails if the root is nil
	elemSize, arraySize uintptr
}

// accessMode is the way in which an element is reached.
type accessMode int

const (
	noWay accessMode = iota
	byField
	byLocal       // in a variable of the frame
	bySlice       // in a slice that is in a slot
	bySliceBehind // in a slice that a pointer points to
	byArray       // in an array that a pointer points to
	byTable       // in a slice of slices
	byTableBehind
)

func (a *access) has(in ssa.Instruction) bool { return slices.Contains(a.parts, in) }

// accessOf returns the access that an instruction makes, with at most depth index steps; nil if no other
// instruction can become a part of the access.
func (c *compiler) accessOf(p *plan, in ssa.Instruction, depth int) *access {
	a := &access{}
	switch in := in.(type) {
	case *ssa.UnOp:
		if in.Op != token.MUL || c.classOf(in.Type()).kind == kindNone || !a.place(c, p, in.X, depth) {
			return nil
		}
	case *ssa.Store:
		if c.spilled[in] || ofBlankField(in) || c.classOf(in.Val.Type()).kind == kindNone ||
			!a.place(c, p, in.Addr, depth) {
			return nil
		}
	case *ssa.IndexAddr:
		if !a.element(c, p, in, depth) || len(a.parts) == 0 {
			return nil
		}
	default:
		return nil
	}
	return a
}

// place traces an address that only this access uses back to its root.
func (a *access) place(c *compiler, p *plan, v ssa.Value, depth int) bool {
	if local, ok := v.(*ssa.Alloc); ok && !local.Heap {
		a.way, a.root = byLocal, local
		return true
	}
	switch in := p.within(v).(type) {
	case *ssa.FieldAddr:
		a.parts = append(a.parts, in)
		a.field += c.fieldOffset(in)
		if a.place(c, p, in.X, depth) {
			return true
		}
		a.way, a.root, a.pointer = byField, in.X, in
		return true
	case *ssa.IndexAddr:
		if !a.element(c, p, in, depth) {
			return false
		}
		a.parts = append(a.parts, in)
		return true
	}
	return false
}

// element traces the address of an element back to its slice or array.
func (a *access) element(c *compiler, p *plan, in *ssa.IndexAddr, depth int) bool {
	if c.classOf(in.Index.Type()).kind != kind8 || !isSigned(in.Index.Type()) {
		return false
	}
	switch u := in.X.Type().Underlying().(type) {
	case *types.Slice:
		a.index = in
		a.elemSize, _ = c.e.types.Size(u.Elem())
		a.way, a.root = bySlice, in.X
		a.behind(c, p, in.X, depth)
		return true
	case *types.Pointer:
		a.index = in
		array := u.Elem().Underlying().(*types.Array)
		a.elemSize, _ = c.e.types.Size(array.Elem())
		a.way, a.root, a.arraySize, a.pointer = byArray, in.X, uintptr(array.Len()), in
		return true
	}
	return false
}

// behind traces a slice back to where it is read from.
func (a *access) behind(c *compiler, p *plan, v ssa.Value, depth int) {
	read, ok := p.within(v).(*ssa.UnOp)
	if !ok || read.Op != token.MUL || depth < 2 {
		return
	}
	a.parts = append(a.parts, read)
	switch at := p.within(read.X).(type) {
	case *ssa.FieldAddr:
		a.parts = append(a.parts, at)
		a.way, a.root, a.inner, a.pointer = bySliceBehind, at.X, c.fieldOffset(at), at
		return
	case *ssa.IndexAddr:
		if _, ok := at.X.Type().Underlying().(*types.Slice); !ok || c.classOf(at.Index.Type()).kind != kind8 ||
			!isSigned(at.Index.Type()) {
			break
		}
		a.parts = append(a.parts, at)
		a.way, a.root, a.outer = byTable, at.X, at
		if table, ok := p.within(at.X).(*ssa.UnOp); ok && table.Op == token.MUL {
			a.parts = append(a.parts, table)
			a.way, a.root, a.pointer = byTableBehind, table.X, table
		}
		return
	}
	a.way, a.root, a.pointer = bySliceBehind, read.X, read
}

func isSigned(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsUnsigned == 0
}

func (c *compiler) fieldOffset(in *ssa.FieldAddr) uintptr {
	st := in.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	return c.e.types.Fields(st)[in.Field]
}

// elementRef is an access whose operands have slots: it computes the address of the element in a frame.
type elementRef struct {
	way                     accessMode
	root, inner, field      uintptr
	index, outer            uintptr
	size, length            uintptr
	nilPC, indexPC, outerPC int32
}

// placeOf assigns slots to an access. pcs holds the source positions of its instructions.
func (c *compiler) placeOf(a *access, pcs map[ssa.Instruction]int32) elementRef {
	p := elementRef{
		way: a.way, root: c.operand(a.root), inner: a.inner, field: a.field, size: a.elemSize,
		length: a.arraySize,
	}
	if local, ok := a.root.(*ssa.Alloc); ok && a.way == byLocal {
		p.root = c.local[local]
	}
	if a.index != nil {
		p.index, p.indexPC = c.operand(a.index.Index), pcs[a.index]
	}
	if a.outer != nil {
		p.outer, p.outerPC = c.operand(a.outer.Index), pcs[a.outer]
	}
	if a.pointer != nil {
		p.nilPC = pcs[a.pointer]
	}
	return p
}

func nilAt(fr *frame, pc int32) {
	fr.pc = pc
	nilPointer()
}

// byField and the methods below compute the element's address for the accessMode of their name.

func (p *elementRef) byField(fr *frame) mem.Ptr {
	q := *mem.Slot[mem.Ptr](fr, p.root)
	if q.Nil() {
		nilAt(fr, p.nilPC)
	}
	return q.Add(p.field)
}

func (p *elementRef) byArray(fr *frame) mem.Ptr {
	q, i := *mem.Slot[mem.Ptr](fr, p.root), *mem.Slot[int](fr, p.index)
	if q.Nil() {
		nilAt(fr, p.nilPC)
	}
	if uint(i) >= uint(p.length) {
		outOfRange(fr, p.indexPC, i, int(p.length))
	}
	return q.Add(uintptr(i)*p.size + p.field)
}

func (p *elementRef) bySlice(fr *frame) mem.Ptr {
	s, i := mem.Slot[mem.Slice](fr, p.root), *mem.Slot[int](fr, p.index)
	if uint(i) >= uint(s.Len) {
		outOfRange(fr, p.indexPC, i, s.Len)
	}
	return s.Data.Add(uintptr(i)*p.size + p.field)
}

func (p *elementRef) bySliceBehind(fr *frame) mem.Ptr {
	q, i := *mem.Slot[mem.Ptr](fr, p.root), *mem.Slot[int](fr, p.index)
	if q.Nil() {
		nilAt(fr, p.nilPC)
	}
	s := mem.At[mem.Slice](q, p.inner)
	if uint(i) >= uint(s.Len) {
		outOfRange(fr, p.indexPC, i, s.Len)
	}
	return s.Data.Add(uintptr(i)*p.size + p.field)
}

func (p *elementRef) byTable(fr *frame) mem.Ptr {
	return p.inTable(fr, mem.Slot[mem.Slice](fr, p.root))
}

func (p *elementRef) byTableBehind(fr *frame) mem.Ptr {
	t := *mem.Slot[*mem.Slice](fr, p.root)
	if t == nil {
		nilAt(fr, p.nilPC)
	}
	return p.inTable(fr, t)
}

func (p *elementRef) inTable(fr *frame, t *mem.Slice) mem.Ptr {
	i := *mem.Slot[int](fr, p.outer)
	if uint(i) >= uint(t.Len) {
		outOfRange(fr, p.outerPC, i, t.Len)
	}
	s := mem.At[mem.Slice](t.Data, uintptr(i)*mem.SliceSize)
	if i = *mem.Slot[int](fr, p.index); uint(i) >= uint(s.Len) {
		outOfRange(fr, p.indexPC, i, s.Len)
	}
	return s.Data.Add(uintptr(i)*p.size + p.field)
}
