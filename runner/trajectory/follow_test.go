package trajectory_test

import (
	"context"
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

func TestReaderAndFollowReportAMissingLog(t *testing.T) {
	dir := t.TempDir()
	missing := func(events iter.Seq2[trajectory.Event, error]) {
		t.Helper()
		var failures []error
		for _, err := range events {
			failures = append(failures, err)
		}
		require.Len(t, failures, 1)
		require.ErrorIs(t, failures[0], os.ErrNotExist)
	}
	r := trajectory.NewReader(dir)
	missing(r.More())
	file := filepath.Join(dir, "trajectory.jsonl")
	require.NoError(t, os.WriteFile(file, []byte("{"), 0o600))
	for range r.More() {
		t.Fatal("a torn line was read")
	}
	require.NoError(t, os.Remove(file))
	missing(r.More())
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	missing(trajectory.Follow(ctx, dir, 0))
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

	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
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
