package check

import (
	"go/ast"
	"slices"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// isSignal reports whether a name means a completion signal, whether a function of the host or of its prelude.
func (s *Session) isSignal(name string) bool {
	if host := s.hostObjects[name]; host != nil && host.signal {
		return true
	}
	return s.visible[name] != nil && s.visible[name] == s.prelude[name] && slices.Contains(s.signals, name)
}

// endings adds a panic after every completion signal that ends a block of a function with results. FINAL never
// returns, but without the panic the compiler would miss a return statement.
func (s *Session) endings(c *cell.Cell) {
	end := func(list []ast.Stmt) []ast.Stmt {
		if len(list) == 0 {
			return list
		}
		es, ok := list[len(list)-1].(*ast.ExprStmt)
		if !ok {
			return list
		}
		call, ok := es.X.(*ast.CallExpr)
		if !ok {
			return list
		}
		id, ok := call.Fun.(*ast.Ident)
		if !ok || !c.Unresolved[id] || !s.isSignal(id.Name) {
			return list
		}
		never := &ast.CallExpr{
			Fun: &ast.Ident{NamePos: es.End(), Name: "panic"}, Lparen: es.End(),
			Args: []ast.Expr{&ast.Ident{NamePos: es.End(), Name: "nil"}}, Rparen: es.End(),
		}
		return append(list, &ast.ExprStmt{X: never})
	}
	inner := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			n.List = end(n.List)
		case *ast.CaseClause:
			n.Body = end(n.Body)
		case *ast.CommClause:
			n.Body = end(n.Body)
		}
		return true
	}
	outer := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Type.Results != nil && n.Body != nil {
				ast.Inspect(n.Body, inner)
				return false
			}
		case *ast.FuncLit:
			if n.Type.Results != nil {
				ast.Inspect(n.Body, inner)
				return false
			}
		}
		return true
	}
	for _, d := range c.File.Decls {
		ast.Inspect(d, outer)
	}
	ast.Inspect(c.Body, outer)
}
