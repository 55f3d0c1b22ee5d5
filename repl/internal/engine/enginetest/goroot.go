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
	"time"

	"github.com/gorlm/rlm/repl/internal/stdlib"
)

// gorootTests returns the folder of Go's own tests.
func gorootTests(t *testing.T) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("no go command: Go's own tests cannot be found")
	}
	return filepath.Join(strings.TrimSpace(string(out)), "test")
}

// gorootPrograms lists Go's own single-file tests that can be run and use only allowed packages.
func gorootPrograms(t *testing.T) []string {
	root := gorootTests(t)
	if _, err := os.Stat(root); err != nil {
		t.Skip("no " + root + ": Go's own tests are not installed")
	}
	var out []string
	for _, dir := range []string{
		"", "ken", "chan", "interface", "typeparam", "fixedbugs", "escape", "internal", "loopvar",
	} {
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
	if strings.TrimSpace(string(first)) != "// run" || bytes.Contains(src, []byte("//go:build")) ||
		bytes.Contains(src, []byte("//go:linkname")) {
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

// Goroot runs Go's own tests with the engine of the calling test binary. A program is equal if it exits normally
// and prints the content of its file of expected output. It is refused if the engine refuses it or leaves its panic
// to the exact engine, and slow if everything that it prints within 20 s is right.
func Goroot(t *testing.T, name string) {
	if os.Getenv("RLM_LONG") == "" {
		t.Skip("Go's own tests take minutes: set RLM_LONG=1")
	}
	root := gorootTests(t)
	paths := gorootPrograms(t)
	c := newTally(t, name, "goroot")
	programs, tasks := make([]string, len(paths)), make([]task, len(paths))
	for i, path := range paths {
		programs[i], _ = filepath.Rel(root, path)
		limit := 20 * time.Second
		if c.known[programs[i]].verdict == Slow {
			limit = 2 * time.Second
		}
		tasks[i] = task{path, strings.TrimSuffix(path, ".go") + ".out", limit}
	}
	judges{}.runAll(tasks, func(i int, v judgement) { c.add(programs[i], v.Verdict, v.Text) })
	c.done()
	share := 100 * float64(c.counts[Equal]+c.counts[Slow]) / float64(len(paths))
	if least := known(t, name).least("goroot"); share < least {
		t.Errorf("%.1f %% equal, want at least %.1f %%", share, least)
	}
}
