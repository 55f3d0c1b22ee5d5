// Package typekey formats the types of cells in two ways: as keys by which engines identify them, and as %T prints
// them.
package typekey

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// Of returns a key for a type; only identical types have the same key. The key stays the same when the objects of a
// session are made again: named types are identified by package and name, those declared inside functions also by
// position.
func Of(t types.Type) string {
	w := keyWriter{}
	w.typ(t)
	return w.b.String()
}

// Name returns a type as %T prints it. If an instance of a generic function declares the type, local returns the
// type arguments of that instance; local may be nil.
func Name(t types.Type, local func(obj *types.TypeName) []types.Type) string {
	w := keyWriter{shown: true, local: local}
	w.typ(t)
	return w.b.String()
}

type keyWriter struct {
	b     strings.Builder
	shown bool
	paths bool // write packages of type arguments as paths
	local func(obj *types.TypeName) []types.Type
}

func (w *keyWriter) typ(t types.Type) {
	b := &w.b
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		b.WriteString(basicName(t))
	case *types.Named:
		w.named(t)
	case *types.TypeParam:
		fmt.Fprintf(b, "%s#%p", t.Obj().Name(), t)
	case *types.Pointer:
		b.WriteByte('*')
		w.typ(t.Elem())
	case *types.Slice:
		b.WriteString("[]")
		w.typ(t.Elem())
	case *types.Array:
		fmt.Fprintf(b, "[%d]", t.Len())
		w.typ(t.Elem())
	case *types.Map:
		b.WriteString("map[")
		w.typ(t.Key())
		b.WriteByte(']')
		w.typ(t.Elem())
	case *types.Chan:
		b.WriteString(map[types.ChanDir]string{
			types.SendOnly: "chan<- ", types.RecvOnly: "<-chan ", types.SendRecv: "chan ",
		}[t.Dir()])
		if c, ok := t.Elem().(*types.Chan); ok && c.Dir() == types.RecvOnly && t.Dir() != types.SendOnly {
			b.WriteByte('(')
			w.typ(c)
			b.WriteByte(')')
			return
		}
		w.typ(t.Elem())
	case *types.Signature:
		b.WriteString("func")
		w.signature(t)
	case *types.Struct:
		w.structure(t)
	case *types.Interface:
		w.iface(t)
	case *types.Tuple:
		for v := range t.Variables() {
			b.WriteByte(',')
			w.typ(v.Type())
		}
	default:
		b.WriteString(t.String())
	}
}

func basicName(t *types.Basic) string {
	switch t.Name() {
	case "byte":
		return "uint8"
	case "rune":
		return "int32"
	case "Pointer":
		return "unsafe.Pointer"
	}
	return strings.TrimPrefix(t.Name(), "untyped ")
}

func (w *keyWriter) named(t *types.Named) {
	obj, b := t.Obj(), &w.b
	name := obj.Name()
	if p := obj.Pkg(); p != nil {
		switch {
		case !w.shown:
			b.WriteString(p.Path() + ".")
			if obj.Parent() == nil || obj.Parent().Parent() != types.Universe {
				fmt.Fprintf(b, "%d@", obj.Pos())
				if obj.Parent() == nil { // declared by an instance of a generic function
					fmt.Fprintf(b, "%p@", obj)
				}
			}
		case w.paths:
			b.WriteString(p.Path() + ".")
		default:
			b.WriteString(p.Name() + ".")
		}
	}
	if w.shown {
		name, _, _ = strings.Cut(name, cell.Mark)
	}
	b.WriteString(name)
	var outer []types.Type
	if w.local != nil {
		outer = w.local(obj)
	}
	if t.TypeArgs().Len()+len(outer) == 0 {
		return
	}
	paths := w.paths
	w.paths = true
	b.WriteByte('[')
	w.list(outer)
	if len(outer) > 0 && t.TypeArgs().Len() > 0 {
		b.WriteByte(';')
	}
	w.list(slices.Collect(t.TypeArgs().Types()))
	b.WriteByte(']')
	w.paths = paths
}

func (w *keyWriter) list(args []types.Type) {
	for i, arg := range args {
		if i > 0 {
			w.b.WriteByte(',')
		}
		w.typ(arg)
	}
}

func (w *keyWriter) signature(t *types.Signature) {
	b := &w.b
	b.WriteByte('(')
	for i := range t.Params().Len() {
		if i > 0 {
			b.WriteString(", ")
		}
		p := t.Params().At(i).Type()
		if s, ok := p.Underlying().(*types.Slice); ok && t.Variadic() && i == t.Params().Len()-1 {
			b.WriteString("...")
			p = s.Elem()
		}
		w.typ(p)
	}
	b.WriteByte(')')
	switch n := t.Results().Len(); {
	case n == 1:
		b.WriteByte(' ')
		w.typ(t.Results().At(0).Type())
	case n > 1:
		b.WriteString(" (")
		for i := range n {
			if i > 0 {
				b.WriteString(", ")
			}
			w.typ(t.Results().At(i).Type())
		}
		b.WriteByte(')')
	}
}

func (w *keyWriter) structure(t *types.Struct) {
	b := &w.b
	b.WriteString("struct {")
	for i := range t.NumFields() {
		if i > 0 {
			b.WriteByte(';')
		}
		b.WriteByte(' ')
		f := t.Field(i)
		if !w.shown && !f.Exported() && f.Pkg() != nil {
			b.WriteString(f.Pkg().Path() + "/")
		}
		if !w.shown && f.Embedded() {
			b.WriteString("+")
		}
		if !f.Embedded() || !w.shown {
			b.WriteString(f.Name() + " ")
		}
		w.typ(f.Type())
		if tag := t.Tag(i); tag != "" {
			fmt.Fprintf(b, " %q", tag)
		}
	}
	if t.NumFields() > 0 {
		b.WriteByte(' ')
	}
	b.WriteByte('}')
}

func (w *keyWriter) iface(t *types.Interface) {
	b := &w.b
	if t.NumMethods() == 0 {
		b.WriteString("interface {}")
		return
	}
	b.WriteString("interface {")
	for i := range t.NumMethods() {
		if i > 0 {
			b.WriteByte(';')
		}
		m := t.Method(i)
		b.WriteByte(' ')
		if !m.Exported() && m.Pkg() != nil {
			b.WriteString(m.Pkg().Name() + ".")
		}
		b.WriteString(m.Name())
		w.signature(m.Signature())
	}
	b.WriteString(" }")
}
