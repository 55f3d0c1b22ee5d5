package trajectory

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTextsAreDurableBeforeLines: a line on disk must never refer to a text that is not.
func TestTextsAreDurableBeforeLines(t *testing.T) {
	dir := t.TempDir()
	log, err := Create(dir, nil)
	require.NoError(t, err)
	var synced []string
	log.sync = func(f *os.File) error {
		synced = append(synced, filepath.Base(f.Name()))
		lines, err := os.ReadFile(filepath.Join(dir, logFile))
		require.NoError(t, err)
		if len(synced) == 1 {
			require.Empty(t, lines)
		}
		return nil
	}
	_, err = log.Append("", 0, ReplyReceived{Content: T(strings.Repeat("long ", 1000))})
	require.NoError(t, err)
	require.Equal(t, []string{textsFile, logFile}, synced)
	_, err = log.Append("", 0, Warned{})
	require.NoError(t, err)
	require.Equal(t, []string{textsFile, logFile, logFile}, synced)
	require.NoError(t, log.Close())
}

func TestConcurrentAppendsShareASync(t *testing.T) {
	log, err := Create(t.TempDir(), nil)
	require.NoError(t, err)
	const writers = 64
	syncs, waiting := 0, make(chan struct{})
	log.sync = func(*os.File) error {
		if syncs++; syncs == 1 {
			<-waiting // blocks the first sync until all others have arrived
		}
		return nil
	}
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			_, err := log.Append("", 0, Warned{})
			assert.NoError(t, err)
		})
	}
	for appended := 0; appended < writers; {
		log.mu.Lock()
		appended = int(log.seq)
		log.mu.Unlock()
	}
	close(waiting)
	wg.Wait()
	require.LessOrEqual(t, syncs, 2)
	require.NoError(t, log.Close())
}

func TestDiskError(t *testing.T) {
	dir := t.TempDir()
	log, err := Create(dir, nil)
	require.NoError(t, err)
	_, err = log.Append("", 0, Warned{Text: "fine"})
	require.NoError(t, err)
	events, stop := log.Subscribe()
	defer stop()
	log.sync = func(*os.File) error { return syscall.EIO }
	_, err = log.Append("", 0, Warned{Text: "lost"})
	require.ErrorIs(t, err, syscall.EIO)
	require.ErrorContains(t, err, "the disk reports errors")
	log.sync = syncData
	_, again := log.Append("", 0, Warned{Text: "later"})
	require.Equal(t, err, again, "after a failed write nothing is accepted, though the disk works again")
	_, again = log.Append("", 0, ReplyDelta{})
	require.Error(t, again)
	require.NoError(t, log.Close())
	require.Empty(t, slices.Collect(events), "a subscriber got events that are not durable")
	n := 0
	for e, err := range Read(dir) {
		require.NoError(t, err)
		require.Equal(t, Warned{Text: "fine"}, e.Data)
		n++
	}
	require.Equal(t, 1, n)
	_, err = os.Stat(filepath.Join(dir, summaryFile))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestADeletedLogIsNoticed: a run must not keep paying for replies that nobody can find again.
func TestADeletedLogIsNoticed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIP TestADeletedLogIsNoticed: an open file cannot be deleted on windows")
	}
	for what, remove := range map[string]func(dir string) error{
		"the log":     func(dir string) error { return os.Remove(filepath.Join(dir, logFile)) },
		"the folder":  os.RemoveAll,
		"another one": func(dir string) error { return replaceFile(filepath.Join(dir, logFile), []byte("{}\n")) },
	} {
		dir := t.TempDir()
		log, err := Create(dir, nil)
		require.NoError(t, err)
		_, err = log.Append("", 0, Warned{Text: "fine"})
		require.NoError(t, err)
		require.NoError(t, remove(dir), what)
		_, err = log.Append("", 0, Warned{Text: "lost"})
		require.ErrorContains(t, err, "deleted or replaced", what)
		_ = log.Close()
	}
}
