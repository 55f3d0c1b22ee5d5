package exact

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
	"golang.org/x/tools/go/ssa"
)

// extreme compiles min and max.
func (c *compiler) extreme(least bool, d uintptr, args []ssa.Value) op {
	var in []uintptr
	for _, a := range args {
		in = append(in, c.operand(a))
	}
	switch k := c.kindOf(args[0].Type()); k {
	case reflect.Int:
		return extremeOf[int](least, d, in)
	case reflect.Int8:
		return extremeOf[int8](least, d, in)
	case reflect.Int16:
		return extremeOf[int16](least, d, in)
	case reflect.Int32:
		return extremeOf[int32](least, d, in)
	case reflect.Int64:
		return extremeOf[int64](least, d, in)
	case reflect.Uint:
		return extremeOf[uint](least, d, in)
	case reflect.Uint8:
		return extremeOf[uint8](least, d, in)
	case reflect.Uint16:
		return extremeOf[uint16](least, d, in)
	case reflect.Uint32:
		return extremeOf[uint32](least, d, in)
	case reflect.Uint64:
		return extremeOf[uint64](least, d, in)
	case reflect.Uintptr:
		return extremeOf[uintptr](least, d, in)
	case reflect.Float32:
		return extremeOf[float32](least, d, in)
	case reflect.Float64:
		return extremeOf[float64](least, d, in)
	case reflect.String:
		return extremeOf[string](least, d, in)
	default:
		panic(fmt.Sprintf("min of %v", k))
	}
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
