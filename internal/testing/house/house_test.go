package house

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/gorlm/rlm/"

// rooms are the packages that have import rules, with the rooms that each may import. A room's own
// subfolders and what is not a room (the standard library, modules, internal/…) are free.
var rooms = map[string][]string{
	"termination":       {},
	"runner/llm":        {},
	"runner/trajectory": {},
	"prompts":           {},
	"runner/internal/corpus": {},
	"repl":              {"termination"},
	"sandbox":           {"repl", "termination"},
	"runner":            {"termination", "runner/llm", "runner/trajectory", "prompts", "repl", "sandbox"},
}

func TestImportRules(t *testing.T) {
	eachFile(t, func(file string, imports []string) {
		from := roomOf(path.Dir(file))
		if from == "" || strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, imp := range imports {
			to := roomOf(imp)
			if to == "" || to == from {
				continue
			}
			if !slices.Contains(rooms[from], to) {
				t.Errorf("%s imports %s: %s may import only %v", file, imp, from, rooms[from])
			}
		}
	})
}

// TestOnlyTheRunnerKnowsAll keeps the library whole: besides the runner, only the command and the
// examples put rooms together.
func TestOnlyTheRunnerKnowsAll(t *testing.T) {
	eachFile(t, func(file string, imports []string) {
		for _, imp := range imports {
			if imp == "runner" || strings.HasPrefix(imp, "cmd/") {
				if strings.HasSuffix(file, "_test.go") {
					continue
				}
				ok := slices.ContainsFunc([]string{"cmd/", "examples/", "internal/"}, func(p string) bool {
					return strings.HasPrefix(file, p)
				})
				if !ok {
					t.Errorf("%s imports %s", file, imp)
				}
			}
		}
	})
}

func TestTopLevel(t *testing.T) {
	want := []string{
		"LICENSE", "RATIONALE.md", "README.md", "cmd", "examples", "go.mod", "go.sum",
		"internal", "prompts", "repl", "runner", "sandbox", "termination",
	}
	out, err := exec.Command("git", "-C", root(t), "ls-files").Output()
	if err != nil {
		t.Skipf("SKIP TestTopLevel: not a git checkout: %v", err)
	}
	var got []string
	for line := range strings.Lines(string(out)) {
		top, _, _ := strings.Cut(strings.TrimSpace(line), "/")
		if !strings.HasPrefix(top, ".") && !slices.Contains(got, top) {
			got = append(got, top)
		}
	}
	slices.Sort(got)
	require.Equal(t, want, got)
}

// TestFileSize keeps hand-written files small enough to read in one go.
func TestFileSize(t *testing.T) {
	const most = 500
	eachFile(t, func(file string, _ []string) {
		text, err := os.ReadFile(filepath.Join(root(t), file))
		require.NoError(t, err)
		if strings.Contains(string(text[:min(len(text), 300)]), "DO NOT EDIT") {
			return
		}
		if n := strings.Count(string(text), "\n"); n > most {
			t.Errorf("%s has %d lines; at most %d", file, n, most)
		}
	})
}

// roomOf returns the room that a package of the module (relative path) belongs to, "" if none.
func roomOf(pkg string) string {
	best := ""
	for room := range rooms {
		if (pkg == room || strings.HasPrefix(pkg, room+"/")) && len(room) > len(best) {
			best = room
		}
	}
	return best
}

// eachFile visits the module's Go files outside testdata, with the module's packages each imports (relative paths).
func eachFile(t *testing.T, visit func(file string, imports []string)) {
	t.Helper()
	top := root(t)
	err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); p != top && (strings.HasPrefix(name, ".") || name == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, p)
		if err != nil {
			return err
		}
		var imports []string
		for _, spec := range f.Imports {
			if imp, _ := strconv.Unquote(spec.Path.Value); strings.HasPrefix(imp, module) {
				imports = append(imports, strings.TrimPrefix(imp, module))
			}
		}
		visit(filepath.ToSlash(rel), imports)
		return nil
	})
	require.NoError(t, err)
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../..")
	require.NoError(t, err)
	return dir
}
