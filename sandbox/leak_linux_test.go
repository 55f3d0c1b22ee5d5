package sandbox_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/sandbox"
)

// noLeaks compares this process's children, descriptors and goroutines before and after. No other test may run
// meanwhile, so tests that use it are not parallel.
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
		_, err := sandbox.New(t.Context(),
			sandbox.Config{Workers: w, Builtins: []builtins.Spec{{Name: "x", Impl: "no"}}})
		require.Error(t, err)
		require.NoError(t, w.Close())
		require.NoError(t, c.File.Close())
	})
}

// When a host dies, its workers die too, even one that computes.
func TestWorkersDieWithTheirHost(t *testing.T) {
	t.Parallel()
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
			require.Eventually(t, func() bool {
				return syscall.Kill(pid, 0) == syscall.ESRCH || zombie(pid)
			}, time.Minute, 5*time.Millisecond)
		}
	}
}

// Workers are killed a thousand times, at random moments; afterwards the state is always the same.
func TestSoakOfKills(t *testing.T) {
	long(t)
	soak(t, 1) // the first session opens what the Go runtime keeps
	files, processes := openFiles(t), children(t)
	const sessions, kills = 50, 20
	for range sessions {
		soak(t, kills)
	}
	require.ElementsMatch(t, processes, children(t))
	require.Len(t, openFiles(t), len(files))
}

// soak repeatedly kills the worker of a session of 20 cells.
func soak(t *testing.T, kills int) {
	s, err := sandbox.New(t.Context(),
		sandbox.Config{Limits: sandbox.Limits{Replays: 1 << 30}, Call: echo, Builtins: standard()})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	for i := range 20 {
		good(t, s, strings.ReplaceAll(
			"v# := []int{#}\nf# := func() int { v# = append(v#, len(v#)); return len(v#) }\nf#()\nr# := llm_query(\"#\")", "#", fmt.Sprint(i)))
	}
	const look = `fmt.Println(len(v0), len(v7), v19, r0, r19, f3())
v3 = v3[:len(v3)-1]`
	want := good(t, s, look).Output
	for range kills {
		pid := workerOf(t)
		var wg sync.WaitGroup
		wg.Go(func() {
			time.Sleep(time.Duration(rand.IntN(4000)) * time.Microsecond)
			_ = pid.Kill()
		})
		res := run(t, s, `llm_query("busy"); s := 0; for i := 0; i < 3000; i++ { s += i }`)
		wg.Wait()
		_ = pid.Release()
		for {
			if res.Restore != nil {
				require.Empty(t, res.Restore.Losses())
			}
			if res = run(t, s, look); res.Error == nil {
				break // an error would mean that the kill came between the cells
			}
		}
		require.Equal(t, want, res.Output)
	}
}

// Between two cells a worker uses no CPU time, whatever the first cell left running, and the second cell finds that
// still running.
func TestAWorkerRestsBetweenCells(t *testing.T) {
	s := start(t, sandbox.Config{})
	good(t, s, "n := 0\nstop := make(chan bool)\ngo func() { for { select { case <-stop: return; default: n++ } } }()")
	worker := workerOf(t)
	pid := worker.Pid
	require.NoError(t, worker.Release()) // closes a descriptor that the next test would count
	_, err := s.Vars(t.Context())
	require.NoError(t, err)
	before := cpuTicks(t, pid)
	time.Sleep(300 * time.Millisecond) // time in which it could use the processor
	require.LessOrEqual(t, cpuTicks(t, pid)-before, int64(2))
	require.Equal(t, "true\n", good(t, s, "stop <- true\nfmt.Println(n > 0)").Output)
}
