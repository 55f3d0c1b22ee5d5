package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/files"
)

// Concurrent changes by several writers are all kept.
func TestAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "list")
	var all sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		all.Go(func() {
			errs[i] = files.Alone(path, func() error {
				was, err := os.ReadFile(path)
				if err != nil && !os.IsNotExist(err) {
					return err
				}
				return files.Replace(path, append(was, fmt.Sprintf("%d\n", i)...))
			})
		})
	}
	all.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, len(errs), strings.Count(string(b), "\n"))
}

// If a lock stays held, the error names the process.
func TestALockThatStaysHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list")
	lock := flock.New(path + ".lock")
	got, err := files.TryLock(lock)
	require.NoError(t, err)
	require.True(t, got)
	files.Sign(lock.Path())
	err = files.Alone(path, func() error { return nil })
	if runtime.GOOS == "windows" { // a locked file cannot be read there
		require.Error(t, err)
		return
	}
	require.ErrorContains(t, err, fmt.Sprintf("is being changed by process %d on ", os.Getpid()))
	require.NoError(t, lock.Close())
	require.NoError(t, files.Alone(path, func() error { return nil }))
	require.Equal(t, "another process", files.HolderOf(filepath.Join(t.TempDir(), "none")).String())
}

// A link is followed when its target is replaced, even if the target does not exist.
func TestReplaceFollowsLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: links are other things on Windows")
	}
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "real", "deep"), 0o700))
	require.NoError(t, os.Symlink("real/deep", filepath.Join(dir, "folder")))
	require.NoError(t, os.Symlink("../target", filepath.Join(dir, "real", "deep", "second")))
	require.NoError(t, os.Symlink("folder/second", filepath.Join(dir, "first")))
	for _, text := range []string{"made", "replaced"} {
		require.NoError(t, files.Replace(filepath.Join(dir, "first"), []byte(text)))
		b, err := os.ReadFile(filepath.Join(dir, "real", "target"))
		require.NoError(t, err)
		require.Equal(t, text, string(b))
	}
	loop := filepath.Join(dir, "loop")
	require.NoError(t, os.Symlink("loop", loop))
	require.NoError(t, files.Replace(loop, []byte("text")), "a link that leads nowhere at all is replaced")
}

// Await waits longer for the lock of a dead process than for one whose holder works.
func TestAwait(t *testing.T) {
	tries := 0
	third := func() (bool, error) { tries++; return tries == 3, nil }
	got, err := files.Await(0, files.Self, third)
	require.NoError(t, err)
	require.False(t, got, "its holder works")
	gone := files.Self()
	gone.PID = 1<<31 - 1
	got, err = files.Await(0, func() files.Holder { return gone }, third)
	require.NoError(t, err)
	require.True(t, got)
	_, err = files.Await(0, files.Self, func() (bool, error) { return false, os.ErrPermission })
	require.ErrorIs(t, err, os.ErrPermission)
}
