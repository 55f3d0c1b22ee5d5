package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// checkOrder refuses a statement that reads a variable beside a call that changes it.
func (f *fn) checkOrder(s ast.Stmt) {
	if f.std {
		return
	}
	o := &order{fn: f}
	switch s := s.(type) {
	case *ast.AssignStmt:
		var list []ast.Expr
		for _, l := range s.Lhs {
			list = append(list, read(l, s.Tok)...)
		}
		o.list(append(list, s.Rhs...), len(s.Rhs) > 1 && f.holdInterfaces(slices.Concat(s.Lhs, s.Rhs)))
	case *ast.ReturnStmt:
		o.list(s.Results, f.holdInterfaces(s.Results) || f.results != nil && slices.ContainsFunc(f.typesOf(f.results), types.IsInterface))
	case *ast.ExprStmt:
		o.expr(s.X)
	case *ast.SendStmt:
		o.list([]ast.Expr{s.Chan, s.Value}, false)
	case *ast.IncDecStmt:
		o.expr(s.X)
	case *ast.RangeStmt:
		o.expr(s.X)
	case *ast.GoStmt:
		o.list(append([]ast.Expr{s.Call.Fun}, s.Call.Args...), true)
	case *ast.DeferStmt:
		o.list(append([]ast.Expr{s.Call.Fun}, s.Call.Args...), true)
	case *ast.IfStmt:
		o.expr(s.Cond)
	case *ast.ForStmt:
		o.expr(s.Cond)
	case *ast.SwitchStmt:
		o.expr(s.Tag)
	case *ast.DeclStmt:
		for _, spec := range s.Decl.(*ast.GenDecl).Specs {
			if vs, ok := spec.(*ast.ValueSpec); ok {
				o.list(vs.Values, f.holdInterfaces(vs.Values) || vs.Type != nil && types.IsInterface(f.typeOf(vs.Type)))
			}
		}
	}
}

// read are the expressions of a place that an assignment reads: the place itself is written.
func read(place ast.Expr, tok token.Token) []ast.Expr {
	if tok != token.ASSIGN && tok != token.DEFINE {
		return []ast.Expr{place}
	}
	switch e := ast.Unparen(place).(type) {
	case *ast.SelectorExpr:
		return []ast.Expr{e.X}
	case *ast.IndexExpr:
		return []ast.Expr{e.X, e.Index}
	case *ast.StarExpr:
		return []ast.Expr{e.X}
	}
	return nil
}

// holdInterfaces reports whether one of several expressions has an interface type.
func (f *fn) holdInterfaces(list []ast.Expr) bool {
	return slices.ContainsFunc(list, func(e ast.Expr) bool { return !isBlank(e) && types.IsInterface(f.typeOf(e)) })
}

// order goes through a statement's expressions as they are evaluated.
type order struct {
	*fn
	before []operand // what was read so far and is still to be used
}

// operand is what a part of an expression has read. A bare one is read late enough, after the calls beside it.
type operand struct {
	expr  ast.Expr
	reads effects
	bare  bool
}

// list looks at expressions that are evaluated side by side. strictly says that variables among them are not read late.
func (o *order) list(list []ast.Expr, strictly bool) {
	for _, e := range list {
		start := len(o.before)
		o.expr(e)
		if e != nil && isIdent(e) && len(o.before) > start {
			o.before[start].bare = !strictly
		}
	}
}

func (o *order) reads(e ast.Expr, places effects) {
	o.before = append(o.before, operand{expr: e, reads: places})
}

// expr looks at one expression.
func (o *order) expr(e ast.Expr) {
	if e == nil {
		return
	}
	if tv := o.info.Types[e]; tv.Value != nil || tv.IsType() {
		return
	}
	start := len(o.before)
	switch e := e.(type) {
	case *ast.ParenExpr:
		o.expr(e.X)
		return
	case *ast.Ident:
		if _, ok := o.info.Uses[e].(*types.Var); ok {
			o.reads(e, o.seen(e))
		}
		return
	case *ast.SelectorExpr:
		s, ok := o.info.Selections[e]
		if !ok {
			return
		}
		o.expr(e.X)
		if id, ok := ast.Unparen(e.X).(*ast.Ident); ok && len(o.before) > start { // its other fields do not count
			o.before[start].reads = effects{variableKey(o.info.Uses[id]): true}
		}
		if s.Kind() == types.FieldVal {
			o.reads(e, o.seen(e))
		}
	case *ast.IndexExpr:
		if !isFunc(o.typeOf(e.X)) {
			o.list([]ast.Expr{e.X, e.Index}, false)
			o.reads(e, o.seen(e))
		}
	case *ast.StarExpr:
		o.expr(e.X)
		o.reads(e, o.seen(e))
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			o.expr(e.X)
			left := slices.Clone(o.before[start:])
			o.before = o.before[:start]
			o.expr(e.Y)
			o.before = append(o.before, left...)
		} else {
			o.list([]ast.Expr{e.X, e.Y}, false)
		}
	case *ast.UnaryExpr:
		o.expr(e.X)
		if e.Op == token.AND {
			o.before = o.before[:start]
		}
	case *ast.SliceExpr:
		o.list([]ast.Expr{e.X, e.Low, e.High, e.Max}, true)
	case *ast.TypeAssertExpr:
		o.expr(e.X)
	case *ast.KeyValueExpr:
		o.list([]ast.Expr{e.Key, e.Value}, false)
	case *ast.CompositeLit:
		o.list(e.Elts, false)
	case *ast.CallExpr:
		o.call(e)
	}
	for i := start; i < len(o.before); i++ {
		o.before[i].bare = false
	}
}

// call looks at a call. It reads its arguments before it is made, so nothing that follows changes them.
func (o *order) call(e *ast.CallExpr) {
	if o.info.Types[e.Fun].IsType() || o.info.Types[e.Fun].IsBuiltin() {
		o.list(e.Args, true)
		if isNamed(e.Fun, "len") && isMap(o.under(e.Args[0])) {
			o.reads(e, elements(o.typeOf(e.Args[0])))
		}
		return
	}
	start := len(o.before)
	fun := ast.Unparen(e.Fun)
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		if s := o.info.Selections[sel]; s != nil && s.Kind() != types.FieldVal && !types.IsInterface(o.typeOf(sel.X)) {
			fun = sel.X
		}
	}
	o.list(append([]ast.Expr{fun}, e.Args...), false)
	o.before = o.before[:start]
	changed := o.changed(calleeKeys(o.info, e))
	changed.add(handed(o.info, e))
	if lit, ok := fun.(*ast.FuncLit); ok {
		b := summary(o.info, lit)
		changed.add(b.writes)
		changed.add(o.changed(b.calls))
	}
	for _, left := range o.before {
		for k := range left.reads {
			if changed[k] && !left.bare {
				refuse(left.expr.Pos(), "a value that is read beside a call that changes it",
					"Go leaves open which comes first, and the interpreter's order is not the compiler's", "put "+nameOf(left.expr)+" into a variable first")
			}
		}
	}
}

func nameOf(e ast.Expr) string {
	if len(types.ExprString(e)) > 40 {
		return "the value"
	}
	return cell.Display(types.ExprString(e))
}
