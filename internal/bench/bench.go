// Package bench measures what runs of rlm cost: whole processes as a shell sees them, runs in a warm process,
// turns, sub-calls, contexts and sessions. Where possible, figures are ratios: to `rlm version`, to a plain copy,
// or to the time of the model alone. Both sides are measured alternately on the same machine, so that its load
// affects both.
package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// Figure is one measurement.
type Figure struct {
	Name  string
	Value float64
	Unit  string
	Goal  float64 // upper limit; 0: none
	Note  string  // anything else worth knowing, such as other figures of the same measurement
}

// Missed reports whether the figure exceeds its goal.
func (f Figure) Missed() bool { return f.Goal > 0 && f.Value > f.Goal }

// Group is figures that are measured together.
type Group struct {
	Name    string
	About   string // one line: what is measured, and how
	Measure func(context.Context, *Lab) ([]Figure, error)
}

// Groups returns all groups, in the order of the page.
func Groups() []Group {
	return []Group{starting, warm, turning, asking, reading, keeping, parsing, weighing}
}

// Lab is what measuring needs: a program, a scripted endpoint and a folder that is removed afterwards.
type Lab struct {
	Program string // the rlm under test
	Module  string // folder of its source
	Dir     string
	Rounds  int // how often each process is run; the median counts
	Soak    bool

	endpoint *endpoint
}

// Open builds the program from the module in a folder and starts the endpoint. The caller closes the lab.
func Open(ctx context.Context, module string, rounds int) (*Lab, error) {
	dir, err := os.MkdirTemp("", "rlm-bench-")
	if err != nil {
		return nil, fmt.Errorf("create a folder to measure in: %w", err)
	}
	l := &Lab{Program: filepath.Join(dir, "rlm"), Module: module, Dir: dir, Rounds: rounds, endpoint: serve()}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", l.Program, "./cmd/rlm")
	build.Dir, build.Env = module, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		l.Close()
		return nil, fmt.Errorf("building rlm: %w\n%s", err, out)
	}
	return l, nil
}

// Close stops the endpoint and removes the folder.
func (l *Lab) Close() {
	l.endpoint.http.Close()
	_ = os.RemoveAll(l.Dir) // leftovers are in the folder for temporary files
}

// file returns the path of a file of the given size with repeated text, and creates the file if necessary.
func (l *Lab) file(name string, size int64) (string, error) {
	path := filepath.Join(l.Dir, name)
	if info, err := os.Stat(path); err == nil && info.Size() == size {
		return path, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	block := make([]byte, 0, 1<<20)
	for n := 0; len(block) < 1<<20-64; n++ {
		block = fmt.Appendf(block, "line %07d of a text that is long and mostly plain\n", n)
	}
	for left := size; left > 0 && err == nil; left -= int64(len(block)) {
		_, err = f.Write(block[:min(int64(len(block)), left)])
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return path, err
}

func median[T ~int64 | ~float64](of []T) T {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
