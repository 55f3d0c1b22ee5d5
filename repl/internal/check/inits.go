package check

import (
	"go/ast"
	"slices"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// initCalls returns the calls of the cell's init functions, in order.
func (h *hoister) initCalls() []ast.Stmt {
	h.w.pos = h.c.Body.Lbrace
	var out []ast.Stmt
	for _, name := range h.inits {
		out = append(out, h.call(name))
	}
	return out
}

// firstAfterInits returns the index of the first statement that runs after the init functions. These run as early
// as they would in a package, but not before the variables are set that they mention, directly or in functions that
// they call.
func (h *hoister) firstAfterInits() int {
	mentioned := h.mentionedByInits()
	first := 0
	for i, stmt := range h.c.Body.List {
		if slices.ContainsFunc(cell.DeclaredBy(stmt), func(id *ast.Ident) bool { return mentioned[id.Name] }) {
			first = i + 1
		}
	}
	return first
}

// mentionedByInits returns the names that init functions mention, directly or in functions and methods of the cell
// that they mention.
func (h *hoister) mentionedByInits() map[string]bool {
	bodies := map[string][]*ast.BlockStmt{}
	for _, d := range h.c.File.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil {
			bodies[fd.Name.Name] = append(bodies[fd.Name.Name], fd.Body)
		}
	}
	out := map[string]bool{}
	var mention func(name string)
	mention = func(name string) {
		if out[name] {
			return
		}
		out[name] = true
		for _, body := range bodies[name] {
			ast.Inspect(body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					mention(id.Name)
				}
				return true
			})
		}
	}
	for _, name := range h.inits {
		mention(name)
	}
	return out
}
