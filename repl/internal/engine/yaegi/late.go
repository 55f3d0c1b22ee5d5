package yaegi

import (
	"go/ast"
	"go/types"

	"github.com/gorlm/rlm/repl/internal/engine"
)

// late refuses a method for a type of an earlier cell where an interface may hold values of the type by now: they would not get it.
// It is asked when types have got methods.
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
		t, ok := receiver(u, f)
		if !ok || own[t.Obj()] {
			continue
		}
		for _, name := range u.Pkg.Scope().Names() {
			v, ok := u.Pkg.Scope().Lookup(name).(*types.Var)
			if ok && !own[v] && !ofHost(u, v) && mayHold(v.Type(), u.Pkg.Scope(), map[types.Type]bool{}) {
				return &engine.Refused{
					Pos: f.Pos(), Construct: "a method for the type " + t.Obj().Name() + " of an earlier cell",
					Why: "values of it that interfaces hold would not get it", Instead: "declare the type again with all its methods",
				}
			}
		}
	}
	return nil
}

// ofHost reports whether a variable is one that the host's own source declares.
func ofHost(u *engine.Unit, v *types.Var) bool {
	return u.Fset.Position(v.Pos()).Filename == "cell 0"
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

// mayHold reports whether a value of a type may lead to an interface with a value of a type that cells declare. What closures have
// captured is not known.
func mayHold(t types.Type, scope *types.Scope, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return implemented(u, scope)
	case *types.Map:
		return mayHold(u.Key(), scope, seen) || mayHold(u.Elem(), scope, seen)
	case interface{ Elem() types.Type }:
		return mayHold(u.Elem(), scope, seen)
	case *types.Struct:
		for f := range u.Fields() {
			if mayHold(f.Type(), scope, seen) {
				return true
			}
		}
	}
	return false
}

// implemented reports whether a type of cells implements an interface.
func implemented(i *types.Interface, scope *types.Scope) bool {
	for _, name := range scope.Names() {
		if obj, ok := scope.Lookup(name).(*types.TypeName); ok && !types.IsInterface(obj.Type()) {
			if types.Implements(obj.Type(), i) || types.Implements(types.NewPointer(obj.Type()), i) {
				return true
			}
		}
	}
	return false
}
