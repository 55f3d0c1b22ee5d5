package yaegi

import (
	"go/ast"
	"go/types"

	"github.com/gorlm/rlm/repl/internal/engine"
)

// late refuses a method for a type of an earlier cell: values of it that interfaces hold would not get it.
func late(u *engine.Unit) error {
	own := map[types.Object]bool{}
	for _, obj := range u.Info.Defs {
		own[obj] = true
	}
	for _, d := range u.File.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil {
			continue
		}
		if t, ok := receiver(u, f); ok && !own[t.Obj()] {
			return &engine.Refused{
				Pos: f.Pos(), Construct: "a method for the type " + t.Obj().Name() + " of an earlier cell",
				Why: "values of it that interfaces hold would not get it", Instead: "declare the type again with all its methods",
			}
		}
	}
	return nil
}

// receiver is the type that a method is declared for.
func receiver(u *engine.Unit, f *ast.FuncDecl) (*types.Named, bool) {
	fn, ok := u.Info.Defs[f.Name].(*types.Func)
	if !ok {
		return nil, false
	}
	t := fn.Signature().Recv().Type()
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return n, ok
}
