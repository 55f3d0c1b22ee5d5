package enginetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/engine/enginetest/random"
)

// batch is the number of random programs compiled together.
const batch = 250

// Random compares the output of random programs on an engine with their output when the real compiler compiles
// them. RLM_RANDOM_COUNT is the number of programs, RLM_RANDOM_SEED the first seed. The default is 30 programs, or
// 10 000 with RLM_LONG.
func Random(t *testing.T, name string) {
	randomly(t, name, func(c *tally, first, end int64) { randomBatch(t, c, judges{}, random.New, first, end) })
}

// RandomPlain is Random with plain programs, for an engine that refuses a part of the language. The engine must run
// at least half of them, because refusals alone would prove nothing.
func RandomPlain(t *testing.T, name string) {
	randomly(t, name, func(c *tally, first, end int64) {
		randomBatch(t, c, judges{}, random.Plain, first, end)
		require.Less(t, 2*c.counts[Refused], c.counts[Equal]+c.counts[Refused], "half of the programs run: %v",
			c.counts)
	})
}

// randomly runs the requested number of random programs, in batches.
func randomly(t *testing.T, name string, try func(c *tally, first, end int64)) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: random programs cannot be compiled")
	}
	count := int64(30)
	if os.Getenv("RLM_LONG") != "" {
		count = 10_000
	}
	count, first := number(t, "RLM_RANDOM_COUNT", count), number(t, "RLM_RANDOM_SEED", 1)
	c := newTally(t, name, "random")
	least := known(t, name).least("random")
	c.partial, c.tolerant = true, least > 0
	for at := first; at < first+count; at += batch {
		try(c, at, min(at+batch, first+count))
	}
	c.done()
	if share := c.share(); share < least {
		t.Errorf("%.1f %% without a difference, want at least %.1f %%", share, least)
	}
}

func number(t *testing.T, variable string, otherwise int64) int64 {
	s := os.Getenv(variable)
	if s == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(s, 10, 64)
	require.NoError(t, err, variable)
	return n
}

// generator makes the program of a seed.
type generator func(seed int64) (random.Program, error)

// randomPrograms makes the programs for the seeds from first up to but not including end, compiles them in a
// folder, and returns their outputs.
func randomPrograms(
	t *testing.T, dir string, make generator, first, end int64,
) (programs []random.Program, wants map[int64]string) {
	for seed := first; seed < end; seed++ {
		p, err := make(seed)
		require.NoError(t, err)
		programs = append(programs, p)
	}
	wants, faults, err := compiled(dir, programs)
	require.NoError(t, err)
	for _, fault := range faults {
		t.Error(fault)
	}
	return slices.DeleteFunc(programs, func(p random.Program) bool { _, ok := wants[p.Seed]; return !ok }), wants
}

// randomBatch compares the programs for the seeds from first up to but not including end.
func randomBatch(t *testing.T, c *tally, by judges, of generator, first, end int64) {
	began, dir := time.Now(), t.TempDir()
	programs, wants := randomPrograms(t, dir, of, first, end)
	native := time.Since(began)
	began = time.Now()
	tasks := make([]task, len(programs))
	for i, p := range programs {
		want := wants[p.Seed]
		file := filepath.Join(dir, fmt.Sprint(p.Seed))
		require.NoError(t, os.WriteFile(file+".txt", []byte(p.Source()), 0o644))
		require.NoError(t, os.WriteFile(file+".out", []byte(want), 0o644))
		tasks[i] = task{file + ".txt", file + ".out", 20 * time.Second}
	}
	by.runAll(tasks, func(i int, v judgement) { c.add(fmt.Sprint(programs[i].Seed), v.Verdict, v.Text) })
	t.Logf("%d programs: compiled and run in %.1f s, on the engine in %.1f s", len(programs), native.Seconds(),
		time.Since(began).Seconds())
}
