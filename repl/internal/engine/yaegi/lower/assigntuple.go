package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// tupleTemps evaluates an expression with several values into temporary variables.
func (f *fn) tupleTemps(e ast.Expr) []string {
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		v, ok := f.fresh("t"), f.fresh("ok")
		f.emit("%s, %s := %s", v, ok, f.index(e))
		return []string{f.onlyIf(ok, v, f.typeOf(e).(*types.Tuple).At(0).Type(), e.Pos()), ok}
	case *ast.TypeAssertExpr:
		return f.assertionTemps(e)
	}
	var names []string
	for range f.typeOf(e).(*types.Tuple).Len() {
		names = append(names, f.fresh("t"))
	}
	f.emit("%s := %s", strings.Join(names, ", "), f.value(e))
	return names
}

func (f *fn) assertionTemps(e *ast.TypeAssertExpr) []string {
	t := f.typeOf(e.Type)
	x, v, ok := f.fresh("x"), f.fresh("t"), f.fresh("ok")
	f.emit("var %s any = %s", x, f.anyOf(e.X))
	f.emit("var %s %s", v, f.typ(t, e.Pos()))
	f.emit("%s := rt.Is(%s, %d)", ok, x, f.typeID(t, e.Pos()))
	f.emit("if %s { %s = %s }", ok, v, f.held(x, t, e.Pos()))
	return []string{v, ok}
}

// onlyIf returns v if ok is true, and the zero value otherwise. If a map has no entry, or an interface contains
// another type, the interpreter would return the value of the previous round.
func (f *fn) onlyIf(ok, v string, t types.Type, pos token.Pos) string {
	w := f.fresh("t")
	f.emit("var %s %s", w, f.typ(t, pos))
	f.emit("if %s { %s = %s }", ok, w, v)
	return w
}

// tupleTypes returns the types of an expression with several values.
func (f *fn) tupleTypes(e ast.Expr) []types.Type {
	if tuple, ok := f.typeOf(e).(*types.Tuple); ok {
		return f.typesOf(tuple)
	}
	return []types.Type{f.typeOf(e), types.Typ[types.Bool]}
}

func (f *fn) assignTuple(s *ast.AssignStmt) {
	places := f.places(s)
	temps, from := f.tupleTemps(s.Rhs[0]), f.tupleTypes(s.Rhs[0])
	for i, l := range s.Lhs {
		f.store(l, places[i], temps[i], from[i])
	}
}

// store assigns a value to an expression on the left: a place, or a variable that the statement declares.
func (f *fn) store(l ast.Expr, place, text string, from types.Type) {
	switch v := f.defined(l); {
	case isBlank(l):
	case v != nil:
		f.define(v, f.convert(text, from, f.objType(v), l.Pos()), l.Pos())
	default:
		f.emit("%s = %s", place, f.convert(text, from, f.typeOf(l), l.Pos()))
	}
}

// places returns the places of a parallel assignment. It accepts places whose operands can be evaluated at any time
// and, if no function is called, also those whose operands can be evaluated first. It refuses all others.
func (f *fn) places(s *ast.AssignStmt) []string {
	assigned, parts := map[types.Object]bool{}, false
	for _, l := range s.Lhs {
		if id, ok := ast.Unparen(l).(*ast.Ident); ok {
			assigned[f.info.Uses[id]] = true
		} else if _, element := ast.Unparen(l).(*ast.IndexExpr); !element {
			parts = true
		}
	}
	// still reports whether an operand reads nothing that the statement changes.
	still := func(e ast.Expr) bool {
		return f.pure(e) && !holds(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				return f.info.Uses[n] != nil && assigned[f.info.Uses[n]]
			case *ast.SelectorExpr:
				return parts
			case *ast.StarExpr, *ast.IndexExpr:
				return true
			}
			return false
		})
	}
	calm := !slices.ContainsFunc(slices.Concat(s.Lhs, s.Rhs), f.changes)
	out := make([]string, len(s.Lhs))
	for i, l := range s.Lhs {
		if isBlank(l) || f.defined(l) != nil {
			continue
		}
		ok := isIdent(l)
		switch e := ast.Unparen(l).(type) {
		case *ast.IndexExpr:
			if ok = still(e.X) && still(e.Index); !ok && calm && !isArray(f.under(e.X)) {
				out[i] = f.stablePlace(l)
				continue
			}
		case *ast.SelectorExpr:
			sel := f.info.Selections[e]
			ok = sel != nil && len(sel.Index()) == 1 && still(e.X)
		}
		if !ok {
			refuse(l.Pos(), "an assignment of several values to places that read each other",
				"the interpreter evaluates its parts in an order of its own", "assign one after the other")
		}
		out[i] = f.place(l)
	}
	return out
}

// changes reports whether an expression contains a call that may change something.
func (f *fn) changes(e ast.Expr) bool {
	return holds(e, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		return ok && !f.info.Types[call.Fun].IsType() && !f.pure(call)
	})
}

// stablePlace evaluates the operands of an assignable expression now, and returns its place.
func (f *fn) stablePlace(l ast.Expr) string {
	e, ok := ast.Unparen(l).(*ast.IndexExpr)
	if !ok || isArray(f.under(e.X)) {
		refuse(l.Pos(), "an operation such as += on a place that is computed",
			"the interpreter evaluates its parts twice", "put what is computed in it into a variable first")
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
		f.store(l, places[i], texts[i], f.targetType(l, s.Rhs[i]))
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
