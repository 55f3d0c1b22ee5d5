package random

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/gorlm/rlm/repl/internal/stdlib"
)

var importer = sync.OnceValues(stdlib.NewImporter)

var qualified = regexp.MustCompile(`\b([a-z][a-z0-9]*)\.[A-Z]`)

// imports returns the imports of the packages that a text mentions.
func imports(body string) string {
	var paths []string
	for _, m := range qualified.FindAllStringSubmatch(body, -1) {
		if p, ok := stdlib.ByName(m[1]); ok && !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	var b strings.Builder
	for _, p := range paths {
		fmt.Fprintf(&b, "import %q\n", p)
	}
	return b.String()
}

// wrong type-checks the program as the compiler would. It returns the indexes of the steps with errors; -1 stands
// for an error in the declarations.
func (p Program) wrong() (bad []int, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", p.Source(), parser.SkipObjectResolution)
	if err != nil {
		return []int{-1}, fmt.Errorf("seed %d: the generator writes no Go: %w", p.Seed, err)
	}
	im, err := importer()
	if err != nil {
		return []int{-1}, err
	}
	conf := types.Config{Importer: im, Error: func(err error) {
		te, ok := err.(types.Error)
		if !ok {
			return
		}
		bad = append(bad, p.stepAt(file, te.Pos))
		if watch != nil {
			watch(fset.Position(te.Pos).String()+": "+te.Msg, p)
		}
	}}
	_, _ = conf.Check("main", fset, []*ast.File{file}, nil)
	return bad, nil
}

// watch, if set, receives discarded programs and their errors, for tests.
var watch func(string, Program)

func (p Program) stepAt(file *ast.File, pos token.Pos) int {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || pos < f.Pos() || pos > f.End() {
			continue
		}
		for i, s := range p.Steps {
			if strings.HasPrefix(s, "func "+f.Name.Name+"(") {
				return i
			}
		}
	}
	return -1
}
