package exact

import (
	"go/token"
	"go/types"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"
)

// plan is the order in which a block's instructions run, and which of them run as parts of later ones. A part may
// compute the address of an element that a later instruction reads or writes. The slots of parts are never read.
type plan struct {
	order    []ssa.Instruction // all instructions except the last
	position map[ssa.Instruction]int
	parts    map[ssa.Instruction]int     // position at which each part runs
	access   map[ssa.Instruction]*access // reads, writes and addresses that have parts
	appends  map[*ssa.Call][]ssa.Value   // values that a call appends directly, not through a slice
	shared   map[ssa.Value]bool          // values that use a part of another value's slot
}

// uses returns how often a value is an operand.
func uses(v ssa.Value) int {
	n := 0
	for _, r := range *v.Referrers() {
		if !isDebug(r) {
			n++
		}
	}
	return n
}

func (c *compiler) planBlock(b *ssa.BasicBlock) *plan {
	p := &plan{
		order: c.statements.lateReads(b)[:len(b.Instrs)-1], position: map[ssa.Instruction]int{},
		parts:  map[ssa.Instruction]int{},
		access: map[ssa.Instruction]*access{}, appends: map[*ssa.Call][]ssa.Value{},
		shared: c.shared,
	}
	for i, in := range p.order {
		p.position[in] = i
	}
	for i := len(p.order) - 1; i >= 0; i-- {
		in := p.order[i]
		if v, ok := in.(ssa.Value); ok && c.shared[v] || p.isPart(in) {
			continue
		}
		if call, ok := in.(*ssa.Call); ok {
			if values, parts := c.appended(p, call); values != nil && p.joins(&access{parts: parts}, i) {
				p.appends[call] = values
				for _, part := range parts {
					p.parts[part] = i
				}
			}
			continue
		}
		for depth := 2; depth > 0; depth-- {
			if a := c.accessOf(p, in, depth); a != nil && p.joins(a, i) {
				p.access[in] = a
				for _, part := range a.parts {
					p.parts[part] = i
				}
				break
			}
		}
	}
	return p
}

// joins reports whether the parts of an access can run as late as position at: every instruction in between must be
// another part or harmless.
func (p *plan) joins(a *access, at int) bool {
	first := at
	for _, part := range a.parts {
		first = min(first, p.position[part])
	}
	for _, in := range p.order[first:at] {
		if !harmless(in) && !a.has(in) {
			return false
		}
	}
	return true
}

// harmless reports whether an instruction cannot fail, and sets only its own slot.
func harmless(in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.DebugRef:
		return true
	case *ssa.BinOp:
		switch in.Op {
		case token.ADD, token.SUB, token.MUL, token.AND, token.OR, token.XOR, token.AND_NOT:
			return isNumeric(in.X.Type())
		}
	case *ssa.Convert:
		return isNumeric(in.X.Type()) && isNumeric(in.Type())
	}
	return false
}

func isNumeric(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

// within returns the instruction that makes a value, if it is in this block and the value is used only once; nil
// otherwise.
func (p *plan) within(v ssa.Value) ssa.Instruction {
	in, ok := v.(ssa.Instruction)
	if !ok || p.shared[v] {
		return nil
	}
	if _, here := p.position[in]; !here || uses(v) != 1 || p.isPart(in) {
		return nil
	}
	return in
}

func (p *plan) isPart(in ssa.Instruction) bool {
	_, ok := p.parts[in]
	return ok
}

// at returns the position at which an instruction runs.
func (p *plan) at(in ssa.Instruction) int {
	if whole, ok := p.parts[in]; ok {
		return whole
	}
	return p.position[in]
}

// join lets a value that a block computes for the next round of a loop use the slot of the phi that takes it, if
// the phi's old value is no longer read. Then the value need not be copied.
func (c *compiler) join(b *ssa.BasicBlock) {
	if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
		c.joinResults(c.plans[b.Index], ret)
		return
	}
	if len(b.Succs) != 1 {
		return
	}
	to, p := b.Succs[0], c.plans[b.Index]
	index := -1
	for i, pred := range to.Preds {
		if pred == b {
			index = i
		}
	}
	for _, in := range to.Instrs {
		phi, ok := in.(*ssa.Phi)
		if !ok {
			break
		}
		v := phi.Edges[index]
		made, ok := v.(ssa.Instruction)
		if !ok || made.Block() != b || !readsFirst(made) || c.joined[v] || c.shared[v] || p.isPart(made) ||
			!c.onlyHere(p, v, to, index) || !c.doneWith(p, phi, made, to, index) {
			continue
		}
		c.joined[v] = true
		c.slots[v] = c.slots[phi]
	}
}

// joinResults lets values that are only returned use the slots of the results.
func (c *compiler) joinResults(p *plan, ret *ssa.Return) {
	for i, v := range ret.Results {
		if in := p.within(v); in != nil && readsFirst(in) && !c.joined[v] {
			c.joined[v] = true
			c.slots[v] = c.body.call.results[i].off
		}
	}
}

// share lets a value that is a part of another value use the slot of that part.
func (c *compiler) share(b *ssa.BasicBlock) {
	for _, in := range c.plans[b.Index].order {
		switch in := in.(type) {
		case *ssa.Call:
			if f, ok := in.Call.Value.(*ssa.Builtin); ok && (f.Name() == "len" || f.Name() == "cap") {
				switch x := in.Call.Args[0]; c.classOf(x.Type()).kind {
				case kindString:
					c.shareAt(in, x, mem.LenOffset)
				case kindSlice:
					c.shareAt(in, x, map[string]uintptr{"len": mem.LenOffset, "cap": mem.CapOffset}[f.Name()])
				}
			}
		case *ssa.ChangeType:
			if !types.IsInterface(in.Type()) {
				c.shareAt(in, in.X, 0)
			}
		case *ssa.Field:
			c.shareAt(in, in.X, c.e.types.Fields(in.X.Type().Underlying().(*types.Struct))[in.Field])
		}
	}
}

// shareAt lets part use the slot of whole at an offset, unless something may overwrite that slot before part is
// used.
func (c *compiler) shareAt(part, whole ssa.Value, off uintptr) {
	if _, isPhi := whole.(*ssa.Phi); isPhi || c.joined[whole] || c.classOf(part.Type()).kind == kindNone {
		return
	}
	c.shared[part] = true
	c.slots[part] = c.operand(whole) + off
}

// readsFirst reports whether an instruction reads all its operands before it sets its slot.
func readsFirst(in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.BinOp, *ssa.Convert, *ssa.Slice:
		return true
	case *ssa.UnOp:
		return in.Op != token.ARROW
	case *ssa.Call:
		switch f := in.Call.Value.(type) {
		case *ssa.Builtin:
			return f.Name() == "append" || f.Name() == "min" || f.Name() == "max"
		case *ssa.Function:
			return genericName(f) == "cmp.Compare"
		}
	}
	return false
}

// onlyHere reports whether a value is used only in its block, except by the phis of the next block on one edge.
func (c *compiler) onlyHere(p *plan, v ssa.Value, to *ssa.BasicBlock, index int) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Phi:
			for i, e := range r.Edges {
				if e == v && (r.Block() != to || i != index) {
					return false
				}
			}
		default:
			if _, here := p.position[r]; !here {
				return false
			}
		}
	}
	return true
}

// doneWith reports whether nothing reads the phi of a loop after made has run.
func (c *compiler) doneWith(p *plan, phi *ssa.Phi, made ssa.Instruction, to *ssa.BasicBlock, index int) bool {
	last := p.at(made)
	for _, r := range *phi.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Phi:
			if r.Block() == to && r.Edges[index] == ssa.Value(phi) {
				return false
			}
		default:
			if _, here := p.position[r]; here && p.at(r) > last {
				return false
			}
		}
	}
	return true
}
