package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/repl/internal/engine"
)

// index is x[i] as a value.
func (f *fn) index(e *ast.IndexExpr) string {
	if _, ok := f.under(e.X).(*types.Signature); ok {
		return f.funcInstance(e)
	}
	if m, ok := f.under(e.X).(*types.Map); ok {
		if f.typ(m.Key(), e.Pos()) == "any" {
			return f.value(e.X) + "[rt.Key(" + f.conv(e.Index, m.Key()) + ", " + fmt.Sprint(f.site(e.Pos())) + ")]"
		}
		return f.value(e.X) + "[" + f.conv(e.Index, m.Key()) + "]"
	}
	return f.element(e, false)
}

// element is x[i] of a string, slice or array with its bounds checked; place wants something assignable.
func (f *fn) element(e *ast.IndexExpr, place bool) string {
	t := f.under(e.X)
	length := ""
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	var x string
	if a, ok := t.(*types.Array); ok {
		length = fmt.Sprint(a.Len())
		if tv := f.info.Types[e.Index]; tv.Value != nil {
			x = f.containerText(e.X, place)
			return x + "[" + f.constant(tv.Value, types.Typ[types.Int], e.Index.Pos()) + "]"
		}
	}
	x = f.containerText(e.X, place)
	i := f.indexText(e.Index)
	if length == "" {
		if !f.pure(e.X) {
			return f.impureElement(e, x, i)
		}
		length = "len(" + x + ")"
	}
	return fmt.Sprintf("%s[rt.Ix(%s, %s, %d)]", x, i, length, f.site(e.Index.Pos()))
}

func (f *fn) containerText(x ast.Expr, place bool) string {
	if _, ok := f.under(x).(*types.Array); ok && place {
		return f.place(x)
	}
	if _, ok := f.under(x).(*types.Pointer); ok {
		f.note(x.Pos())
	}
	return f.value(x)
}

// indexText is an index as an int; an index too large for one is out of range in any case.
func (f *fn) indexText(i ast.Expr) string {
	if tv := f.info.Types[i]; tv.Value != nil {
		return f.constant(tv.Value, types.Typ[types.Int], i.Pos())
	}
	if s := f.typ(f.typeOf(i), i.Pos()); s != "int" {
		return "int(" + f.value(i) + ")"
	}
	return f.value(i)
}

// impureElement is x[i] where x must be evaluated once: it passes through a function literal.
func (f *fn) impureElement(e *ast.IndexExpr, x, i string) string {
	xn, in, t := f.fresh("x"), f.fresh("i"), f.typ(f.typeOf(e.X), e.Pos())
	return fmt.Sprintf("func(%s %s, %s int) %s { return %s[rt.Ix(%s, len(%s), %d):] }(%s, %s)[0]", xn, t, in, t, xn, in, xn, f.site(e.Index.Pos()), x, i)
}

// slice is x[lo:hi:max].
func (f *fn) slice(e *ast.SliceExpr) string {
	t := f.under(e.X)
	site := f.site(e.Lbrack)
	text := func(i ast.Expr) string {
		if i == nil {
			return "rt.None"
		}
		return f.indexText(i)
	}
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsString != 0 {
		s := "rt.Substring(string(" + f.value(e.X) + "), " + text(e.Low) + ", " + text(e.High) + ", " + fmt.Sprint(site) + ")"
		if f.typ(f.typeOf(e), e.Pos()) != "string" {
			return f.typ(f.typeOf(e), e.Pos()) + "(" + s + ")"
		}
		return s
	}
	if e.Low == nil && e.High == nil && e.Max == nil {
		if _, ok := t.(*types.Array); ok {
			return f.place(e.X) + "[:]"
		}
		return f.value(e.X) + "[:]"
	}
	x, xt := f.fresh("x"), f.typ(f.typeOf(e.X), e.Pos())
	operand := ""
	switch t.(type) {
	case *types.Array:
		operand, xt = "&"+f.place(e.X), "*"+xt
	default:
		operand = f.value(e.X)
	}
	lo, hi, mx := f.fresh("lo"), f.fresh("hi"), f.fresh("max")
	size := "len(" + x + "), cap(" + x + ")"
	if strings.HasPrefix(xt, "*") {
		a := t
		if p, ok := t.(*types.Pointer); ok {
			a = p.Elem().Underlying()
		}
		n := a.(*types.Array).Len()
		size = fmt.Sprintf("%d, %d", n, n)
		f.note(e.Pos())
	}
	ret := fmt.Sprintf("%s[rt.Low(%s):rt.High(%s, %s)]", x, lo, hi, size)
	if e.Max != nil {
		ret = fmt.Sprintf("%s[rt.Low(%s):rt.High(%s, %s):%s]", x, lo, hi, size, mx)
	}
	return fmt.Sprintf("func(%s %s, %s, %s, %s int) %s { rt.Bounds(%s, %s, %s, %s, %d); return %s }(%s, %s, %s, %s)",
		x, xt, lo, hi, mx, f.typ(f.typeOf(e), e.Pos()), lo, hi, mx, size, site, ret, operand, text(e.Low), text(e.High), text(e.Max))
}

// place is an expression as something that can be assigned to or whose address can be taken.
func (f *fn) place(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, ok := f.info.Uses[e].(*types.Var); ok && v.Pkg() != nil && v.Pkg().Path() == engine.HostPath && !v.IsField() {
			return f.hostPlace(v.Name())
		}
		return f.ident(e)
	case *ast.SelectorExpr:
		if _, ok := f.info.Selections[e]; !ok {
			return f.value(e)
		}
		sel := f.lookupSelection(e)
		x := ""
		if _, ok := f.under(e.X).(*types.Pointer); ok {
			x = f.value(e.X)
		} else {
			x = f.place(e.X)
		}
		s, _ := f.fieldPath(x, f.typeOf(e.X), sel.index, e.Sel.Pos())
		return s
	case *ast.IndexExpr:
		if m, ok := f.under(e.X).(*types.Map); ok {
			f.note(e.Pos())
			if f.typ(m.Key(), e.Pos()) == "any" {
				return f.value(e.X) + "[rt.Key(" + f.conv(e.Index, m.Key()) + ", " + strconv.Itoa(f.site(e.Pos())) + ")]"
			}
			return f.value(e.X) + "[" + f.conv(e.Index, m.Key()) + "]"
		}
		return f.element(e, true)
	case *ast.StarExpr:
		f.note(e.Pos())
		return "(*" + f.value(e.X) + ")"
	case *ast.CompositeLit:
		return f.composite(e, f.typeOf(e))
	}
	return f.value(e)
}

// assertion is x.(T) as a single value.
func (f *fn) assertion(e *ast.TypeAssertExpr) string {
	t := f.typeOf(e.Type)
	x := f.anyOf(e.X)
	site := f.site(e.Pos())
	from := f.typeID(f.typeOf(e.X))
	if types.IsInterface(t) {
		s := fmt.Sprintf("rt.AsInterface(%s, %d, %d, %d)", x, f.typeID(t), from, site)
		return f.toNative(s, t, e.Pos())
	}
	return f.held(fmt.Sprintf("rt.As(%s, %d, %d, %d)", x, f.typeID(t), from, site), t, e.Pos())
}

// held takes a value of a known type out of an any.
func (l *unit) held(text string, t types.Type, pos token.Pos) string {
	lt := l.typ(t, pos)
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if u.NumFields() == 0 { // the interpreter looks at the first field
			return fmt.Sprintf("func(%s any) %s { return %s{} }(%s)", l.fresh("x"), lt, lt, text)
		}
	case *types.Signature: // a nil function leaves no type behind
		x, v := l.fresh("x"), l.fresh("f")
		return fmt.Sprintf("func(%s any) %s { %s, _ := %s.(%s); return %s }(%s)", x, lt, v, x, lt, v, text)
	}
	return text + ".(" + lt + ")"
}
