package exact

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"
)

// localOf returns the variable in the frame that an address points into; nil for other values.
func localOf(v ssa.Value) *ssa.Alloc {
	for {
		switch at := v.(type) {
		case *ssa.Alloc:
			if at.Heap {
				return nil
			}
			return at
		case *ssa.FieldAddr:
			v = at.X
		case *ssa.IndexAddr:
			v = at.X
		default:
			return nil
		}
	}
}

// pointerSlots returns the slots of a function that may contain pointers. Slots of results are included: they may
// be cleared at any point, because they are set after the last point.
func (c *compiler) pointerSlots() []slot {
	var out []slot
	kept := map[uintptr]bool{}
	add := func(s slot) {
		if s.class.kind >= kindPointer && !kept[s.off] {
			kept[s.off] = true
			if s.class.kind == kindString || s.class.kind == kindSlice { // the length may be read later
				s.class = class{kind: kindPointer, size: mem.Word}
			}
			out = append(out, s)
		}
	}
	for _, b := range c.fn.Blocks { // never clear a variable whose address is used for anything but reads and writes
		for _, in := range b.Instrs {
			if local, ok := in.(*ssa.Alloc); ok && !local.Heap && !onlyAccessed(local) {
				kept[c.local[local]] = true
			}
		}
	}
	for _, s := range slices.Concat(c.body.call.results, c.body.call.params, []slot{c.body.call.recv}, c.body.free) {
		add(s)
	}
	for _, b := range c.fn.Blocks {
		for _, in := range b.Instrs {
			if v, ok := in.(ssa.Value); ok && !c.shared[v] {
				c.slotsOf(v, add)
			}
		}
	}
	slices.SortFunc(out, func(x, y slot) int { return cmp.Compare(x.off, y.off) })
	return out
}

// slotsOf calls add with the slots that an instruction sets, including those of the variable that it allocates.
func (c *compiler) slotsOf(v ssa.Value, add func(slot)) {
	switch v := v.(type) {
	case *ssa.Extract:
		return
	case *ssa.Range:
		add(slot{c.slots[v], class{kind: kindPointer, size: mem.Word}})
		return
	case *ssa.Alloc:
		if !v.Heap {
			add(slot{c.local[v], c.classOf(v.Type().Underlying().(*types.Pointer).Elem())})
		}
	case *ssa.Phi:
		add(slot{c.spare[v], c.classOf(v.Type())})
	case *ssa.Call:
		if isDeferStack(v) {
			return
		}
	}
	if t, ok := v.Type().(*types.Tuple); ok {
		for i, off := range c.tuples[v] {
			if part := t.At(i).Type(); !invalid(part) {
				add(slot{off, c.classOf(part)})
			}
		}
		return
	}
	if !invalid(v.Type()) {
		add(slot{c.slots[v], c.classOf(v.Type())})
	}
}

// onlyAccessed reports whether an address is used only to read or write the value there, or a part of it.
func onlyAccessed(at ssa.Value) bool {
	for _, r := range *at.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.UnOp:
			if r.Op != token.MUL {
				return false
			}
		case *ssa.Store:
			if r.Val == at {
				return false
			}
		case *ssa.FieldAddr:
			if !onlyAccessed(r) {
				return false
			}
		case *ssa.IndexAddr:
			if r.Index == at || !onlyAccessed(r) {
				return false
			}
		default:
			return false
		}
	}
	return true
}
