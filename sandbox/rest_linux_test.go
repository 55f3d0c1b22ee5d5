package sandbox_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/sandbox"
)

// state returns the kernel's letter for a process's state: T if it is stopped.
func state(t testing.TB, pid int) string {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	_, after, _ := strings.Cut(string(b), ") ")
	return after[:1]
}

// A worker is stopped while nobody uses it, whatever its cells leave running. There are few cells, because one with a
// busy goroutine beside it takes a third of a second of a processor.
func TestAWorkerIsStoppedWheneverNobodyUsesIt(t *testing.T) {
	t.Parallel()
	const spin = "func() { for {} }"
	for name, cells := range map[string][]string{
		"nothing": {"x := 1"},
		"a goroutine, then cells of all kinds, then the replay after another's death": {
			"go " + spin + "()", `x := llm_query("a")`, "x :=", "os.Exit(1)",
		},
		"a timer": {"time.AfterFunc(time.Millisecond, " + spin + ")"},
		"what follows a context": {
			"ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)\ncontext.AfterFunc(ctx, " +
				spin + ")\n_ = cancel",
		},
		"one goroutine for another, in a cell that fails": {
			"stop := make(chan bool)\ngo func() { <-stop }()", "close(stop)\ngo " + spin + "()\npanic(1)",
		},
		"a ticker": {
			"tick := time.NewTicker(time.Millisecond)\ngo func() { for range tick.C {} }()",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := sandbox.NewWorkers(1, 0) // without a spare
			defer func() { require.NoError(t, w.Close()) }()
			s, err := sandbox.New(t.Context(), sandbox.Config{Workers: w, Call: echo, Builtins: standard()})
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Close()) }()
			stopped := func(after string) {
				t.Helper()
				for _, pid := range sandbox.WorkerPIDs(w) {
					require.Eventually(t, func() bool {
						return state(t, pid) == "T"
					}, 10*time.Second, time.Millisecond, after)
				}
			}
			stopped("the start")
			for _, c := range cells {
				run(t, s, c)
				stopped(c)
			}
			_, err = s.Vars(t.Context())
			require.NoError(t, err)
			stopped("a look at the variables")
			require.NoError(t, s.SetContext(t.Context(), text(t, "another"), nil))
			stopped("another context")
			require.Equal(t, "another\n", good(t, s, "fmt.Println(context)").Output)
			stopped("the last cell")
		})
	}
}

func TestARestoredWorkerIsStopped(t *testing.T) {
	t.Parallel()
	w := sandbox.NewWorkers(1, 0)
	defer func() { require.NoError(t, w.Close()) }()
	s, err := sandbox.New(t.Context(), sandbox.Config{Workers: w, Builtins: standard()})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	_, err = s.Restore(t.Context(), []sandbox.CellRecord{{Cell: 1, Source: "go func() { for {} }()"}})
	require.NoError(t, err)
	for _, pid := range sandbox.WorkerPIDs(w) {
		require.Eventually(t, func() bool { return state(t, pid) == "T" }, 30*time.Second, time.Millisecond)
	}
}
