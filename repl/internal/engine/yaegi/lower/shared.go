package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A call may change a variable if the variable's address is taken anywhere, or if a function assigns to it without
// declaring it. Such variables are shared. No other variable changes while a statement is evaluated.

// noteShared records the shared variables of the unit.
func (l *unit) noteShared() { l.shareIn(l.u.File, nil) }

// shareIn inspects syntax inside the function fn, which is nil for the cell itself.
func (l *unit) shareIn(n, fn ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil && n.Name.Name != l.u.Entry {
				l.shareIn(n.Body, n)
				return false
			}
		case *ast.FuncLit:
			l.shareIn(n.Body, n)
			return false
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				l.assigned(e, fn)
			}
		case *ast.IncDecStmt:
			l.assigned(n.X, fn)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				l.assigned(n.Key, fn)
				l.assigned(n.Value, fn)
			}
		}
		if v := lent(l.u.Info, n); v != nil {
			l.share(v, n.Pos())
		}
		return true
	})
}

// assigned records that the variable that an assignment changes is shared, unless the function fn itself declares
// the variable.
func (l *unit) assigned(e ast.Expr, fn ast.Node) {
	if v := root(l.u.Info, e); v != nil && fn != nil && (v.Pos() < fn.Pos() || fn.End() <= v.Pos()) {
		l.share(v, e.Pos())
	}
}

// share records a shared variable. It refuses the unit if a function of an earlier cell was accepted only
// because the variable was not shared.
func (l *unit) share(v *types.Var, pos token.Pos) {
	key := variableKey(v)
	if l.trusted[key] && !l.shared[key] {
		refuse(pos, "a change of a variable that a function of an earlier cell reads beside a call", openOrder,
			"use a variable of its own for what is changed here")
	}
	if !l.shared[key] {
		remember(l, l.shared, key, true)
	}
}

// variableKey returns the key of a variable. For a package-level one it is the name, because the objects of such
// variables are sometimes made again.
func variableKey(v *types.Var) string {
	if isGlobal(v) {
		return v.Name()
	}
	return fmt.Sprintf("%p", v)
}

// lent returns the variable whose address an expression takes: by &, by slicing an array, or by calling a
// pointer method.
func lent(info *types.Info, n ast.Node) *types.Var {
	switch n := n.(type) {
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			return root(info, n.X)
		}
	case *ast.SliceExpr:
		if isArray(info.TypeOf(n.X).Underlying()) {
			return root(info, n.X)
		}
	case *ast.SelectorExpr:
		s := info.Selections[n]
		if s == nil || s.Kind() != types.MethodVal || types.IsInterface(s.Recv()) {
			return nil
		}
		if wantsPointer(s) && !s.Indirect() {
			return root(info, n.X)
		}
	}
	return nil
}

// root returns the variable whose memory contains a place; nil if the place is reached through a pointer, slice or
// map.
func root(info *types.Info, e ast.Expr) *types.Var {
	if e == nil {
		return nil
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, _ := info.ObjectOf(e).(*types.Var)
		return v
	case *ast.SelectorExpr:
		s := info.Selections[e]
		if s == nil {
			v, _ := info.Uses[e.Sel].(*types.Var)
			return v
		}
		if s.Kind() == types.FieldVal && !s.Indirect() {
			return root(info, e.X)
		}
	case *ast.IndexExpr:
		if isArray(info.TypeOf(e.X).Underlying()) {
			return root(info, e.X)
		}
	}
	return nil
}

// kept reports whether any of the variables may escape, because a function literal mentions it or its address is
// taken.
func kept[V types.Object](info *types.Info, n ast.Node, vars []V) bool {
	found := false
	has := func(o types.Object) bool {
		return slices.ContainsFunc(vars, func(v V) bool { return types.Object(v) == o })
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			ast.Inspect(lit, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				found = found || ok && has(info.Uses[id])
				return !found
			})
		} else if v := lent(info, n); v != nil {
			found = found || has(v)
		}
		return !found
	})
	return found
}
