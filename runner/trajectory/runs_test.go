package trajectory_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

func TestRunsFolder(t *testing.T) {
	t.Setenv("RLM_DATA_DIR", "")
	t.Setenv("XDG_DATA_HOME", "/xdg")
	dir, err := trajectory.DataDir()
	require.NoError(t, err)
	require.Equal(t, filepath.FromSlash("/xdg"), dir)
	t.Setenv("RLM_DATA_DIR", "/mine")
	dir, err = trajectory.DataDir()
	require.NoError(t, err)
	require.Equal(t, filepath.FromSlash("/mine/rlm/runs"), trajectory.RunsDir(dir))
}

// newRun makes a run of the given events.
func newRun(t *testing.T, runs string, payloads ...trajectory.Data) (id string) {
	t.Helper()
	id, dir, log, err := trajectory.New(runs)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(runs, id), dir)
	for _, d := range payloads {
		_, err := log.Append("", 0, d)
		require.NoError(t, err)
	}
	require.NoError(t, log.Close())
	return id
}

func TestFind(t *testing.T) {
	runs := filepath.Join(t.TempDir(), "runs")
	var missing *trajectory.NotFoundError
	_, err := trajectory.Find(runs, "abc")
	require.ErrorAs(t, err, &missing)
	require.Empty(t, missing.Matches)

	var ids []string
	for range 5 {
		ids = append(ids, newRun(t, runs, trajectory.Warned{}))
	}
	for _, id := range ids {
		require.Len(t, id, 10)
		require.Equal(t, strings.ToLower(id), id)
		for _, typed := range []string{id, strings.ToUpper(id), " " + id + "\n", strings.ReplaceAll(strings.ReplaceAll(id, "0", "o"), "1", "l")} {
			dir, err := trajectory.Find(runs, typed)
			require.NoError(t, err, typed)
			require.Equal(t, filepath.Join(runs, id), dir)
		}
	}
	_, err = trajectory.Find(runs, ids[0][:3])
	require.ErrorAs(t, err, &missing)
	require.Len(t, missing.Matches, 5)
	require.NoError(t, os.Rename(filepath.Join(runs, ids[2]), filepath.Join(runs, "zzzzzzzqqq")))
	for _, typed := range []string{"zz", "qqq"} {
		dir, err := trajectory.Find(runs, typed)
		require.NoError(t, err)
		require.Equal(t, "zzzzzzzqqq", filepath.Base(dir))
	}
	for _, typed := range []string{"", "..", "../runs", "yyy"} {
		_, err := trajectory.Find(runs, typed)
		require.ErrorAs(t, err, &missing, typed)
	}
}

func TestList(t *testing.T) {
	runs := t.TempDir()
	cost := func(f float64) *float64 { return &f }
	none, err := trajectory.List(filepath.Join(runs, "not there"))
	require.NoError(t, err)
	require.Empty(t, none)

	answered := newRun(t, runs,
		trajectory.RunStarted{Question: "first?", Model: "m"}, trajectory.RunEnded{Status: "answered", Cost: cost(1), Turns: 2, SubCalls: 7},
		trajectory.RunStarted{Question: "second?", Model: "m"}, trajectory.RunEnded{Status: "stopped", Cost: cost(0.5), Turns: 1})
	broken := newRun(t, runs,
		trajectory.RunStarted{Question: "third?"}, trajectory.TurnStarted{}, trajectory.ReplyReceived{Usage: trajectory.Usage{Prompt: 1, Cost: cost(0.25)}},
		trajectory.SubCallEnded{Usage: trajectory.Usage{Prompt: 1, Cost: cost(0.25)}})
	unpriced := newRun(t, runs, trajectory.RunStarted{Question: "fourth?"}, trajectory.RunEnded{Status: "answered"})
	damaged := newRun(t, runs, trajectory.RunStarted{}, trajectory.RunEnded{})
	require.NoError(t, os.WriteFile(filepath.Join(runs, damaged, "trajectory.jsonl"), []byte("x\ny\nz\n"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(runs, "not-a-run"), 0o700))

	check := func() {
		list, err := trajectory.List(runs)
		require.NoError(t, err)
		require.Len(t, list, 4)
		require.True(t, slices.IsSortedFunc(list, func(a, b trajectory.Summary) int { return strings.Compare(b.ID, a.ID) }))
		byID := map[string]trajectory.Summary{}
		for _, s := range list {
			byID[s.ID] = s
		}
		s := byID[answered]
		require.Equal(t, []any{"first?", 2, "stopped", cost(1.5), 3, 7}, []any{s.Question, s.Questions, s.Status, s.Cost, s.Turns, s.SubCalls})
		require.False(t, s.Started.IsZero())
		s = byID[broken]
		require.Equal(t, []any{trajectory.StatusInterrupted, cost(0.5)}, []any{s.Status, s.Cost})
		require.Nil(t, byID[unpriced].Cost)
		require.Equal(t, trajectory.StatusUnreadable, byID[damaged].Status)
		require.Contains(t, byID[damaged].Problem, "line 1")
	}
	check()
	// The log is the truth: without summaries the list is the same, and so it is with those of an earlier state.
	for _, id := range []string{answered, broken, unpriced} {
		require.NoError(t, os.Remove(filepath.Join(runs, id, "summary.json")))
	}
	check()
	require.NoError(t, os.WriteFile(filepath.Join(runs, answered, "summary.json"), []byte(`{"size":5,"question":"stale"}`), 0o600))
	check()
}
