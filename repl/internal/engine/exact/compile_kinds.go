package exact

import (
	"go/token"
	"reflect"
)

// operations contains, for values of one kind, the functions that make closures; each is nil if the kind lacks the
// operation.
type operations struct {
	binary  func(c *compiler, tok token.Token, d, x, y uintptr) op
	extreme func(least bool, d uintptr, in []uintptr) op
	inverse func(negate bool, d, x uintptr) op
	convert func(to reflect.Kind, d, x uintptr) op
	shift   func(left bool, d, x uintptr, n func(fr *frame) uint64) op
	count   func(y uintptr, pc int32) func(fr *frame) uint64
	index   func(x uintptr) func(fr *frame) int
}

// kinds contains the operations of numeric kinds and strings.
var kinds = [reflect.UnsafePointer + 1]operations{
	reflect.Int: ofIntegers[int](), reflect.Int8: ofIntegers[int8](), reflect.Int16: ofIntegers[int16](),
	reflect.Int32: ofIntegers[int32](), reflect.Int64: ofIntegers[int64](),
	reflect.Uint: ofIntegers[uint](), reflect.Uint8: ofIntegers[uint8](), reflect.Uint16: ofIntegers[uint16](),
	reflect.Uint32: ofIntegers[uint32](), reflect.Uint64: ofIntegers[uint64](), reflect.Uintptr: ofIntegers[uintptr](),
	reflect.Float32: ofReals[float32](), reflect.Float64: ofReals[float64](),
	reflect.Complex64: {
		binary: complexes[complex64], inverse: negative[complex64],
		convert: fromComplex[complex64, complex128],
	},
	reflect.Complex128: {
		binary: complexes[complex128], inverse: negative[complex128],
		convert: fromComplex[complex128, complex64],
	},
	reflect.String: {binary: ordering[string], extreme: extremeOf[string]},
}

func ofIntegers[T integer]() operations {
	return operations{integral[T], extremeOf[T], inverse[T], toNumber[T], shifted[T], countOf[T], indexOf[T]}
}

func ofReals[T float32 | float64]() operations {
	return operations{binary: real32or64[T], extreme: extremeOf[T], inverse: negative[T], convert: toNumber[T]}
}
