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

const (
	module = "github.com/gorlm/rlm/"
	kit    = "internal/kit"
)

// rooms are the parts of the house, from the ground up, with the rooms that each may import. Packages in a room's
// folder belong to it, unless they are rooms themselves. The standard library, modules and internal/kit, whose
// packages import nothing of the house but each other, may be imported anywhere.
var rooms = []struct {
	path string
	may  []string
}{
	{kit, nil},
	{"internal/exitcode", nil},
	{"internal/cellerror", nil},
	{"internal/otherworker", nil},
	{"internal/answer", nil},
	{"internal/sequence", nil},
	{"internal/reply", []string{"internal/answer"}},
	{"internal/grounding", nil},
	{"termination", []string{"internal/exitcode", "internal/sequence", "internal/answer", "internal/reply"}},
	{"runner/llm", nil},
	{"internal/names", []string{"runner/llm"}},
	{"runner/trajectory", nil},
	{"prompts", nil},
	{"repl", []string{"internal/answer", "internal/cellerror"}},
	{"internal/builtins", []string{"repl", "internal/cellerror", "internal/answer"}},
	{"sandbox", []string{
		"repl", "internal/cellerror", "internal/otherworker", "internal/builtins", "termination", "internal/answer",
	}},
	{"internal/observation", []string{"prompts", "repl", "sandbox"}},
	{"internal/documents", []string{"sandbox", "internal/otherworker"}},
	{"runner", []string{
		"termination", "internal/exitcode", "internal/cellerror", "internal/answer", "internal/reply",
		"internal/grounding",
		"runner/llm", "runner/trajectory", "prompts", "repl", "internal/builtins", "sandbox", "internal/observation",
		"internal/documents",
	}},
	{"runner/host", []string{"runner", "runner/trajectory", "sandbox", "termination"}},
	{"runner/mcp", []string{"runner", "runner/llm", "runner/trajectory"}},
	{"internal/fleet", []string{
		"runner", "runner/host", "runner/llm", "runner/trajectory", "termination", "internal/exitcode",
	}},
	{"internal/telemetry", []string{"runner/trajectory"}},
	{"internal/session", []string{"runner", "runner/host", "runner/llm", "runner/trajectory", "termination"}},
	{"internal/eval", []string{
		"runner", "runner/host", "runner/llm", "runner/trajectory", "termination", "internal/answer",
	}},
	{"internal/front", []string{
		"runner", "runner/llm", "internal/names", "runner/trajectory", "internal/fleet", "termination",
		"internal/exitcode", "internal/sequence", "internal/reply",
		"internal/eval", "internal/session",
	}},
	{"internal/front/openai", []string{
		"runner", "runner/host", "runner/llm", "runner/trajectory", "termination",
		"internal/exitcode", "internal/reply", "internal/session",
	}},
	{"internal/front/mcp", []string{
		"runner", "runner/host", "runner/trajectory", "termination", "internal/exitcode",
		"internal/reply", "internal/session",
	}},
	{"internal/front/web", nil},
	{"internal/front/api", []string{
		"runner", "runner/host", "runner/llm", "runner/trajectory", "termination", "internal/session",
		"internal/front/openai", "internal/front/mcp", "internal/front/web",
	}},

	{"internal/demo", []string{"runner", "runner/llm", "runner/trajectory"}},
	{"internal/bench", []string{
		"repl", "internal/builtins", "termination", "internal/answer", "internal/grounding", "runner", "runner/llm",
		"internal/documents",
	}},
	{"internal/testing/fakeapi", nil},
	{"examples", []string{
		"termination", "internal/answer", "runner", "runner/llm", "runner/trajectory",
		"internal/demo",
	}},
	{"cmd/demo", []string{
		"internal/exitcode", "sandbox", "runner", "runner/trajectory", "internal/front", "examples",
	}},
	{"cmd/rlm", []string{
		"termination", "internal/exitcode", "internal/answer", "internal/reply", "repl", "internal/builtins", "prompts",
		"sandbox", "internal/observation", "internal/documents", "runner", "runner/host",
		"runner/llm", "runner/trajectory", "runner/mcp", "internal/fleet", "internal/names",
		"internal/session", "internal/eval", "internal/telemetry", "internal/front", "internal/front/api",
		"internal/front/mcp", "internal/demo", "examples",
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
			if to == from || to == "" || to == kit {
				continue
			}
			if from == "" {
				t.Errorf("%s imports %s: only rooms import rooms; what all of them share imports nothing of the house",
					file, imp)
				continue
			}
			if may := allowed(from); !slices.Contains(may, to) {
				t.Errorf("%s imports %s: %s may import only %v", file, imp, from, may)
			}
		}
	})
}

// TestNoRoomImportsOneAbove checks the list of rooms: each may import only rooms listed before it.
func TestNoRoomImportsOneAbove(t *testing.T) {
	var below []string
	for _, room := range rooms {
		for _, to := range room.may {
			require.Contains(t, below, to, "%s may import %s, which stands above it", room.path, to)
		}
		below = append(below, room.path)
	}
}

// TestFrontEndsReadEvents checks that front ends get everything that they show as events, states and results. They
// import neither notebooks nor workers, nor other front ends except those that the API serves, and nothing imports
// a part of the command.
func TestFrontEndsReadEvents(t *testing.T) {
	fronts := []string{
		"internal/front/batch", "internal/front/eval", "internal/front/terminal", "internal/front/terminal/chat",
		"internal/front/api", "internal/front/mcp", "internal/front/openai", "internal/front/web",
	}
	// These are imported by the API, which serves them.
	mounts := []string{"internal/front/mcp", "internal/front/openai", "internal/front/web"}
	within := func(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }
	eachFile(t, func(file string, imports []string) {
		for _, imp := range imports {
			require.False(t, within(imp, "cmd") && !within(file, "cmd"), "%s imports %s", file, imp)
			if within(file, "internal/front") && !strings.HasSuffix(file, "_test.go") {
				require.False(t, within(imp, "repl") || within(imp, "sandbox"), "%s imports %s", file, imp)
				mounted := path.Dir(file) == "internal/front/api" && slices.Contains(mounts, imp)
				require.False(t, slices.Contains(fronts, imp) && !mounted, "%s imports another front end: %s", file,
					imp)
			}
		}
	})
}

// TestTheCommandIsFlagsAndConfiguration checks that cmd/rlm has a file for each subcommand and few others. Code
// that shows something to people belongs in internal/front.
func TestTheCommandIsFlagsAndConfiguration(t *testing.T) {
	const most = 40
	files := 0
	eachFile(t, func(file string, _ []string) {
		if path.Dir(file) == "cmd/rlm" && !strings.HasSuffix(file, "_test.go") {
			files++
		}
	})
	require.LessOrEqual(t, files, most)
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
		"CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "RATIONALE.md", "README.md", "SECURITY.md", "cmd", "docs",
		"examples", "go.mod", "go.sum",
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

// roomOf returns the room of a package of the module (relative path), "" if none.
func roomOf(pkg string) string {
	best := ""
	for _, room := range rooms {
		if (pkg == room.path || strings.HasPrefix(pkg, room.path+"/")) && len(room.path) > len(best) {
			best = room.path
		}
	}
	return best
}

// eachFile visits the module's Go files outside testdata, with the packages of the module that each imports
// (relative paths).
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
