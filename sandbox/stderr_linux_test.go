package sandbox

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox/internal/worker"
)

// A busy host may read what init functions wrote only after the worker is ready. That is no crash report, and does
// not hide the one that follows.
func TestWordsOfInitFunctionsThatAreReadLate(t *testing.T) {
	t.Parallel()
	s := &Session{engine: repl.Exact, cfg: Config{Level: Basic}, limits: Limits{}.WithDefaults()}
	beginAs(t, s, func(st *Starter) *process {
		ready := make(chan struct{})
		p, err := launch(t.Context(), worker.Cells, nil, open, func(cmd *exec.Cmd) error {
			return runUnread(st, cmd, strings.Repeat("deprecated\n", 30_000), ready)
		}, true)
		require.NoError(t, err)
		ready <- struct{}{}
		<-ready
		return p
	})
	res, err := s.Run(t.Context(), Cell{Source: "1 + 1"})
	require.NoError(t, err)
	require.Nil(t, res.Error)
	require.Nil(t, res.Restore, "it is the same worker")
	require.Equal(t, "2", res.Value)
	res, err = s.Run(t.Context(), Cell{Source: "go func() { panic(\"oh no\") }()\ntime.Sleep(time.Minute)"})
	require.NoError(t, err)
	require.Equal(t, cellerror.GoroutinePanic, res.Error.Kind, res.Error.Message)
	require.Contains(t, res.Error.Message, "oh no")
}

// A worker that crashes once it is locked in, but before it says so, is not ready. Its error tells of the crash and not
// of the words before, even if the crash report had begun earlier.
func TestACrashBeforeAWorkerIsReady(t *testing.T) {
	t.Parallel()
	w := NewWorkers(1, 0)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	divider := strings.ReplaceAll(worker.Divider, "\x00", `\000`)
	for _, words := range []string{divider + "panic: oh no\n\n", "panic: oh no\n" + divider + "\n"} {
		_, err := launch(t.Context(), worker.Cells, nil, plain, func(cmd *exec.Cmd) error {
			words = "deprecated\n" + words + "goroutine 7 [running]:\nexample.com/guest.Start()\n"
			cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", "printf '" + words + "' >&2; exit 2"}
			return w.starter.run(cmd)
		}, false)
		require.ErrorContains(t, err, "before it was ready in example.com/guest.Start (panic: oh no, exit status 2)")
	}
}

// runUnread starts a worker whose host finds nothing on its stderr until ready receives something. Then it finds
// words, as of init functions, and what the worker writes itself; ready is closed when the words were read.
func runUnread(s *Starter, cmd *exec.Cmd, words string, ready chan struct{}) error {
	host, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", cmd.Stderr.(*os.File).Fd()), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		_ = host.Close()
		return err
	}
	go func() {
		defer func() { _, _ = host.Close(), r.Close() }()
		<-ready
		_, _ = io.WriteString(host, words)
		close(ready)
		_, _ = io.Copy(host, r)
	}()
	cmd.Stderr = w
	defer func() { _ = w.Close() }()
	return s.run(cmd)
}
