package runner_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// TestNothingIsLeftBehind runs many runs in one process, some of them broken off, and looks for leaked goroutines,
// descriptors and processes.
func TestNothingIsLeftBehind(t *testing.T) {
	runs := 12
	if os.Getenv("RLM_LONG") != "" {
		runs = 500
	} else {
		t.Log("12 runs only; RLM_LONG=1 for 500")
	}
	one := func(n int) {
		r := newRunner(t, &counted{}, locked, alone)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		seen := 0
		for ev, err := range r.Run(ctx, "question", runner.Text("t", "some text")) {
			require.NoError(t, err)
			if seen++; n%3 == 1 && seen == 10+n%20 {
				break
			}
			if _, ok := ev.Data.(trajectory.SubCallStarted); ok && n%3 == 2 {
				cancel()
			}
		}
	}
	one(0)
	ignore := goleak.IgnoreCurrent()
	descriptors, children := open(t), processes(t)
	for n := range runs {
		one(n)
	}
	goleak.VerifyNone(t, ignore)
	require.LessOrEqual(t, open(t), descriptors, "descriptors")
	require.LessOrEqual(t, processes(t), children, "processes")
}

// TestAClosedRunnerLeavesNothingBehind: a closed runner keeps nothing ready for a next run.
func TestAClosedRunnerLeavesNothingBehind(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	descriptors, children := open(t), processes(t)
	r := newRunner(t, root([]string{fence(`FINAL(len(context))`)}, nil), locked, alone)
	for range 3 {
		res, err := r.Answer(t.Context(), "question", runner.Text("t", "some text"))
		require.NoError(t, err)
		require.Equal(t, "9", res.Answer)
	}
	r.Close()
	goleak.VerifyNone(t, ignore)
	require.LessOrEqual(t, open(t), descriptors, "descriptors")
	require.LessOrEqual(t, processes(t), children, "processes")
	res, err := r.Answer(t.Context(), "question", runner.Text("t", "some text"))
	require.NoError(t, err, "it still answers")
	require.Equal(t, "9", res.Answer)
	goleak.VerifyNone(t, ignore)
}

// open counts the open descriptors of this process, so a test that uses it is not parallel.
func open(t *testing.T) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	list, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(list)
}

// processes counts the children of this process.
func processes(t *testing.T) int {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	require.NoError(t, err)
	n := 0
	for _, l := range lists {
		b, err := os.ReadFile(l)
		if err == nil {
			for _, c := range b {
				if c == ' ' {
					n++
				}
			}
		}
	}
	return n
}
