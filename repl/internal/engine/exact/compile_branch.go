package exact

import (
	"cmp"
	"go/token"
	"reflect"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
	"golang.org/x/tools/go/ssa"
)

// compareAndBranch makes one closure of a comparison and the branch that is all that it is for; nil if it is not.
func (c *compiler) compareAndBranch(b *ssa.BasicBlock, in ssa.Instruction) func(fr *frame) *block {
	cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	cmp, isBin := in.(*ssa.BinOp)
	if !ok || !isBin || cond.Cond != ssa.Value(cmp) || uses(cmp) != 1 {
		return nil
	}
	x, y := c.operand(cmp.X), c.operand(cmp.Y)
	yes, no := c.branch(b, b.Succs[0]), c.branch(b, b.Succs[1])
	switch c.kindOf(cmp.X.Type()) {
	case reflect.Int:
		return branching[int](cmp.Op, x, y, yes, no)
	case reflect.Uint8:
		return branching[uint8](cmp.Op, x, y, yes, no)
	case reflect.Int32:
		return branching[int32](cmp.Op, x, y, yes, no)
	case reflect.Int64:
		return branching[int64](cmp.Op, x, y, yes, no)
	case reflect.Float64:
		return branching[float64](cmp.Op, x, y, yes, no)
	case reflect.String:
		return branching[string](cmp.Op, x, y, yes, no)
	}
	return nil
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
	case token.GEQ:
		return func(fr *frame) *block {
			if *mem.Slot[T](fr, x) >= *mem.Slot[T](fr, y) {
				return yes.take(fr)
			}
			return no.take(fr)
		}
	}
	return nil
}
