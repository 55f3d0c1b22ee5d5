package exact

import (
	"reflect"

	"golang.org/x/tools/go/ssa"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
	"github.com/gorlm/rlm/repl/internal/engine/exact/rtype"
)

// convert compiles a conversion that changes the representation.
func (c *compiler) convert(in ssa.Value, from ssa.Value) op {
	d, x := c.slots[in], c.operand(from)
	st, dt := c.e.types.Reflect(from.Type()), c.e.types.Reflect(in.Type())
	switch sk, dk := st.Kind(), dt.Kind(); {
	case isNumber(sk) && isNumber(dk):
		return kinds[sk].convert(dk, d, x)
	case sk == reflect.String && dk == reflect.Slice, sk == reflect.Slice && dk == reflect.String,
		sk == reflect.Int32 && dk == reflect.String:
		return textual(sk, st, dt, d, x, c.point(in.(ssa.Instruction)))
	case sk == reflect.UnsafePointer && dk == reflect.Uintptr:
		return moveOf[uintptr](d, x)
	case sk == reflect.Slice && dk == reflect.Array:
		return c.sliceAsArray(d, x, dt)
	case sk == dk, sk == reflect.Pointer && dk == reflect.UnsafePointer: // package slices compares unsafe pointers
		return move(c.classOf(in.Type()), d, x)
	}
	return func(fr *frame) {
		mem.Value(dt, addr(fr, d)).Set(mem.Value(st, addr(fr, x)).Convert(dt))
	}
}

// textual compiles a conversion between strings and slices.
func textual(from reflect.Kind, st, dt reflect.Type, d, x uintptr, pc int32) op {
	switch {
	case from == reflect.Int32:
		return func(fr *frame) { *mem.Slot[string](fr, d) = string(*mem.Slot[rune](fr, x)) }
	case from == reflect.Slice && st.Elem().Kind() == reflect.Uint8:
		return func(fr *frame) {
			fr.reserve(pc, mem.Slot[mem.Slice](fr, x).Len)
			*mem.Slot[string](fr, d) = string(*mem.Slot[[]byte](fr, x))
		}
	case from == reflect.Slice:
		return func(fr *frame) {
			fr.reserve(pc, mem.Slot[mem.Slice](fr, x).Len)
			*mem.Slot[string](fr, d) = string(*mem.Slot[[]rune](fr, x))
		}
	case dt.Elem().Kind() == reflect.Uint8:
		return func(fr *frame) {
			fr.reserve(pc, len(*mem.Slot[string](fr, x)))
			*mem.Slot[[]byte](fr, d) = []byte(*mem.Slot[string](fr, x))
		}
	}
	return func(fr *frame) {
		fr.reserve(pc, 4*len(*mem.Slot[string](fr, x)))
		*mem.Slot[[]rune](fr, d) = []rune(*mem.Slot[string](fr, x))
	}
}

func (c *compiler) sliceAsArray(d, x uintptr, t reflect.Type) op {
	n, typ, pc := t.Len(), mem.TypeOf(t), c.at()
	return func(fr *frame) {
		s := *mem.Slot[mem.Slice](fr, x)
		if s.Len < n {
			fr.pc = pc
			panic(rtype.TooShort(s.Len, n))
		}
		if typ.Size > 0 {
			mem.Move(typ, addr(fr, d), s.Data)
		}
	}
}

func isNumber(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Complex128 }

func toNumber[S integer | float32 | float64](to reflect.Kind, d, x uintptr) op {
	switch to {
	case reflect.Int:
		return converted[int, S](d, x)
	case reflect.Int8:
		return converted[int8, S](d, x)
	case reflect.Int16:
		return converted[int16, S](d, x)
	case reflect.Int32:
		return converted[int32, S](d, x)
	case reflect.Int64:
		return converted[int64, S](d, x)
	case reflect.Uint:
		return converted[uint, S](d, x)
	case reflect.Uint8:
		return converted[uint8, S](d, x)
	case reflect.Uint16:
		return converted[uint16, S](d, x)
	case reflect.Uint32:
		return converted[uint32, S](d, x)
	case reflect.Uint64:
		return converted[uint64, S](d, x)
	case reflect.Uintptr:
		return converted[uintptr, S](d, x)
	case reflect.Float32:
		return converted[float32, S](d, x)
	}
	return converted[float64, S](d, x)
}

//go:noinline
func converted[D, S integer | float32 | float64](d, x uintptr) op {
	return func(fr *frame) { *mem.Slot[D](fr, d) = D(*mem.Slot[S](fr, x)) }
}

// fromComplex converts from complex type S to S or other; to is the kind of the result.
func fromComplex[S, other complex64 | complex128](to reflect.Kind, d, x uintptr) op {
	if to == reflect.TypeFor[S]().Kind() {
		return moveOf[S](d, x)
	}
	return func(fr *frame) { *mem.Slot[other](fr, d) = other(*mem.Slot[S](fr, x)) }
}
