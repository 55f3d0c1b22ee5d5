//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/stretchr/testify/require"
)

// While a context is read, the terminal shows that and the elapsed time: the context may be large, or still
// being written.
func TestATerminalShowsThatAContextIsRead(t *testing.T) {
	t.Parallel()
	s := fakeapi.Start(fakeapi.Says(goCell(`FINAL(context)`))...)
	defer s.Close()
	fifo := filepath.Join(t.TempDir(), "slow.log")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	_, wait, stdout, screen := onTerminal(t, s, nil, "chat", fifo)
	writer, err := os.OpenFile(fifo, os.O_WRONLY, 0) // blocks until it is opened for reading
	require.NoError(t, err)
	_, err = writer.WriteString("first ")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return strings.Contains(screen.String(), "reading the context · ")
	}, 2*time.Minute, 5*time.Millisecond)
	_, err = writer.WriteString("last")
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	require.NoError(t, wait())
	require.Contains(t, stdout.String(), "1 document, 10 bytes")
}
