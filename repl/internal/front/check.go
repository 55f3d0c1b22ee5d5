package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

func newInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
	}
}

// checked is the outcome of type-checking a file.
type checked struct {
	scope *types.Scope // of the package
	info  *types.Info
	errs  []types.Error
}

// check type-checks a file of package main in which the session's objects are declared. Errors that a notebook does
// not share with a compiler (unused variables and imports) are left out.
func (s *Session) check(file *ast.File) checked {
	out := checked{scope: types.NewScope(types.Universe, token.NoPos, token.NoPos, ""), info: newInfo()}
	own := declaredIn(file)
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !own[id.Name] {
			s.insert(out.scope, id.Name)
		}
		return true
	})
	conf := types.Config{
		Importer: s.importer, GoVersion: "go1.26",
		Error: func(err error) {
			if e, ok := err.(types.Error); ok && !harmless(e) {
				out.errs = append(out.errs, e)
			}
		},
	}
	setScope(s.pkg, out.scope)
	// The errors are collected above; the one returned here is only the first of them.
	_ = types.NewChecker(&conf, s.fset, s.pkg, out.info).Files([]*ast.File{file})
	return out
}

// setScope gives a package another scope. All cells are of one package, because go/types lets only one and the same
// package use unexported fields; but what they declare is checked in a scope of its own each time, so that a cell that
// fails leaves nothing behind. go/types has no door for that: hence the field.
func setScope(pkg *types.Package, scope *types.Scope) {
	field := reflect.ValueOf(pkg).Elem().FieldByName("scope")
	*(**types.Scope)(field.Addr().UnsafePointer()) = scope
}

func harmless(e types.Error) bool {
	return e.Soft && (strings.Contains(e.Msg, "declared and not used") || strings.Contains(e.Msg, "imported and not used") || strings.Contains(e.Msg, "imported as"))
}

// insert declares a name of the session or the host in a package scope.
func (s *Session) insert(scope *types.Scope, name string) {
	if obj := s.declared[name]; obj != nil {
		scope.Insert(obj)
	} else if nat := s.natives[name]; nat != nil {
		scope.Insert(nat.obj)
	}
}

// declaredIn are the package-level names that a file declares itself.
func declaredIn(file *ast.File) map[string]bool {
	out := map[string]bool{}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				out[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					out[spec.Name.Name] = true
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						out[id.Name] = true
					}
				}
			}
		}
	}
	return out
}

// importDecls are the import declarations for the packages of a file, in order of name.
func importDecls(packages map[string]string, dots []string) (decls []ast.Decl, specs []*ast.ImportSpec) {
	names := make([]string, 0, len(packages))
	for name := range packages {
		names = append(names, name)
	}
	slices.Sort(names)
	add := func(name, path string) {
		spec := &ast.ImportSpec{Name: ast.NewIdent(name), Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(path)}}
		specs = append(specs, spec)
		decls = append(decls, &ast.GenDecl{Tok: token.IMPORT, Specs: []ast.Spec{spec}})
	}
	for _, name := range names {
		add(name, packages[name])
	}
	for _, path := range dots {
		add(".", path)
	}
	return decls, specs
}
