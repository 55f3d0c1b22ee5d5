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

// rooms are the parts of the house, from the ground up, with the rooms that each may import. What lies below a room's folder
// belongs to it, unless it is a room of its own. What is no room (the standard library, modules, leaves such as
// internal/quantity that import nothing of the house) is free.
var rooms = []struct {
	path string
	may  []string
}{
	{"termination/answer", nil},
	{"termination", []string{"termination/answer"}},
	{"runner/llm", nil},
	{"runner/trajectory", nil},
	{"prompts", nil},
	{"repl", []string{"termination/answer"}},
	{"sandbox", []string{"repl", "termination", "termination/answer"}},
	{"internal/documents", []string{"sandbox"}},
	{"runner", []string{"termination", "termination/answer", "runner/llm", "runner/trajectory", "prompts", "repl", "sandbox", "internal/documents"}},
	{"runner/mcp", []string{"runner", "runner/llm", "runner/trajectory"}},
	{"runner/fleet", []string{"runner", "runner/llm", "runner/trajectory", "termination"}},
	{"internal/telemetry", []string{"runner/trajectory"}},
	{"internal/server", []string{"runner", "runner/llm", "runner/trajectory", "termination", "termination/answer"}},
	{"internal/eval", []string{"runner", "runner/llm", "runner/trajectory", "termination", "termination/answer"}},
	{"internal/demo", []string{"runner", "runner/llm", "runner/trajectory"}},
	{"internal/bench", []string{"runner", "runner/llm"}},
	{"internal/testing/fakeapi", nil},
	{"examples", []string{"termination", "termination/answer", "runner", "runner/llm", "runner/trajectory", "internal/demo"}},
	{"cmd/rlm", []string{
		"termination", "termination/answer", "repl", "prompts", "sandbox", "runner", "runner/llm", "runner/trajectory", "runner/mcp", "runner/fleet",
		"internal/server", "internal/eval", "internal/telemetry", "internal/demo", "examples",
	}},
}

func TestImportRules(t *testing.T) {
	eachFile(t, func(file string, imports []string) {
		from := roomOf(path.Dir(file))
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, imp := range imports {
			to := roomOf(imp)
			if to == from || to == "" {
				continue
			}
			if from == "" {
				t.Errorf("%s imports %s: only rooms import rooms; what all of them share imports nothing of the house", file, imp)
				continue
			}
			if may := allowed(from); !slices.Contains(may, to) {
				t.Errorf("%s imports %s: %s may import only %v", file, imp, from, may)
			}
		}
	})
}

// TestNoRoomImportsOneAbove keeps the list of rooms honest: each may import only rooms that stand before it.
func TestNoRoomImportsOneAbove(t *testing.T) {
	var below []string
	for _, room := range rooms {
		for _, to := range room.may {
			require.Contains(t, below, to, "%s may import %s, which stands above it", room.path, to)
		}
		below = append(below, room.path)
	}
}

func allowed(room string) []string {
	for _, r := range rooms {
		if r.path == room {
			return r.may
		}
	}
	return nil
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
	for _, room := range rooms {
		if (pkg == room.path || strings.HasPrefix(pkg, room.path+"/")) && len(room.path) > len(best) {
			best = room.path
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
			if name := d.Name(); p != top && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "testdata")) {
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
