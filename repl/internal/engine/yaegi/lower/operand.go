package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gorlm/rlm/repl/internal/engine"
)

// index lowers x[i] as a value.
func (f *fn) index(e *ast.IndexExpr) string {
	if _, ok := f.under(e.X).(*types.Signature); ok {
		return f.funcValue(e, calleeFunc(f.info, e))
	}
	if m, ok := f.under(e.X).(*types.Map); ok {
		return f.value(e.X) + "[" + f.conv(e.Index, m.Key()) + "]"
	}
	return f.value(e.X) + "[" + f.indexText(e.Index) + "]"
}

// indexText lowers an index as an int. An index that does not fit into an int is out of range anyway.
func (f *fn) indexText(i ast.Expr) string {
	if tv := f.info.Types[i]; tv.Value != nil {
		return f.constant(tv.Value, types.Typ[types.Int], i.Pos())
	}
	if s := f.typ(f.typeOf(i), i.Pos()); s != "int" {
		return "int(" + f.value(i) + ")"
	}
	return f.value(i)
}

// slice lowers x[lo:hi:max].
func (f *fn) slice(e *ast.SliceExpr) string {
	x := f.value(e.X)
	if _, ok := f.under(e.X).(*types.Array); ok {
		x = f.place(e.X)
	}
	var bounds []string
	for _, b := range []ast.Expr{e.Low, e.High, e.Max} {
		text := ""
		if b != nil {
			text = f.indexText(b)
		}
		bounds = append(bounds, text)
	}
	if e.Max == nil {
		bounds = bounds[:2]
	}
	return x + "[" + strings.Join(bounds, ":") + "]"
}

// place lowers an expression so that a value can be assigned to it, or its address taken.
func (f *fn) place(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, ok := f.info.Uses[e].(*types.Var); ok && v.Pkg() != nil && v.Pkg().Path() == engine.HostPath &&
			!v.IsField() {
			return f.hostPlace(v.Name())
		}
		return f.ident(e)
	case *ast.SelectorExpr:
		sel := f.info.Selections[e]
		if sel == nil {
			return f.value(e)
		}
		of := f.place
		if _, ok := f.under(e.X).(*types.Pointer); ok {
			of = f.value
		}
		s, _ := f.fieldPath(of(e.X), f.typeOf(e.X), sel.Index(), e.Sel.Pos())
		return s
	case *ast.IndexExpr:
		if _, ok := f.under(e.X).(*types.Array); ok {
			return f.place(e.X) + "[" + f.indexText(e.Index) + "]"
		}
		return f.index(e)
	case *ast.StarExpr:
		return "(*" + f.value(e.X) + ")"
	case *ast.CompositeLit:
		return f.composite(e, f.typeOf(e))
	}
	return f.value(e)
}

// assertion lowers x.(T) as a single value.
func (f *fn) assertion(e *ast.TypeAssertExpr) string {
	t := f.typeOf(e.Type)
	return f.held(fmt.Sprintf("rt.As(%s, %d)", f.anyOf(e.X), f.typeID(t, e.Pos())), t, e.Pos())
}

// held converts an any to the type t, which its value is known to have.
func (l *unit) held(text string, t types.Type, pos token.Pos) string {
	if types.IsInterface(t) {
		return l.toNative(text, t, pos)
	}
	lt := l.typ(t, pos)
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if u.NumFields() == 0 { // otherwise the interpreter would read a first field
			return fmt.Sprintf("func(%s any) %s { return %s{} }(%s)", l.fresh("x"), lt, lt, text)
		}
	case *types.Signature: // a nil function has lost its type
		x, v := l.fresh("x"), l.fresh("f")
		return fmt.Sprintf("func(%s any) %s { %s, _ := %s.(%s); return %s }(%s)", x, lt, v, x, lt, v, text)
	}
	return text + ".(" + lt + ")"
}
