package trajectory_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

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

func TestTheDefaultFolder(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIP TestTheDefaultFolder: it is another one here")
	}
	t.Setenv("RLM_DATA_DIR", "")
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("HOME", "/me")
	dir, err := trajectory.DataDir()
	require.NoError(t, err)
	require.Equal(t, "/me/.local/share", dir)
	t.Setenv("XDG_DATA_HOME", "~/data")
	dir, err = trajectory.DataDir()
	require.NoError(t, err)
	require.Equal(t, "/me/data", dir)
	t.Setenv("HOME", "")
	_, err = trajectory.DataDir()
	require.ErrorContains(t, err, "find the folder ~/data of XDG_DATA_HOME")
	t.Setenv("XDG_DATA_HOME", "")
	_, err = trajectory.DataDir()
	require.ErrorContains(t, err, "set RLM_DATA_DIR")
}

// Ids sort by time, and those of one moment differ.
func TestAnIDHasItsTime(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for time, prefix := range map[time.Time]string{
		start: "0000000", start.Add(time.Second - 1): "000000z", start.Add(time.Second): "0000010",
		start.Add(33 * time.Second): "0000110",
	} {
		chance := map[string]bool{}
		for range 64 {
			id := trajectory.NewID(time)
			require.Equal(t, prefix, id[:7])
			chance[id[7:]] = true
		}
		require.Greater(t, len(chance), 32)
	}
}

func TestMatchesAreNamed(t *testing.T) {
	e := &trajectory.NotFoundError{Typed: "a", Dir: "runs", Matches: strings.Split("12345", "")}
	require.EqualError(t, e, `"a" matches 5 runs (1, 2, 3, 4, 5): type more of the id`)
	e.Matches = append(e.Matches, "6")
	require.EqualError(t, e, `"a" matches 6 runs (1, 2, 3, 4, 5, …): type more of the id`)
	e.Matches = nil
	require.EqualError(t, e, `there is no run "a" in runs: 'rlm ls' lists the runs`)
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
	newRun(t, runs)
	_, err = trajectory.Find(runs, " ")
	require.ErrorAs(t, err, &missing, "no id at all matches no run, even the only one")
	require.NoError(t, os.RemoveAll(runs))
	for range 5 {
		ids = append(ids, newRun(t, runs, trajectory.Warned{}))
	}
	for _, id := range ids {
		require.Len(t, id, 10)
		require.Equal(t, strings.ToLower(id), id)
		for _, typed := range []string{
			id, strings.ToUpper(id), " " + id + "\n", strings.ReplaceAll(strings.ReplaceAll(id, "0", "o"), "1", "l"),
		} {
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
		trajectory.RunStarted{Question: "first?", Model: "m"},
		trajectory.RunEnded{Status: "answered", Cost: cost(1), Turns: 2, SubCalls: 7},
		trajectory.RunStarted{Question: "second?", Model: "m"},
		trajectory.RunEnded{Status: "stopped", Cost: cost(0.5), Turns: 1})
	broken := newRun(t, runs,
		trajectory.RunStarted{Question: "third?"}, trajectory.TurnStarted{},
		trajectory.ReplyReceived{Usage: trajectory.Usage{Prompt: 1, Cost: cost(0.25)}},
		trajectory.SubCallEnded{Usage: trajectory.Usage{Prompt: 1, Cost: cost(0.25)}})
	unpriced := newRun(t, runs, trajectory.RunStarted{Question: "fourth?"}, trajectory.RunEnded{Status: "answered"})
	damaged := newRun(t, runs, trajectory.RunStarted{}, trajectory.RunEnded{})
	require.NoError(t, os.WriteFile(filepath.Join(runs, damaged, "trajectory.jsonl"), []byte("x\ny\nz\n"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(runs, "not-a-run"), 0o700))

	check := func() {
		list, err := trajectory.List(runs)
		require.NoError(t, err)
		require.Len(t, list, 4)
		require.True(t, slices.IsSortedFunc(
			list, func(a, b trajectory.Summary) int { return strings.Compare(b.ID, a.ID) }))
		byID := map[string]trajectory.Summary{}
		for _, s := range list {
			byID[s.ID] = s
		}
		s := byID[answered]
		require.Equal(t, []any{"first?", 2, "stopped", cost(1.5), 3, 7},
			[]any{s.Question, s.Questions, s.Status, s.Cost, s.Turns, s.SubCalls})
		require.False(t, s.Started.IsZero())
		s = byID[broken]
		require.Equal(t, []any{trajectory.StatusInterrupted, cost(0.5)}, []any{s.Status, s.Cost})
		require.Nil(t, byID[unpriced].Cost)
		require.Equal(t, trajectory.StatusUnreadable, byID[damaged].Status)
		require.Contains(t, byID[damaged].Problem, "line 1")
	}
	check()
	// Only the log counts: the list is the same without summaries, and with outdated ones.
	for _, id := range []string{answered, broken, unpriced} {
		require.NoError(t, os.Remove(filepath.Join(runs, id, "summary.json")))
	}
	check()
	require.NoError(t, os.WriteFile(
		filepath.Join(runs, answered, "summary.json"), []byte(`{"size":5,"question":"stale"}`), 0o600))
	check()
}

// TestALogWithoutEventsHasTheTimeOfItsMaking: a new session without events is listed with the time of its creation.
func TestALogWithoutEventsHasTheTimeOfItsMaking(t *testing.T) {
	runs := t.TempDir()
	before := time.Now().Add(-time.Minute) // file systems round times
	newRun(t, runs)
	list, err := trajectory.List(runs)
	require.NoError(t, err)
	require.WithinRange(t, list[0].Started, before, time.Now().Add(time.Minute))
	require.Equal(t, list[0].Started, list[0].Last)
}

func TestAListLeavesSummariesBehind(t *testing.T) {
	runs := t.TempDir()
	id := newRun(t, runs, trajectory.RunStarted{Question: "first?", Model: "m"},
		trajectory.RunEnded{Status: "answered", Turns: 2})
	file := filepath.Join(runs, id, "summary.json")
	log := filepath.Join(runs, id, "trajectory.jsonl")
	require.NoError(t, os.Remove(file))
	first, err := trajectory.List(runs)
	require.NoError(t, err)
	stored, err := os.ReadFile(file)
	require.NoError(t, err)
	again, err := trajectory.List(runs)
	require.NoError(t, err)
	require.Equal(t, first, again)

	// A summary is used only while it matches its log.
	b, err := os.ReadFile(log)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(log, []byte(strings.Replace(string(b), "first?", "other?", 1)), 0o600))
	require.NoError(t, os.Chtimes(log, time.Time{}, time.Now().Add(time.Hour)))
	changed, err := trajectory.List(runs)
	require.NoError(t, err)
	require.Equal(t, "other?", changed[0].Question)
	require.NotEqual(t, first, changed)
	now, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NotEqual(t, string(stored), string(now))

	// Readers do not write the summary of a log that is being written.
	require.NoError(t, os.Remove(file))
	held, err := trajectory.Open(filepath.Join(runs, id), nil)
	require.NoError(t, err)
	_, err = trajectory.List(runs)
	require.NoError(t, err)
	_, err = os.Stat(file)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, held.Close())
}

// The summary of a log that has grown continues from the stored one, whatever the state of the run then; a summary
// of another log is ignored.
func TestASummaryGoesOnWhereItWasStored(t *testing.T) {
	cost := func(f float64) *float64 { return &f }
	paid := trajectory.Usage{Cost: cost(0.5)}
	turn := []trajectory.Data{
		trajectory.TurnStarted{},
		trajectory.ReplyReceived{Content: trajectory.T("x"), Usage: paid},
		trajectory.CellStarted{Cell: 1},
		trajectory.SubCallEnded{Usage: paid},
	}
	session := append([]trajectory.Data{
		trajectory.ContextAdded{}, trajectory.RunStarted{Question: "first?", Model: "m"},
	}, turn...)
	session = append(session, trajectory.RunEnded{Status: "answered", Cost: cost(1), Turns: 1, SubCalls: 1},
		trajectory.Renamed{Name: "n"},
		trajectory.RunStarted{Question: "second?", Model: "m2", Interactive: true})
	session = append(append(session, turn...), trajectory.RunEnded{Status: "stopped", Turns: 2},
		trajectory.Undone{Runs: 1})
	session = append(append(session, trajectory.RunStarted{Question: "third?"}), turn...)

	dir := filepath.Join(t.TempDir(), "run")
	file := filepath.Join(dir, "summary.json")
	var stored [][]byte
	for i, d := range session {
		open := trajectory.Open
		if i == 0 {
			open = trajectory.Create
		}
		log, err := open(dir, nil)
		require.NoError(t, err)
		_, err = log.Append("", 1, d)
		require.NoError(t, err)
		require.NoError(t, log.Close())
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		stored = append(stored, b)
	}
	require.NoError(t, os.Remove(file))
	want, err := trajectory.Summarize(dir)
	require.NoError(t, err)
	require.Equal(t, "first?", want.Question)
	require.EqualValues(t, len(session), want.Events)
	other := written(t, trajectory.RunStarted{Question: "another log"}, trajectory.RunEnded{Status: "answered"})
	b, err := os.ReadFile(filepath.Join(other, "summary.json"))
	require.NoError(t, err)
	for i, b := range append(stored, b) {
		require.NoError(t, os.WriteFile(file, b, 0o600))
		sum, err := trajectory.Summarize(dir)
		require.NoError(t, err)
		require.Equal(t, want, sum, "from the summary after %d events", i+1)
	}
}

// The summary of a log that is being written, or whose writer was killed, is made without reading all of the log.
func TestALargeLogIsListedFromNearItsEnd(t *testing.T) {
	runs := t.TempDir()
	_, dir, log, err := trajectory.New(runs)
	require.NoError(t, err)
	_, err = log.Append("", 0, trajectory.RunStarted{Question: "q"})
	require.NoError(t, err)
	for range 200 {
		_, err := log.Append("", 1, trajectory.Warned{Text: strings.Repeat("x", 50_000)})
		require.NoError(t, err)
	}
	defer func() { require.NoError(t, log.Close()) }()
	path := filepath.Join(dir, "trajectory.jsonl")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Greater(t, len(whole), 9<<20)
	for i := range 1 << 20 { // a reader that starts here would fail
		whole[100+i] = '!'
	}
	require.NoError(t, os.WriteFile(path, whole, 0o600))
	sum, err := trajectory.Summarize(dir)
	require.NoError(t, err)
	require.Equal(t, "q", sum.Question)
	require.EqualValues(t, 201, sum.Events)
}

func TestASummaryLeavesOutWhatWasTakenBack(t *testing.T) {
	cost := func(f float64) *float64 { return &f }
	dir := written(t,
		trajectory.RunStarted{Question: "first?"}, trajectory.RunEnded{Status: "answered", Cost: cost(1), Turns: 1},
		trajectory.RunStarted{Question: "second?"}, trajectory.RunEnded{Status: "stopped", Cost: cost(2), Turns: 4},
		trajectory.Undone{Runs: 1})
	s, err := trajectory.Summarize(dir)
	require.NoError(t, err)
	require.Equal(t, []any{"first?", 1, "answered", cost(3)}, []any{s.Question, s.Questions, s.Status, s.Cost},
		"what was spent stays spent")

	dir = written(t, trajectory.RunStarted{Question: "first?"}, trajectory.RunEnded{Status: "answered"},
		trajectory.Undone{Runs: 1},
		trajectory.RunStarted{Question: "second?"})
	s, err = trajectory.Summarize(dir)
	require.NoError(t, err)
	require.Equal(t, []any{"second?", 1, trajectory.StatusInterrupted}, []any{s.Question, s.Questions, s.Status})

	s, err = trajectory.Summarize(written(t, trajectory.ContextAdded{}))
	require.NoError(t, err)
	require.Equal(t, trajectory.StatusClosed, s.Status)
}

func TestADamagedRunIsListedWithWhatCanBeRead(t *testing.T) {
	runs := t.TempDir()
	id := newRun(t, runs, trajectory.RunStarted{Question: "first?"}, trajectory.Warned{Text: "w"},
		trajectory.RunEnded{Status: "answered", Turns: 3})
	log := filepath.Join(runs, id, "trajectory.jsonl")
	b, err := os.ReadFile(log)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(log, []byte(strings.Replace(string(b), `{"seq":2`, `{{`, 1)), 0o600))
	list, err := trajectory.List(runs)
	require.NoError(t, err)
	require.Equal(t, []any{"first?", 3, trajectory.StatusUnreadable},
		[]any{list[0].Question, list[0].Turns, list[0].Status})
	require.Contains(t, list[0].Problem, "rlm repair "+id)
}

func TestWhatAKillLeavesIsSwept(t *testing.T) {
	dir := written(t, trajectory.Warned{})
	for _, name := range []string{".owner.json-123", ".summary.json-456"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("{"), 0o600))
	}
	log, err := trajectory.Open(dir, nil)
	require.NoError(t, err)
	require.NoError(t, log.Close())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	require.Equal(t, []string{"lock", "summary.json", "texts.zst", "trajectory.jsonl"}, names)
}
