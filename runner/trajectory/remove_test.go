package trajectory_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

func TestRemove(t *testing.T) {
	runs := t.TempDir()
	id, dir, log, err := trajectory.New(runs)
	require.NoError(t, err)
	var locked *trajectory.LockedError
	require.ErrorAs(t, trajectory.Remove(dir), &locked, "a log that is written to stays")
	require.FileExists(t, filepath.Join(dir, "trajectory.jsonl"))
	require.NoError(t, log.Close())
	require.NoError(t, os.Mkdir(filepath.Join(dir, "context-1"), 0o700))
	require.NoError(t, trajectory.Remove(dir))
	require.NoDirExists(t, dir)
	open, _ := os.ReadDir("/proc/self/fd") // empty elsewhere
	for _, f := range open {
		name, _ := os.Readlink(filepath.Join("/proc/self/fd", f.Name()))
		require.NotContains(t, name, dir, "a file of the run stays open")
	}
	_, err = trajectory.Find(runs, id)
	require.Error(t, err)
	require.Error(t, trajectory.Remove(dir))
}

func TestOnlyARunIsRemoved(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mine.txt"), nil, 0o600))
	require.Error(t, trajectory.Remove(dir))
	require.FileExists(t, filepath.Join(dir, "mine.txt"))
}
