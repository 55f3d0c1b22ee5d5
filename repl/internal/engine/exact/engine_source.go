package exact

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gorlm/rlm/repl/internal/stdlib"
)

//go:generate sh -c "cd std && go run ./gen"

//go:embed std/*.txt
var stdSources embed.FS

// sourceFiles lists the packages whose generic functions cells get as source, with the names of their files. A
// compiled program contains no instances of these functions that cells could call.
var sourceFiles = map[string]string{
	"cmp": "cmp", "maps": "maps", "slices": "slices", "errors": "errors", "iter": "iter", "sync": "sync",
	"math/rand/v2": "rand",
}

// sources contains the functions that have been built from source, by path and name.
type sources struct {
	files    map[string]*ast.File
	funcs    map[string]*types.Func
	imported map[string]*types.Package
	importer *stdlib.Importer
}

func newSources() *sources {
	return &sources{
		files: map[string]*ast.File{}, funcs: map[string]*types.Func{},
		imported: map[string]*types.Package{},
	}
}

// isSource reports whether a package is in sourceFiles.
func (e *Engine) isSource(path string) bool { return sourceFiles[path] != "" }

// Import returns a package that a source file imports. It prefers a package that the front end has loaded, so that
// types are identical.
func (s *sources) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := s.imported[path]; p != nil {
		return p, nil
	}
	if s.importer == nil {
		im, err := stdlib.NewImporter()
		if err != nil {
			return nil, err
		}
		s.importer = im
	}
	p, err := s.importer.Import(path)
	if err == nil {
		s.imported[path] = p
	}
	return p, err
}

// have records the packages that the front end has loaded.
func (s *sources) have(list []*types.Package) {
	for _, p := range list {
		if s.imported[p.Path()] == nil && p.Complete() { // others lack objects that nothing mentions
			s.imported[p.Path()] = p
			s.have(p.Imports())
		}
	}
}

// sourceOf returns the function built from source that implements a generic function of a standard package; nil for
// others.
func (e *Engine) sourceOf(f *types.Func) *types.Func {
	path := f.Pkg().Path()
	if sourceFiles[path] == "" || f.Signature().Recv() != nil || f.Signature().TypeParams().Len() == 0 {
		return nil
	}
	if from := e.sources.funcs[path+"."+f.Name()]; from != nil {
		return from
	}
	e.take(f.Pkg(), f.Name())
	return e.sources.funcs[path+"."+f.Name()]
}

// take checks and builds a function of a source package, with its dependencies, as a separate package.
func (e *Engine) take(of *types.Package, name string) {
	file := e.sourceFile(of.Path())
	only := &ast.File{
		Name: file.Name, Package: file.Package, FileStart: file.FileStart, FileEnd: file.FileEnd,
		Imports: file.Imports,
	}
	only.Decls = needed(file, name)
	pkg := types.NewPackage(of.Path(), of.Name())
	info := newInfo()
	conf := types.Config{Importer: e.sources, GoVersion: "go1.26", Error: func(err error) {
		if te, ok := err.(types.Error); ok && !te.Soft {
			panic(fmt.Errorf("the source of %s: %w", of.Path(), err))
		}
	}}
	// The only errors are about imports that the excerpt does not use.
	_ = types.NewChecker(&conf, e.fset, pkg, info).Files([]*ast.File{only})
	for _, obj := range info.Uses {
		if p := obj.Pkg(); p != nil && p != pkg {
			if _, ok := obj.(*types.TypeName); !ok {
				e.known(p)
			}
		}
	}
	for id, obj := range info.Uses {
		if f, ok := obj.(*types.Func); ok && f.Pkg() != nil && f.Pkg() != pkg {
			if from := e.sourceOf(f); from != nil {
				info.Uses[id] = from
			}
		}
	}
	e.made[pkg] = true
	built := e.prog.CreatePackage(pkg, []*ast.File{only}, info, false)
	built.Build()
	for _, m := range built.Members {
		if fn, ok := m.(*ssa.Function); ok && fn.Object() != nil {
			key := of.Path() + "." + fn.Name()
			if e.sources.funcs[key] == nil {
				e.sources.funcs[key] = fn.Object().(*types.Func)
			}
		}
	}
}

func (e *Engine) sourceFile(path string) *ast.File {
	if f := e.sources.files[path]; f != nil {
		return f
	}
	name := "std/" + sourceFiles[path] + ".go.txt"
	text, err := stdSources.ReadFile(name)
	if err != nil {
		panic(fmt.Errorf("reading the source of %s: %w", path, err))
	}
	f, err := parser.ParseFile(e.fset, "/"+name, text, parser.SkipObjectResolution)
	if err != nil {
		panic(fmt.Errorf("reading the source of %s: %w", path, err))
	}
	e.sources.files[path] = f
	return f
}

// needed returns the imports of a file and the declarations that one of its functions needs.
func needed(file *ast.File, name string) []ast.Decl {
	by := map[string]ast.Decl{}
	var out []ast.Decl
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			by[d.Name.Name] = d
			if d.Recv != nil { // methods are added together with their types
				by["method "+d.Name.Name] = d
				delete(by, d.Name.Name)
			}
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				out = append(out, d)
				continue
			}
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					by[spec.Name.Name] = d
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						by[id.Name] = d
					}
				}
			}
		}
	}
	queue := []ast.Decl{by[name]}
	for key, d := range by {
		if len(key) > 7 && key[:7] == "method " {
			queue = append(queue, d)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		d := queue[0]
		if d == nil || slices.Contains(out, d) {
			continue
		}
		out = append(out, d)
		ast.Inspect(d, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				queue = append(queue, by[id.Name])
			}
			return true
		})
	}
	return out
}

func newInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses:      map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{}, Instances: map[*ast.Ident]types.Instance{},
		FileVersions: map[*ast.File]string{},
	}
}
