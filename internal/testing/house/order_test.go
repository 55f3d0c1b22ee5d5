package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRunnerReadsFromTopToBottom counts how the files of runner use each other: each call of a function or method,
// and each use of a type, that another file declares is an arrow from file to declaration. A receiver is not an
// arrow: it only places a method. Arrows point down in the order of files that doc.go states.
func TestRunnerReadsFromTopToBottom(t *testing.T) {
	dir := filepath.Join(root(t), "runner")
	order := statedOrder(t, dir)
	all, against := arrows(t, dir, order)
	t.Logf("%d arrows between the files of runner, %d of them against the order of doc.go", all, len(against))
	for _, a := range against {
		t.Log(a)
	}
	require.Less(t, len(against), 20, "write what is used below what uses it, or change the order in doc.go")
}

// statedOrder returns the files that doc.go names, in its order. It must name every file.
func statedOrder(t *testing.T, dir string) []string {
	text, err := os.ReadFile(filepath.Join(dir, "doc.go"))
	require.NoError(t, err)
	order := regexp.MustCompile(`\b\w+\.go\b`).FindAllString(string(text), -1)
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, f := range files {
		name := filepath.Base(f)
		if name != "doc.go" && !strings.HasSuffix(name, "_test.go") {
			require.Contains(t, order, name, "doc.go does not say where this file stands")
		}
	}
	return order
}

// arrows counts the uses between the files of a package and lists those against the order.
func arrows(t *testing.T, dir string, order []string) (all int, against []string) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range order {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, 0)
		require.NoError(t, err)
		files = append(files, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	cfg := types.Config{Importer: importer.ForCompiler(fset, "gc", exports(t, dir))}
	pkg, err := cfg.Check("runner", fset, files, info)
	require.NoError(t, err)
	receivers := map[*ast.Ident]bool{}
	for _, f := range files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				ast.Inspect(fn.Recv, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						receivers[id] = true
					}
					return true
				})
			}
		}
	}
	seen := map[string]bool{}
	for id, obj := range info.Uses {
		if receivers[id] || obj.Pkg() != pkg {
			continue
		}
		switch obj := obj.(type) {
		case *types.Func:
		case *types.TypeName:
			if obj.Parent() != pkg.Scope() {
				continue
			}
		default:
			continue
		}
		from, to := filepath.Base(fset.Position(id.Pos()).Filename), filepath.Base(fset.Position(obj.Pos()).Filename)
		arrow := fmt.Sprintf("%s → %s: %s", from, to, obj.Name())
		if from == to || seen[arrow] {
			continue
		}
		seen[arrow] = true
		all++
		if slices.Index(order, to) < slices.Index(order, from) {
			against = append(against, arrow)
		}
	}
	slices.Sort(against)
	return all, against
}

// exports finds the compiled packages that a folder's package imports.
func exports(t *testing.T, dir string) importer.Lookup {
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", ".")
	cmd.Dir = dir
	out, err := cmd.Output()
	require.NoError(t, err)
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return func(path string) (io.ReadCloser, error) {
		text, err := os.ReadFile(files[path])
		return io.NopCloser(bytes.NewReader(text)), err
	}
}
