package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/gorlm/rlm/repl/internal/stdlib"
)

// changes refuses statements and expressions that change a package's variable or could do so: assignments to it or
// to anything reached through it, and taking the address of either. Values read from it are copies that belong to
// the session (see package symbols).
func (g *gate) changes(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		g.assigned(n.Lhs...)
	case *ast.IncDecStmt:
		g.assigned(n.X)
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			g.assigned(n.Key, n.Value)
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			g.place(n.X)
		}
	case *ast.CallExpr:
		if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && len(n.Args) > 0 {
			b, ok := g.info.Uses[id].(*types.Builtin)
			if ok && slices.Contains([]string{"delete", "clear", "copy"}, b.Name()) {
				g.place(n.Args[0])
			}
		}
	case *ast.SelectorExpr:
		if sel := g.info.Selections[n]; sel != nil && sel.Kind() == types.MethodVal && takesAddress(sel) {
			g.place(n.X)
		}
	}
	return true
}

// takesAddress reports whether a method call implicitly takes the address of its receiver.
func takesAddress(sel *types.Selection) bool {
	isPointer := func(t types.Type) bool { _, ok := t.Underlying().(*types.Pointer); return ok }
	recv := sel.Obj().(*types.Func).Signature().Recv()
	return recv != nil && isPointer(recv.Type()) && !isPointer(sel.Recv())
}

func (g *gate) assigned(places ...ast.Expr) {
	for _, e := range places {
		if e == nil {
			continue
		}
		g.place(e)
		if _, plain := ast.Unparen(e).(*ast.Ident); !plain && g.s.isLocation(g.info.TypeOf(e)) {
			g.refuse(e.Pos(), "cells cannot change a time.Location")
		}
	}
}

// place refuses an operand that is a package's variable or a part of one.
func (g *gate) place(e ast.Expr) {
	if v := g.root(e); v != nil {
		g.refuse(e.Pos(), "cells cannot change "+v.Pkg().Name()+"."+v.Name())
	}
}

// root returns the package's variable that an expression begins with; nil if it begins with anything else, or with
// a variable of which each session has a copy.
func (g *gate) root(e ast.Expr) *types.Var {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			if v, ok := g.info.Uses[x.Sel].(*types.Var); ok && !v.IsField() {
				if path := v.Pkg().Path(); stdlib.Allowed(path) && !slices.Contains(stdlib.Fakes, path) {
					return v
				}
				return nil
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.TypeAssertExpr:
			e = x.X
		case *ast.CallExpr: // a conversion denotes the same variable
			if tv, ok := g.info.Types[x.Fun]; !ok || !tv.IsType() || len(x.Args) != 1 {
				return nil
			}
			e = x.Args[0]
		default:
			return nil
		}
	}
}

// isLocation reports whether values of a type are time zones. time.UTC and time.Local are compared by address, so
// sessions cannot have copies of them, and through a pointer to one a cell could overwrite it.
func (s *Session) isLocation(t types.Type) bool {
	if t == nil {
		return false
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok || st.NumFields() == 0 || st.Field(0).Pkg() == nil || st.Field(0).Pkg().Path() != "time" {
		return false
	}
	pkg, err := s.importer.Import("time")
	return err == nil && types.Identical(st, pkg.Scope().Lookup("Location").Type().Underlying())
}
