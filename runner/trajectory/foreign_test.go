package trajectory_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

// everyReader opens the run in dir in every possible way. Each must return, with an error.
func everyReader(t *testing.T, dir string) {
	t.Helper()
	for _, err := range trajectory.Read(dir) {
		require.Error(t, err)
	}
	for _, err := range trajectory.Skim(dir) {
		require.Error(t, err)
	}
	_, err := trajectory.Summarize(dir)
	require.Error(t, err)
	_, err = trajectory.Open(dir, nil)
	require.Error(t, err)
	_, err = trajectory.Inspect(dir)
	require.Error(t, err)
	_, err = trajectory.Repair(dir)
	require.Error(t, err)
	list, err := trajectory.List(filepath.Dir(dir))
	require.NoError(t, err)
	for _, s := range list {
		require.Equal(t, trajectory.StatusUnreadable, s.Status)
	}
}

func TestALogIsARegularFile(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "precious")
	require.NoError(t, os.WriteFile(outside, []byte("torn"), 0o600))
	targets := []string{outside, t.TempDir()}
	if runtime.GOOS == "linux" {
		targets = append(targets, "/dev/zero", "/dev/stdin")
	}
	for _, target := range targets {
		dir := filepath.Join(t.TempDir(), "run")
		require.NoError(t, os.Mkdir(dir, 0o700))
		if err := os.Symlink(target, filepath.Join(dir, "trajectory.jsonl")); err != nil {
			t.Skipf("SKIP: no links here: %v", err)
		}
		everyReader(t, dir)
	}
	b, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Equal(t, "torn", string(b), "a link is not followed, nor is its target shortened")

	for _, name := range []string{"texts.zst", "lock", "owner.json", "summary.json"} {
		dir := written(t, trajectory.MessageAdded{Content: trajectory.T(longText(1))})
		path := filepath.Join(dir, name)
		_ = os.Remove(path)
		require.NoError(t, os.Symlink(outside, path))
		if log, err := trajectory.Open(dir, nil); err == nil {
			require.NoError(t, log.Close())
		} else {
			require.ErrorContains(t, err, "a link to another file", name)
		}
		_, err := trajectory.Summarize(dir)
		require.NoError(t, err, name)
		b, err := os.ReadFile(outside)
		require.NoError(t, err)
		require.Equal(t, "torn", string(b), name)
	}
}

func TestALineIsBounded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, os.Mkdir(dir, 0o700))
	f, err := os.Create(filepath.Join(dir, "trajectory.jsonl"))
	require.NoError(t, err)
	require.NoError(t, f.Truncate(100<<20)) // zeros without a line break
	_, err = f.WriteAt([]byte("\n{}\n"), 100<<20)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	for _, err := range trajectory.Read(dir) {
		require.ErrorContains(t, err, "line 1: it is longer than 67 MB")
	}
	_, err = trajectory.Open(dir, nil)
	require.ErrorContains(t, err, "line 1")
	d, err := trajectory.Inspect(dir)
	require.NoError(t, err)
	require.Equal(t, 1, d.First.Line)

	for size, accepted := range map[int]bool{64 << 20: true, 64<<20 + 1: false} {
		const frame = len(`{"seq":1,"time":"2030-01-01T00:00:00Z","type":"warned","data":{"about":"","text":""}}` + "\n")
		e := trajectory.Event{Seq: 1, Time: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
		e.Data = trajectory.Warned{Text: strings.Repeat("x", size-frame)}
		own := filepath.Join(t.TempDir(), "own")
		_, err = trajectory.Restore(own, all([]trajectory.Event{e}))
		if !accepted {
			require.ErrorContains(t, err, "but the limit is", "nor is one written that nobody reads")
			continue
		}
		require.NoError(t, err)
		info, err := os.Stat(filepath.Join(own, "trajectory.jsonl"))
		require.NoError(t, err)
		require.EqualValues(t, size, info.Size())
		require.True(t, e.Data == readAll(t, own)[0].Data, "the longest line is read again")
	}
}

func TestATextDoesNotUnfoldWithoutBound(t *testing.T) {
	dir := t.TempDir()
	enc, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	for _, size := range []int{64 << 20, 257 << 20} {
		bomb := make([]byte, size)
		frame := enc.EncodeAll(bomb, nil)
		sum := sha256.Sum256(bomb)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "texts.zst"), frame, 0o600))
		for _, said := range []int{size, 5000} { // the declared size: true, or harmless
			line := fmt.Sprintf(`{"seq":1,"time":"2030-01-01T00:00:00Z","type":"message_added","data":{"content":{"sha256":"%s","size":%d,"at":0,"stored":%d}}}`,
				hex.EncodeToString(sum[:]), said, len(frame))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "trajectory.jsonl"), []byte(line+"\n"), 0o600))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for _, err := range trajectory.Read(dir) {
				require.ErrorContains(t, err, "text")
			}
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20))
		}
	}
}

// TestWhatCompressesWellIsReadAgain: the writer respects the bound on sizes that readers enforce.
func TestWhatCompressesWellIsReadAgain(t *testing.T) {
	log, err := trajectory.Create(t.TempDir(), nil)
	require.NoError(t, err)
	var want []string
	for _, size := range []int{3000, 65 << 10, 80 << 10, 1 << 20, 40 << 20} {
		want = append(want, strings.Repeat("a", size))
		_, err := log.Append("", 0, trajectory.MessageAdded{Content: trajectory.T(want[len(want)-1])})
		require.NoError(t, err)
		info, err := os.Stat(filepath.Join(log.Dir(), "texts.zst"))
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(size), "no text takes more than itself")
	}
	require.NoError(t, log.Close())
	for i, e := range readAll(t, log.Dir()) {
		require.Equal(t, want[i], e.Data.(trajectory.MessageAdded).Content.String())
	}
	reopened, err := trajectory.Open(log.Dir(), nil)
	require.NoError(t, err)
	require.NoError(t, reopened.Close())
}

func TestAContextIsAFileOfTheRunsFolder(t *testing.T) {
	for _, name := range []string{"../../etc", "/etc", "a/b", `a\b`, "..", ".", "c:x"} {
		dir := written(t, trajectory.ContextAdded{File: name})
		for _, err := range trajectory.Read(dir) {
			require.ErrorContains(t, err, "not a file in the run's folder", name)
		}
	}
	readAll(t, written(t, trajectory.ContextAdded{File: "context-0"}, trajectory.ContextAdded{}))
}
