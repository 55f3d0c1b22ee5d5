package hostile_test

import (
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gorlm/rlm/internal/testing/hijack"
	"github.com/gorlm/rlm/internal/testing/ownhost"
	"github.com/gorlm/rlm/sandbox/internal/hostile"
)

// The test binary is the worker of all hosts below.
func init() { hostile.TakeOver(hijack.Act()) }

// inOwnHost runs a test in a separate process and checks its peak memory. There, next makes the next worker
// perform an act; "" ends an act that applies to all workers.
func inOwnHost(t *testing.T, meet func(t *testing.T, next func(act string))) {
	t.Helper()
	t.Parallel()
	if path, ok := strings.CutPrefix(flag.Arg(0), hijack.Argument); ok {
		before := goleak.IgnoreCurrent()
		meet(t, func(act string) {
			if act == "" {
				require.NoError(t, os.Remove(path))
				return
			}
			require.NoFileExists(t, path, "no worker did the act before")
			require.NoError(t, os.WriteFile(path+".new", []byte(act), 0o600))
			require.NoError(t, os.Rename(path+".new", path))
		})
		require.NoFileExists(t, path, "no worker did the last act")
		goleak.VerifyNone(t, before)
		peak := ownhost.Peak(t, "self")
		t.Logf("peak of the host: %d MB", peak>>20)
		require.Less(t, peak, int64(ownhost.Most))
		return
	}
	out, err := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v",
		hijack.Argument+filepath.Join(t.TempDir(), "act")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out[max(0, len(out)-200):])
}

// acts returns acts for a host's first workers: some of them, or all with RLM_LONG=1.
func acts() []string {
	var all []string
	for _, acts := range []map[string]hostile.Act{hostile.Rules, hostile.Lies, hostile.Native, hostile.Large} {
		for i, act := range slices.Sorted(maps.Keys(acts)) {
			if i%8 == 0 || os.Getenv("RLM_LONG") != "" {
				all = append(all, act)
			}
		}
	}
	return all
}
