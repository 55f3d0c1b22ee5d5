package exact

import (
	"fmt"
	"runtime"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
	"golang.org/x/tools/go/ssa"
)

// block compiles a basic block.
func (c *compiler) block(b *ssa.BasicBlock, out *block) {
	if run := c.loop(b); run != nil {
		*out = block{run}
		return
	}
	k := c.conditionOf(b)
	ops := c.operations(b, k)
	*out = block{step(ops, c.ending(b, k))}
}

// operations compiles the instructions of a block, except the last one and those that belong to the block's
// condition.
func (c *compiler) operations(b *ssa.BasicBlock, k *condition) (ops []op) {
	p, pcs := c.plans[b.Index], map[ssa.Instruction]int32{}
	var made []ssa.Instruction // the instructions in ops, by the same index
	for _, in := range p.order {
		if pos := in.Pos(); pos.IsValid() {
			c.pos = pos
		}
		if p.isPart(in) {
			pcs[in] = c.at()
			continue
		}
		if v, ok := in.(ssa.Value); ok && c.shared[v] {
			continue
		}
		if k.has(in) {
			if k.char != nil && in == ssa.Instruction(k.char) {
				k.charPC = c.at()
			}
			continue
		}
		if p.access[in] != nil {
			pcs[in] = c.at()
		}
		o := c.comparingElements(p, in, made, pcs)
		if o != nil {
			n := len(ops) - 2
			ops, made = ops[:n], made[:n]
		} else {
			o = c.operation(p, in, pcs)
		}
		if o != nil {
			ops, made = append(ops, o), append(made, in)
		}
	}
	return ops
}

// operation compiles one instruction together with its parts.
func (c *compiler) operation(p *plan, in ssa.Instruction, pcs map[ssa.Instruction]int32) op {
	if a := p.access[in]; a != nil {
		return c.accessing(in, a, pcs)
	}
	if call, ok := in.(*ssa.Call); ok && p.appends[call] != nil {
		return c.appendValues(call, p.appends[call])
	}
	return c.instruction(in)
}

// ending compiles the end of a block: its last instruction and, if it has one, its condition.
func (c *compiler) ending(b *ssa.BasicBlock, k *condition) blockEnd {
	in := b.Instrs[len(b.Instrs)-1]
	if pos := in.Pos(); pos.IsValid() {
		c.pos = pos
	}
	if k != nil {
		return blockEnd{run: c.branchOn(k, b)}
	}
	return c.terminator(b, in)
}

func isDebug(in ssa.Instruction) bool {
	_, ok := in.(*ssa.DebugRef)
	return ok
}

// edge compiles the copies of the values that the phis of a block take from a predecessor; nil if there are none.
func (c *compiler) edge(from, to *ssa.BasicBlock) op {
	index := 0
	for i, p := range to.Preds {
		if p == from {
			index = i
		}
	}
	var moves, late []op
	written := map[ssa.Value]bool{}
	conflict := false
	for _, in := range to.Instrs {
		phi, ok := in.(*ssa.Phi)
		if !ok {
			break
		}
		if src, ok := phi.Edges[index].(*ssa.Phi); ok && written[src] {
			conflict = true
		}
		written[phi] = true
	}
	for _, in := range to.Instrs {
		phi, ok := in.(*ssa.Phi)
		if !ok {
			break
		}
		class, src := c.classOf(phi.Type()), c.operand(phi.Edges[index])
		to := c.slots[phi]
		if src == to {
			continue
		}
		if conflict {
			if m := move(class, c.spare[phi], src); m != nil {
				moves, late = append(moves, m), append(late, move(class, to, c.spare[phi]))
			}
			continue
		}
		if m := move(class, to, src); m != nil {
			moves = append(moves, m)
		}
	}
	return sequence(append(moves, late...))
}

// terminator compiles the last instruction of a block.
func (c *compiler) terminator(b *ssa.BasicBlock, in ssa.Instruction) blockEnd {
	switch in := in.(type) {
	case *ssa.Jump:
		next := c.branch(b, b.Succs[0])
		return blockEnd{run: next.way, to: next.to}
	case *ssa.If:
		cond := c.operand(in.Cond)
		yes, no := c.branch(b, b.Succs[0]), c.branch(b, b.Succs[1])
		return blockEnd{run: func(fr *frame) *block {
			if *mem.Slot[bool](fr, cond) {
				return yes.take(fr)
			}
			return no.take(fr)
		}}
	case *ssa.Return:
		var moves []op
		for i, r := range in.Results {
			res := c.body.call.results[i]
			src := c.operand(r)
			if src == res.off {
				continue
			}
			if m := move(res.class, res.off, src); m != nil {
				moves = append(moves, m)
			}
		}
		return c.leaving(b, sequence(moves))
	case *ssa.Panic:
		if run := c.rangePanic(b, in); run != nil {
			return blockEnd{run: run}
		}
		x, pc := c.operand(in.X), c.at()
		return blockEnd{run: func(fr *frame) *block {
			fr.pc = pc
			v := *mem.Slot[any](fr, x)
			if v == nil {
				v = &runtime.PanicNilError{}
			}
			panic(v)
		}}
	}
	panic(fmt.Sprintf("terminator %T", in))
}

// leaving compiles the end of a call. If a function defers calls only in range-over-func loops, go/ssa does not
// generate the code that runs the deferred calls, so leaving does that. Then the block for recovered calls returns
// the current values of the named results.
func (c *compiler) leaving(b *ssa.BasicBlock, results op) blockEnd {
	if !c.body.defers || c.runsDefers || c.fn.Recover == nil || b == c.fn.Recover {
		if results == nil {
			return blockEnd{}
		}
		return blockEnd{run: func(fr *frame) *block { results(fr); return nil }}
	}
	if results == nil {
		results = func(*frame) {}
	}
	var again *block
	if r := c.fn.Signature.Results(); r.Len() > 0 && r.At(0).Name() != "" {
		again = c.blocks[c.fn.Recover.Index]
	}
	pc := c.at() // not a point, because a sweep there could clear the results
	return blockEnd{run: func(fr *frame) *block {
		results(fr)
		if fr.defers == nil {
			return nil
		}
		fr.pc = pc
		fr.runDefers()
		return again
	}}
}
