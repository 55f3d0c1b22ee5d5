package exact

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"math"
	"reflect"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"
)

type integer interface {
	int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64 | uintptr
}

type number interface {
	integer | float32 | float64 | complex64 | complex128
}

// kindOf is the kind of the run-time type of t.
func (c *compiler) kindOf(t types.Type) reflect.Kind { return c.e.types.Reflect(t).Kind() }

func (c *compiler) binary(in *ssa.BinOp) op {
	d, x, y := c.slots[in], c.operand(in.X), c.operand(in.Y)
	k := c.kindOf(in.X.Type())
	if in.Op == token.SHL || in.Op == token.SHR {
		return c.shift(in, k, d, x)
	}
	switch k {
	case reflect.Int:
		return integral[int](c, in.Op, d, x, y)
	case reflect.Int8:
		return integral[int8](c, in.Op, d, x, y)
	case reflect.Int16:
		return integral[int16](c, in.Op, d, x, y)
	case reflect.Int32:
		return integral[int32](c, in.Op, d, x, y)
	case reflect.Int64:
		return integral[int64](c, in.Op, d, x, y)
	case reflect.Uint:
		return integral[uint](c, in.Op, d, x, y)
	case reflect.Uint8:
		return integral[uint8](c, in.Op, d, x, y)
	case reflect.Uint16:
		return integral[uint16](c, in.Op, d, x, y)
	case reflect.Uint32:
		return integral[uint32](c, in.Op, d, x, y)
	case reflect.Uint64:
		return integral[uint64](c, in.Op, d, x, y)
	case reflect.Uintptr:
		return integral[uintptr](c, in.Op, d, x, y)
	case reflect.Float32:
		return real32or64[float32](in.Op, d, x, y)
	case reflect.Float64:
		return real32or64[float64](in.Op, d, x, y)
	case reflect.Complex64:
		return complexes[complex64](in.Op, d, x, y)
	case reflect.Complex128:
		return complexes[complex128](in.Op, d, x, y)
	case reflect.String:
		if in.Op == token.ADD {
			pc := c.point(in)
			return func(fr *frame) {
				if n := len(*mem.Slot[string](fr, x)) + len(*mem.Slot[string](fr, y)); n >= large || checked {
					fr.reserve(pc, n)
				}
				*mem.Slot[string](fr, d) = *mem.Slot[string](fr, x) + *mem.Slot[string](fr, y)
			}
		}
		return ordering[string](in.Op, d, x, y)
	}
	same := c.same(in.X.Type())
	if in.Op == token.NEQ {
		return func(fr *frame) { *mem.Slot[bool](fr, d) = !same(addr(fr, x), addr(fr, y)) }
	}
	if pc := c.at(); k == reflect.Interface || k == reflect.Struct || k == reflect.Array {
		return func(fr *frame) {
			fr.pc = pc
			*mem.Slot[bool](fr, d) = same(addr(fr, x), addr(fr, y))
		}
	}
	return func(fr *frame) { *mem.Slot[bool](fr, d) = same(addr(fr, x), addr(fr, y)) }
}

// same compares values that have no order.
func (c *compiler) same(t types.Type) func(p, q mem.Ptr) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsBoolean != 0 {
			return func(p, q mem.Ptr) bool { return *mem.As[bool](p) == *mem.As[bool](q) }
		}
	case *types.Interface:
		if u.NumMethods() == 0 {
			return func(p, q mem.Ptr) bool { return *mem.As[any](p) == *mem.As[any](q) }
		}
		return func(p, q mem.Ptr) bool { return *mem.As[error](p) == *mem.As[error](q) }
	case *types.Struct, *types.Array:
		return c.e.types.Of(t).Equal
	}
	return func(p, q mem.Ptr) bool { return *mem.As[mem.Ptr](p) == *mem.As[mem.Ptr](q) }
}

//go:noinline
func arithmetic[T number](tok token.Token, d, x, y uintptr) op {
	switch tok {
	case token.ADD:
		return func(fr *frame) { *mem.Slot[T](fr, d) = *mem.Slot[T](fr, x) + *mem.Slot[T](fr, y) }
	case token.SUB:
		return func(fr *frame) { *mem.Slot[T](fr, d) = *mem.Slot[T](fr, x) - *mem.Slot[T](fr, y) }
	case token.MUL:
		return func(fr *frame) { *mem.Slot[T](fr, d) = *mem.Slot[T](fr, x) * *mem.Slot[T](fr, y) }
	case token.QUO:
		return func(fr *frame) { *mem.Slot[T](fr, d) = *mem.Slot[T](fr, x) / *mem.Slot[T](fr, y) }
	}
	return nil
}

//go:noinline
func ordering[T cmp.Ordered](tok token.Token, d, x, y uintptr) op {
	switch tok {
	case token.EQL:
		return func(fr *frame) { *mem.Slot[bool](fr, d) = *mem.Slot[T](fr, x) == *mem.Slot[T](fr, y) }
	case token.NEQ:
		return func(fr *frame) { *mem.Slot[bool](fr, d) = *mem.Slot[T](fr, x) != *mem.Slot[T](fr, y) }
	case token.LSS:
		return func(fr *frame) { *mem.Slot[bool](fr, d) = *mem.Slot[T](fr, x) < *mem.Slot[T](fr, y) }
	case token.LEQ:
		return func(fr *frame) { *mem.Slot[bool](fr, d) = *mem.Slot[T](fr, x) <= *mem.Slot[T](fr, y) }
	case token.GTR:
		return func(fr *frame) { *mem.Slot[bool](fr, d) = *mem.Slot[T](fr, x) > *mem.Slot[T](fr, y) }
	case token.GEQ:
		return func(fr *frame) { *mem.Slot[bool](fr, d) = *mem.Slot[T](fr, x) >= *mem.Slot[T](fr, y) }
	}
	panic("operator " + tok.String())
}

//go:noinline
func real32or64[T float32 | float64](tok token.Token, d, x, y uintptr) op {
	if o := arithmetic[T](tok, d, x, y); o != nil {
		return o
	}
	return ordering[T](tok, d, x, y)
}

//go:noinline
func complexes[T complex64 | complex128](tok token.Token, d, x, y uintptr) op {
	switch tok {
	case token.EQL:
		return func(fr *frame) { *mem.Slot[bool](fr, d) = *mem.Slot[T](fr, x) == *mem.Slot[T](fr, y) }
	case token.NEQ:
		return func(fr *frame) { *mem.Slot[bool](fr, d) = *mem.Slot[T](fr, x) != *mem.Slot[T](fr, y) }
	}
	return arithmetic[T](tok, d, x, y)
}

//go:noinline
func integral[T integer](c *compiler, tok token.Token, d, x, y uintptr) op {
	switch tok {
	case token.QUO:
		pc := c.at()
		return func(fr *frame) {
			fr.pc = pc
			*mem.Slot[T](fr, d) = *mem.Slot[T](fr, x) / *mem.Slot[T](fr, y)
		}
	case token.REM:
		pc := c.at()
		return func(fr *frame) {
			fr.pc = pc
			*mem.Slot[T](fr, d) = *mem.Slot[T](fr, x) % *mem.Slot[T](fr, y)
		}
	case token.AND:
		return func(fr *frame) { *mem.Slot[T](fr, d) = *mem.Slot[T](fr, x) & *mem.Slot[T](fr, y) }
	case token.OR:
		return func(fr *frame) { *mem.Slot[T](fr, d) = *mem.Slot[T](fr, x) | *mem.Slot[T](fr, y) }
	case token.XOR:
		return func(fr *frame) { *mem.Slot[T](fr, d) = *mem.Slot[T](fr, x) ^ *mem.Slot[T](fr, y) }
	case token.AND_NOT:
		return func(fr *frame) { *mem.Slot[T](fr, d) = *mem.Slot[T](fr, x) &^ *mem.Slot[T](fr, y) }
	}
	if o := arithmetic[T](tok, d, x, y); o != nil {
		return o
	}
	return ordering[T](tok, d, x, y)
}

// count reads the number of places of a shift.
func (c *compiler) count(v ssa.Value) func(fr *frame) uint64 {
	y := c.operand(v)
	pc := c.at()
	signed := func(fr *frame, n int64) uint64 {
		if n < 0 {
			fr.pc = pc
			_ = 1 << n
		}
		return uint64(n)
	}
	switch c.kindOf(v.Type()) {
	case reflect.Int, reflect.Int64:
		return func(fr *frame) uint64 { return signed(fr, *mem.Slot[int64](fr, y)) }
	case reflect.Int8:
		return func(fr *frame) uint64 { return signed(fr, int64(*mem.Slot[int8](fr, y))) }
	case reflect.Int16:
		return func(fr *frame) uint64 { return signed(fr, int64(*mem.Slot[int16](fr, y))) }
	case reflect.Int32:
		return func(fr *frame) uint64 { return signed(fr, int64(*mem.Slot[int32](fr, y))) }
	case reflect.Uint8:
		return func(fr *frame) uint64 { return uint64(*mem.Slot[uint8](fr, y)) }
	case reflect.Uint16:
		return func(fr *frame) uint64 { return uint64(*mem.Slot[uint16](fr, y)) }
	case reflect.Uint32:
		return func(fr *frame) uint64 { return uint64(*mem.Slot[uint32](fr, y)) }
	}
	return func(fr *frame) uint64 { return *mem.Slot[uint64](fr, y) }
}

func (c *compiler) shift(in *ssa.BinOp, k reflect.Kind, d, x uintptr) op {
	n, left := c.count(in.Y), in.Op == token.SHL
	switch k {
	case reflect.Int:
		return shifted[int](left, d, x, n)
	case reflect.Int8:
		return shifted[int8](left, d, x, n)
	case reflect.Int16:
		return shifted[int16](left, d, x, n)
	case reflect.Int32:
		return shifted[int32](left, d, x, n)
	case reflect.Int64:
		return shifted[int64](left, d, x, n)
	case reflect.Uint:
		return shifted[uint](left, d, x, n)
	case reflect.Uint8:
		return shifted[uint8](left, d, x, n)
	case reflect.Uint16:
		return shifted[uint16](left, d, x, n)
	case reflect.Uint32:
		return shifted[uint32](left, d, x, n)
	case reflect.Uint64:
		return shifted[uint64](left, d, x, n)
	case reflect.Uintptr:
		return shifted[uintptr](left, d, x, n)
	}
	panic(fmt.Sprintf("shift of %v", k))
}

//go:noinline
func shifted[T integer](left bool, d, x uintptr, n func(fr *frame) uint64) op {
	if left {
		return func(fr *frame) { *mem.Slot[T](fr, d) = *mem.Slot[T](fr, x) << n(fr) }
	}
	return func(fr *frame) { *mem.Slot[T](fr, d) = *mem.Slot[T](fr, x) >> n(fr) }
}

func (c *compiler) unary(in *ssa.UnOp) op {
	d, x := c.slots[in], c.operand(in.X)
	switch in.Op {
	case token.MUL:
		if o := c.resume(in); o != nil {
			return o
		}
		class := c.classOf(in.Type())
		if class.kind == kindNone {
			fail := c.nilFailure()
			return func(fr *frame) {
				if mem.Slot[mem.Ptr](fr, x).Nil() {
					fail(fr)
				}
			}
		}
		return load(class, d, x, c.nilFailure())
	case token.NOT:
		return func(fr *frame) { *mem.Slot[bool](fr, d) = !*mem.Slot[bool](fr, x) }
	case token.ARROW:
		return c.receive(in)
	}
	negate := in.Op == token.SUB
	switch k := c.kindOf(in.Type()); k {
	case reflect.Int:
		return inverse[int](negate, d, x)
	case reflect.Int8:
		return inverse[int8](negate, d, x)
	case reflect.Int16:
		return inverse[int16](negate, d, x)
	case reflect.Int32:
		return inverse[int32](negate, d, x)
	case reflect.Int64:
		return inverse[int64](negate, d, x)
	case reflect.Uint:
		return inverse[uint](negate, d, x)
	case reflect.Uint8:
		return inverse[uint8](negate, d, x)
	case reflect.Uint16:
		return inverse[uint16](negate, d, x)
	case reflect.Uint32:
		return inverse[uint32](negate, d, x)
	case reflect.Uint64:
		return inverse[uint64](negate, d, x)
	case reflect.Uintptr:
		return inverse[uintptr](negate, d, x)
	case reflect.Float32:
		return func(fr *frame) { *mem.Slot[float32](fr, d) = -*mem.Slot[float32](fr, x) }
	case reflect.Float64:
		return func(fr *frame) { *mem.Slot[float64](fr, d) = -*mem.Slot[float64](fr, x) }
	case reflect.Complex64:
		return func(fr *frame) { *mem.Slot[complex64](fr, d) = -*mem.Slot[complex64](fr, x) }
	case reflect.Complex128:
		return func(fr *frame) { *mem.Slot[complex128](fr, d) = -*mem.Slot[complex128](fr, x) }
	}
	panic("operator " + in.String())
}

//go:noinline
func inverse[T integer](negate bool, d, x uintptr) op {
	if negate {
		return func(fr *frame) { *mem.Slot[T](fr, d) = -*mem.Slot[T](fr, x) }
	}
	return func(fr *frame) { *mem.Slot[T](fr, d) = ^*mem.Slot[T](fr, x) }
}

// index reads an index or a length of any integer type as an int; what does not fit is too large for everything
// (widened says what it was).
func (c *compiler) index(v ssa.Value) func(fr *frame) int {
	x := c.operand(v)
	switch c.kindOf(v.Type()) {
	case reflect.Int, reflect.Int64:
		return func(fr *frame) int { return *mem.Slot[int](fr, x) }
	case reflect.Int8:
		return func(fr *frame) int { return int(*mem.Slot[int8](fr, x)) }
	case reflect.Int16:
		return func(fr *frame) int { return int(*mem.Slot[int16](fr, x)) }
	case reflect.Int32:
		return func(fr *frame) int { return int(*mem.Slot[int32](fr, x)) }
	case reflect.Uint8:
		return func(fr *frame) int { return int(*mem.Slot[uint8](fr, x)) }
	case reflect.Uint16:
		return func(fr *frame) int { return int(*mem.Slot[uint16](fr, x)) }
	case reflect.Uint32:
		return func(fr *frame) int { return int(*mem.Slot[uint32](fr, x)) }
	}
	return func(fr *frame) int {
		n := *mem.Slot[uint64](fr, x)
		if n > math.MaxInt {
			fr.stack.wide, n = n, math.MaxInt
		}
		return int(n)
	}
}
