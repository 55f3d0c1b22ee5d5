package rtype

import (
	"fmt"
	"go/types"
	"hash/fnv"
	"reflect"
	"slices"
	"strings"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// Builder makes the run-time types of a session. It is not safe for concurrent use.
type Builder struct {
	// Compiled returns the run-time type of a named type that the program was compiled with; nil for one that
	// cells declare.
	Compiled func(n *types.Named) reflect.Type
	// Method makes the function that compiled code calls for a method of t: its first parameter is the
	// receiver's word in an interface, an unsafe.Pointer. It is called when the type is made.
	Method func(t types.Type, sel *types.Selection, typ reflect.Type) reflect.Value
	// Local returns the type arguments of the function that declares a type, which are part of the type's name.
	// Local itself is nil if no function has type arguments.
	Local func(obj *types.TypeName) []types.Type
	// Bare removes the methods from the run-time form of interface types that cells declare: their values are like
	// those of any.
	Bare bool

	byType map[types.Type]*mem.Type
	byKey  map[string]*typeEntry
	goType map[*mem.Type]types.Type
	// composites maps unnamed types made by reflect to their Go types; composed contains, by key, those made before
	// types gained methods.
	composites map[*mem.Type]types.Type
	composed   map[string][]*mem.Type
	todo       []func()
	deep       int
	begun      []previousEntry
}

// previousEntry is a builder's entry for a key before it began to make the type.
type previousEntry struct {
	key string
	had *typeEntry
}

// typeEntry is a type of this session.
type typeEntry struct {
	typ     *mem.Type
	methods string      // the type's method sets as text; empty if the type must be made again
	count   int         // number of methods in these sets
	old     []*mem.Type // earlier versions, with fewer methods
}

// NewBuilder makes a builder without types.
func NewBuilder() *Builder {
	return &Builder{
		byType: map[types.Type]*mem.Type{}, byKey: map[string]*typeEntry{},
		goType: map[*mem.Type]types.Type{}, composites: map[*mem.Type]types.Type{},
	}
}

// Of returns the run-time type of t. It panics with ErrStubs if the process has too many methods, with ErrLarge if
// values do not fit into memory, and as package reflect does for types without a run-time type. No incomplete type
// is left after a panic.
func (b *Builder) Of(t types.Type) *mem.Type {
	if rt, ok := b.byType[t]; ok {
		return rt
	}
	if b.deep == 0 {
		defer b.settle()
	}
	b.deep++
	rt := b.make(types.Unalias(t))
	b.byType[t] = rt
	if b.goType[rt] == nil {
		b.composites[rt] = t
	}
	if b.deep--; b.deep == 0 {
		for len(b.todo) > 0 {
			fill := b.todo[0]
			b.todo = b.todo[1:]
			b.deep++
			fill()
			b.deep--
		}
	}
	return rt
}

// settle removes the types that a panic left incomplete.
func (b *Builder) settle() {
	if b.deep > 0 {
		for _, f := range slices.Backward(b.begun) {
			if f.had == nil {
				delete(b.byKey, f.key)
			} else {
				b.byKey[f.key] = f.had
			}
		}
		b.deep, b.todo = 0, nil
		clear(b.byType)
	}
	b.begun = nil
}

// Reflect returns the run-time type of t as a reflect.Type.
func (b *Builder) Reflect(t types.Type) reflect.Type { return b.Of(t).Reflect() }

// Forget drops the cache that is indexed by type identity. Call it when a type has gained methods. Unchanged types
// get the same run-time type again.
func (b *Builder) Forget() { clear(b.byType) }

// GoType returns the go/types type that a run-time type was made for; nil for a compiled type.
func (b *Builder) GoType(rt *mem.Type) types.Type { return b.goType[rt] }

// Old returns the earlier versions of a type.
func (b *Builder) Old(t types.Type) []*mem.Type {
	key := Key(t)
	if m := b.byKey[key]; m != nil {
		return m.old
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		var out []*mem.Type
		for _, old := range b.Old(p.Elem()) {
			out = append(out, mem.TypeOf(reflect.PointerTo(old.Reflect())))
		}
		return out
	}
	return b.composed[key]
}

// methodSets returns the methods of a type and of pointers to it as text, and their number.
func (b *Builder) methodSets(t types.Type) (sig string, count int) {
	value, pointer := methodsOf(t), methodsOf(types.NewPointer(t))
	return signatureOf(value) + "/" + signatureOf(pointer), len(value) + len(pointer)
}

func (b *Builder) make(t types.Type) *mem.Type {
	switch t := t.(type) {
	case *types.Named:
		if rt := b.Compiled(t); rt != nil {
			return mem.TypeOf(rt)
		}
		return b.own(t, b.Name(t))
	case *types.Basic:
		return mem.TypeOf(basics[t.Kind()])
	case *types.Pointer:
		return mem.TypeOf(reflect.PointerTo(b.Reflect(t.Elem())))
	case *types.Slice:
		return mem.TypeOf(reflect.SliceOf(b.Reflect(t.Elem())))
	case *types.Array:
		return mem.TypeOf(reflect.ArrayOf(int(t.Len()), b.Reflect(t.Elem())))
	case *types.Map:
		return mem.TypeOf(reflect.MapOf(b.Reflect(t.Key()), b.Reflect(t.Elem())))
	case *types.Chan:
		return mem.TypeOf(reflect.ChanOf(chanDir(t), b.Reflect(t.Elem())))
	case *types.Signature:
		return mem.TypeOf(b.funcOf(t, nil))
	case *types.Interface:
		if t.NumMethods() == 0 {
			return mem.TypeOf(reflect.TypeFor[any]())
		}
		return b.own(t, b.Name(t))
	case *types.Struct:
		if rt := b.plainStruct(t); rt != nil {
			return mem.TypeOf(rt)
		}
		return b.own(t, b.Name(t))
	}
	panic(fmt.Sprintf("no run-time type for %T %v", t, t))
}

func chanDir(t *types.Chan) reflect.ChanDir {
	switch t.Dir() {
	case types.SendOnly:
		return reflect.SendDir
	case types.RecvOnly:
		return reflect.RecvDir
	}
	return reflect.BothDir
}

// funcOf returns the type of a function whose first parameters have the types in front, followed by its own.
func (b *Builder) funcOf(t *types.Signature, front []reflect.Type) reflect.Type {
	in, out := front, []reflect.Type(nil)
	for v := range t.Params().Variables() {
		in = append(in, b.Reflect(v.Type()))
	}
	for v := range t.Results().Variables() {
		out = append(out, b.Reflect(v.Type()))
	}
	return reflect.FuncOf(in, out, t.Variadic())
}

// plainStruct returns the type of a struct that reflect can make; nil for others. It is identical to the compiler's
// type for the struct, if there is one.
func (b *Builder) plainStruct(t *types.Struct) reflect.Type {
	var fields []reflect.StructField
	for i := range t.NumFields() {
		f := t.Field(i)
		if !f.Exported() || f.Embedded() || strings.Contains(f.Name(), cell.Mark) {
			return nil
		}
		fields = append(fields, reflect.StructField{
			Name: f.Name(), Type: b.Reflect(f.Type()), Tag: reflect.StructTag(t.Tag(i)),
		})
	}
	return reflect.StructOf(fields)
}

// own makes a type that exists only in this session. Its descriptor is complete enough for other types to refer to.
// The rest is filled in when no other type is being made.
func (b *Builder) own(t types.Type, shown string) *mem.Type {
	key := Key(t)
	sig, count := b.methodSets(t)
	m := b.byKey[key]
	switch {
	case m != nil && m.methods == sig:
		b.means(m, t)
		return m.typ
	case m != nil && count < m.count: // the code of an earlier cell knows fewer methods
		return m.typ
	}
	value, pointer := methodsOf(t), methodsOf(types.NewPointer(t))
	d := b.describe(t, shown, key, len(value), b.shapeOf(t))
	rt := d.header
	b.begun = append(b.begun, previousEntry{key, m})
	now := &typeEntry{typ: rt, methods: sig, count: count}
	if m != nil {
		now.old = append(slices.Clone(m.old), m.typ)
	}
	b.byKey[key] = now
	b.byType[t] = rt
	b.goType[rt] = t
	p := b.describe(types.NewPointer(t), "*"+shown, "*"+key, len(pointer), shape{mem.Word, mem.Word, []uintptr{0}})
	mem.View[elemType](p.header).elem = rt
	p.header.TFlag &^= flagNamed
	rt.PtrTo = int32(typeOffset(p.header))
	mem.Keep(mem.Of(rt))
	b.goType[p.header] = types.NewPointer(t)
	if m != nil {
		b.means(now, t)
	}
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array: // reflect inspects their parts
		b.fill(d, t)
	default:
		b.todo = append(b.todo, func() { b.fill(d, t) })
	}
	b.todo = append(b.todo, func() {
		b.fillMethods(d, t, value)
		b.fillMethods(p, types.NewPointer(t), pointer)
	})
	return rt
}

func isInterface(t types.Type) bool {
	_, ok := t.Underlying().(*types.Interface)
	return ok
}

// descriptor is a type descriptor under construction.
type descriptor struct {
	header  *mem.Type
	uncom   *uncommon
	methods []method
	inout   []*mem.Type // parameters and results of functions
}

// describe allocates a descriptor with room for methods and sets the parts that do not depend on other
// descriptors.
func (b *Builder) describe(t types.Type, shown, key string, methods int, s shape) descriptor {
	var d descriptor
	var like reflect.Type
	switch u := t.Underlying().(type) {
	case *types.Basic:
		like, d = basics[u.Kind()], allocate[mem.Type](methods)
	case *types.Pointer:
		like, d = reflect.TypeFor[*int](), allocate[elemType](methods)
	case *types.Slice:
		like, d = reflect.TypeFor[[]int](), allocate[elemType](methods)
	case *types.Chan:
		like, d = reflect.TypeFor[chan int](), allocate[chanType](methods)
	case *types.Map:
		like, d = reflect.TypeFor[map[int]int](), allocate[mapType](methods)
	case *types.Signature:
		like, d = reflect.TypeFor[func()](), allocateFunc(methods, u.Params().Len()+u.Results().Len())
	case *types.Array:
		like, d = reflect.TypeFor[[2]uint64](), allocate[arrayType](methods)
	case *types.Struct:
		like, d = reflect.TypeFor[struct{ a, b uint64 }](), allocate[structType](methods)
	case *types.Interface:
		like, d = reflect.TypeFor[any](), allocate[interfaceType](methods)
		if u.NumMethods() > 0 && !b.Bare {
			like = reflect.TypeFor[error]()
		}
	}
	h := d.header
	*h = *mem.TypeOf(like)
	h.TFlag = h.TFlag&(flagRegular|flagDirectIface) | flagUncommon
	if _, ok := t.(*types.Named); ok {
		h.TFlag |= flagNamed
	}
	h.Size, h.Align, h.FieldAl = s.size, uint8(s.align), uint8(s.align)
	h.GCData, h.PtrBytes = s.mask()
	hash := fnv.New32a()
	fmt.Fprintf(hash, "%s %p", key, h)
	h.Hash = hash.Sum32()
	h.Str, h.PtrTo = int32(nameOffset(name(shown, "", true, false, ""))), 0
	d.uncom.pkgPath = nameOffset(name("main", "", false, false, ""))
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		h.TFlag &^= flagRegular | flagDirectIface
		h.Equal = nil
		if types.Comparable(t) {
			h.Equal = func(p, q mem.Ptr) bool { return equal(h, p, q) }
		}
		if b.direct(t) {
			h.TFlag |= flagDirectIface
		}
		b.placeholder(h, t, s)
	}
	return d
}

// placeholder gives a struct or array substitute parts until its own are made. Meanwhile, reflect may inspect a
// type that refers back to it, but only for the position of its pointers.
func (b *Builder) placeholder(h *mem.Type, t types.Type, s shape) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		mem.View[structType](h).fields = pointerFields(s)
	case *types.Array:
		e := b.shapeOf(u.Elem())
		elem := &structType{Type: *mem.TypeOf(reflect.TypeFor[struct{ a, b uint64 }]()), fields: pointerFields(e)}
		elem.Size, elem.Align, elem.FieldAl = e.size, uint8(e.align), uint8(e.align)
		elem.GCData, elem.PtrBytes = e.mask()
		a := mem.View[arrayType](h)
		a.elem, a.len = &elem.Type, uintptr(u.Len())
	}
}

func pointerFields(s shape) []structField {
	out := make([]structField, len(s.ptrs))
	for i, off := range s.ptrs {
		out[i] = structField{name("_", "", false, false, ""), mem.TypeOf(mem.PtrType), off}
	}
	return out
}

// direct reports whether a struct or array consists of a single pointer, so that an interface contains it directly.
func (b *Builder) direct(t types.Type) bool {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		if rt := b.Compiled(n); rt != nil {
			return mem.TypeOf(rt).Direct()
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if rt := b.compiledStruct(u); rt != nil {
			return mem.TypeOf(rt).Direct()
		}
		return u.NumFields() == 1 && b.direct(u.Field(0).Type())
	case *types.Array:
		return u.Len() == 1 && b.direct(u.Elem())
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}

// equal compares structs and arrays part by part.
func equal(t *mem.Type, p, q mem.Ptr) bool {
	if reflect.Kind(t.Kind) == reflect.Array {
		a := mem.View[arrayType](t)
		for i := range a.len {
			if off := i * a.elem.Size; !a.elem.Equal(p.Add(off), q.Add(off)) {
				return false
			}
		}
		return true
	}
	for _, f := range mem.View[structType](t).fields {
		if !blank(f.name) && !f.typ.Equal(p.Add(f.offset), q.Add(f.offset)) {
			return false
		}
	}
	return true
}
