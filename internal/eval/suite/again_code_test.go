package suite

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCodeAgain parses and runs the repositories of the items with Go itself.
func TestCodeAgain(t *testing.T) {
	t.Parallel()
	times := 1
	if long(t) {
		times = 34 // for a thousand items of the suite
	}
	each(t, code(), "callers", 10*times, 6000, func(item Item) any {
		asked := regexp.MustCompile(`call (\w+\.\w+) directly`).FindStringSubmatch(item.Question)[1]
		callers := []string{}
		for _, d := range item.Documents {
			file, err := parser.ParseFile(token.NewFileSet(), d.Name, d.Text, 0)
			require.NoError(t, err)
			for _, decl := range file.Decls {
				f, ok := decl.(*ast.FuncDecl)
				if !ok {
					continue
				}
				ast.Inspect(f, func(n ast.Node) bool {
					if s, ok := n.(*ast.SelectorExpr); ok && fmt.Sprint(s.X)+"."+s.Sel.Name == asked {
						callers = append(callers, file.Name.Name+"."+f.Name.Name)
					}
					return true
				})
			}
		}
		return callers
	})
	each(t, code(), "setting", 20*times, 3000, func(item Item) any {
		name := regexp.MustCompile(`setting (\w+) `).FindStringSubmatch(item.Question)[1]
		value := ""
		for _, file := range []string{"config/default.conf", "config/site.conf", "config/local.conf"} {
			for _, d := range item.Documents {
				if m := regexp.MustCompile(`(?m)^` + name + ` = (\d+)$`).FindStringSubmatch(d.Text); d.Name == file &&
					m != nil {
					value = m[1]
				}
			}
		}
		return value
	})
	each(t, code(), "value", min(8, times), 6000, func(item Item) any {
		dir := t.TempDir()
		write := func(name, text string) {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		}
		for _, d := range item.Documents {
			write(d.Name, d.Text)
		}
		m := regexp.MustCompile(`does ((\w+)\.\w+\(\d+\)) return`).FindStringSubmatch(item.Question)
		write("go.mod", "module example.org/made\n\ngo 1.21\n")
		write("main.go", fmt.Sprintf(
			"package main\n\nimport \"example.org/made/%s\"\n\nfunc main() { println(%s) }\n", m[2], m[1]))
		run := exec.Command("go", "run", ".")
		run.Dir = dir
		run.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		out, err := run.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return strings.TrimSpace(string(out))
	})
}
