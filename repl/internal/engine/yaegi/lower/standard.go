package lower

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
)

// The generic functions of the standard library have no run-time value that an interpreter could call. So they are
// lowered from source, as functions of cells are. The files are those of the Go release, except that compiled
// helpers sort slices and compare pointers.
//
//go:embed std
var standardFiles embed.FS

// declarations contains replacements of the packages that the embedded sources import.
var declarations = map[string]string{
	"iter":      "package iter\ntype Seq[V any] func(yield func(V) bool)\ntype Seq2[K, V any] func(yield func(K, V) bool)\n",
	"math/bits": "package bits\nfunc Mul(x, y uint) (hi, lo uint)\nfunc Len(x uint) int\n",
}

// hasSource contains the packages whose generic functions can be lowered.
var hasSource = map[string]bool{"slices": true, "maps": true, "cmp": true}

// isStandardGeneric reports whether a function of the standard library is lowered from source.
func (f *fn) isStandardGeneric(o *types.Func) bool {
	if o.Pkg() == nil || !hasSource[o.Pkg().Path()] || o.Signature().Recv() != nil {
		return false
	}
	if funcHooks[o.FullName()] != "" {
		return false
	}
	f.loadStandard(o.Pkg().Path(), o.Pos())
	return true
}

// loadStandard type-checks the source of a package, once per session.
func (s *Session) loadStandard(path string, pos token.Pos) {
	if s.standard[path] != nil {
		return
	}
	s.standard[path] = &source{}
	if _, err := s.check(path, standardImporter{s, map[string]*types.Package{}}); err != nil {
		refuse(pos, "package "+path, fmt.Sprintf("its source does not check: %v", err), "write the loop by hand")
	}
}

type standardImporter struct {
	s    *Session
	seen map[string]*types.Package
}

func (im standardImporter) Import(path string) (*types.Package, error) {
	if p, ok := im.seen[path]; ok {
		return p, nil
	}
	p, err := im.s.check(path, im)
	im.seen[path] = p
	return p, err
}

func (s *Session) check(path string, im types.Importer) (*types.Package, error) {
	text, fset := declarations[path], token.NewFileSet()
	if data, err := standardFiles.ReadFile("std/" + path + ".go.txt"); err == nil {
		text = string(data)
	}
	file, err := parser.ParseFile(fset, path+".go", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses:      map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Instances: map[*ast.Ident]types.Instance{},
	}
	conf := types.Config{Importer: im}
	pkg, err := conf.Check(path, fset, []*ast.File{file}, info)
	if err != nil {
		return nil, err
	}
	for _, d := range file.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv == nil && s.standard[path+"."+fd.Name.Name] == nil {
			s.standard[path+"."+fd.Name.Name] = &source{decl: fd, info: info, std: true}
		}
	}
	return pkg, nil
}
