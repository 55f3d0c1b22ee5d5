package exact

import (
	"go/constant"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
	"golang.org/x/tools/go/ssa"
)

// What Go says of iterator functions that call the body of a loop when they must not.
const (
	afterFalse  = "range function continued iteration after function for loop body returned false"
	afterLoop   = "range function continued iteration after whole loop exit"
	afterPanic  = "range function continued iteration after loop body panic"
	missedPanic = "range function recovered a loop body panic and did not resume panicking"
)

// rangePanic replaces the panics that go/ssa writes into loops over functions by Go's own; nil for panics of other kinds.
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
		if len(b.Preds) != 1 {
			return nil
		}
		branch, _ := b.Preds[0].Instrs[len(b.Preds[0].Instrs)-1].(*ssa.If)
		if branch == nil {
			return nil
		}
		state := branch.Cond.(*ssa.BinOp).X
		read, variable := c.operand(state), c.operand(state.(*ssa.UnOp).X)
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
