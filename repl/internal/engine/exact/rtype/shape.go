package rtype

import (
	"errors"
	"go/types"
	"reflect"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
)

// largest bounds sizes, so that their sums do not overflow.
const largest = ^uintptr(0) / 4

// ErrLarge means that values of a type do not fit into memory.
var ErrLarge = errors.New("a type is larger than the address space")

// fitting returns a possible size unchanged, and panics for a larger one: after an overflow, offsets would point
// anywhere.
func fitting(size uintptr) uintptr {
	if size > largest {
		panic(ErrLarge)
	}
	return size
}

// shape is the part of a type's layout that must be known before its descriptor can be made.
type shape struct {
	size, align uintptr
	ptrs        []uintptr // offsets of the words that are pointers, in order
}

// shapeOf returns the shape of a type. It uses only declarations, so that the shape of a recursive type can be
// known before any descriptor is made.
func (b *Builder) shapeOf(t types.Type) shape {
	t = types.Unalias(t)
	if n, ok := t.(*types.Named); ok {
		if rt := b.Compiled(n); rt != nil {
			return shapeOfCompiled(rt)
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return shapeOfCompiled(basics[u.Kind()])
	case *types.Struct:
		s, _ := b.structShape(u)
		return s
	case *types.Array:
		return repeat(b.shapeOf(u.Elem()), uintptr(u.Len()))
	case *types.Slice:
		return shape{3 * mem.Word, mem.Word, []uintptr{0}}
	case *types.Interface:
		return shape{2 * mem.Word, mem.Word, []uintptr{0, mem.Word}}
	}
	return shape{mem.Word, mem.Word, []uintptr{0}}
}

func repeat(e shape, n uintptr) shape {
	if e.size > 0 && n > largest/e.size {
		panic(ErrLarge)
	}
	out := shape{size: e.size * n, align: e.align}
	if len(e.ptrs) == 0 {
		return out
	}
	for i := range n {
		for _, p := range e.ptrs {
			out.ptrs = append(out.ptrs, i*e.size+p)
		}
	}
	return out
}

// compiledStruct returns the run-time type of a package's type whose underlying type is t; nil if there is none. It
// is for types that cells declare with such an underlying type: only the package knows the types of the fields.
func (b *Builder) compiledStruct(t *types.Struct) reflect.Type {
	if t.NumFields() == 0 || t.Field(0).Pkg() == nil || t.Field(0).Pkg().Path() == "main" {
		return nil
	}
	scope := t.Field(0).Pkg().Scope()
	for _, name := range scope.Names() {
		if n, ok := scope.Lookup(name).Type().(*types.Named); ok && n.TypeParams().Len() == 0 && n.Underlying() == t {
			if rt := b.Compiled(n); rt != nil && rt.NumField() == t.NumFields() {
				return rt
			}
		}
	}
	return nil
}

// structShape returns the shape of a struct and the offsets of its fields.
func (b *Builder) structShape(t *types.Struct) (shape, []uintptr) {
	offsets := make([]uintptr, t.NumFields())
	if rt := b.compiledStruct(t); rt != nil {
		for i := range offsets {
			offsets[i] = rt.Field(i).Offset
		}
		return shapeOfCompiled(rt), offsets
	}
	out := shape{align: 1}
	last := uintptr(1)
	for i := range t.NumFields() {
		f := b.shapeOf(t.Field(i).Type())
		offsets[i] = up(out.size, f.align)
		for _, p := range f.ptrs {
			out.ptrs = append(out.ptrs, offsets[i]+p)
		}
		out.size, out.align, last = fitting(offsets[i]+f.size), max(out.align, f.align), f.size
	}
	if last == 0 && out.size > 0 { // a pointer to the last field must not point past the struct
		out.size++
	}
	out.size = up(out.size, out.align)
	return out, offsets
}

func up(n, align uintptr) uintptr { return (n + align - 1) / align * align }

func shapeOfCompiled(rt reflect.Type) shape {
	s := shape{size: rt.Size(), align: uintptr(rt.Align())}
	if mem.TypeOf(rt).PtrBytes > 0 {
		compiledPtrs(rt, 0, &s.ptrs)
	}
	return s
}

func compiledPtrs(rt reflect.Type, at uintptr, out *[]uintptr) {
	if mem.TypeOf(rt).PtrBytes == 0 {
		return
	}
	switch rt.Kind() {
	case reflect.Struct:
		for i := range rt.NumField() {
			compiledPtrs(rt.Field(i).Type, at+rt.Field(i).Offset, out)
		}
	case reflect.Array:
		for i := range rt.Len() {
			compiledPtrs(rt.Elem(), at+uintptr(i)*rt.Elem().Size(), out)
		}
	case reflect.Interface:
		*out = append(*out, at, at+mem.Word)
	default:
		*out = append(*out, at)
	}
}

// mask returns the pointer map in the form that the garbage collector reads, and the number of bytes that it
// covers.
func (s shape) mask() (*byte, uintptr) {
	if len(s.ptrs) == 0 {
		return nil, 0
	}
	covered := s.ptrs[len(s.ptrs)-1] + mem.Word
	bits := make([]byte, up((covered/mem.Word+7)/8, mem.Word))
	for _, p := range s.ptrs {
		bits[p/mem.Word/8] |= 1 << (p / mem.Word % 8)
	}
	return &bits[0], covered
}

// Fields returns the offsets of the fields of a struct.
func (b *Builder) Fields(t *types.Struct) []uintptr {
	_, offsets := b.structShape(t)
	return offsets
}

var basics = map[types.BasicKind]reflect.Type{
	types.Bool: reflect.TypeFor[bool](), types.Int: reflect.TypeFor[int](), types.Int8: reflect.TypeFor[int8](),
	types.Int16: reflect.TypeFor[int16](), types.Int32: reflect.TypeFor[int32](), types.Int64: reflect.TypeFor[int64](),
	types.Uint: reflect.TypeFor[uint](), types.Uint8: reflect.TypeFor[uint8](), types.Uint16: reflect.TypeFor[uint16](),
	types.Uint32: reflect.TypeFor[uint32](), types.Uint64: reflect.TypeFor[uint64](),
	types.Uintptr: reflect.TypeFor[uintptr](),
	types.Float32: reflect.TypeFor[float32](), types.Float64: reflect.TypeFor[float64](),
	types.Complex64: reflect.TypeFor[complex64](), types.Complex128: reflect.TypeFor[complex128](),
	types.String: reflect.TypeFor[string](), types.UnsafePointer: mem.PtrType,
	types.UntypedBool: reflect.TypeFor[bool](), types.UntypedInt: reflect.TypeFor[int](),
	types.UntypedRune:  reflect.TypeFor[rune](),
	types.UntypedFloat: reflect.TypeFor[float64](), types.UntypedComplex: reflect.TypeFor[complex128](),
	types.UntypedString: reflect.TypeFor[string](), types.UntypedNil: mem.PtrType,
	types.Invalid: reflect.TypeFor[struct{}](),
}
