package exact

import (
	"go/ast"
	"go/token"
	"go/types"
)

// unread replaces the operands of loops that range over an array, or a pointer to one, by index only. Go does not
// evaluate such operands, because their length is constant; go/ssa would.
func unread(file *ast.File, info *types.Info) {
	for n := range ast.Preorder(file) {
		loop, ok := n.(*ast.RangeStmt)
		if !ok || loop.Value != nil || info.Types[loop.X].Value != nil {
			continue
		}
		t := info.Types[loop.X].Type
		if t == nil {
			continue
		}
		pointer, ok := t.Underlying().(*types.Pointer)
		if !ok {
			pointer = types.NewPointer(t)
		}
		if _, ok := pointer.Elem().Underlying().(*types.Array); !ok || hasCall(loop.X, info) {
			continue
		}
		id := &ast.Ident{NamePos: loop.X.Pos(), Name: "nil"}
		info.Uses[id], info.Types[id] = types.Universe.Lookup("nil"), types.TypeAndValue{Type: pointer}
		loop.X = id
	}
}

// hasCall reports whether an expression calls a function or receives from a channel, so that Go always evaluates
// it.
func hasCall(x ast.Expr, info *types.Info) (found bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = found || !info.Types[n.Fun].IsType() && info.Types[n].Value == nil
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}
