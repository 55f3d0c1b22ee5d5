package dyn

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// Key is the same for identical types and for no others. Types declared inside functions are told apart by position.
func Key(t types.Type) string {
	var b strings.Builder
	writeType(&b, t, true)
	return b.String()
}

// TypeName is a type as Go's %T prints it.
func TypeName(t types.Type) string {
	var b strings.Builder
	writeType(&b, t, false)
	return b.String()
}

func writeType(b *strings.Builder, t types.Type, key bool) {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		name := t.Name()
		switch name {
		case "byte":
			name = "uint8"
		case "rune":
			name = "int32"
		}
		b.WriteString(strings.TrimPrefix(name, "untyped "))
	case *types.Named:
		writeNamed(b, t, key)
	case *types.TypeParam:
		fmt.Fprintf(b, "%s#%p", t.Obj().Name(), t)
	case *types.Pointer:
		b.WriteByte('*')
		writeType(b, t.Elem(), key)
	case *types.Slice:
		b.WriteString("[]")
		writeType(b, t.Elem(), key)
	case *types.Array:
		fmt.Fprintf(b, "[%d]", t.Len())
		writeType(b, t.Elem(), key)
	case *types.Map:
		b.WriteString("map[")
		writeType(b, t.Key(), key)
		b.WriteByte(']')
		writeType(b, t.Elem(), key)
	case *types.Chan:
		switch t.Dir() {
		case types.SendOnly:
			b.WriteString("chan<- ")
		case types.RecvOnly:
			b.WriteString("<-chan ")
		default:
			b.WriteString("chan ")
		}
		writeType(b, t.Elem(), key)
	case *types.Signature:
		b.WriteString("func")
		writeSignature(b, t, key)
	case *types.Struct:
		writeStruct(b, t, key)
	case *types.Interface:
		writeInterface(b, t, key)
	case *types.Tuple:
		for i := range t.Len() {
			b.WriteByte(',')
			writeType(b, t.At(i).Type(), key)
		}
	default:
		b.WriteString(t.String())
	}
}

func writeNamed(b *strings.Builder, t *types.Named, key bool) {
	obj := t.Obj()
	name := obj.Name()
	if p := obj.Pkg(); p != nil {
		if key {
			b.WriteString(p.Path() + ".")
		} else {
			b.WriteString(p.Name() + ".")
			name, _, _ = strings.Cut(name, cell.Mark)
		}
		if key && (obj.Parent() == nil || obj.Parent().Parent() != types.Universe) && UserPackage(p) {
			fmt.Fprintf(b, "%d@", obj.Pos())
		}
	}
	b.WriteString(name)
	if n := t.TypeArgs().Len(); n > 0 {
		b.WriteByte('[')
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			writeType(b, t.TypeArgs().At(i), key)
		}
		b.WriteByte(']')
	}
}

func writeSignature(b *strings.Builder, t *types.Signature, key bool) {
	b.WriteByte('(')
	for i := range t.Params().Len() {
		if i > 0 {
			b.WriteString(", ")
		}
		if t.Variadic() && i == t.Params().Len()-1 {
			b.WriteString("...")
			if s, ok := t.Params().At(i).Type().(*types.Slice); ok {
				writeType(b, s.Elem(), key)
				continue
			}
		}
		writeType(b, t.Params().At(i).Type(), key)
	}
	b.WriteByte(')')
	switch n := t.Results().Len(); {
	case n == 1:
		b.WriteByte(' ')
		writeType(b, t.Results().At(0).Type(), key)
	case n > 1:
		b.WriteString(" (")
		for i := range n {
			if i > 0 {
				b.WriteString(", ")
			}
			writeType(b, t.Results().At(i).Type(), key)
		}
		b.WriteByte(')')
	}
}

func writeStruct(b *strings.Builder, t *types.Struct, key bool) {
	b.WriteString("struct {")
	for i := range t.NumFields() {
		if i > 0 {
			b.WriteByte(';')
		}
		b.WriteByte(' ')
		f := t.Field(i)
		if !f.Embedded() || key {
			if key && !f.Exported() && f.Pkg() != nil {
				b.WriteString(f.Pkg().Path() + "/")
			}
			b.WriteString(f.Name() + " ")
		}
		writeType(b, f.Type(), key)
		if tag := t.Tag(i); tag != "" {
			fmt.Fprintf(b, " %q", tag)
		}
	}
	if t.NumFields() > 0 {
		b.WriteByte(' ')
	}
	b.WriteByte('}')
}

func writeInterface(b *strings.Builder, t *types.Interface, key bool) {
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
		b.WriteString(" " + m.Name())
		writeSignature(b, m.Signature(), key)
	}
	b.WriteString(" }")
}
