package firstgc_test

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/firstgc"
)

const asked = "RLM_TEST_FIRST_GC"

func TestMain(m *testing.M) {
	if os.Getenv(asked) != "" {
		os.Exit(grow())
	}
	os.Exit(m.Run())
}

var kept [][]byte

// grow exits with 0 if 16 MiB could be made without a collection, and the collector works as usual after the first one.
func grow() int {
	firstgc.Delay()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 16 {
		kept = append(kept, make([]byte, 1<<20))
	}
	runtime.ReadMemStats(&after)
	if after.NumGC != before.NumGC {
		return 2
	}
	for range 1000 { // the cleanup runs soon after the collection
		runtime.GC()
		if back := debug.SetGCPercent(100); back == 100 {
			return 0
		} else {
			debug.SetGCPercent(back)
		}
		time.Sleep(time.Millisecond)
	}
	return 3
}

func TestDelay(t *testing.T) {
	for env, want := range map[string]int{"GOGC=": 0, "GOGC=20": 2} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asked+"=1", env)
		_ = cmd.Run() // the state says how it ended
		require.Equal(t, want, cmd.ProcessState.ExitCode(), env)
	}
}
