package enginetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/engine/enginetest/random"
)

// Watched runs programs in a test binary of the calling test's package. The binary is built with a tag that makes
// the engine watch for violations, and with checks of pointers. The programs are random ones, ones that keep
// functions, and those of testdata. With RLM_LONG it runs 150 random programs and 150 that keep functions, and
// garbage is collected all the time; with RLM_SOAK it runs 5 000 and 10 000, and garbage is collected as usual.
func Watched(t *testing.T, name, tag string) {
	counts := map[string]int64{"random": 150, "kept": 150}
	by := judges{binary: filepath.Join(t.TempDir(), "watched.test"), env: []string{"GOGC=1"}}
	switch {
	case os.Getenv("RLM_SOAK") != "":
		counts, by.env = map[string]int64{"random": 5_000, "kept": 10_000}, nil
	case os.Getenv("RLM_LONG") == "":
		t.Skip("its binary takes a minute to build: set RLM_LONG=1 for 150 programs of each kind, RLM_SOAK=1 for all")
	}
	build := exec.Command("go", "test", "-c", "-vet=off", "-tags", tag, "-gcflags=all=-d=checkptr", "-o", by.binary,
		".")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	t.Run("testdata", func(t *testing.T) { watchedFiles(t, name, by) })
	for kind, of := range map[string]generator{"random": random.New, "kept": random.Kept} {
		t.Run(kind, func(t *testing.T) {
			c := newTally(t, name, kind)
			c.partial = true
			first := number(t, "RLM_RANDOM_SEED", 1)
			for at := first; at < first+counts[kind]; at += batch {
				randomBatch(t, c, by, of, at, min(at+batch, first+counts[kind]))
			}
			c.done()
		})
	}
}

// watchedFiles runs the programs of testdata; a file beside each contains its expected output.
func watchedFiles(t *testing.T, name string, by judges) {
	c := newTally(t, name, "testdata")
	files, err := filepath.Glob("testdata/*/main.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	tasks := make([]task, len(files))
	for i, file := range files {
		tasks[i] = task{file, filepath.Join(filepath.Dir(file), "output.txt"), 2 * time.Minute}
	}
	by.runAll(tasks, func(i int, v judgement) { c.add(files[i], v.Verdict, v.Text) })
	c.done()
}
