//go:build unix

package trajectory_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gorlm/rlm/runner/trajectory"
)

// TestAPipeDoesNotHangAReader would hang if opening one of the files blocked.
func TestAPipeDoesNotHangAReader(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, "trajectory.jsonl"), 0o600))
	everyReader(t, dir)

	for _, name := range []string{"texts.zst", "lock", "owner.json", "summary.json"} {
		dir := written(t, trajectory.MessageAdded{Content: trajectory.T(longText(1))})
		path := filepath.Join(dir, name)
		_ = os.Remove(path)
		require.NoError(t, unix.Mkfifo(path, 0o600))
		if log, err := trajectory.Open(dir, nil); err == nil {
			require.NoError(t, log.Close())
		}
		for range trajectory.Read(dir) {
		}
		_, err := trajectory.Summarize(dir)
		require.NoError(t, err, name)
	}
}
