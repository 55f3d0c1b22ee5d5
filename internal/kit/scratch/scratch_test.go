package scratch

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"
)

// folderOfScratch makes a folder that looks like one made by package scratch.
func folderOfScratch(t *testing.T, temp, name string) string {
	t.Helper()
	dir := filepath.Join(temp, name)
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "lock"), nil, 0o600))
	return dir
}

func TestScratchSweepsOnlyWhatNobodyUses(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	left, used := folderOfScratch(t, temp, "rlm-scratch-1"), folderOfScratch(t, temp, "rlm-scratch-2")
	made := filepath.Join(temp, "rlm-scratch-3")
	require.NoError(t, os.Mkdir(made, 0o700))
	other := folderOfScratch(t, temp, "of-a-person")
	lock := flock.New(filepath.Join(used, "lock"))
	locked, err := lock.TryLock()
	require.NoError(t, err)
	require.True(t, locked)
	defer func() { require.NoError(t, lock.Close()) }()
	sweep(temp)
	require.NoDirExists(t, left)
	require.DirExists(t, used)
	require.DirExists(t, made, "another process is making it")
	require.DirExists(t, other)
}

// Links planted in a shared temporary folder are not followed.
func TestScratchFollowsNoPlantedLinks(t *testing.T) {
	t.Parallel()
	temp, outside := t.TempDir(), t.TempDir()
	inside, beyond := folderOfScratch(t, temp, "of-a-person"), folderOfScratch(t, outside, "of-a-person")
	require.NoError(t, os.Symlink(inside, filepath.Join(temp, "rlm-scratch-1")))
	require.NoError(t, os.Symlink("of-a-person", filepath.Join(temp, "rlm-scratch-2")))
	require.NoError(t, os.Symlink(beyond, filepath.Join(temp, "rlm-scratch-3")))
	sweep(temp)
	for _, link := range []string{"rlm-scratch-1", "rlm-scratch-2", "rlm-scratch-3"} {
		_, err := os.Lstat(filepath.Join(temp, link))
		require.NoError(t, err, link)
	}
	require.FileExists(t, filepath.Join(inside, "lock"))
	require.FileExists(t, filepath.Join(beyond, "lock"))
}

func TestScratchLeavesFoldersOfOthers(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("SKIP TestScratchLeavesFoldersOfOthers: only root can make a folder of another user")
	}
	temp := t.TempDir()
	dir := folderOfScratch(t, temp, "rlm-scratch-1")
	require.NoError(t, os.Chown(dir, 65534, 65534))
	sweep(temp)
	require.FileExists(t, filepath.Join(dir, "lock"))
}

// If a lock alternates between a file and a link, sweep does not create a file at the link's target.
func TestScratchCreatesNothingBehindALockThatChanges(t *testing.T) {
	t.Parallel()
	temp, target := t.TempDir(), filepath.Join(t.TempDir(), "target")
	stop := make(chan struct{})
	var flipping sync.WaitGroup
	flipping.Go(func() {
		dir := filepath.Join(temp, "rlm-scratch-1")
		lock, next := filepath.Join(dir, "lock"), filepath.Join(dir, "next")
		for {
			select {
			case <-stop:
				return
			default: // any step may fail, because sweep may remove the folder at any time
				_ = os.MkdirAll(dir, 0o700)
				_ = os.WriteFile(next, nil, 0o600)
				_ = os.Rename(next, lock)
				_ = os.Symlink(target, next)
				_ = os.Rename(next, lock)
			}
		}
	})
	for range 5000 {
		sweep(temp)
	}
	close(stop)
	flipping.Wait()
	require.NoFileExists(t, target)
}
