package main

import (
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A typed key is not shown, and is only stored in a file that only its owner may read.
func TestATypedKeyIsNotShown(t *testing.T) {
	t.Parallel()
	bin, err := exec.LookPath("rlm")
	require.NoError(t, err)
	dir := t.TempDir()
	cmd := exec.Command(bin, "keys", "set", "anthropic")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "TERM=xterm"}
	master, slave, err := pty.Open()
	require.NoError(t, err)
	t.Cleanup(func() { master.Close() })
	screen := &shared{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	require.NoError(t, cmd.Start())
	echoes := func() bool {
		state, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
		return err != nil || state.Lflag&unix.ECHO != 0
	}
	read := make(chan struct{})
	go func() {
		io.Copy(screen, master) // ends when the last process on the terminal has ended
		close(read)
	}()
	require.Eventually(t, func() bool {
		return !echoes()
	}, time.Minute, time.Millisecond, "the terminal stops to show what is typed")
	_, err = io.WriteString(master, canary+"\n")
	require.NoError(t, err)
	require.NoError(t, cmd.Wait())
	require.True(t, echoes(), "the terminal is as it was")
	require.NoError(t, slave.Close())
	<-read
	require.Contains(t, screen.String(), "key of anthropic (it is not shown)")
	require.NotContains(t, screen.String(), canary)
	info, err := os.Stat(dir + "/rlm/keys.toml")
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	text, err := os.ReadFile(dir + "/rlm/keys.toml")
	require.NoError(t, err)
	require.Contains(t, string(text), canary)
}
