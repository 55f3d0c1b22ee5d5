package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/stretchr/testify/require"
)

// BenchmarkTimeToPrompt measures the time from starting the command in a terminal until it accepts input.
func BenchmarkTimeToPrompt(b *testing.B) {
	s := fakeapi.Start()
	defer s.Close()
	dir := b.TempDir()
	for b.Loop() {
		untilPrompt(b, s, dir, "chat")
	}
}

// BenchmarkOpenSession measures the time to the prompt of a session of 100 cells, which are run again to restore
// its variables.
func BenchmarkOpenSession(b *testing.B) {
	s := fakeapi.Start()
	defer s.Close()
	dir := b.TempDir()
	var script bytes.Buffer
	for i := range 100 {
		fmt.Fprintf(&script, "> v%d := strings.Repeat(\"x\", %d)\n", i, i)
	}
	cmd := command(b, s, dir, "chat")
	cmd.Stdin = &script
	out, err := cmd.CombinedOutput()
	require.NoError(b, err, "%s", out)
	runs, err := filepath.Glob(filepath.Join(dir, "data", "rlm", "runs", "*"))
	require.NoError(b, err)
	require.Len(b, runs, 1)
	for b.Loop() {
		untilPrompt(b, s, dir, "open", filepath.Base(runs[0]))
	}
}

func command(tb testing.TB, s *fakeapi.Server, dir string, args ...string) *exec.Cmd {
	bin, err := exec.LookPath("rlm")
	require.NoError(tb, err)
	cmd := exec.Command(bin, args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"HOME=" + dir, "XDG_CONFIG_HOME=" + dir + "/config", "RLM_DATA_DIR=" + dir + "/data", "TERM=xterm-256color",
		"OPENAI_BASE_URL=" + s.URL(), "OPENAI_API_KEY=" + canary, "RLM_MODEL=root", "PATH=" + os.Getenv("PATH"),
	}
	return cmd
}

// untilPrompt starts the command in a pseudo-terminal, waits for its status line, and ends it.
func untilPrompt(tb testing.TB, s *fakeapi.Server, dir string, args ...string) {
	cmd := command(tb, s, dir, args...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	require.NoError(tb, err)
	defer tty.Close()
	require.NoError(tb, tty.SetReadDeadline(time.Now().Add(30*time.Second)))
	var seen []byte
	buf := make([]byte, 4096)
	for !bytes.Contains(seen, []byte("sandbox ")) {
		n, err := tty.Read(buf)
		require.NoError(tb, err, "%s", seen)
		seen = append(seen, buf[:n]...)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}
