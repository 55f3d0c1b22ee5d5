package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClientsRunInAStage checks that a stage of .ci/run sets the variables without which tests with external
// clients skip.
func TestClientsRunInAStage(t *testing.T) {
	script, err := os.ReadFile(filepath.Join(root(t), ".ci", "run"))
	require.NoError(t, err)
	lines := strings.Split(string(script), "\n")
	seen := map[string]bool{}
	eachFile(t, func(file string, _ []string) {
		for test, variable := range clientTests(t, file) {
			seen[test] = true
			if !runs(lines, variable, test, "./"+path.Dir(file)) {
				t.Errorf("%s: no stage of .ci/run sets %s for %s", file, variable, test)
			}
		}
	})
	for _, known := range []string{"TestOpenAIClient", "TestGoClients", "TestOfficialClients", "TestSocketClient"} {
		require.Contains(t, seen, known)
	}
}

// clientTests returns the tests of a file that use clients, each with the variable that names them.
func clientTests(t *testing.T, file string) map[string]string {
	if !strings.HasSuffix(file, "_test.go") {
		return nil
	}
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root(t), file), nil, 0)
	require.NoError(t, err)
	found := map[string]string{}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || !strings.HasPrefix(fn.Name.Name, "Test") {
			continue
		}
		ast.Inspect(fn, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 1 && asksForClients(call) {
				if name, ok := call.Args[1].(*ast.BasicLit); ok {
					found[fn.Name.Name], _ = strconv.Unquote(name.Value)
				}
			}
			return true
		})
	}
	return found
}

// asksForClients reports whether a call is one of clients.New or clients.Built.
func asksForClients(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "New" && f.Sel.Name != "Built" {
		return false
	}
	pkg, ok := f.X.(*ast.Ident)
	return ok && pkg.Name == "clients"
}

// runs reports whether a line of .ci/run sets a variable and runs a package's tests with a pattern that matches a
// test's name: the word after -run, or the one before the package.
func runs(lines []string, variable, test, pkg string) bool {
	for _, line := range lines {
		words := strings.Fields(line)
		at := slices.Index(words, pkg)
		if at < 1 || !regexp.MustCompile(`\b`+variable+`\b`).MatchString(line) {
			continue
		}
		pattern := words[at-1]
		if flag := slices.Index(words, "-run"); flag > 0 {
			pattern = words[flag+1]
		}
		if pattern, err := regexp.Compile(strings.Trim(pattern, "'")); err == nil && pattern.MatchString(test) {
			return true
		}
	}
	return false
}
