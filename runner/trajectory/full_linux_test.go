package trajectory_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gorlm/rlm/runner/trajectory"
)

func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=512k"); err != nil {
		t.Skipf("SKIP TestFullDisk: cannot mount a small file system: %v", err)
	}
	defer func() { require.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) }()
	fillUp(t, dir, "the disk is full: free some space, then resume the run", nil)
}

func TestFileSizeLimit(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("SKIP TestFileSizeLimit: there is no sh to lower the limit of file sizes with")
	}
	fillUp(t, t.TempDir(), "the file size limit is reached (ulimit -f)", []string{sh, "-c", `ulimit -f 200; exec "$0"`})
}

// fillUp appends in a separate process until a write fails. The process is started by command, if there is one.
func fillUp(t *testing.T, dir, advice string, command []string) {
	t.Helper()
	command = append(command, os.Args[0])
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), appendEnv+"="+dir)
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Contains(t, string(out), advice)
	require.Contains(t, string(out), dir)

	acked := acknowledged(t, bytes.NewReader(out))
	require.NotEmpty(t, acked)
	events := readAll(t, dir)
	for _, e := range events {
		delete(acked, e.Seq)
	}
	require.Empty(t, acked, "these were acknowledged and are not in the log")

	// Once there is room again, the run continues at the end of the log.
	if len(command) == 1 {
		require.NoError(t, unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT, "size=4m"))
	}
	log, err := trajectory.Open(dir, nil)
	require.NoError(t, err)
	e, err := log.Append("", 0, trajectory.Warned{Text: "on"})
	require.NoError(t, err)
	require.Equal(t, int64(len(events))+1, e.Seq, fmt.Sprint(dir))
	require.NoError(t, log.Close())
}
