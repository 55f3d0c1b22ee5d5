package trajectory_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

func readAll(t *testing.T, dir string) []trajectory.Event {
	t.Helper()
	var out []trajectory.Event
	for e, err := range trajectory.Read(dir) {
		require.NoError(t, err)
		out = append(out, e)
	}
	return out
}

func TestAppendAndRead(t *testing.T) {
	dir := t.TempDir()
	log, err := trajectory.Create(dir, nil)
	require.NoError(t, err)
	long := strings.Repeat("long prompt ü ", 1000)
	var want []trajectory.Event
	for _, d := range []trajectory.Data{
		trajectory.RunStarted{Run: "r", Question: "how many <b>?"},
		trajectory.MessageAdded{Role: "system", Kind: "system", Content: trajectory.T(long)},
		&trajectory.ReplyReceived{Content: trajectory.T("short"), Model: "m"},
		trajectory.SubCallStarted{Prompt: trajectory.T(long)},
		trajectory.SubCallStarted{Prompt: trajectory.T("not \xff UTF-8")},
	} {
		e, err := log.Append("1.2/3", 4, d)
		require.NoError(t, err)
		want = append(want, e)
	}
	require.NoError(t, log.Close())
	require.Equal(t, want, readAll(t, dir))
	require.Equal(t, int64(5), want[4].Seq)
	require.IsType(t, trajectory.ReplyReceived{}, want[2].Data)
	_, err = log.Append("", 0, trajectory.Nudged{})
	require.ErrorContains(t, err, "the log is closed")
}

func TestConcurrentAppends(t *testing.T) {
	dir := t.TempDir()
	log, err := trajectory.Create(dir, nil)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			for range 20 {
				_, err := log.Append("", 1, trajectory.Nudged{Text: "x"})
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	require.NoError(t, log.Close())
	require.Len(t, readAll(t, dir), 1000)
}
