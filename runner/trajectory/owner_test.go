package trajectory_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

func TestOnlyOneProcessOwnsALog(t *testing.T) {
	dir := written(t, trajectory.Warned{})
	_, owned := trajectory.OwnerOf(dir)
	require.False(t, owned)

	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), appendEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)

	owner, owned := trajectory.OwnerOf(dir)
	require.True(t, owned)
	require.Equal(t, cmd.Process.Pid, owner.PID)
	host, err := os.Hostname()
	require.NoError(t, err)
	require.Equal(t, host, owner.Host)
	require.False(t, owner.Since.IsZero())

	_, err = trajectory.Open(dir, nil)
	var locked *trajectory.LockedError
	require.ErrorAs(t, err, &locked)
	require.Equal(t, owner, locked.Owner)
	require.ErrorContains(t, err, "in use by process")
	_, err = trajectory.Create(dir, nil)
	require.ErrorAs(t, err, &locked)

	sum, err := trajectory.Summarize(dir)
	require.NoError(t, err)
	require.Equal(t, trajectory.StatusOpen, sum.Status, "nothing was asked")

	// A killed process leaves no lock behind.
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	_, owned = trajectory.OwnerOf(dir)
	require.False(t, owned)
	// A child that the killed process was forking holds the lock until it calls exec.
	held := func() {
		lock := flock.New(filepath.Join(dir, "lock"))
		ok, err := lock.TryLock()
		require.NoError(t, err)
		require.True(t, ok)
		time.AfterFunc(200*time.Millisecond, func() { _ = lock.Close() })
	}
	held()
	_, owned = trajectory.OwnerOf(dir)
	require.False(t, owned)
	held()
	log, err := trajectory.Open(dir, nil)
	require.NoError(t, err)
	require.NoError(t, log.Close())
}

func TestOneLogPerFolder(t *testing.T) {
	dir := written(t, trajectory.Warned{})
	_, err := trajectory.Create(dir, nil)
	require.EqualError(t, err, "create a log in "+dir+": it already contains a run")
	_, err = trajectory.Open(t.TempDir(), nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}
