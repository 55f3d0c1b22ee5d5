package exact

import (
	"cmp"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
	"golang.org/x/tools/go/ssa"
)

// extreme compiles min and max.
func (c *compiler) extreme(least bool, d uintptr, args []ssa.Value) op {
	var in []uintptr
	for _, a := range args {
		in = append(in, c.operand(a))
	}
	return kinds[c.kindOf(args[0].Type())].extreme(least, d, in)
}

//go:noinline
func extremeOf[T cmp.Ordered](least bool, d uintptr, in []uintptr) op {
	pick := func(a, b T) T { return max(a, b) }
	if least {
		pick = func(a, b T) T { return min(a, b) }
	}
	if len(in) == 2 {
		x, y := in[0], in[1]
		if least {
			return func(fr *frame) { *mem.Slot[T](fr, d) = min(*mem.Slot[T](fr, x), *mem.Slot[T](fr, y)) }
		}
		return func(fr *frame) { *mem.Slot[T](fr, d) = max(*mem.Slot[T](fr, x), *mem.Slot[T](fr, y)) }
	}
	return func(fr *frame) {
		v := *mem.Slot[T](fr, in[0])
		for _, x := range in[1:] {
			v = pick(v, *mem.Slot[T](fr, x))
		}
		*mem.Slot[T](fr, d) = v
	}
}
