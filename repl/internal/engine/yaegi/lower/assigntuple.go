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
	stores := make([]func(string), len(s.Lhs))
	for i, l := range s.Lhs {
		if !isBlank(l) && f.defined(l) == nil {
			stores[i] = f.store(l)
		}
	}
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
		stores[i](f.convert(temps[i], from[i], f.typeOf(l), l.Pos()))
	}
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
	calls := f.calls(s)
	if !calls && s.Tok == token.DEFINE && f.allNew(s.Lhs) {
		for i, l := range s.Lhs {
			f.assignOne(l, s.Rhs[i], s.Tok)
		}
		return
	}
	assigned := map[types.Object]bool{}
	for _, l := range s.Lhs {
		if id, ok := ast.Unparen(l).(*ast.Ident); ok && f.info.Uses[id] != nil {
			assigned[f.info.Uses[id]] = true
		}
	}
	stores := make([]func(string), len(s.Lhs))
	for i, l := range s.Lhs {
		if isBlank(l) || f.defined(l) != nil {
			continue
		}
		if f.simplePlace(l) && f.untouched(l, assigned) && (calls || i == 0 || readBy(l, s.Rhs)) {
			place := f.place(l)
			stores[i] = func(text string) { f.emit("%s = %s", place, text) }
			continue
		}
		stores[i] = f.store(l)
	}
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
		stores[i](texts[i])
	}
}

// readBy reports whether one of several expressions is a place itself, so that they panic where it would.
func readBy(place ast.Expr, list []ast.Expr) bool {
	return slices.ContainsFunc(list, func(e ast.Expr) bool { return types.ExprString(e) == types.ExprString(place) })
}

// store evaluates the operands of an assignable expression now and stores later: only then an index that is out of range or a nil
// pointer panics.
func (f *fn) store(l ast.Expr) func(text string) {
	switch e := ast.Unparen(l).(type) {
	case *ast.Ident:
		return func(text string) { f.emit("%s = %s", f.place(e), text) }
	case *ast.StarExpr:
		p := f.fresh("p")
		f.emit("%s := %s", p, f.value(e.X))
		return f.storeThrough(p, "*"+p, l.Pos())
	case *ast.SelectorExpr:
		if _, ok := f.info.Selections[e]; !ok {
			break
		}
		if _, ok := f.under(e.X).(*types.Pointer); ok {
			p := f.fresh("p")
			f.emit("%s := %s", p, f.value(e.X))
			place, _ := f.fieldPath(p, f.typeOf(e.X), f.lookupSelection(e).index, e.Sel.Pos())
			return f.storeThrough(p, place, l.Pos())
		}
	case *ast.IndexExpr:
		if isMap(f.under(e.X)) {
			place := f.stablePlace(l)
			return func(text string) {
				f.at(e.Pos())
				f.emit("%s = %s", place, text)
			}
		}
		return f.storeElement(e)
	}
	place := f.stablePlace(l)
	return func(text string) { f.emit("%s = %s", place, text) }
}

func (f *fn) storeThrough(p, place string, pos token.Pos) func(text string) {
	return func(text string) {
		f.emit("if %s == nil { rt.Nil(%d) }", p, f.site(pos))
		f.emit("%s = %s", place, text)
	}
}

// storeElement is store for an element of a slice or an array.
func (f *fn) storeElement(e *ast.IndexExpr) func(text string) {
	x, i := f.fresh("x"), f.fresh("i")
	length, place, operand := "len("+x+")", x+"["+i+"]", ""
	switch u := f.under(e.X).(type) {
	case *types.Array:
		length, place, operand = fmt.Sprint(u.Len()), "(*"+x+")["+i+"]", "&"+f.place(e.X)
	case *types.Pointer:
		length = fmt.Sprint(u.Elem().Underlying().(*types.Array).Len())
		operand = f.value(e.X)
	default:
		operand = f.value(e.X)
	}
	f.emit("%s := %s", x, operand)
	f.emit("%s := %s", i, f.indexText(e.Index))
	return func(text string) {
		f.emit("if %s < 0 || %s >= %s { rt.Index(%s, %s, %d) }", i, i, length, i, length, f.site(e.Index.Pos()))
		f.emit("%s = %s", place, text)
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

// untouched reports whether an assignable expression reads none of the variables that its statement assigns; an
// identifier itself is written, not read.
func (f *fn) untouched(e ast.Expr, assigned map[types.Object]bool) bool {
	if _, ok := ast.Unparen(e).(*ast.Ident); ok {
		return true
	}
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if assigned[f.info.Uses[n]] {
				ok = false
			}
		case *ast.StarExpr:
			ok = false
		case *ast.SelectorExpr:
			if s, isSel := f.info.Selections[n]; isSel && s.Indirect() {
				ok = false
			}
		}
		return ok
	})
	if ix, isIndex := ast.Unparen(e).(*ast.IndexExpr); isIndex && ok {
		_, plainX := ast.Unparen(ix.X).(*ast.Ident)
		_, plainI := ast.Unparen(ix.Index).(*ast.Ident)
		return plainX && (plainI || f.info.Types[ix.Index].Value != nil || f.pureArithmetic(ix.Index))
	}
	return ok
}

// pureArithmetic reports whether an index is computed from variables and constants alone.
func (f *fn) pureArithmetic(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.BasicLit:
		return true
	case *ast.BinaryExpr:
		return f.pureArithmetic(e.X) && f.pureArithmetic(e.Y)
	}
	return false
}
