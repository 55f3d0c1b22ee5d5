package sandbox_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gorlm/rlm/repl/builtins"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

func standard() []builtins.Spec { return builtins.Standard(termination.Response) }

// long skips a test that takes too long for every day.
func long(t testing.TB) {
	t.Helper()
	if os.Getenv("RLM_LONG") == "" {
		t.Skip("takes long: set RLM_LONG=1 to run it")
	}
}

// noLeaks compares processes, descriptors and goroutines before and after.
func noLeaks(t *testing.T, do func()) {
	t.Helper()
	before, files := children(t), openFiles(t)
	goroutines := goleak.IgnoreCurrent()
	do()
	require.ElementsMatch(t, before, children(t), "processes")
	require.Len(t, openFiles(t), len(files), "descriptors: %v before, %v after", files, openFiles(t))
	goleak.VerifyNone(t, goroutines)
}

func TestNothingIsLeftBehind(t *testing.T) {
	noLeaks(t, func() {
		w := sandbox.NewWorkers(4, 0)
		c := text(t, "the context")
		for range 3 {
			s, err := sandbox.New(t.Context(), sandbox.Config{Workers: w, Context: c, Call: echo, Builtins: standard()})
			require.NoError(t, err)
			good(t, s, `x := llm_query("a")`)
			require.NoError(t, s.SetContext(t.Context(), c, nil))
			kill(t, s)
			run(t, s, "go func() { for {} }()\nllm_query(\"b\")")
			require.NoError(t, s.Close())
		}
		_, err := sandbox.New(t.Context(), sandbox.Config{Workers: w, Builtins: []builtins.Spec{{Name: "x", Impl: "no"}}})
		require.Error(t, err)
		require.NoError(t, w.Close())
		require.NoError(t, c.File.Close())
	})
}

// A host that dies takes its workers along, even one that computes.
func TestWorkersDieWithTheirHost(t *testing.T) {
	if os.Getenv("RLM_TEST_ORPHAN") != "" {
		s := start(t, sandbox.Config{Print: func(int, []byte) {
			fmt.Println("workers:", children(t))
			_ = os.Stdout.Sync()
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}})
		run(t, s, "fmt.Println(1)\nfor {}")
		return
	}
	out := again(t, "TestWorkersDieWithTheirHost", nil, "RLM_TEST_ORPHAN=1")
	var pids []int
	for _, line := range out {
		var a, b int
		if n, _ := fmt.Sscanf(line, "workers: [%d %d]", &a, &b); n > 0 {
			pids = append(pids, a, b)
		}
	}
	require.NotEmpty(t, pids, out)
	for _, pid := range pids {
		if pid > 0 {
			require.Eventually(t, func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH || zombie(pid) }, 5*time.Second, 5*time.Millisecond)
		}
	}
}

// Workers are killed at random instants, a thousand times; afterwards the state is always the same.
func TestSoakOfKills(t *testing.T) {
	long(t)
	s := start(t, sandbox.Config{Limits: sandbox.Limits{Replays: 1 << 30}})
	total := 0
	for i := range 20 {
		good(t, s, fmt.Sprintf("v%d := []int{%d}\nf%d := func() int { v%d = append(v%d, len(v%d)); return len(v%d) }\nf%d()\nr%d := llm_query(\"%d\")", i, i, i, i, i, i, i, i, i, i))
	}
	const look = `sum := 0
for _, n := range []int{len(v0), len(v7), len(v19)} { sum += n }
fmt.Println(sum, r0, r19)`
	want := good(t, s, look).Output
	files := openFiles(t)
	for total < 1000 {
		var wg sync.WaitGroup
		pid := workerOf(t)
		wg.Go(func() {
			time.Sleep(time.Duration(rand.IntN(4000)) * time.Microsecond)
			_ = pid.Kill()
		})
		res := run(t, s, `llm_query("busy"); s := 0; for i := 0; i < 3000; i++ { s += i }`)
		if res.Restore != nil {
			require.Empty(t, res.Restore.Lost, res.Restore.Why)
		}
		wg.Wait()
		total++
		res = run(t, s, look)
		for res.Error != nil { // the kill came between the two cells
			require.Empty(t, res.Restore.Lost, res.Restore.Why)
			res = run(t, s, look)
		}
		require.Equal(t, want, res.Output, "after %d kills", total)
	}
	require.LessOrEqual(t, len(children(t)), 2)
	require.InDelta(t, len(files), len(openFiles(t)), 6)
}
