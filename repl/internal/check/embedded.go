package check

import (
	"go/ast"
	"go/types"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// embeddedNames renames the uses of embedded fields whose types have another name in hoisted files: x.base becomes
// x.baseʹ2 if the struct embeds the second type called base. It reports whether it changed anything.
func embeddedNames(c *cell.Cell, info *types.Info) bool {
	changed := false
	visit := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if info.Uses[n.Sel] == nil {
				if t := info.TypeOf(n.X); t != nil {
					changed = follow(t, n.Sel, 0) || changed
				}
			}
		case *ast.CompositeLit:
			t := info.TypeOf(n)
			if t == nil {
				break
			}
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					if id, ok := kv.Key.(*ast.Ident); ok && info.Uses[id] == nil {
						changed = follow(t, id, 0) || changed
					}
				}
			}
		}
		return true
	}
	for _, d := range c.File.Decls {
		ast.Inspect(d, visit)
	}
	ast.Inspect(c.Body, visit)
	return changed
}

// follow renames an identifier that names an embedded field of t.
func follow(t types.Type, id *ast.Ident, depth int) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok || depth > 8 {
		return false
	}
	for f := range s.Fields() {
		if f.Embedded() && f.Name() != id.Name && cell.Display(f.Name()) == id.Name {
			id.Name = f.Name()
			return true
		}
	}
	for f := range s.Fields() {
		if f.Embedded() && follow(f.Type(), id, depth+1) {
			return true
		}
	}
	return false
}
