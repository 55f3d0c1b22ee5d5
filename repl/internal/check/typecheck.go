package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
)

func newInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits:  map[ast.Node]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
	}
}

// typedFile is the result of type-checking one or more files.
type typedFile struct {
	file    *ast.File // the first file
	pkg     *types.Package
	objects map[string]types.Object // the file's package-level declarations
	info    *types.Info
	errs    []types.Error
}

// declares reports whether the checked file declares an object at package level.
func (f typedFile) declares(obj types.Object) bool { return obj != nil && f.objects[obj.Name()] == obj }

// scopes yields the scopes around a position of the checked file, innermost first, except the package's scope.
func (f typedFile) scopes(pos token.Pos) iter.Seq[*types.Scope] {
	return func(yield func(*types.Scope) bool) {
		outer := f.info.Scopes[f.file]
		if outer == nil {
			return
		}
		for scope := outer.Innermost(pos); scope != nil && scope != f.pkg.Scope(); scope = scope.Parent() {
			if !yield(scope) {
				return
			}
		}
	}
}

// newPackage makes an empty package for cells. All such packages have the same path, because go/types identifies
// unexported names by it.
func newPackage() *types.Package { return types.NewPackage("main", "main") }

// scratch checks files in a separate package, together with the objects of the session that they mention. It does
// not change the session.
func (s *Session) scratch(files ...*ast.File) typedFile {
	pkg := newPackage()
	own := topLevelNames(files)
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && !own[id.Name] {
				if obj := s.object(id.Name); obj != nil {
					pkg.Scope().Insert(obj)
				}
			}
			return true
		})
	}
	out := s.check(pkg, files...)
	out.errs = slices.DeleteFunc(out.errs, foreignFields)
	return out
}

// object returns the object that a name of hoisted files denotes in the session or the host; nil if there is none.
func (s *Session) object(name string) types.Object {
	if obj := s.objects[name]; obj != nil {
		return obj
	}
	if host := s.hostObjects[name]; host != nil {
		return host.obj
	}
	if plain, sited := strings.CutSuffix(name, SiteSuffix); sited {
		if host := s.hostObjects[plain]; host != nil && host.sited != nil {
			return host.sited
		}
	}
	return nil
}

// check type-checks the files of a package. It leaves out errors that only a compiler reports (unused variables and
// imports), and adds what the gate refuses.
func (s *Session) check(pkg *types.Package, files ...*ast.File) typedFile {
	out := typedFile{file: files[0], pkg: pkg, objects: map[string]types.Object{}, info: newInfo()}
	conf := types.Config{
		Importer: s.importer, GoVersion: "go1.26",
		Error: func(err error) {
			if e, ok := err.(types.Error); ok && !unused(e) {
				out.errs = append(out.errs, e)
			}
		},
	}
	// The errors are collected in out.errs; the one returned here is only the first of them.
	_ = types.NewChecker(&conf, s.fset, pkg, out.info).Files(files)
	out.errs = append(out.errs, s.guard(files, out.info)...)
	for name := range topLevelNames(files) {
		if obj := pkg.Scope().Lookup(name); obj != nil {
			out.objects[name] = obj
		}
	}
	return out
}

// unused reports whether an error is about a variable or an import that is not used.
func unused(e types.Error) bool {
	return e.Soft && (strings.Contains(e.Msg, "declared and not used") ||
		strings.Contains(e.Msg, "imported and not used") || strings.Contains(e.Msg, "imported as"))
}

// foreignFields reports whether an error is that a literal T{1, 2} sets fields of another package. In a scratch
// package that is wrong for the session's own types; for other types, the check of the hoisted file reports it
// again.
func foreignFields(e types.Error) bool {
	return strings.HasPrefix(e.Msg, "implicit assignment to unexported field")
}

// topLevelNames returns the package-level names that files declare.
func topLevelNames(files []*ast.File) map[string]bool {
	out := map[string]bool{}
	for _, file := range files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					out[d.Name.Name] = true
				}
			case *ast.GenDecl:
				addNames(out, d)
			}
		}
	}
	return out
}

func addNames(to map[string]bool, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			to[spec.Name.Name] = true
		case *ast.ValueSpec:
			for _, id := range spec.Names {
				to[id.Name] = true
			}
		}
	}
}

// importDecls returns the import declarations for the packages of a file, sorted by name.
func importDecls(packages map[string]string) (decls []ast.Decl, specs []*ast.ImportSpec) {
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		spec := &ast.ImportSpec{
			Name: ast.NewIdent(name),
			Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(packages[name])},
		}
		specs = append(specs, spec)
		decls = append(decls, &ast.GenDecl{Tok: token.IMPORT, Specs: []ast.Spec{spec}})
	}
	return decls, specs
}
