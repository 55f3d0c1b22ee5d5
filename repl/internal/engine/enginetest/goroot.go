package enginetest

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/gorlm/rlm/repl/internal/stdlib"
)

// gorootTests is the folder of Go's own tests.
func gorootTests(t *testing.T) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("no go command: Go's own tests cannot be found")
	}
	return filepath.Join(strings.TrimSpace(string(out)), "test")
}

// gorootPrograms lists Go's own single-file tests that are run and stay within the allowed packages.
func gorootPrograms(t *testing.T) []string {
	root := gorootTests(t)
	if _, err := os.Stat(root); err != nil {
		t.Skip("no " + root + ": Go's own tests are not installed")
	}
	var out []string
	for _, dir := range []string{"", "ken", "chan", "interface", "typeparam", "fixedbugs", "escape", "internal", "loopvar"} {
		files, _ := filepath.Glob(filepath.Join(root, dir, "*.go"))
		for _, f := range files {
			if runnable(f) {
				out = append(out, f)
			}
		}
	}
	sort.Strings(out)
	return out
}

func runnable(path string) bool {
	src, err := os.ReadFile(path)
	if err != nil || len(src) > 64<<10 {
		return false
	}
	first, _, _ := bytes.Cut(src, []byte("\n"))
	if strings.TrimSpace(string(first)) != "// run" || bytes.Contains(src, []byte("//go:build")) || bytes.Contains(src, []byte("//go:linkname")) {
		return false
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ImportsOnly)
	if err != nil || file.Name.Name != "main" {
		return false
	}
	for _, im := range file.Imports {
		if p, _ := strconv.Unquote(im.Path.Value); !stdlib.Allowed(p) {
			return false
		}
	}
	return true
}

// Known is what is known of an engine and Go's own test programs.
type Known struct {
	// Equal is how many programs print what they should; it may only grow.
	Equal int
	// Different are the programs that do something else, each with the reason. The list may only shrink.
	Different map[string]string
}

// Goroot runs Go's own tests. A program is equal if it exits well and prints what the file of expected
// output beside it says; refused ones say so before they run; slow ones print nothing wrong within 20 s.
func Goroot(t *testing.T, known Known) {
	if os.Getenv("RLM_LONG") == "" {
		t.Skip("Go's own tests take minutes: set RLM_LONG=1")
	}
	counts := map[string]int{}
	root := gorootTests(t)
	paths := gorootPrograms(t)
	seen := map[string]bool{}
	for i, r := range runAll(paths) {
		name, _ := filepath.Rel(root, paths[i])
		counts[r.Verdict]++
		seen[name] = r.Verdict == "different" || r.Verdict == "slow" // a busy machine may not show the difference
		switch reason := known.Different[name]; {
		case r.Verdict == "different" && reason == "":
			t.Errorf("different %s: %s", name, strings.ReplaceAll(r.Text, "\n", " | "))
		case r.Verdict != "equal":
			t.Logf("%s %s: %s", r.Verdict, name, strings.ReplaceAll(r.Text, "\n", " | "))
		}
	}
	for name := range known.Different {
		if !seen[name] {
			t.Errorf("%s is not different any more: take it from the list", name)
		}
	}
	t.Logf("of %d: %d equal, %d refused, %d slow, %d different", len(paths), counts["equal"], counts["refused"], counts["slow"], counts["different"])
	if counts["equal"]+counts["slow"] < known.Equal {
		t.Errorf("%d equal and %d slow, want at least %d", counts["equal"], counts["slow"], known.Equal)
	}
}
