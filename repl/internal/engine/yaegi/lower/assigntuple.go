package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
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
	v, ok := f.fresh("t"), f.fresh("ok")
	t := f.typeOf(e.Type)
	if types.IsInterface(t) {
		x := f.fresh("x")
		f.emit("%s, %s := rt.AsInterface2(%s, %d)", x, ok, f.anyOf(e.X), f.typeID(t))
		f.emit("var %s %s = %s", v, f.typ(t, e.Pos()), f.toNative(x, t, e.Pos()))
		return []string{v, ok}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if u.NumFields() == 0 {
			f.emit("%s := rt.Is(%s, %d)", ok, f.anyOf(e.X), f.typeID(t))
			f.emit("%s := %s{}", v, f.typ(t, e.Pos()))
			return []string{v, ok}
		}
	case *types.Signature:
		x := f.fresh("x")
		f.emit("var %s any = %s", x, f.anyOf(e.X))
		f.emit("%s, _ := rt.As2(%s, %d).(%s)", v, x, f.typeID(t), f.typ(t, e.Pos()))
		f.emit("%s := rt.Is(%s, %d)", ok, x, f.typeID(t))
		return []string{f.onlyIf(ok, v, t, e.Pos()), ok}
	}
	f.emit("%s, %s := rt.As2(%s, %d).(%s)", v, ok, f.anyOf(e.X), f.typeID(t), f.typ(t, e.Pos()))
	return []string{f.onlyIf(ok, v, t, e.Pos()), ok}
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
	switch e := ast.Unparen(l).(type) {
	case *ast.IndexExpr:
		x := f.fresh("x")
		i := f.fresh("i")
		switch u := f.under(e.X).(type) {
		case *types.Map:
			f.emit("%s := %s", x, f.value(e.X))
			f.emit("var %s %s = %s", i, f.typ(u.Key(), e.Pos()), f.conv(e.Index, u.Key()))
			f.note(e.Pos())
			return x + "[" + i + "]"
		case *types.Array:
			p := f.fresh("p")
			f.emit("%s := &%s", p, f.place(e))
			return "(*" + p + ")"
		}
		length := "len(" + x + ")"
		if p, ok := f.under(e.X).(*types.Pointer); ok {
			length = fmt.Sprint(p.Elem().Underlying().(*types.Array).Len())
		}
		f.emit("%s := %s", x, f.value(e.X))
		f.emit("%s := %s", i, f.indexText(e.Index))
		f.emit("if %s < 0 || %s >= %s { rt.Index(%s, %s, %d) }", i, i, length, i, length, f.site(e.Index.Pos()))
		return x + "[" + i + "]"
	case *ast.Ident:
		return f.place(e)
	}
	return "(*" + f.addressOf(l) + ")"
}

// addressOf puts the address of an assignable expression into a temporary.
func (f *fn) addressOf(l ast.Expr) string {
	p := f.fresh("p")
	if star, ok := ast.Unparen(l).(*ast.StarExpr); ok {
		f.emit("%s := %s", p, f.value(star.X))
		f.emit("if %s == nil { rt.Nil(%d) }", p, f.site(l.Pos()))
		return p
	}
	f.emit("%s := &%s", p, f.place(l))
	return p
}

func (f *fn) assignParallel(s *ast.AssignStmt) {
	calls := slices.ContainsFunc(slices.Concat(s.Lhs, s.Rhs), f.calls)
	if !calls && s.Tok == token.DEFINE && f.allNew(s.Lhs) {
		for i, l := range s.Lhs {
			f.assignOne(l, s.Rhs[i], s.Tok)
		}
		return
	}
	places := f.places(s)
	texts := make([]string, len(s.Rhs))
	for _, late := range []bool{false, true} {
		for i, r := range s.Rhs {
			t := f.targetType(s.Lhs[i], r)
			if late != (calls && isIdent(r) && !types.IsInterface(t)) { // the compiler reads variables after all calls
				continue
			}
			texts[i] = f.fresh("t")
			f.emit("var %s %s = %s", texts[i], f.typ(t, r.Pos()), f.settled(r, t))
		}
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

func (f *fn) allNew(list []ast.Expr) bool {
	for _, l := range list {
		if !isBlank(l) && f.defined(l) == nil {
			return false
		}
	}
	return true
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
