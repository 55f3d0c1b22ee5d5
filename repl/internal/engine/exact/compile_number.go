package exact

import (
	"cmp"
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

// kindOf returns the kind of the run-time type of t.
func (c *compiler) kindOf(t types.Type) reflect.Kind { return c.e.types.Reflect(t).Kind() }

func (c *compiler) binary(in *ssa.BinOp) op {
	d, x, y := c.slots[in], c.operand(in.X), c.operand(in.Y)
	k := c.kindOf(in.X.Type())
	if in.Op == token.SHL || in.Op == token.SHR {
		return kinds[k].shift(in.Op == token.SHL, d, x, kinds[c.kindOf(in.Y.Type())].count(y, c.at()))
	}
	if k == reflect.String && in.Op == token.ADD {
		pc := c.point(in)
		return func(fr *frame) {
			if n := len(*mem.Slot[string](fr, x)) + len(*mem.Slot[string](fr, y)); n >= large || checked {
				fr.reserve(pc, n)
			}
			*mem.Slot[string](fr, d) = *mem.Slot[string](fr, x) + *mem.Slot[string](fr, y)
		}
	}
	if of := kinds[k]; of.binary != nil {
		return of.binary(c, in.Op, d, x, y)
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

// same returns a function that compares values of a type without order for equality.
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
func ordering[T cmp.Ordered](_ *compiler, tok token.Token, d, x, y uintptr) op {
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
func real32or64[T float32 | float64](c *compiler, tok token.Token, d, x, y uintptr) op {
	if o := arithmetic[T](tok, d, x, y); o != nil {
		return o
	}
	return ordering[T](c, tok, d, x, y)
}

//go:noinline
func complexes[T complex64 | complex128](_ *compiler, tok token.Token, d, x, y uintptr) op {
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
	return ordering[T](c, tok, d, x, y)
}

// countOf returns a closure that reads the shift count.
func countOf[T integer](y uintptr, pc int32) func(fr *frame) uint64 {
	return func(fr *frame) uint64 {
		n := *mem.Slot[T](fr, y)
		if n < 0 {
			fr.pc = pc
			_ = 1 << n
		}
		return uint64(n)
	}
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
	return kinds[c.kindOf(in.Type())].inverse(in.Op == token.SUB, d, x)
}

//go:noinline
func inverse[T integer](negate bool, d, x uintptr) op {
	if negate {
		return func(fr *frame) { *mem.Slot[T](fr, d) = -*mem.Slot[T](fr, x) }
	}
	return func(fr *frame) { *mem.Slot[T](fr, d) = ^*mem.Slot[T](fr, x) }
}

//go:noinline
func negative[T float32 | float64 | complex64 | complex128](_ bool, d, x uintptr) op {
	return func(fr *frame) { *mem.Slot[T](fr, d) = -*mem.Slot[T](fr, x) }
}

// index returns a closure that reads an index or a length of any integer type as an int. A value that does not fit
// becomes the largest int; its original is stored in the stack (see widened).
func (c *compiler) index(v ssa.Value) func(fr *frame) int {
	return kinds[c.kindOf(v.Type())].index(c.operand(v))
}

func indexOf[T integer](x uintptr) func(fr *frame) int {
	return func(fr *frame) int {
		n := *mem.Slot[T](fr, x)
		if n > 0 && uint64(n) > math.MaxInt {
			fr.stack.wide = uint64(n)
			return math.MaxInt
		}
		return int(n)
	}
}
