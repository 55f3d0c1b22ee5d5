package yaegi

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/gorlm/rlm/repl/internal/stdlib"
)

// gorootPrograms lists Go's own single-file tests that are run and stay within the allowed packages.
func gorootPrograms(t *testing.T) []string {
	root := filepath.Join(runtime.GOROOT(), "test")
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

func TestGoroot(t *testing.T) {
	if os.Getenv("RLM_LONG") == "" {
		t.Skip("Go's own tests take minutes: set RLM_LONG=1")
	}
	counts := map[string]int{}
	root := filepath.Join(runtime.GOROOT(), "test")
	var paths []string
	for _, path := range gorootPrograms(t) {
		if only := os.Getenv("GOROOT_ONLY"); only == "" || strings.Contains(path, only) {
			paths = append(paths, path)
		}
	}
	for i, r := range runAll(paths) {
		name, _ := filepath.Rel(root, paths[i])
		counts[r.Verdict]++
		if r.Verdict != "equal" {
			t.Logf("%s %s: %s", r.Verdict, name, strings.ReplaceAll(r.Text, "\n", " | "))
		}
	}
	t.Logf("counts %v", counts)
}
