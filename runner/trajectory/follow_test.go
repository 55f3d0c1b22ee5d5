package trajectory_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

func TestReaderAndFollowReportAMissingLog(t *testing.T) {
	dir := t.TempDir()
	failures := func() (out []error) {
		for _, err := range trajectory.Follow(context.Background(), dir, 0) {
			out = append(out, err)
		}
		return out
	}
	missing := failures()
	require.Len(t, missing, 1)
	require.ErrorIs(t, missing[0], os.ErrNotExist)

	file := filepath.Join(dir, "trajectory.jsonl")
	require.NoError(t, os.WriteFile(file, []byte("{"), 0o600))
	r := trajectory.NewReader(dir)
	for range r.More() {
		t.Fatal("a torn line was read")
	}
	require.NoError(t, os.Remove(file))
	for _, err := range r.More() {
		require.ErrorIs(t, err, os.ErrNotExist)
		return
	}
	t.Fatal("a log that is gone was read")
}

func TestReaderAndFollowGiveEachEventOnce(t *testing.T) {
	_, dir, log, err := trajectory.New(t.TempDir())
	require.NoError(t, err)
	r := trajectory.NewReader(dir)
	more := func() (out []int64) {
		for ev, err := range r.More() {
			require.NoError(t, err)
			out = append(out, ev.Seq)
		}
		return out
	}
	add := func(text string) {
		_, err := log.Append("", 0, trajectory.Warned{About: "test", Text: text})
		require.NoError(t, err)
	}
	require.Empty(t, more())
	add("a")
	add("b")
	require.Equal(t, []int64{1, 2}, more())
	require.Empty(t, more())

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	got := make(chan int64)
	go func() {
		defer close(got)
		for ev, err := range trajectory.Follow(ctx, dir, 1) {
			if err == nil {
				got <- ev.Seq
			}
		}
	}()
	require.Equal(t, int64(2), <-got)
	add("c")
	require.Equal(t, int64(3), <-got)
	cancel()
	_, open := <-got
	require.False(t, open)
	require.Equal(t, []int64{3}, more())
	require.NoError(t, log.Close())
}

func TestReferencedLeavesLongTextsOut(t *testing.T) {
	long := strings.Repeat("long ", 1000)
	ev := trajectory.Event{Seq: 1, Data: trajectory.SubCallStarted{Prompt: trajectory.T(long), Model: "m"}}
	short := ev.Referenced()
	b, err := json.Marshal(short)
	require.NoError(t, err)
	require.Less(t, len(b), 500)
	text := short.Data.(trajectory.SubCallStarted).Prompt
	require.Equal(t, int64(len(long)), text.Size())
	require.Equal(t, trajectory.T(long).Hash(), text.Hash())
	require.Equal(t, long, ev.Data.(trajectory.SubCallStarted).Prompt.String(), "the event itself stays")
}
