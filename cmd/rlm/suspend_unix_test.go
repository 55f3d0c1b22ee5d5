//go:build unix

package main

import (
	"errors"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// suspend stops a process, and returns when all of its threads have stopped: the signal alone leaves them running
// for as long as the machine is busy. The returned function, or the end of the test, resumes the process.
func suspend(t *testing.T, cmd *exec.Cmd) (resume func()) {
	t.Helper()
	require.NoError(t, cmd.Process.Signal(syscall.SIGSTOP))
	t.Cleanup(func() { _ = cmd.Process.Signal(syscall.SIGCONT) }) // otherwise only a kill could end it
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
		if !errors.Is(err, syscall.EINTR) {
			require.NoError(t, err)
			break
		}
	}
	require.True(t, status.Stopped(), "it has ended")
	return func() {
		t.Helper()
		require.NoError(t, cmd.Process.Signal(syscall.SIGCONT))
	}
}
