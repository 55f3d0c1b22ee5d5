package trajectory_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

func TestASummaryFileIsReadUpToItsBound(t *testing.T) {
	dir := written(t, trajectory.RunStarted{Question: "the log's?"}, trajectory.RunEnded{Status: "answered"})
	file := filepath.Join(dir, "summary.json")
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	b = bytes.Replace(b, []byte("the log's?"), []byte("stored?"), 1) // of the summary, not of what it goes on from
	for more, question := range []string{"stored?", "the log's?"} {
		padded := append(bytes.Clone(b), bytes.Repeat([]byte(" "), 1<<20+more-len(b))...)
		require.NoError(t, os.WriteFile(file, padded, 0o600))
		s, err := trajectory.Summarize(dir)
		require.NoError(t, err)
		require.Equal(t, question, s.Question)
	}
}

// While a log grows, its summary is stored again after each 4 MB, so that a list need not read a long run.
func TestAGrowingLogStoresItsSummary(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	log, file := filepath.Join(dir, "trajectory.jsonl"), filepath.Join(dir, "summary.json")
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	var stored []bool
	var before, now os.FileInfo
	next := func(yield func(trajectory.Event, error) bool, seq int64, until int) bool {
		var size int
		if info, err := os.Stat(log); err == nil {
			size = int(info.Size())
		}
		const frame = len(`{"seq":1,"time":"2030-01-01T00:00:00Z","type":"warned","data":{"about":"","text":""}}` + "\n")
		d := trajectory.Warned{Text: strings.Repeat("x", until-size-frame)}
		ok := yield(trajectory.Event{Seq: seq, Time: at, Data: d}, nil)
		if ok {
			info, err := os.Stat(log)
			require.NoError(t, err)
			require.EqualValues(t, until, info.Size())
			before = now
			now, err = os.Stat(file)
			stored = append(stored, err == nil && !os.SameFile(before, now))
		}
		return ok
	}
	_, err := trajectory.Restore(dir, func(yield func(trajectory.Event, error) bool) {
		const every = 4 << 20
		for i, until := range []int{every - 200, every, every + 200, 2*every - 1, 2*every + 200} {
			if !next(yield, int64(i+1), until) {
				return
			}
		}
	})
	require.NoError(t, err)
	require.Equal(t, []bool{false, true, false, false, true}, stored)
}

// A text of 2 KB is still in its line.
func TestOnlyLongTextsAreBesideTheLog(t *testing.T) {
	for size, beside := range map[int]bool{2 << 10: false, 2<<10 + 1: true} {
		text := strings.Repeat("x", size)
		dir := written(t, trajectory.MessageAdded{Content: trajectory.T(text)})
		info, err := os.Stat(filepath.Join(dir, "texts.zst"))
		require.NoError(t, err)
		require.Equal(t, beside, info.Size() > 0)
		for e, err := range trajectory.Skim(dir) {
			require.NoError(t, err)
			require.Equal(t, !beside, e.Data.(trajectory.MessageAdded).Content.Loaded())
		}
		e := trajectory.Event{Data: trajectory.MessageAdded{Content: trajectory.T(text)}}.Referenced()
		require.Equal(t, !beside, e.Data.(trajectory.MessageAdded).Content.Loaded())
	}
}

// The buffer for lines is kept for small events only.
func TestALargeEventIsNotKeptInMemory(t *testing.T) {
	log := create(t)
	_, err := log.Append("", 0, trajectory.Warned{})
	require.NoError(t, err)
	before := live()
	_, err = log.Append("", 0, trajectory.Warned{Text: strings.Repeat("x", 16<<20)})
	require.NoError(t, err)
	runtime.GC() // twice empties the pools of encoding/json
	require.Less(t, live(), before+8<<20)
}

func TestWhyARunHasNoSummary(t *testing.T) {
	_, err := trajectory.Summarize(t.TempDir())
	require.ErrorIs(t, err, os.ErrNotExist)

	dir := written(t, trajectory.RunStarted{Question: "q"}, trajectory.Warned{Text: "two"})
	file := filepath.Join(dir, "trajectory.jsonl")
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(b, "damaged\n{}\n"...), 0o600))
	require.FileExists(t, filepath.Join(dir, "summary.json"))
	_, err = trajectory.Summarize(dir)
	require.ErrorContains(t, err, "line 3", "lines count from the log's start, not from where the summary ends")
}
