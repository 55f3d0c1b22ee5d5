package startup_test

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/startup"
)

const asked = "RLM_TEST_LEAST_HEAP"

func TestMain(m *testing.M) {
	if os.Getenv(asked) != "" {
		os.Exit(grow())
	}
	os.Exit(m.Run())
}

var kept [][]byte

// grow returns 0 if 16 MiB can be allocated without a collection, and the GC percentage is then 100 as usual. Once
// half of the memory is free, it must be high enough for the next collection to be at 28 MiB. Otherwise grow
// returns the number of the check that failed.
func grow() int {
	startup.GrowHeap()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 16 {
		kept = append(kept, make([]byte, 1<<20))
	}
	runtime.ReadMemStats(&after)
	if after.NumGC != before.NumGC {
		return 2
	}
	if !settles(func(percent int) bool { return percent == 100 }) {
		return 3
	}
	clear(kept[8:])
	if !settles(func(percent int) bool { return percent > 200 && percent < 400 }) {
		return 4
	}
	return 0
}

// settles runs collections until the GC percentage is right, which is set shortly after a collection.
func settles(right func(percent int) bool) bool {
	for range 1000 {
		runtime.GC()
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		if right(now) {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

func TestKeep(t *testing.T) {
	for env, want := range map[string]int{"GOGC=": 0, "GOGC=20": 2} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asked+"=1", env)
		_ = cmd.Run() // the exit code is checked below
		require.Equal(t, want, cmd.ProcessState.ExitCode(), env)
	}
}
