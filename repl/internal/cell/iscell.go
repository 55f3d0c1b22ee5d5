package cell

import (
	"go/ast"
	"go/token"
)

// IsCell decides whether an untagged block is run: it must parse as Go and contain a call, an assignment, a
// declaration or an import. A number, a name or a list of words also parses, but is prose. The host has already
// dropped blocks whose tokens show that they are not Go (internal/reply). A model's text is parsed only here, in
// the worker.
func IsCell(source string) bool {
	c, errs := Parse(token.NewFileSet(), 1, source)
	if errs != nil {
		return false
	}
	if len(c.Imports) > 0 || len(c.File.Decls) > 0 {
		return true
	}
	found := false
	ast.Inspect(c.Body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.CallExpr, *ast.AssignStmt, *ast.DeclStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.RangeStmt:
			found = true
		}
		return !found
	})
	return found
}
