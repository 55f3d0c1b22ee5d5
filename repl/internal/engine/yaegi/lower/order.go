package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// operand is what a part of a statement reads, and what the calls in it may change.
type operand struct {
	reads   effects
	changes []string // keys of what it calls
	handed  effects  // what compiled code that it calls changes
}

// checkOrder refuses a statement that reads a variable beside a call that changes it.
func (f *fn) checkOrder(s ast.Stmt) {
	if f.std {
		return
	}
	switch s := s.(type) {
	case *ast.AssignStmt:
		var list []ast.Expr
		for _, l := range s.Lhs {
			if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
				list = append(list, l)
				continue
			}
			switch l := ast.Unparen(l).(type) { // it is written, not read
			case *ast.SelectorExpr:
				list = append(list, l.X)
			case *ast.IndexExpr:
				list = append(list, l.X, l.Index)
			case *ast.StarExpr:
				list = append(list, l.X)
			}
		}
		f.operands(append(list, s.Rhs...), len(s.Rhs) > 1 && f.holdInterfaces(append(s.Lhs[:len(s.Lhs):len(s.Lhs)], s.Rhs...)))
	case *ast.ReturnStmt:
		f.operands(s.Results, f.holdInterfaces(s.Results) || f.results != nil && slices.ContainsFunc(f.typesOf(f.results), types.IsInterface))
	case *ast.ExprStmt:
		f.operandOf(s.X)
	case *ast.SendStmt:
		f.operands([]ast.Expr{s.Chan, s.Value}, false)
	case *ast.IncDecStmt:
		f.operandOf(s.X)
	case *ast.RangeStmt:
		f.operandOf(s.X)
	case *ast.GoStmt:
		f.operands(append([]ast.Expr{s.Call.Fun}, s.Call.Args...), true)
	case *ast.DeferStmt:
		f.operands(append([]ast.Expr{s.Call.Fun}, s.Call.Args...), true)
	case *ast.IfStmt:
		f.operandOf(s.Cond)
	case *ast.ForStmt:
		if s.Cond != nil {
			f.operandOf(s.Cond)
		}
	case *ast.SwitchStmt:
		if s.Tag != nil {
			f.operandOf(s.Tag)
		}
	case *ast.DeclStmt:
		for _, spec := range s.Decl.(*ast.GenDecl).Specs {
			if vs, ok := spec.(*ast.ValueSpec); ok {
				f.operands(vs.Values, f.holdInterfaces(vs.Values) || vs.Type != nil && types.IsInterface(f.typeOf(vs.Type)))
			}
		}
	}
}

// operands looks at expressions that are evaluated side by side. A bare variable on the left of a call is read late enough, unless
// strictly is set.
func (f *fn) operands(list []ast.Expr, strictly bool) operand {
	all := operand{reads: effects{}, handed: effects{}}
	for i, e := range list {
		if e == nil {
			continue
		}
		p := f.operandOf(e)
		if changed := with(f.changed(p.changes), p.handed); len(changed) > 0 {
			for _, left := range list[:i] {
				f.checkLeft(left, changed, strictly)
			}
		}
		all.reads.add(p.reads)
		all.handed.add(p.handed)
		all.changes = append(all.changes, p.changes...)
	}
	return all
}

// checkLeft refuses an operand whose value is changed by a call further right.
func (f *fn) checkLeft(e ast.Expr, changed effects, strictly bool) {
	if e == nil || isIdent(e) && !strictly {
		return
	}
	for k := range f.operandOf(e).reads {
		if changed[k] {
			refuse(e.Pos(), "a value that is read beside a call that changes it",
				"Go leaves open which comes first, and the interpreter's order is not the compiler's", "put "+nameOf(e)+" into a variable first")
		}
	}
}

// holdInterfaces reports whether one of several expressions has an interface type.
func (f *fn) holdInterfaces(list []ast.Expr) bool {
	return slices.ContainsFunc(list, func(e ast.Expr) bool { return !isBlank(e) && types.IsInterface(f.typeOf(e)) })
}

func nameOf(e ast.Expr) string {
	if len(types.ExprString(e)) > 40 {
		return "the value"
	}
	return cell.Display(types.ExprString(e))
}

// operandOf looks at one expression. A call reads its arguments before it is made, so nothing that follows changes them.
func (f *fn) operandOf(e ast.Expr) operand {
	if tv := f.info.Types[e]; tv.Value != nil || tv.IsType() {
		return operand{}
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.operandOf(e.X)
	case *ast.Ident:
		if v, ok := f.info.Uses[e].(*types.Var); ok {
			reads := effects{variableKey(v): true, "d" + dyn.Key(f.typeOf(e)): true}
			reads.add(contentsOfValue(f.typeOf(e)))
			return operand{reads: reads}
		}
		return operand{}
	case *ast.SelectorExpr:
		s, ok := f.info.Selections[e]
		if !ok {
			return operand{}
		}
		o := f.operandOf(e.X)
		if id, ok := ast.Unparen(e.X).(*ast.Ident); ok && o.reads != nil { // its other fields do not count
			o.reads = effects{variableKey(f.info.Uses[id]): true, "d" + dyn.Key(f.typeOf(id)): true}
		}
		if s.Kind() == types.FieldVal {
			o.reads = with(o.reads, place(f.info, e), contentsOfValue(f.typeOf(e)))
		}
		return o
	case *ast.IndexExpr:
		if _, ok := f.under(e.X).(*types.Signature); ok {
			return operand{}
		}
		o := f.operands([]ast.Expr{e.X, e.Index}, false)
		o.reads = with(o.reads, place(f.info, e), contentsOfValue(f.typeOf(e)))
		return o
	case *ast.StarExpr:
		o := f.operandOf(e.X)
		o.reads = with(o.reads, place(f.info, e), contentsOfValue(f.typeOf(e)))
		return o
	case *ast.BinaryExpr:
		if e.Op != token.LAND && e.Op != token.LOR {
			return f.operands([]ast.Expr{e.X, e.Y}, false)
		}
		x, y := f.operandOf(e.X), f.operandOf(e.Y)
		return operand{with(x.reads, y.reads), append(x.changes[:len(x.changes):len(x.changes)], y.changes...), with(x.handed, y.handed)}
	case *ast.UnaryExpr:
		o := f.operandOf(e.X)
		if e.Op == token.AND {
			o.reads = nil
		}
		return o
	case *ast.SliceExpr:
		return f.operands([]ast.Expr{e.X, e.Low, e.High, e.Max}, true)
	case *ast.TypeAssertExpr:
		return f.operandOf(e.X)
	case *ast.CompositeLit:
		var list []ast.Expr
		for _, el := range e.Elts {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				if _, ok := f.under(e).(*types.Map); ok {
					list = append(list, kv.Key)
				}
				el = kv.Value
			}
			list = append(list, el)
		}
		return f.operands(list, false)
	case *ast.CallExpr:
		return f.operandOfCall(e)
	}
	return operand{}
}

func (f *fn) operandOfCall(e *ast.CallExpr) operand {
	if f.info.Types[e.Fun].IsType() || f.info.Types[e.Fun].IsBuiltin() {
		o := f.operands(e.Args, true)
		if isNamed(e.Fun, "len") && isMap(f.under(e.Args[0])) {
			o.reads = with(o.reads, contents(f.typeOf(e.Args[0])))
		}
		return o
	}
	list := e.Args
	switch fun := ast.Unparen(e.Fun).(type) {
	case *ast.SelectorExpr:
		if s, ok := f.info.Selections[fun]; ok {
			list = append([]ast.Expr{fun}, list...)
			if s.Kind() != types.FieldVal && !types.IsInterface(f.typeOf(fun.X)) {
				list[0] = fun.X
			}
		}
	case *ast.Ident:
		list = append([]ast.Expr{fun}, list...)
	}
	o := f.operands(list, false)
	o.reads = nil
	o.handed = with(o.handed, handed(f.info, e))
	if lit, ok := ast.Unparen(e.Fun).(*ast.FuncLit); ok {
		b := summary(f.info, lit)
		o.handed.add(b.writes)
		o.changes = append(o.changes, b.calls...)
	}
	o.changes = append(o.changes, calleeKeys(f.info, e)...)
	return o
}

func with(a effects, more ...effects) effects {
	out := effects{}
	out.add(a)
	for _, m := range more {
		out.add(m)
	}
	return out
}
