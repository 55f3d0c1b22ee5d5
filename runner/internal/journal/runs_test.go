package journal

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

func TestCellsToRunAgain(t *testing.T) {
	result, err := json.Marshal(repl.Result{Clock: []int64{5}, Duration: time.Second, Changed: []repl.Var{{Name: "x"}}})
	require.NoError(t, err)
	events := []trajectory.Event{
		at("", trajectory.CellStarted{Cell: 1, Source: "x := 1", Seed: 7, Untagged: true, Engine: "yaegi"}),
		at("1.1/1", trajectory.CellStarted{Cell: 1, Source: "of the child", Engine: "exact"}),
		at("", trajectory.SubCallEnded{Cell: 1, Hash: "b", Reply: trajectory.T("1")}),
		at("", trajectory.SubCallEnded{Cell: 1, Hash: "a", N: 1, Reply: trajectory.T("2")}),
		at("1.1/1", trajectory.CellEnded{Cell: 1, Result: result, Marks: []trajectory.Mark{{Number: 9}}}),
		at("", trajectory.CellEnded{
			Cell: 1, Result: result, Computed: time.Minute, Marks: []trajectory.Mark{{Number: 1}},
		}),
		at("", trajectory.CellStarted{Cell: 2}),
		at("", trajectory.CellEnded{
			Cell: 2, Result: result, ErrorKind: string(cellerror.Timeout), Marks: []trajectory.Mark{{Number: 2}},
		}),
		at("", trajectory.CellStarted{Cell: 4}),
		at("", trajectory.CellEnded{Cell: 4, Result: []byte("damaged")}),
		at("", trajectory.CellStarted{Cell: 3}),
		at("", trajectory.CellEnded{Cell: 3, Result: result, ErrorKind: string(cellerror.Panic)}),
		at("", trajectory.EngineMoved{To: "exact"}),
		at("1.1/1", trajectory.CellStarted{Cell: 8}),
	}
	j := New(nil, events)
	want := sandbox.CellRecord{
		Cell: 1, Source: "x := 1", Untagged: true, Seed: 7, Clock: []int64{5}, Took: time.Second, Computed: time.Minute,
		Changed: []repl.Var{{Name: "x"}},
		Calls: []sandbox.CallRecord{
			{Hash: "b", Reply: sandbox.Reply{Body: []byte("1")}},
			{Hash: "a", N: 1, Reply: sandbox.Reply{Body: []byte("2")}},
		},
	}
	require.Len(t, j.Cells(""), 2)
	require.Equal(t, want, j.Cells("")[0])
	require.Equal(t, 3, j.Cells("")[1].Cell, "what a panic left behind counts")
	require.Len(t, j.Cells("1.1/1"), 1)
	require.Empty(t, j.Cells("1.1/2"))

	require.Equal(t, []trajectory.Mark{{Number: 1}, {Number: 2}}, j.Marks(""), "also of a cell that is not run again")
	require.Equal(t, []trajectory.Mark{{Number: 9}}, j.Marks("1.1/1"))
	require.Equal(t, 4, LastCell(events))
	require.Zero(t, LastCell(nil))
	require.Equal(t, repl.Exact, Engine(events, ""))
	require.Equal(t, repl.Yaegi, Engine(events[:6], ""))
	require.Empty(t, Engine(events, "1.1/1"), "the last cell does not say")
}

func TestFailuresThatLeaveNothing(t *testing.T) {
	for _, kind := range []cellerror.Kind{
		cellerror.NotACell, cellerror.CompileError, cellerror.Refused, cellerror.Timeout, cellerror.MemoryLimit,
		cellerror.StackOverflow,
		cellerror.FatalRuntime, cellerror.Deadlock, cellerror.SandboxViolation, cellerror.WorkerExit,
		cellerror.ProtocolViolation,
		cellerror.Cancelled,
	} {
		require.True(t, LeftNothing(kind), kind)
	}
	require.False(t, LeftNothing(cellerror.Panic))
	require.False(t, LeftNothing(""))
}

func TestRunsOfASession(t *testing.T) {
	begun, ended := at("", trajectory.RunStarted{}), at("", trajectory.RunEnded{EndedBy: "signal"})
	child, own := at("1.1/1", trajectory.RunStarted{}), at("", trajectory.CellStarted{})
	resumed := at("", trajectory.Resumed{})

	runs, between := Split([]trajectory.Event{own, begun, child, ended, own, begun, child})
	require.Equal(t, [][]trajectory.Event{{begun, child, ended, own}, {begun, child}}, runs)
	require.Empty(t, between, "the last one is not over")
	runs, between = Split([]trajectory.Event{begun, ended, own, own})
	require.Len(t, runs, 1)
	require.Equal(t, []trajectory.Event{ended, own, own}, between)
	runs, between = Split([]trajectory.Event{own})
	require.Empty(t, runs)
	require.Equal(t, []trajectory.Event{own}, between)

	for name, c := range map[string]struct {
		run   []trajectory.Event
		ended bool
	}{
		"nothing":                  {nil, false},
		"ended":                    {[]trajectory.Event{begun, ended, own}, true},
		"a child ended":            {[]trajectory.Event{begun, at("1.1/1", trajectory.RunEnded{})}, false},
		"children go on behind it": {[]trajectory.Event{begun, ended, at("1.1/1", trajectory.ReplyReceived{})}, true},
		"it goes on":               {[]trajectory.Event{begun, ended, resumed}, false},
		"another turn":             {[]trajectory.Event{begun, ended, at("", trajectory.TurnStarted{})}, false},
	} {
		end, ok := Ending(c.run)
		require.Equal(t, c.ended, ok, name)
		require.Equal(t, c.ended, end.EndedBy == "signal", name)
	}
	for by, resumable := range map[string]bool{
		"interrupt": true, "error": true, "endpoint": true, "signal": false, "limit": false, "guard": false,
	} {
		require.Equal(t, resumable, Resumable(trajectory.RunEnded{EndedBy: by}), by)
	}
}

func TestTimeThatARunWorked(t *testing.T) {
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	after := func(d time.Duration, path string, data trajectory.Data) trajectory.Event {
		return trajectory.Event{Time: began.Add(d), Path: path, Data: data}
	}
	require.Zero(t, Worked(nil))
	require.Equal(t, 3*time.Minute, Worked([]trajectory.Event{
		after(0, "", trajectory.RunStarted{}),
		after(time.Minute, "1.1/1", trajectory.RunEnded{}),
		after(2*time.Minute, "", trajectory.RunEnded{}),
		after(4*time.Minute, "", trajectory.CellStarted{}), // no work: the run had ended
		after(5*time.Minute, "", trajectory.Resumed{}),     // no work: the run resumes only now
		after(4*time.Minute, "", trajectory.TurnStarted{}), // the clock was set back
		after(5*time.Minute, "", trajectory.RunEnded{}),
	}))
	require.Equal(t, 10*time.Minute, Worked([]trajectory.Event{
		after(0, "", trajectory.TurnStarted{}), after(time.Hour, "", trajectory.ReplyReceived{}),
	}), "a log of before resuming was marked")
}

func TestEventsOfAChild(t *testing.T) {
	resumed := at("", trajectory.Resumed{})
	events := []trajectory.Event{
		resumed, at("", trajectory.RunStarted{}), at("1.1/1", trajectory.RunStarted{}),
		at("1.1/1.2/1", trajectory.RunStarted{}),
		resumed, at("1.1/10", trajectory.RunStarted{}), at("1.1/2", trajectory.RunStarted{}),
	}
	require.Equal(t, events, Of(events, ""))
	require.Equal(t, []trajectory.Event{events[2], events[3], resumed}, Of(events, "1.1/1"),
		"with the pauses since it began")
	require.Equal(t, events[3:5], Of(events, "1.1/1.2/1"))
	require.Empty(t, Of(events, "1.1/3"))
}
