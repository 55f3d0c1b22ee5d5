package exact

import (
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
	"golang.org/x/tools/go/ssa"
)

// block compiles a basic block.
func (c *compiler) block(b *ssa.BasicBlock, out *block) {
	ops, end := c.operations(b)
	*out = block{step(ops, end)}
}

// step runs some instructions and the end of a block. Without a loop about them each is a fifth faster.
func step(ops []op, end func(fr *frame) *block) func(fr *frame) *block {
	switch len(ops) {
	case 0:
		return end
	case 1:
		o := ops[0]
		return func(fr *frame) *block {
			o(fr)
			return end(fr)
		}
	case 2:
		o, p := ops[0], ops[1]
		return func(fr *frame) *block {
			o(fr)
			p(fr)
			return end(fr)
		}
	case 3:
		o, p, q := ops[0], ops[1], ops[2]
		return func(fr *frame) *block {
			o(fr)
			p(fr)
			q(fr)
			return end(fr)
		}
	}
	if len(ops) > 12 { // calls nest deep, and should take little of Go's stack
		return func(fr *frame) *block {
			for _, o := range ops {
				o(fr)
			}
			return end(fr)
		}
	}
	o, p, q, r, rest := ops[0], ops[1], ops[2], ops[3], step(ops[4:], end)
	return func(fr *frame) *block {
		o(fr)
		p(fr)
		q(fr)
		r(fr)
		return rest(fr)
	}
}

// operations are the instructions of a block and its end.
func (c *compiler) operations(b *ssa.BasicBlock) (ops []op, end func(fr *frame) *block) {
	p, pcs := c.plans[b.Index], map[ssa.Instruction]int32{}
	last := len(p.order) - 1
	for last >= 0 && isDebug(p.order[last]) {
		last--
	}
	for i, in := range p.order {
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
		if a := p.access[in]; a != nil {
			pcs[in] = c.at()
			ops = append(ops, c.accessing(in, a, pcs))
			continue
		}
		if call, ok := in.(*ssa.Call); ok && p.appends[call] != nil {
			ops = append(ops, c.appendValues(call, p.appends[call]))
			continue
		}
		if i == last {
			if end := c.compareAndBranch(b, in); end != nil {
				return ops, end
			}
		}
		if o := c.instruction(in); o != nil {
			ops = append(ops, o)
		}
	}
	in := b.Instrs[len(b.Instrs)-1]
	if pos := in.Pos(); pos.IsValid() {
		c.pos = pos
	}
	return ops, c.terminator(b, in)
}

func isDebug(in ssa.Instruction) bool {
	_, ok := in.(*ssa.DebugRef)
	return ok
}

// edge copies what the phis of a block take from a predecessor; nil if there is nothing.
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

// sequence is several instructions as one.
func sequence(ops []op) op {
	switch len(ops) {
	case 0:
		return nil
	case 1:
		return ops[0]
	case 2:
		a, b := ops[0], ops[1]
		return func(fr *frame) { a(fr); b(fr) }
	case 3:
		a, b, c := ops[0], ops[1], ops[2]
		return func(fr *frame) { a(fr); b(fr); c(fr) }
	}
	return func(fr *frame) {
		for _, o := range ops {
			o(fr)
		}
	}
}

// branch is a way out of a block: what to copy, whether to look if the cell is to stop, and where to go.
type branch struct {
	moves op
	stop  *atomic.Int32 // nil for ways forward
	to    *block
}

func (c *compiler) branch(from, to *ssa.BasicBlock) branch {
	out := branch{moves: c.edge(from, to), to: c.blocks[to.Index]}
	if to.Index <= from.Index {
		out.stop = &c.e.stopping
	}
	return out
}

// take goes along a branch.
func (b *branch) take(fr *frame) *block {
	if b.stop != nil && b.stop.Load() != 0 {
		fr.stack.stopped()
	}
	if b.moves != nil {
		b.moves(fr)
	}
	return b.to
}

// terminator compiles the last instruction of a block.
func (c *compiler) terminator(b *ssa.BasicBlock, in ssa.Instruction) func(fr *frame) *block {
	switch in := in.(type) {
	case *ssa.Jump:
		next := c.branch(b, b.Succs[0])
		if next.stop == nil {
			to, moves := next.to, next.moves
			if moves == nil {
				return func(*frame) *block { return to }
			}
			return func(fr *frame) *block { moves(fr); return to }
		}
		return next.take
	case *ssa.If:
		cond := c.operand(in.Cond)
		yes, no := c.branch(b, b.Succs[0]), c.branch(b, b.Succs[1])
		return func(fr *frame) *block {
			if *mem.Slot[bool](fr, cond) {
				return yes.take(fr)
			}
			return no.take(fr)
		}
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
		if end := c.rangePanic(b, in); end != nil {
			return end
		}
		x, pc := c.operand(in.X), c.at()
		return func(fr *frame) *block {
			fr.pc = pc
			v := *mem.Slot[any](fr, x)
			if v == nil {
				v = &runtime.PanicNilError{}
			}
			panic(v)
		}
	}
	panic(fmt.Sprintf("terminator %T", in))
}

// leaving ends a call. go/ssa forgets to run what was deferred in loops over functions alone; the block for recovered calls then returns
// the results that have names, as they are now.
func (c *compiler) leaving(b *ssa.BasicBlock, results op) func(fr *frame) *block {
	if results == nil {
		results = func(*frame) {}
	}
	if !c.body.defers || c.runsDefers || c.fn.Recover == nil || b == c.fn.Recover {
		return func(fr *frame) *block { results(fr); return nil }
	}
	var again *block
	if r := c.fn.Signature.Results(); r.Len() > 0 && r.At(0).Name() != "" {
		again = c.blocks[c.fn.Recover.Index]
	}
	return func(fr *frame) *block {
		results(fr)
		if fr.defers == nil {
			return nil
		}
		fr.runDefers()
		return again
	}
}
