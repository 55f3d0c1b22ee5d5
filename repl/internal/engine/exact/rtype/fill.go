package rtype

import (
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// methodDescriptor is a descriptor with its method table.
type methodDescriptor[H, M any] struct {
	header  H
	uncom   uncommon
	methods M
}

// allocate makes a descriptor with room for methods, whose header is an H.
func allocate[H any](methods int) descriptor {
	switch {
	case methods == 0:
		return tabled[H, [0]method](0)
	case methods <= 8:
		return tabled[H, [8]method](methods)
	case methods <= 64:
		return tabled[H, [64]method](methods)
	case methods <= 512:
		return tabled[H, [512]method](methods)
	}
	panic(ErrStubs)
}

func tabled[H, M any](methods int) descriptor {
	d := new(methodDescriptor[H, M])
	d.uncom.moff = uint32(mem.Distance(&d.uncom, &d.methods))
	out := descriptor{header: mem.View[mem.Type](&d.header), uncom: &d.uncom}
	if methods > 0 {
		out.methods = mem.Elems[method](mem.Of(&d.methods), methods)
	}
	return out
}

// funcTable follows the header of a function type.
type funcTable[M any] struct {
	inout   [128]*mem.Type
	methods M
}

// allocateFunc makes the descriptor of a function type, which has its parameters between header and methods.
func allocateFunc(methods, inout int) descriptor {
	if methods > 64 || inout > 128 {
		panic(ErrStubs)
	}
	d := new(methodDescriptor[funcType, funcTable[[64]method]])
	d.uncom.moff = uint32(mem.Distance(&d.uncom, &d.methods.methods))
	return descriptor{
		header: &d.header.Type, uncom: &d.uncom, methods: d.methods.methods[:methods],
		inout: d.methods.inout[:inout],
	}
}

// fill sets the parts of a descriptor that depend on other types.
func (b *Builder) fill(d descriptor, t types.Type) {
	at := mem.Of(d.header)
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		mem.As[elemType](at).elem = b.Of(u.Elem())
	case *types.Slice:
		mem.As[elemType](at).elem = b.Of(u.Elem())
	case *types.Chan:
		mem.As[chanType](at).elem, mem.As[chanType](at).dir = b.Of(u.Elem()), int(chanDir(u))
	case *types.Array:
		a := mem.As[arrayType](at)
		a.elem, a.slice, a.len = b.Of(u.Elem()), mem.TypeOf(reflect.SliceOf(b.Reflect(u.Elem()))), uintptr(u.Len())
	case *types.Map:
		m, like := mem.As[mapType](at), mem.View[mapType](b.Of(u))
		own := m.Type
		*m = *like
		m.Type = own
	case *types.Signature:
		f, like := mem.As[funcType](at), b.Reflect(u)
		f.in, f.out = uint16(like.NumIn()), uint16(like.NumOut())
		if u.Variadic() {
			f.out |= 1 << 15
		}
		for i := range like.NumIn() {
			d.inout[i] = mem.TypeOf(like.In(i))
		}
		for i := range like.NumOut() {
			d.inout[like.NumIn()+i] = mem.TypeOf(like.Out(i))
		}
	case *types.Struct:
		b.fillStruct(mem.As[structType](at), u)
	case *types.Interface:
		b.fillInterface(mem.As[interfaceType](at), u)
	}
}

func (b *Builder) fillStruct(s *structType, t *types.Struct) {
	s.pkgPath = name("main", "", false, false, "")
	var fields []structField
	compiled := b.compiledStruct(t)
	for i, off := range b.Fields(t) {
		f := t.Field(i)
		if compiled != nil {
			fields = append(fields, mem.View[structType](mem.TypeOf(compiled)).fields[i])
			continue
		}
		display, _, _ := strings.Cut(f.Name(), cell.Mark)
		n := name(display, t.Tag(i), token.IsExported(display), f.Embedded(), "")
		fields = append(fields, structField{n, b.Of(f.Type()), off})
	}
	s.fields = fields
}

func blank(n *byte) bool {
	b := mem.Elems[byte](mem.Of(n), 3)
	return b[1] == 1 && b[2] == '_'
}

func (b *Builder) fillInterface(s *interfaceType, t *types.Interface) {
	s.pkgPath = name("main", "", false, false, "")
	if b.Bare {
		return
	}
	list := make([]*types.Func, 0, t.NumMethods())
	for m := range t.Methods() {
		list = append(list, m)
	}
	slices.SortFunc(list, func(x, y *types.Func) int { return byName(x.Name(), y.Name()) })
	for _, m := range list {
		s.methods = append(s.methods, imethod{methodName(m), typeOffset(mem.TypeOf(b.funcOf(m.Signature(), nil)))})
	}
}

func methodName(f *types.Func) nameOff {
	pkg := ""
	if !f.Exported() && f.Pkg() != nil {
		pkg = f.Pkg().Path()
	}
	return nameOffset(name(f.Name(), "", f.Exported(), false, pkg))
}

// byName compares two methods by their order in method tables: exported ones come first.
func byName(x, y string) int {
	if ex, ey := token.IsExported(x), token.IsExported(y); ex != ey {
		if ex {
			return -1
		}
		return 1
	}
	return strings.Compare(x, y)
}

// methodsOf returns the methods of a type in table order. It omits those that only another package can call: no
// interface that cells know has them, and only that package knows their types.
func methodsOf(t types.Type) []*types.Selection {
	if p, ok := t.(*types.Pointer); ok && isInterface(p.Elem()) || isInterface(t) {
		return nil
	}
	var out []*types.Selection
	for sel := range types.NewMethodSet(t).Methods() {
		if f := sel.Obj(); f.Exported() || f.Pkg() == nil || f.Pkg().Path() == "main" {
			out = append(out, sel)
		}
	}
	slices.SortFunc(out, func(x, y *types.Selection) int { return byName(x.Obj().Name(), y.Obj().Name()) })
	return out
}

func signatureOf(list []*types.Selection) string {
	var s strings.Builder
	for _, sel := range list {
		s.WriteString(sel.Obj().Name() + Key(sel.Type()) + ";")
	}
	return s.String()
}

// fillMethods makes the method table of t.
func (b *Builder) fillMethods(d descriptor, t types.Type, list []*types.Selection) {
	exported := 0
	for i, sel := range list {
		f, sig := sel.Obj().(*types.Func), sel.Type().(*types.Signature)
		if f.Exported() {
			exported++
		}
		called := b.Method(t, sel, b.funcOf(sig, []reflect.Type{mem.PtrType}))
		code, err := stub(called)
		if err != nil {
			panic(err)
		}
		d.methods[i] = method{methodName(f), typeOffset(mem.TypeOf(b.funcOf(sig, nil))), code, code}
	}
	d.uncom.mcount, d.uncom.xcount = uint16(len(list)), uint16(exported)
}
