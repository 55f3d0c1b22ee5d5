package exact

import (
	"go/constant"
	"go/token"
	"strings"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
	"golang.org/x/tools/go/ssa"
)

// Go's messages for iterator functions that call the body of a loop when they must not.
const (
	afterFalse  = "range function continued iteration after function for loop body returned false"
	afterLoop   = "range function continued iteration after whole loop exit"
	afterPanic  = "range function continued iteration after loop body panic"
	missedPanic = "range function recovered a loop body panic and did not resume panicking"
)

// rangePanic replaces the panics that go/ssa inserts into range-over-func loops by those that Go would raise; nil
// for other panics.
func (c *compiler) rangePanic(b *ssa.BasicBlock, in *ssa.Panic) func(fr *frame) *block {
	made, ok := in.X.(*ssa.MakeInterface)
	if !ok || in.Pos().IsValid() {
		return nil
	}
	text, ok := made.X.(*ssa.Const)
	if !ok || text.Value == nil || text.Value.Kind() != constant.String {
		return nil
	}
	pc := c.at()
	switch constant.StringVal(text.Value) {
	case "iterator call did not preserve panic":
		return func(fr *frame) *block {
			fr.pc = pc
			panic(texts.Prefixed(missedPanic))
		}
	case "yield function called after range loop exit":
		state := rangeState(b)
		if state == nil {
			return nil
		}
		read, variable := c.operand(state), c.operand(state.X)
		return func(fr *frame) *block {
			fr.pc = pc
			was := *mem.Slot[int](fr, read)
			**mem.Slot[*int](fr, variable) = -1
			switch was {
			case -2:
				panic(texts.Prefixed(afterLoop))
			case -1:
				panic(texts.Prefixed(afterPanic))
			}
			panic(texts.Prefixed(afterFalse))
		}
	}
	return nil
}

// rangeState returns the instruction that reads the loop's state, for a block that panics because the body of a
// range-over-func loop was called when it must not be; nil for other blocks.
func rangeState(b *ssa.BasicBlock) *ssa.UnOp {
	if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Panic); !ok || len(b.Preds) != 1 {
		return nil
	}
	branch, ok := b.Preds[0].Instrs[len(b.Preds[0].Instrs)-1].(*ssa.If)
	if !ok {
		return nil
	}
	if compare, ok := branch.Cond.(*ssa.BinOp); ok {
		state, _ := compare.X.(*ssa.UnOp)
		return state
	}
	return nil
}

// resume compiles the read that finds out how a range-over-func loop ended. It also records that the loop has
// ended, because go/ssa does not do so if the body left the loop by a jump. It returns nil for other reads.
func (c *compiler) resume(in *ssa.UnOp) op {
	jump, ok := in.X.(*ssa.Alloc)
	if !ok || in.Op != token.MUL || !strings.HasPrefix(jump.Comment, "jump$") {
		return nil
	}
	d, variable := c.slots[in], c.operand(jump)
	return func(fr *frame) {
		state := *mem.Slot[*int](fr, variable)
		*mem.Slot[int](fr, d) = *state
		if *state > 0 {
			*state = -2
		}
	}
}
