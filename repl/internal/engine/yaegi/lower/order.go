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
		o.list(append(list, s.Rhs...))
	case *ast.ReturnStmt:
		o.list(s.Results)
	case *ast.ExprStmt:
		o.expr(s.X)
	case *ast.SendStmt:
		o.list([]ast.Expr{s.Chan, s.Value})
	case *ast.IncDecStmt:
		o.expr(s.X)
	case *ast.RangeStmt:
		o.expr(s.X)
	case *ast.GoStmt:
		o.list(append([]ast.Expr{s.Call.Fun}, s.Call.Args...))
	case *ast.DeferStmt:
		o.list(append([]ast.Expr{s.Call.Fun}, s.Call.Args...))
	case *ast.IfStmt:
		o.expr(s.Cond)
	case *ast.ForStmt:
		o.expr(s.Cond)
	case *ast.SwitchStmt:
		o.expr(s.Tag)
	case *ast.DeclStmt:
		for _, spec := range s.Decl.(*ast.GenDecl).Specs {
			if vs, ok := spec.(*ast.ValueSpec); ok {
				o.list(vs.Values)
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

// order goes through a statement's expressions as they are evaluated.
type order struct {
	*fn
	before []operand // what was read so far and is still to be used
}

// operand is what a part of an expression has read.
type operand struct {
	expr  ast.Expr
	reads effects
}

// list looks at expressions that are evaluated side by side.
func (o *order) list(list []ast.Expr) {
	for _, e := range list {
		o.expr(e)
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
			o.list([]ast.Expr{e.X, e.Index})
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
			o.list([]ast.Expr{e.X, e.Y})
		}
	case *ast.UnaryExpr:
		o.expr(e.X)
		if e.Op == token.AND {
			o.before = o.before[:start]
		}
	case *ast.SliceExpr:
		o.list([]ast.Expr{e.X, e.Low, e.High, e.Max})
	case *ast.TypeAssertExpr:
		o.expr(e.X)
	case *ast.KeyValueExpr:
		o.list([]ast.Expr{e.Key, e.Value})
	case *ast.CompositeLit:
		o.list(e.Elts)
	case *ast.CallExpr:
		o.call(e)
	}
}

// call looks at a call. It reads its arguments before it is made, so nothing that follows changes them.
func (o *order) call(e *ast.CallExpr) {
	start := len(o.before)
	if o.info.Types[e.Fun].IsType() || o.info.Types[e.Fun].IsBuiltin() {
		o.list(e.Args)
		if isNamed(e.Fun, "len") && isMap(o.under(e.Args[0])) {
			o.reads(e, elements(o.typeOf(e.Args[0])))
		}
		return
	}
	fun := ast.Unparen(e.Fun)
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		if s := o.info.Selections[sel]; s != nil && s.Kind() != types.FieldVal && !types.IsInterface(o.typeOf(sel.X)) {
			fun = sel.X
		}
	}
	o.list(append([]ast.Expr{fun}, e.Args...))
	o.before = o.before[:start]
	changed := handed(o.info, e)
	changed.add(o.changed(calleeKey(o.info, e)))
	for _, left := range o.before {
		for k := range left.reads {
			if changed[k] {
				refuse(left.expr.Pos(), "a value that is read beside a call that may change it",
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
