package exact

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"github.com/gorlm/rlm/repl/internal/engine"
)

// declarations contains objects of earlier units that go/ssa needs to be declared, though without their source.
type declarations struct {
	info  *types.Info
	known map[types.Object]bool
	decls []ast.Decl
	// generics contains functions that are declared with their source, so that they can be instantiated.
	generics map[types.Object]*generic
}

// generic is a generic function or method of an earlier unit.
type generic struct {
	decl *ast.FuncDecl
	info *types.Info
}

func isGeneric(f *types.Func) bool {
	return f.Signature().TypeParams().Len() > 0 || f.Signature().RecvTypeParams().Len() > 0
}

func (d *declarations) file() *ast.File {
	f := &ast.File{Name: ast.NewIdent("main"), Decls: d.decls}
	if d.info.FileVersions == nil {
		d.info.FileVersions = map[*ast.File]string{}
	}
	d.info.FileVersions[f] = "go1.26"
	return f
}

// add declares a package-level function, method or variable, unless that was done before.
func (d *declarations) add(obj types.Object) {
	if f, ok := obj.(*types.Func); ok {
		obj = f.Origin()
	}
	if d.known[obj] {
		return
	}
	id := &ast.Ident{Name: obj.Name()}
	switch obj := obj.(type) {
	case *types.Func:
		if recv := obj.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
			return
		}
		if g := d.generics[obj]; g != nil {
			d.known[obj] = true
			d.bring(g)
			return
		}
		d.decls = append(d.decls, &ast.FuncDecl{Name: id, Type: &ast.FuncType{Params: &ast.FieldList{}}})
	case *types.Var:
		if obj.IsField() || obj.Parent() != nil && obj.Parent().Parent() != types.Universe {
			return
		}
		d.decls = append(d.decls,
			&ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{id}}}})
	default:
		return
	}
	if d.known == nil {
		d.known = map[types.Object]bool{}
	}
	d.known[obj] = true
	d.info.Defs[id] = obj
}

// bring declares a generic function with its source, and everything that the source mentions.
func (d *declarations) bring(g *generic) {
	d.decls = append(d.decls, g.decl)
	ast.Inspect(g.decl, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			if tv, ok := g.info.Types[e]; ok {
				d.info.Types[e] = tv
			}
		}
		if obj := g.info.Implicits[n]; obj != nil {
			d.info.Implicits[n] = obj
		}
		if s := g.info.Scopes[n]; s != nil {
			d.info.Scopes[n] = s
		}
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if s := g.info.Selections[n]; s != nil {
				d.info.Selections[n] = s
			}
		case *ast.Ident:
			if obj, ok := g.info.Defs[n]; ok {
				d.info.Defs[n] = obj
			}
			if inst, ok := g.info.Instances[n]; ok {
				d.info.Instances[n] = inst
			}
			if obj := g.info.Uses[n]; obj != nil {
				d.info.Uses[n] = obj
				if ofSession(obj) {
					d.add(obj)
				}
			}
		}
		return true
	})
}

// ofSession reports whether an object is a package-level declaration of cells, or a method.
func ofSession(obj types.Object) bool {
	if v, ok := obj.(*types.Var); ok && v.Parent() == nil {
		return false
	}
	return obj.Pkg() != nil && obj.Pkg().Path() == "main"
}

// earlier returns the declarations of earlier units that a unit mentions, as a file in which only generic functions
// have bodies.
func (e *Engine) earlier(u *engine.Unit, info *types.Info) *ast.File {
	d := &declarations{info: info, known: map[types.Object]bool{}, generics: e.generics}
	for _, obj := range info.Defs {
		if obj != nil {
			d.known[obj] = true
		}
	}
	for _, obj := range slices.Collect(maps.Values(info.Uses)) {
		if ofSession(obj) {
			d.add(obj)
		}
	}
	e.declare(u.File)
	for name := range e.declared { // their methods may be called through interfaces and promotion
		if t, ok := u.Pkg.Scope().Lookup(name).(*types.TypeName); ok && t.Pkg() == u.Pkg {
			if named, ok := t.Type().(*types.Named); ok {
				for m := range named.Methods() {
					d.add(m)
				}
			}
		}
	}
	return d.file()
}
