package exact

import (
	"cmp"
	"go/token"
	"reflect"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"
)

// accessing compiles a read, a write or an address together with its parts.
func (c *compiler) accessing(in ssa.Instruction, a *access, pcs map[ssa.Instruction]int32) op {
	p := c.placeOf(a, pcs)
	switch in := in.(type) {
	case *ssa.UnOp:
		return reading(c.classOf(in.Type()), c.slots[in], p)
	case *ssa.Store:
		return writing(c.classOf(in.Val.Type()), c.operand(in.Val), p)
	case *ssa.IndexAddr:
		return addressing(c.slots[in], p)
	}
	panic("an access of another kind")
}

// finder returns the method of p that locates the element.
func (p *elementRef) finder() func(fr *frame) mem.Ptr {
	switch p.way {
	case byField:
		return p.byField
	case byArray:
		return p.byArray
	case bySlice:
		return p.bySlice
	case bySliceBehind:
		return p.bySliceBehind
	case byTable:
		return p.byTable
	}
	return p.byTableBehind
}

func addressing(d uintptr, p elementRef) op {
	switch p.way {
	case byTable:
		return func(fr *frame) { *mem.Slot[mem.Ptr](fr, d) = p.byTable(fr) }
	case bySliceBehind:
		return func(fr *frame) { *mem.Slot[mem.Ptr](fr, d) = p.bySliceBehind(fr) }
	}
	find := p.finder()
	return func(fr *frame) { *mem.Slot[mem.Ptr](fr, d) = find(fr) }
}

// reading copies an element to a slot.
func reading(c class, d uintptr, p elementRef) op {
	if p.way == byLocal {
		return move(c, d, p.root+p.field)
	}
	if of := instances[c.kind]; of.read != nil {
		return of.read(d, p)
	}
	find := p.finder()
	return func(fr *frame) { c.copy(addr(fr, d), find(fr)) }
}

//go:noinline
func readingOf[T any](d uintptr, p elementRef) op {
	switch p.way {
	case byField:
		root, field, pc := p.root, p.field, p.nilPC
		return func(fr *frame) {
			q := *mem.Slot[mem.Ptr](fr, root)
			if q.Nil() {
				nilAt(fr, pc)
			}
			*mem.Slot[T](fr, d) = *mem.At[T](q, field)
		}
	case byArray:
		return func(fr *frame) { *mem.Slot[T](fr, d) = *mem.As[T](p.byArray(fr)) }
	case bySlice:
		return func(fr *frame) {
			s, i := mem.Slot[mem.Slice](fr, p.root), *mem.Slot[int](fr, p.index)
			if uint(i) >= uint(s.Len) {
				outOfRange(fr, p.indexPC, i, s.Len)
			}
			*mem.Slot[T](fr, d) = *mem.At[T](s.Data, uintptr(i)*p.size+p.field)
		}
	case bySliceBehind:
		return func(fr *frame) {
			q, i := *mem.Slot[mem.Ptr](fr, p.root), *mem.Slot[int](fr, p.index)
			if q.Nil() {
				nilAt(fr, p.nilPC)
			}
			s := mem.At[mem.Slice](q, p.inner)
			if uint(i) >= uint(s.Len) {
				outOfRange(fr, p.indexPC, i, s.Len)
			}
			*mem.Slot[T](fr, d) = *mem.At[T](s.Data, uintptr(i)*p.size+p.field)
		}
	case byTable:
		return func(fr *frame) { *mem.Slot[T](fr, d) = *mem.As[T](p.byTable(fr)) }
	}
	return func(fr *frame) { *mem.Slot[T](fr, d) = *mem.As[T](p.byTableBehind(fr)) }
}

// writing copies a slot to an element.
func writing(c class, s uintptr, p elementRef) op {
	if p.way == byLocal {
		return move(c, p.root+p.field, s)
	}
	if of := instances[c.kind]; of.write != nil {
		return of.write(s, p)
	}
	find := p.finder()
	return func(fr *frame) { c.copy(find(fr), addr(fr, s)) }
}

//go:noinline
func writingOf[T any](s uintptr, p elementRef) op {
	switch p.way {
	case byField:
		root, field, pc := p.root, p.field, p.nilPC
		return func(fr *frame) {
			q := *mem.Slot[mem.Ptr](fr, root)
			if q.Nil() {
				nilAt(fr, pc)
			}
			*mem.At[T](q, field) = *mem.Slot[T](fr, s)
		}
	case byArray:
		return func(fr *frame) { *mem.As[T](p.byArray(fr)) = *mem.Slot[T](fr, s) }
	case bySlice:
		return func(fr *frame) {
			l, i := mem.Slot[mem.Slice](fr, p.root), *mem.Slot[int](fr, p.index)
			if uint(i) >= uint(l.Len) {
				outOfRange(fr, p.indexPC, i, l.Len)
			}
			*mem.At[T](l.Data, uintptr(i)*p.size+p.field) = *mem.Slot[T](fr, s)
		}
	case bySliceBehind:
		return func(fr *frame) { *mem.As[T](p.bySliceBehind(fr)) = *mem.Slot[T](fr, s) }
	case byTable:
		return func(fr *frame) { *mem.As[T](p.byTable(fr)) = *mem.Slot[T](fr, s) }
	}
	return func(fr *frame) { *mem.As[T](p.byTableBehind(fr)) = *mem.Slot[T](fr, s) }
}

// comparingElements compiles the comparison of two elements of slices held in variables, as in sorting functions,
// to one closure; nil for anything else. made lists the instructions before the comparison; the last two of them
// become parts of the closure.
func (c *compiler) comparingElements(
	p *plan, in ssa.Instruction, made []ssa.Instruction, pcs map[ssa.Instruction]int32,
) op {
	compare, ok := in.(*ssa.BinOp)
	if !ok || len(made) < 2 || compare.Op != token.LSS && compare.Op != token.GTR {
		return nil
	}
	x, y := made[len(made)-2], made[len(made)-1]
	if !p.readsElement(compare.X, x) || !p.readsElement(compare.Y, y) {
		return nil
	}
	d, greater := c.slots[compare], compare.Op == token.GTR
	first, second := c.placeOf(p.access[x], pcs), c.placeOf(p.access[y], pcs)
	switch c.kindOf(compare.X.Type()) {
	case reflect.Int:
		return elementsCompared[int](d, first, second, greater)
	case reflect.Float64:
		return elementsCompared[float64](d, first, second, greater)
	case reflect.String:
		return elementsCompared[string](d, first, second, greater)
	}
	return nil
}

// readsElement reports whether instruction in reads v from an element of a slice held in a variable, and v is used
// only once.
func (p *plan) readsElement(v ssa.Value, in ssa.Instruction) bool {
	a := p.access[in]
	return a != nil && a.way == bySliceBehind && p.within(v) == in
}

//go:noinline
func elementsCompared[T cmp.Ordered](d uintptr, x, y elementRef, greater bool) op {
	if greater {
		return func(fr *frame) {
			p, q := x.bySliceBehind(fr), y.bySliceBehind(fr)
			*mem.Slot[bool](fr, d) = *mem.As[T](p) > *mem.As[T](q)
		}
	}
	return func(fr *frame) {
		p, q := x.bySliceBehind(fr), y.bySliceBehind(fr)
		*mem.Slot[bool](fr, d) = *mem.As[T](p) < *mem.As[T](q)
	}
}
