package exact

import (
	"cmp"
	"go/token"
	"reflect"
	"sync/atomic"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
	"golang.org/x/tools/go/ssa"
)

// branch is an exit of a block: the next block, and the code that runs on the way to it, if any.
type branch struct {
	way func(fr *frame) *block
	to  *block
}

// branch compiles the edge from a block to a successor. Back edges check whether the cell should stop.
func (c *compiler) branch(from, to *ssa.BasicBlock) branch {
	out := branch{to: c.blocks[to.Index]}
	moves := c.edge(from, to)
	switch {
	case to.Index <= from.Index:
		out.way = wayBack(moves, &c.e.stopping, out.to)
	case moves != nil:
		out.way = stepTo([]op{moves}, out.to)
	}
	return out
}

func wayBack(moves op, stop *atomic.Int32, to *block) func(fr *frame) *block {
	if moves == nil {
		return func(fr *frame) *block {
			if stop.Load() != 0 {
				fr.stack.stopped()
			}
			return to
		}
	}
	return func(fr *frame) *block {
		if stop.Load() != 0 {
			fr.stack.stopped()
		}
		moves(fr)
		return to
	}
}

// take follows a branch.
func (b *branch) take(fr *frame) *block {
	if b.way == nil {
		return b.to
	}
	return b.way(fr)
}

// condition is a comparison that only the branch at the end of its block uses. It runs as a part of the branch.
type condition struct {
	cmp *ssa.BinOp
	// char is the compared byte of a string, if it is read only for the comparison; charPC is its source position.
	char   *ssa.Index
	charPC int32
}

// conditionOf returns the condition of a block's branch; nil if there is none, or if its type is not supported.
func (c *compiler) conditionOf(b *ssa.BasicBlock) *condition {
	branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return nil
	}
	order := c.running(b)
	if len(order) == 0 {
		return nil
	}
	made, ok := order[len(order)-1].(*ssa.BinOp)
	if !ok || branch.Cond != ssa.Value(made) || uses(made) != 1 {
		return nil
	}
	switch c.kindOf(made.X.Type()) {
	case reflect.Int, reflect.Uint8, reflect.Int32, reflect.Int64, reflect.Float64, reflect.String:
	default:
		return nil
	}
	out := &condition{cmp: made}
	if len(order) < 2 {
		return out
	}
	char, ok := order[len(order)-2].(*ssa.Index)
	if ok && made.X == ssa.Value(char) && uses(char) == 1 && isInt(c, char.Index) &&
		c.classOf(char.X.Type()).kind == kindString {
		out.char = char
	}
	return out
}

// running returns the instructions of a block that are compiled separately: not the last one, nor those that run as
// a part of another or do nothing.
func (c *compiler) running(b *ssa.BasicBlock) []ssa.Instruction {
	p := c.plans[b.Index]
	var out []ssa.Instruction
	for _, in := range p.order {
		if v, ok := in.(ssa.Value); isDebug(in) || p.isPart(in) || ok && c.shared[v] {
			continue
		}
		out = append(out, in)
	}
	return out
}

// has reports whether an instruction runs as a part of the condition.
func (k *condition) has(in ssa.Instruction) bool {
	return k != nil && (in == ssa.Instruction(k.cmp) || k.char != nil && in == ssa.Instruction(k.char))
}

// branchOn compiles a condition and its branch.
func (c *compiler) branchOn(k *condition, b *ssa.BasicBlock) func(fr *frame) *block {
	y := c.operand(k.cmp.Y)
	yes, no := c.branch(b, b.Succs[0]), c.branch(b, b.Succs[1])
	if k.char != nil {
		return c.branchOnByte(k, y, yes, no)
	}
	x := c.operand(k.cmp.X)
	switch c.kindOf(k.cmp.X.Type()) {
	case reflect.Int:
		return branching[int](k.cmp.Op, x, y, yes, no)
	case reflect.Uint8:
		return branching[uint8](k.cmp.Op, x, y, yes, no)
	case reflect.Int32:
		return branching[int32](k.cmp.Op, x, y, yes, no)
	case reflect.Int64:
		return branching[int64](k.cmp.Op, x, y, yes, no)
	case reflect.Float64:
		return branching[float64](k.cmp.Op, x, y, yes, no)
	}
	return branching[string](k.cmp.Op, x, y, yes, no)
}

// branchOnByte compiles a comparison of a byte of a string.
func (c *compiler) branchOnByte(k *condition, y uintptr, yes, no branch) func(fr *frame) *block {
	x, index, pc := c.operand(k.char.X), c.operand(k.char.Index), k.charPC
	switch k.cmp.Op {
	case token.NEQ, token.GEQ, token.LEQ: // swapped: the code below tests the opposite
		yes, no = no, yes
	}
	switch k.cmp.Op {
	case token.EQL, token.NEQ:
		return func(fr *frame) *block {
			if byteOfString(fr, x, index, pc) == *mem.Slot[uint8](fr, y) {
				return yes.take(fr)
			}
			return no.take(fr)
		}
	case token.LSS, token.GEQ:
		return func(fr *frame) *block {
			if byteOfString(fr, x, index, pc) < *mem.Slot[uint8](fr, y) {
				return yes.take(fr)
			}
			return no.take(fr)
		}
	}
	return func(fr *frame) *block {
		if byteOfString(fr, x, index, pc) > *mem.Slot[uint8](fr, y) {
			return yes.take(fr)
		}
		return no.take(fr)
	}
}

func byteOfString(fr *frame, x, index uintptr, pc int32) uint8 {
	s, i := mem.Slot[string](fr, x), *mem.Slot[int](fr, index)
	if uint(i) >= uint(len(*s)) {
		outOfRange(fr, pc, i, len(*s))
	}
	return (*s)[i]
}

//go:noinline
func branching[T cmp.Ordered](tok token.Token, x, y uintptr, yes, no branch) func(fr *frame) *block {
	switch tok {
	case token.EQL:
		return func(fr *frame) *block {
			if *mem.Slot[T](fr, x) == *mem.Slot[T](fr, y) {
				return yes.take(fr)
			}
			return no.take(fr)
		}
	case token.NEQ:
		return func(fr *frame) *block {
			if *mem.Slot[T](fr, x) != *mem.Slot[T](fr, y) {
				return yes.take(fr)
			}
			return no.take(fr)
		}
	case token.LSS:
		return func(fr *frame) *block {
			if *mem.Slot[T](fr, x) < *mem.Slot[T](fr, y) {
				return yes.take(fr)
			}
			return no.take(fr)
		}
	case token.LEQ:
		return func(fr *frame) *block {
			if *mem.Slot[T](fr, x) <= *mem.Slot[T](fr, y) {
				return yes.take(fr)
			}
			return no.take(fr)
		}
	case token.GTR:
		return func(fr *frame) *block {
			if *mem.Slot[T](fr, x) > *mem.Slot[T](fr, y) {
				return yes.take(fr)
			}
			return no.take(fr)
		}
	}
	return func(fr *frame) *block {
		if *mem.Slot[T](fr, x) >= *mem.Slot[T](fr, y) {
			return yes.take(fr)
		}
		return no.take(fr)
	}
}
