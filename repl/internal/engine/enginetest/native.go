package enginetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/repl/internal/engine/enginetest/random"
)

// compiled runs random programs as the real compiler builds them, all in one binary, and returns what each prints.
// A program that ends the binary has no output, nor has what follows it.
func compiled(dir string, programs []random.Program) (map[int64]string, error) {
	var list strings.Builder
	files := map[string]string{"go.mod": "module programs\n\ngo 1.26\n", "helpers.go": random.Helpers()}
	for _, p := range programs {
		files[fmt.Sprintf("p%d.go", p.Seed)] = p.Part()
		fmt.Fprintf(&list, "\t{%d, %s},\n", p.Seed, p.Entry())
	}
	files["main.go"] = fmt.Sprintf(nativeMain, list.String())
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	build := exec.Command("go", "build", "-ldflags=-s -w", "-gcflags=-N -l -dwarf=false", "-o", "programs", ".")
	build.Dir, build.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling %d random programs: %w\n%.2000s", len(programs), err, out)
	}
	run := exec.Command(filepath.Join(dir, "programs"))
	run.Env = append(os.Environ(), "GOMEMLIMIT=1GiB")
	out, err := run.Output()
	if err != nil {
		err = fmt.Errorf("running random programs: %w", err)
	}
	return split(string(out)), err
}

// nativeMain runs each program on a goroutine of its own.
const nativeMain = `package main

import "fmt"

func main() {
	for _, p := range []struct { seed int64; run func() }{
%s	} {
		fmt.Printf("\n@@%%d\n", p.seed)
		done := make(chan bool)
		go func() { defer close(done); p.run() }()
		<-done
		fmt.Print("\n@@\n")
	}
}
`

// split finds each program's output between its marks.
func split(out string) map[int64]string {
	parts := map[int64]string{}
	for out != "" {
		_, rest, ok := strings.Cut(out, "\n@@")
		if !ok {
			break
		}
		number, rest, _ := strings.Cut(rest, "\n")
		text, rest, ok := strings.Cut(rest, "\n@@\n")
		if seed, err := strconv.ParseInt(number, 10, 64); err == nil && ok {
			parts[seed] = text
		}
		out = "\n" + rest
		if !strings.HasPrefix(rest, "\n") {
			out = rest
		}
	}
	return parts
}
