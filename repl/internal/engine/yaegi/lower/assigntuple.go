package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// tupleTemps evaluates an expression with several values into temporaries.
func (f *fn) tupleTemps(e ast.Expr) []string {
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		v, ok := f.fresh("t"), f.fresh("ok")
		f.emit("%s, %s := %s", v, ok, f.index(e))
		return []string{f.onlyIf(ok, v, f.typeOf(e).(*types.Tuple).At(0).Type(), e.Pos()), ok}
	case *ast.UnaryExpr:
		v, ok := f.fresh("t"), f.fresh("ok")
		f.emit("%s, %s := <-%s", v, ok, f.value(e.X))
		return []string{v, ok}
	case *ast.TypeAssertExpr:
		return f.assertionTemps(e)
	}
	tuple := f.typeOf(e).(*types.Tuple)
	var names []string
	list := ""
	for i := range tuple.Len() {
		names = append(names, f.fresh("t"))
		if i > 0 {
			list += ", "
		}
		list += names[i]
	}
	f.emit("%s := %s", list, f.value(e))
	return names
}

func (f *fn) assertionTemps(e *ast.TypeAssertExpr) []string {
	t := f.typeOf(e.Type)
	x, v, ok := f.fresh("x"), f.fresh("t"), f.fresh("ok")
	f.emit("var %s any = %s", x, f.anyOf(e.X))
	f.emit("var %s %s", v, f.typ(t, e.Pos()))
	test, text := "Is", f.held("rt.Val("+x+")", t, e.Pos())
	if types.IsInterface(t) {
		test, text = "Implements", f.toNative(x, t, e.Pos())
	}
	f.emit("%s := rt.%s(%s, %d)", ok, test, x, f.typeID(t))
	f.emit("if %s { %s = %s }", ok, v, text)
	return []string{v, ok}
}

// onlyIf is v if ok, and else zero. Where a map has no entry or an interface holds another type, the interpreter leaves
// the value of the round before.
func (f *fn) onlyIf(ok, v string, t types.Type, pos token.Pos) string {
	w := f.fresh("t")
	f.emit("var %s %s", w, f.typ(t, pos))
	f.emit("if %s { %s = %s }", ok, w, v)
	return w
}

// tupleTypes are the types of an expression with several values.
func (f *fn) tupleTypes(e ast.Expr, n int) []types.Type {
	if tuple, ok := f.typeOf(e).(*types.Tuple); ok {
		return f.typesOf(tuple)
	}
	t := f.typeOf(e)
	out := []types.Type{t}
	for len(out) < n {
		out = append(out, types.Typ[types.Bool])
	}
	return out
}

func (f *fn) assignTuple(s *ast.AssignStmt) {
	places := f.places(s)
	temps := f.tupleTemps(s.Rhs[0])
	from := f.tupleTypes(s.Rhs[0], len(s.Lhs))
	for i, l := range s.Lhs {
		if isBlank(l) {
			continue
		}
		if v := f.defined(l); v != nil {
			f.define(v, f.convert(temps[i], from[i], f.objType(v), l.Pos()), l.Pos())
			continue
		}
		f.emit("%s = %s", places[i], f.convert(temps[i], from[i], f.typeOf(l), l.Pos()))
	}
}

// places are several places that are assigned at once. It makes no difference when their operands are evaluated: others are refused.
func (f *fn) places(s *ast.AssignStmt) []string {
	assigned, fields := map[types.Object]bool{}, map[string]bool{}
	for _, l := range s.Lhs {
		switch l := ast.Unparen(l).(type) {
		case *ast.Ident:
			if o := f.info.Uses[l]; o != nil {
				assigned[o] = true
			}
		case *ast.SelectorExpr:
			fields[l.Sel.Name] = true
		case *ast.StarExpr:
			fields["*"] = true
		}
	}
	out := make([]string, len(s.Lhs))
	for i, l := range s.Lhs {
		if isBlank(l) || f.defined(l) != nil {
			continue
		}
		if !f.simplePlace(l) || !f.settledPlace(l, assigned, fields) {
			refuse(l.Pos(), "this place in an assignment of several values", "the interpreter evaluates its parts in an order of its own", "assign one after the other")
		}
		out[i] = f.place(l)
	}
	return out
}

// stablePlace evaluates the operands of an assignable expression now.
func (f *fn) stablePlace(l ast.Expr) string {
	e, ok := ast.Unparen(l).(*ast.IndexExpr)
	if !ok || isArray(f.under(e.X)) {
		refuse(l.Pos(), "this place in an operation with =", "the interpreter evaluates its parts twice", "put what is computed in it into a variable first")
	}
	x, i, index := f.fresh("x"), f.fresh("i"), types.Type(types.Typ[types.Int])
	if m, ok := f.under(e.X).(*types.Map); ok {
		index = m.Key()
	}
	f.emit("%s := %s", x, f.value(e.X))
	if isMap(f.under(e.X)) {
		f.emit("var %s %s = %s", i, f.typ(index, e.Pos()), f.conv(e.Index, index))
	} else {
		f.emit("%s := %s", i, f.indexText(e.Index))
	}
	return x + "[" + i + "]"
}

func (f *fn) assignParallel(s *ast.AssignStmt) {
	places := f.places(s)
	texts := make([]string, len(s.Rhs))
	for i, r := range s.Rhs {
		t := f.targetType(s.Lhs[i], r)
		texts[i] = f.fresh("t")
		f.emit("var %s %s = %s", texts[i], f.typ(t, r.Pos()), f.settled(r, t))
	}
	for i, l := range s.Lhs {
		if isBlank(l) {
			continue
		}
		if v := f.defined(l); v != nil {
			f.define(v, texts[i], l.Pos())
			continue
		}
		f.emit("%s = %s", places[i], texts[i])
	}
}

func (f *fn) targetType(l, r ast.Expr) types.Type {
	if isBlank(l) {
		return types.Default(f.typeOf(r))
	}
	if v := f.defined(l); v != nil {
		return f.objType(v)
	}
	return f.typeOf(l)
}

// settledPlace reports whether what an assignable expression reads is nothing that its statement assigns: it reads variables that are not
// assigned, and fields of other names. The place itself is written, not read.
func (f *fn) settledPlace(e ast.Expr, assigned map[types.Object]bool, fields map[string]bool) bool {
	e = ast.Unparen(e)
	if s, ok := e.(*ast.SelectorExpr); ok && (f.info.Selections[s] == nil || len(f.info.Selections[s].Index()) > 1 && f.info.Selections[s].Indirect()) {
		return false
	}
	if isIdent(e) {
		return true
	}
	return !holds(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			return assigned[f.info.Uses[n]]
		case *ast.SelectorExpr:
			return n != e && (fields[n.Sel.Name] || fields["*"])
		case *ast.StarExpr, *ast.IndexExpr, *ast.CallExpr:
			return n != e
		}
		return false
	})
}
