package cell

import (
	"go/ast"
	"go/token"
)

// InDeclaration reports whether an identifier is part of a declaration rather than of the cell's statements.
func (c *Cell) InDeclaration(id *ast.Ident) bool {
	return id.Pos() < c.Body.Pos() || id.Pos() > c.Body.End()
}

// Inspect visits the declarations and then the statements, as ast.Inspect does.
func (c *Cell) Inspect(visit func(ast.Node) bool) {
	for _, d := range c.File.Decls {
		ast.Inspect(d, visit)
	}
	ast.Inspect(c.Body, visit)
}

// TopLevelVars returns the names that statements of the cell declare at its top level.
func (c *Cell) TopLevelVars() map[string]bool {
	out := map[string]bool{}
	for _, stmt := range c.Body.List {
		for _, id := range DeclaredBy(stmt) {
			out[id.Name] = true
		}
	}
	delete(out, "_")
	return out
}

// DeclaredBy returns the variables on the left of := or after var, including those that := only assigns to.
func DeclaredBy(stmt ast.Stmt) []*ast.Ident {
	var out []*ast.Ident
	switch stmt := Unlabel(stmt).(type) {
	case *ast.AssignStmt:
		if stmt.Tok == token.DEFINE {
			for _, l := range stmt.Lhs {
				if id, ok := l.(*ast.Ident); ok {
					out = append(out, id)
				}
			}
		}
	case *ast.DeclStmt:
		if g, ok := stmt.Decl.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, spec := range g.Specs {
				out = append(out, spec.(*ast.ValueSpec).Names...)
			}
		}
	}
	return out
}

// assignAgain turns top-level definitions that declare nothing new, such as x := 2 after x := 1, into assignments.
// In two cells they would be valid, so they are also valid in one.
func (c *Cell) assignAgain() {
	declared := map[string]bool{"_": true}
	for _, stmt := range c.Body.List {
		stmt := Unlabel(stmt)
		fresh := false
		for _, id := range DeclaredBy(stmt) {
			fresh = fresh || !declared[id.Name]
			declared[id.Name] = true
		}
		as, ok := stmt.(*ast.AssignStmt)
		if ok && as.Tok == token.DEFINE && !fresh && len(DeclaredBy(stmt)) == len(as.Lhs) {
			as.Tok = token.ASSIGN
		}
	}
}

// Unlabel returns a statement without its labels.
func Unlabel(stmt ast.Stmt) ast.Stmt {
	for {
		labeled, ok := stmt.(*ast.LabeledStmt)
		if !ok {
			return stmt
		}
		stmt = labeled.Stmt
	}
}

// ErrorAt returns an error at a position of the cell.
func (c *Cell) ErrorAt(pos token.Pos, message, hint string) *Error {
	line, column := inCell(c.Source, c.fset.Position(pos))
	return &Error{Line: line, Column: column, Message: message, Hint: hint}
}
