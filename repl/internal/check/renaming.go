package check

import (
	"go/ast"
	"go/types"
)

// rename changes the identifiers of the cell's own top-level declarations to their names in the hoisted file. The
// first check shows what they refer to. But it checks the bodies of functions without the cell's variables, so an
// undeclared identifier there also means such a variable.
func (h *hoister) rename() {
	changed := false
	for from, to := range h.renamed {
		changed = changed || from != to
	}
	if !changed {
		return
	}
	h.each(h.renameNode)
	if len(h.fields) > 0 {
		h.each(h.renameField)
	}
}

func (h *hoister) each(visit func(ast.Node) bool) {
	for _, d := range h.c.File.Decls {
		ast.Inspect(d, visit)
	}
	ast.Inspect(h.c.Body, visit)
}

func (h *hoister) renameNode(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		ast.Inspect(n.X, h.renameNode)
		return false
	case *ast.CompositeLit:
		if n.Type != nil && !h.r.keyed(n.Type) {
			h.renameLiteral(n)
			return false
		}
	case *ast.Ident:
		if to, ok := h.renamed[n.Name]; ok && to != n.Name && h.means(n) {
			if v, ok := h.info.Defs[n].(*types.Var); ok && v.Embedded() {
				h.fields[n.Name] = to
			}
			n.Name = to
		}
	}
	return true
}

// renameLiteral renames identifiers in a literal, but not keys that may be field names.
func (h *hoister) renameLiteral(lit *ast.CompositeLit) {
	ast.Inspect(lit.Type, h.renameNode)
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			ast.Inspect(e, h.renameNode)
			continue
		}
		if id, ok := kv.Key.(*ast.Ident); !ok || h.info.Uses[id] != nil {
			ast.Inspect(kv.Key, h.renameNode)
		}
		ast.Inspect(kv.Value, h.renameNode)
	}
}

// means reports whether an identifier refers to the cell's own top-level declaration of its name.
func (h *hoister) means(id *ast.Ident) bool {
	obj := h.info.Uses[id]
	if obj == nil {
		obj = h.info.Defs[id]
	}
	switch obj := obj.(type) {
	case nil:
		return id.Obj == nil && h.c.InDeclaration(id)
	case *types.Label, *types.PkgName:
		return false
	case *types.Var:
		if obj.IsField() {
			return false
		}
		if obj.Parent() == h.info.Scopes[h.c.Entry.Type] {
			return true
		}
	case *types.Func:
		if obj.Signature().Recv() != nil {
			return false
		}
	}
	if h.first.declares(obj) {
		return true
	}
	// The parser did not resolve the identifier, or it is a key of a literal. Then the first check may have taken
	// it for a variable of an earlier cell.
	return (h.c.Unresolved[id] || id.Obj == nil && packageLevel(obj)) && h.r.hoisted[id.Name] && h.c.InDeclaration(id)
}

// renameField renames the use of an embedded field whose type is renamed.
func (h *hoister) renameField(n ast.Node) bool {
	if id, ok := n.(*ast.Ident); ok {
		if v, ok := h.info.Uses[id].(*types.Var); ok && v.IsField() && v.Embedded() {
			if to, ok := h.fields[id.Name]; ok {
				id.Name = to
			}
		}
	}
	return true
}
