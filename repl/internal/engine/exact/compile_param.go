package exact

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// spill returns the instruction that writes a parameter to its variable, if the variable can share the parameter's
// slot; nil for other variables.
func spill(in *ssa.Alloc) *ssa.Store {
	b := in.Block()
	if in.Heap || b.Index != 0 {
		return nil
	}
	i := slices.Index(b.Instrs, ssa.Instruction(in))
	store, ok := b.Instrs[i+1].(*ssa.Store)
	if !ok || store.Addr != ssa.Value(in) {
		return nil
	}
	if p, ok := store.Val.(*ssa.Parameter); !ok || uses(p) != 1 {
		return nil
	}
	return store
}

// paramReads collects the parts that a function reads of a parameter that it never writes.
type paramReads struct {
	parts     []slot // parts of the parameter
	values    map[ssa.Value]uintptr
	addresses []ssa.Value
}

// mostReads is how many parts of a parameter are at most copied one by one; copying all of it is faster than
// copying more.
const mostReads = 4

// readInPlace lets values that are read from a parameter, as a whole or by field, share the parameter's slot if
// nothing writes the parameter. Then the instructions that compute the addresses of its fields do nothing.
func (c *compiler) readInPlace(local *ssa.Alloc, store *ssa.Store) {
	r := paramReads{values: map[ssa.Value]uintptr{}}
	if !r.follow(c, local, 0) {
		return
	}
	for v, off := range r.values {
		c.shared[v], c.slots[v] = true, c.local[local]+off
	}
	for _, v := range r.addresses {
		c.shared[v] = true
	}
	i := slices.Index(c.fn.Params, store.Val.(*ssa.Parameter))
	if len(r.parts) > mostReads || c.fn.Signature.Recv() != nil {
		return
	}
	if c.body.reads == nil {
		c.body.reads = make([][]slot, len(c.fn.Params))
	}
	c.body.reads[i] = r.parts
}

// follow collects the uses of an address in the parameter, at offset off. It reports whether all of them are reads.
func (r *paramReads) follow(c *compiler, addr ssa.Value, off uintptr) bool {
	r.addresses = append(r.addresses, addr)
	for _, use := range *addr.Referrers() {
		switch in := use.(type) {
		case *ssa.DebugRef:
		case *ssa.FieldAddr:
			if !r.follow(c, in, off+c.fieldOffset(in)) {
				return false
			}
		case *ssa.Store:
			if !c.spilled[in] {
				return false
			}
		case *ssa.UnOp:
			class := c.classOf(in.Type())
			if in.Op != token.MUL || class.kind == kindNone {
				return false
			}
			r.values[in] = off
			if part := (slot{off, class}); !slices.Contains(r.parts, part) {
				r.parts = append(r.parts, part)
			}
		default:
			return false
		}
	}
	return true
}
