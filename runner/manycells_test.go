package runner_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// oldRun is the id of a run of an earlier version, which did not limit the cells of a reply. The replies have 59
// cells, one cell, and FINAL(n + m).
const oldRun = "0v36eqaqjq"

// oldLog returns a data folder with the first lines of oldRun's log; all of them if lines is 0.
func oldLog(t *testing.T, lines int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	at := filepath.Join(dir, "rlm", "runs", oldRun)
	require.NoError(t, os.CopyFS(at, os.DirFS(filepath.Join("testdata", "manycells", oldRun))))
	if lines > 0 {
		log := filepath.Join(at, "trajectory.jsonl")
		text, err := os.ReadFile(log)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(
			log, []byte(strings.Join(strings.SplitAfter(string(text), "\n")[:lines], "")), 0o600))
	}
	return dir
}

// A resumed run uses all recorded cells of a reply. Of the reply's other cells, at most the usual number runs.
func TestALogWithManyCellsInAReplyGoesOn(t *testing.T) {
	t.Parallel()
	script := []string{"", fence("m := n + 1"), fence("FINAL(n + m)")}
	for _, c := range []struct {
		lines, ran int // lines of the log that are kept; cells of the first reply that ran before or run now
		answer     string
	}{
		{31, 50, "99"},   // the log has 11 cells
		{119, 55, "109"}, // the log has 55 cells
		{120, 56, "111"}, // one more cell has begun
		{127, 59, "115"}, // the log has all cells, and nothing after them
		{131, 59, "115"}, // the next turn has begun
		{136, 59, "115"}, // the next turn is over
	} {
		t.Run(fmt.Sprint(c.lines), func(t *testing.T) {
			t.Parallel()
			r := newRunner(t, root(script, nil), runner.WithDataDir(oldLog(t, c.lines)))
			res, err := runner.Collect(r.Resume(timeout(t), oldRun))
			require.NoError(t, err)
			require.Equal(t, c.answer, res.Answer)
			require.Len(t, res.Cells, c.ran+2)
		})
	}
}

func TestALogWithManyCellsInAReplyIsReplayed(t *testing.T) {
	t.Parallel()
	cells := 0
	for cell, err := range newRunner(t, llm.NewScripted("none"), runner.WithDataDir(oldLog(t, 0))).Replay(
		timeout(t), oldRun) {
		require.NoError(t, err)
		require.True(t, cell.Same, cell)
		cells++
	}
	require.Equal(t, 61, cells)
}

func TestALogWithManyCellsInAReplyIsForkedAndOpened(t *testing.T) {
	t.Parallel()
	r := newRunner(t, root([]string{"", fence("m := 2 * n"), fence("FINAL(n + m)"), fence("FINAL(n)")}, nil),
		runner.WithDataDir(oldLog(t, 0)))
	res, err := runner.Collect(r.Fork(timeout(t), oldRun, 1))
	require.NoError(t, err)
	require.Equal(t, "171", res.Answer)
	s, err := r.OpenSession(timeout(t), oldRun)
	require.NoError(t, err)
	defer s.Close()
	res, err = runner.Collect(s.Ask(timeout(t), "and n?"))
	require.NoError(t, err)
	require.Equal(t, "57", res.Answer)
}
