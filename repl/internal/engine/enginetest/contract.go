package enginetest

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Contract tests what every engine must do. Each group of tests runs in a separate process, as a session does,
// so that leaked goroutines or a broken engine cannot affect other groups.
func Contract(t *testing.T, make Maker) {
	for _, group := range []struct {
		name string
		test func(*testing.T, Maker)
	}{
		{"notebooks keep their state", notebooks},
		{"values for the host", values},
		{"panics name their place", panicPlaces},
		{"panics leave the session", panicsLeaveTheSession},
		{"stacks", stacks},
		{"panics of goroutines", goroutinePanics},
		{"a goroutine that others wait for", goroutineWaitedFor},
		{"builtins end a cell", signals},
		{"exit", exits},
		{"cancellation", cancellation},
		{"stale goroutines", staleGoroutines},
		{"goroutines left behind", leftBehind},
		{"clock and seed", conditions},
		{"order of maps", mapOrder},
		{"promises of maps", mapPromises},
		{"order of select", selectOrder},
		{"timers", timers},
		{"loading", loading},
		{"output", output},
	} {
		t.Run(group.name, func(t *testing.T) {
			if os.Getenv("RLM_GROUP") == t.Name() {
				group.test(t, make)
				return
			}
			inProcess(t)
		})
	}
}

// inProcess runs the calling test in a separate process.
func inProcess(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	var path []string
	for name := range strings.SplitSeq(t.Name(), "/") {
		path = append(path, "^"+regexp.QuoteMeta(name)+"$")
	}
	cmd := exec.CommandContext(ctx, self, "-test.run="+strings.Join(path, "/"))
	cmd.Env = append(os.Environ(), "RLM_GROUP="+t.Name())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
