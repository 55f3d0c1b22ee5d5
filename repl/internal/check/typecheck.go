package check

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

// typedFile is the outcome of type-checking a file.
type typedFile struct {
	file    *ast.File
	objects map[string]types.Object // what the file declares at package level
	info    *types.Info
	errs    []types.Error
}

// declares reports whether an object is one that the checked file declares at package level.
func (f typedFile) declares(obj types.Object) bool { return obj != nil && f.objects[obj.Name()] == obj }

// innermost is the scope at a position of the checked file.
func (f typedFile) innermost(pos token.Pos) *types.Scope {
	if scope := f.info.Scopes[f.file]; scope != nil {
		return scope.Innermost(pos)
	}
	return nil
}

// check type-checks a file of package main in which the session's objects are declared. cell.Errors that a notebook does
// not share with a compiler (unused variables and imports) are left out.
func (s *Session) check(file *ast.File) typedFile {
	out := typedFile{file: file, objects: map[string]types.Object{}, info: newInfo()}
	setScope(s.pkg.Scope(), map[string]types.Object{})
	defer setScope(s.pkg.Scope(), s.objects)
	own := topLevelNames(file)
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !own[id.Name] {
			s.insert(s.pkg.Scope(), id.Name)
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
	// The errors are collected above; the one returned here is only the first of them.
	_ = types.NewChecker(&conf, s.fset, s.pkg, out.info).Files([]*ast.File{file})
	for name := range own {
		if obj := s.pkg.Scope().Lookup(name); obj != nil {
			out.objects[name] = obj
		}
	}
	return out
}

// setScope makes a scope hold other objects. All cells are of one package with one scope, because go/types lets only one
// and the same package use unexported fields, and walks from objects up to the package's scope; but what is checked is checked
// among the names it mentions, so that a cell that fails leaves nothing behind, and a long session is no slower than a
// new one. go/types has no door for that: hence the fields.
func setScope(scope *types.Scope, objects map[string]types.Object) {
	fields := reflect.ValueOf(scope).Elem()
	*(*map[string]types.Object)(fields.FieldByName("elems").Addr().UnsafePointer()) = objects
	*(*[]*types.Scope)(fields.FieldByName("children").Addr().UnsafePointer()) = nil
}

func harmless(e types.Error) bool {
	return e.Soft && (strings.Contains(e.Msg, "declared and not used") || strings.Contains(e.Msg, "imported and not used") || strings.Contains(e.Msg, "imported as"))
}

// insert declares a name of the session or the host in a package scope.
func (s *Session) insert(scope *types.Scope, name string) {
	if obj := s.objects[name]; obj != nil {
		scope.Insert(obj)
	} else if nat := s.hostObjects[name]; nat != nil {
		scope.Insert(nat.obj)
	}
}

// topLevelNames are the package-level names that a file declares itself.
func topLevelNames(file *ast.File) map[string]bool {
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
