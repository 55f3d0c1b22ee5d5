package history

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

// written makes a log of events.
func written(t *testing.T, events ...trajectory.Event) (string, func(...trajectory.Event)) {
	t.Helper()
	_, dir, log, err := trajectory.New(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	add := func(events ...trajectory.Event) {
		for _, ev := range events {
			_, err := log.Append(ev.Path, ev.Turn, ev.Data)
			require.NoError(t, err)
		}
	}
	add(events...)
	return dir, add
}

func at(path string, turn int, d trajectory.Data) trajectory.Event {
	return trajectory.Event{Path: path, Turn: turn, Data: d}
}

func TestAbove(t *testing.T) {
	for path, want := range map[string]cellKey{
		"1.3/2": {"", 3}, "12.34/5": {"", 34}, "1.3/2.7/1": {"1.3/2", 7}, "1.3/2.7/1.10/4": {"1.3/2.7/1", 10}, "": {},
	} {
		above, cell := Above(path)
		require.Equal(t, want, cellKey{above, cell}, path)
	}
}

// The usage of child runs counts for the cells above them and for the question, once each.
func TestTalliesCountTheTreeOnce(t *testing.T) {
	cost := 0.25
	use := trajectory.Usage{Prompt: 100, Completion: 10, Cost: &cost}
	dir, add := written(
		t, at("", 0, trajectory.RunStarted{Number: 1, Question: "q"}), at("", 1, trajectory.TurnStarted{}),
		at("", 1, trajectory.ReplyReceived{Usage: use}),
		at("", 1, trajectory.CellStarted{Cell: 1}),
		at("", 1, trajectory.SubCallStarted{
			Cell: 1, Hash: "a", Impl: "llm_query", Batch: 1, Index: 0, Size: 3, Prompt: trajectory.T("first"),
		}),
		at("", 1, trajectory.SubCallStarted{
			Cell: 1, Hash: "b", Impl: "rlm_query", Child: "1.1/1", Batch: 1, Index: 1, Size: 3,
		}),
		at("", 1, trajectory.SubCallEnded{Cell: 1, Hash: "a", Usage: use, Reply: trajectory.T("reply")}),
		at("1.1/1", 0, trajectory.RunStarted{Number: 1}), at("1.1/1", 1, trajectory.TurnStarted{}),
		at("1.1/1", 1, trajectory.ReplyReceived{Usage: use}),
	)
	b := NewProjection(dir)
	cells, spent, version, err := b.Tallies(0)
	require.NoError(t, err)
	require.Len(t, cells, 1)
	require.Equal(t, int64(220), cells[0].Tokens)
	require.InDelta(t, 0.5, *cells[0].Cost, 1e-9)
	require.Equal(t, [5]int{3, 2, 1, 0, 1},
		[5]int{cells[0].Total, cells[0].Started, cells[0].Ended, cells[0].Failed, cells[0].Children})
	require.Equal(t, int64(330), spent.Tokens)
	require.InDelta(t, 0.75, spent.Cost, 1e-9)
	require.Equal(t, 2, spent.SubCalls)
	again, _, same, err := b.Tallies(version)
	require.NoError(t, err)
	require.Empty(t, again)
	require.Equal(t, version, same)

	add(
		at("1.1/1", 1, trajectory.RunEnded{Status: "completed", HasAnswer: true}),
		at("", 1, trajectory.SubCallEnded{Cell: 1, Hash: "b", Error: "it broke"}),
		at("", 1, trajectory.CellEnded{Cell: 1, OK: true}),
	)
	cells, _, _, err = b.Tallies(version)
	require.NoError(t, err)
	require.Equal(t, 1, cells[0].Failed)
	calls, _, total, err := b.Calls(CallQuery{Cell: 1, Limit: 10})
	require.NoError(t, err)
	require.Equal(t, 2, total)
	require.Equal(t, []string{"done", "failed"}, []string{calls[0].Status, calls[1].Status})
	require.Equal(t, int64(110), calls[1].Tokens, "those of the child run")
	only, _, total, err := b.Calls(CallQuery{Cell: 1, Status: "failed", Limit: 10})
	require.NoError(t, err)
	require.Equal(t, 1, total)
	require.Equal(t, "1.1/1", only[0].Child)

	trace, err := b.Trace(1, true)
	require.NoError(t, err)
	parents := map[string]string{}
	byID := map[int64]Span{}
	for _, sp := range trace.Spans {
		byID[sp.ID] = sp
	}
	for _, sp := range trace.Spans {
		parents[sp.Kind+sp.Path] = byID[sp.Parent].Kind
	}
	require.Equal(t, "turn", parents["cell"])
	require.Equal(t, "cell", parents["call"])
	require.Equal(t, "call", parents["child1.1/1"])
	require.Equal(t, "child", parents["turn1.1/1"])
	require.Equal(t, "turn", parents["model"])
}

// An undone cell frees its number for another one.
func TestTallyOfACellThatWasTakenBack(t *testing.T) {
	asked := func(hash string) []trajectory.Event {
		return []trajectory.Event{
			at("", 0, trajectory.RunStarted{Number: 1}), at("", 1, trajectory.CellStarted{Cell: 1}),
			at("", 1, trajectory.SubCallStarted{Cell: 1, Hash: hash}),
			at("", 1, trajectory.SubCallEnded{Cell: 1, Hash: hash}),
			at("", 1, trajectory.CellEnded{
				Cell: 1, OK: true, Result: []byte(`{"changed":[{"name":"` + hash + `","type":"int"}]}`),
			}),
		}
	}
	dir, add := written(t, asked("a")...)
	b := NewProjection(dir)
	_, _, _, err := b.Tallies(0)
	require.NoError(t, err)
	add(at("", 0, trajectory.Undone{Runs: 1}))
	vars, err := Variables(dir)
	require.NoError(t, err)
	require.Empty(t, vars)
	add(asked("b")...)
	cells, _, _, err := b.Tallies(0)
	require.NoError(t, err)
	require.Equal(t, 1, cells[0].Started)
	vars, err = Variables(dir)
	require.NoError(t, err)
	require.Equal(t, []Variable{{Name: "b", Type: "int", Cell: 1}}, vars)
}

// A summary takes the place of the messages that it replaced.
func TestMessagesAfterACompaction(t *testing.T) {
	message := func(role, kind, text string) trajectory.Event {
		return at("", 0, trajectory.MessageAdded{Role: role, Kind: kind, Content: trajectory.T(text)})
	}
	dir, _ := written(
		t, at("", 0, trajectory.RunStarted{Number: 1}), message("system", "system", "s"),
		message("user", "question", "q"),
		at("", 1, trajectory.TurnStarted{}), at("", 1, trajectory.ReplyReceived{Content: trajectory.T("r1")}),
		message("user", "observation", "o1"),
		at("", 2, trajectory.TurnStarted{}), at("", 2, trajectory.ReplyReceived{Content: trajectory.T("r2")}),
		message("user", "observation", "o2"),
		at("", 3, trajectory.TurnStarted{Kind: "summary"}),
		at("", 3, trajectory.ReplyReceived{Content: trajectory.T("the summary")}),
		at("", 3, trajectory.Compacted{Messages: 2, Summary: trajectory.T("the summary")}),
		at("", 3, trajectory.TurnStarted{}),
	)
	shown := func(turn int) (string, int) {
		told, err := Messages(dir, "", 0, turn)
		require.NoError(t, err)
		var out []string
		for _, m := range told.Messages {
			text := m.Content.String()
			if m.New {
				text = "+" + text
			}
			out = append(out, text)
		}
		return strings.Join(out, " "), told.Removed
	}
	text, removed := shown(1)
	require.Equal(t, "+s +q", text)
	require.Zero(t, removed)
	text, _ = shown(2)
	require.Equal(t, "s q +r1 +o1", text)
	text, removed = shown(3)
	require.Equal(t, "s q … +the summary +r2 +o2", text)
	require.Equal(t, 2, removed)
	_, err := Messages(dir, "", 0, 4)
	require.ErrorContains(t, err, "no turn 4")
}

// A span without an end is stopped as soon as it cannot continue: because its question or a run above it ended,
// another question was asked, or the session is inactive. It continues when its run is resumed.
func TestWhatCannotGoOnIsStopped(t *testing.T) {
	dir, add := written(
		t, at("", 0, trajectory.RunStarted{Number: 1}), at("", 1, trajectory.TurnStarted{}),
		at("", 1, trajectory.CellStarted{Cell: 1}),
		at("", 1, trajectory.SubCallStarted{Cell: 1, Hash: "a", Impl: "rlm_query", Child: "1.1/1"}),
		at("1.1/1", 0, trajectory.RunStarted{Number: 1}), at("1.1/1", 1, trajectory.TurnStarted{}),
		at("1.1/1", 1, trajectory.CellStarted{Cell: 1}),
		at("1.1/1", 1, trajectory.SubCallStarted{Cell: 1, Hash: "b", Impl: "llm_query"}),
	)
	b := NewProjection(dir)
	states := func(live bool) map[string]int {
		seen := map[string]int{}
		for _, path := range []string{"", "1.1/1"} {
			calls, tally, _, err := b.Calls(CallQuery{Path: path, Cell: 1, Limit: 9, Live: live})
			require.NoError(t, err)
			require.Len(t, calls, 1)
			seen["call "+calls[0].Status]++
			seen["under way"] += tally.Running
			_, _, n, err := b.Calls(CallQuery{Path: path, Cell: 1, Status: "running", Limit: 9, Live: live})
			require.NoError(t, err)
			require.Equal(t, tally.Running, n)
		}
		trace, err := b.Trace(1, live)
		require.NoError(t, err)
		for _, sp := range trace.Spans {
			seen["span "+sp.Status]++
		}
		return seen
	}
	running := map[string]int{"call running": 2, "under way": 2, "span running": 10}
	stopped := map[string]int{"call stopped": 2, "under way": 0, "span stopped": 10}
	require.Equal(t, running, states(true))
	require.Equal(t, stopped, states(false))
	add(at("", 1, trajectory.RunEnded{Status: "cancelled", Reason: "stopped"}))
	// the question and its turn have ended
	ended := map[string]int{"call stopped": 2, "under way": 0, "span stopped": 8, "span failed": 1, "span ok": 1}
	require.Equal(t, ended, states(true))
	add(at("", 1, trajectory.Resumed{}))
	require.Equal(t, 2, states(true)["call running"])
	add(at("", 0, trajectory.RunStarted{Number: 2}), at("", 1, trajectory.TurnStarted{}))
	require.Equal(t, ended, states(true))
}
