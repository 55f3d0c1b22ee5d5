package decide

import (
	"encoding/binary"
	"math"
	"math/bits"
	"reflect"
)

// Bounds for hashing a pointer in a key by the value it points to.
const (
	pointees     = 64 // values visited behind the pointers in one key
	pointeeDepth = 4  // pointers followed
)

// hasher computes the hash of a key under a seed.
type hasher struct {
	sum    uint64
	follow bool // hash the value that a pointer points to
	left   int  // values that may still be visited behind pointers
	depth  int
}

// mix is a bijection of 64-bit numbers in which each bit of the result depends on all bits of x.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// fold adds a word to a sum; the result depends on the order of the words.
func fold(sum, word uint64) uint64 {
	hi, lo := bits.Mul64(sum^word^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return hi ^ lo
}

// foldText adds a string and its length.
func foldText(sum uint64, s string) uint64 {
	n := len(s)
	for ; len(s) >= 8; s = s[8:] {
		sum = fold(sum, binary.LittleEndian.Uint64([]byte(s[:8])))
	}
	var last uint64
	for i := range len(s) {
		last |= uint64(s[i]) << (8 * i)
	}
	return fold(fold(sum, last), uint64(n))
}

func (h *hasher) word(w uint64) { h.sum = fold(h.sum, w) }

// float adds a number; equal numbers hash the same.
func (h *hasher) float(f float64) {
	if f == 0 {
		f = 0 // -0 == 0
	}
	h.word(math.Float64bits(f))
}

func (h *hasher) add(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			h.word(1)
		} else {
			h.word(0)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		h.word(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		h.word(v.Uint())
	case reflect.Float32, reflect.Float64:
		h.float(v.Float())
	case reflect.Complex64, reflect.Complex128:
		h.float(real(v.Complex()))
		h.float(imag(v.Complex()))
	case reflect.String:
		h.sum = foldText(h.sum, v.String())
	case reflect.Array:
		for i := range v.Len() {
			h.add(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			h.add(v.Field(i))
		}
	case reflect.Interface:
		h.holding(v)
	case reflect.Pointer:
		h.pointer(v)
	default: // channels, and kinds that can only be behind pointers: functions, slices, maps
		h.inner(v)
	}
}

// holding adds the value in an interface and the value's type.
func (h *hasher) holding(v reflect.Value) {
	if v.IsNil() {
		h.word(0)
		return
	}
	h.sum = foldText(h.sum, v.Elem().Type().String())
	h.add(v.Elem())
}

// pointer adds the value that a pointer points to, because the address itself differs in every process.
func (h *hasher) pointer(v reflect.Value) {
	if v.IsNil() {
		h.word(0)
		return
	}
	h.word(1)
	if !h.follow || h.depth == pointeeDepth || h.left <= 0 {
		return
	}
	h.depth++
	h.left--
	h.add(v.Elem())
	h.depth--
}

// inner adds a value that can be behind a pointer but cannot itself be a key. Maps count only by their length,
// channels and functions not at all.
func (h *hasher) inner(v reflect.Value) {
	switch v.Kind() {
	case reflect.Map:
		h.word(uint64(v.Len()))
	case reflect.Slice:
		h.word(uint64(v.Len()))
		for i := range v.Len() {
			if h.left--; h.left <= 0 {
				return
			}
			h.add(v.Index(i))
		}
	}
}
