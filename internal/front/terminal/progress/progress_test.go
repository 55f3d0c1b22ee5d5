package progress

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

func TestProgress(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	cost := 0.001
	var p Progress
	for i, ev := range []trajectory.Event{
		{Data: trajectory.RunStarted{}},
		{Turn: 1, Data: trajectory.TurnStarted{}},
		{Turn: 1, Data: trajectory.ReplyReceived{
			Model: "m", Usage: trajectory.Usage{Prompt: 900, Completion: 100, Cost: &cost},
		}},
		{Turn: 1, Data: trajectory.CellStarted{Cell: 1}},
		{Turn: 1, Data: trajectory.SubCallStarted{Cell: 1, Batch: 1, Index: 0, Size: 3}},
		{Turn: 1, Data: trajectory.SubCallStarted{Cell: 1, Batch: 1, Index: 1, Size: 3}},
		{Turn: 1, Data: trajectory.SubCallEnded{
			Cell: 1, Model: "m", Usage: trajectory.Usage{Prompt: 500, Cost: &cost},
		}},
		{Turn: 1, Data: trajectory.SubCallEnded{Cell: 1, Error: "503"}},
		{Path: "1.1/1", Turn: 4, Data: trajectory.TurnStarted{}}, // a child's turn is not the run's
	} {
		ev.Time = start.Add(time.Duration(i) * time.Second)
		p.Add(ev)
	}
	require.Equal(t, "turn 1 · running cell 1 · 10s · sub-calls 2/3 (1 failed) · 1500 tokens, $0.0020",
		p.Line(start.Add(10*time.Second)))

	p.Add(trajectory.Event{Data: trajectory.SubCallStarted{Cell: 2}})
	require.Equal(t, 4, p.SubTotal)
	p.Add(trajectory.Event{Data: trajectory.SubCallEnded{Model: "unknown", Usage: trajectory.Usage{Prompt: 1}}})
	require.Contains(t, p.Spent(), "at least $0.0020")
}

func TestCallsOfToolsAreNoSubCalls(t *testing.T) {
	var p Progress
	for _, d := range []trajectory.Data{
		trajectory.SubCallStarted{Cell: 1, Hash: "a", Impl: "tool", Tool: "recorded_calls"},
		trajectory.SubCallStarted{Cell: 1, Hash: "b", Impl: "llm_query"},
		trajectory.SubCallEnded{Cell: 1, Hash: "a", Error: "no such cell"},
	} {
		p.Add(trajectory.Event{Turn: 1, Data: d})
	}
	require.Equal(t, "sub-calls 0/1", p.SubCalls())
	p.Add(trajectory.Event{Turn: 1, Data: trajectory.SubCallEnded{Cell: 1, Hash: "b"}})
	require.Equal(t, "sub-calls 1/1", p.SubCalls())
}

// The number is the one at the end of a run: a child run counts as its turns.
func TestChildRunsCountAsTheirTurns(t *testing.T) {
	var p Progress
	add := func(path string, all ...trajectory.Data) {
		for _, d := range all {
			p.Add(trajectory.Event{Path: path, Turn: 1, Data: d})
		}
	}
	add("", trajectory.SubCallStarted{Cell: 1, Hash: "a", Impl: "llm_query"},
		trajectory.SubCallStarted{Cell: 1, Hash: "b", Impl: "rlm_query", Child: "1.1"},
		trajectory.SubCallStarted{Cell: 1, Hash: "c", Impl: "rlm_query", Child: "1.2"})
	require.Equal(t, "sub-calls 0/3", p.SubCalls())
	add("1.1", trajectory.TurnStarted{}, trajectory.ReplyReceived{}, trajectory.TurnStarted{})
	require.Equal(t, "sub-calls 1/4", p.SubCalls())
	add("1.1", trajectory.SubCallStarted{Cell: 1, Hash: "d"}, trajectory.SubCallEnded{Cell: 1, Hash: "d"},
		trajectory.ReplyReceived{})
	add("", trajectory.SubCallEnded{Cell: 1, Hash: "b"})
	require.Equal(t, "sub-calls 3/5", p.SubCalls())
	add("1.2", trajectory.TurnStarted{})
	add("", trajectory.SubCallEnded{Cell: 1, Hash: "c", Error: "no reply"}, trajectory.SubCallEnded{Cell: 1, Hash: "a"})
	require.Equal(t, "sub-calls 5/5 (1 failed)", p.SubCalls())
}

func TestUnknownCostIsSaid(t *testing.T) {
	var p Progress
	p.Add(trajectory.Event{Data: trajectory.ReplyReceived{Model: "home-grown", Usage: trajectory.Usage{Prompt: 10}}})
	require.Equal(t, "10 tokens, cost unknown", p.Spent())
}

func TestARetryIsShownWhileItWaits(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	slow := trajectory.CallRetried{Model: "gpt-5", Reason: "HTTP 429", Attempt: 2, Tries: 5, Wait: 2 * time.Second}
	var p Progress
	p.Add(trajectory.Event{Time: start, Turn: 1, Data: trajectory.TurnStarted{}})
	p.Add(trajectory.Event{Time: start, Turn: 1, Data: slow})
	require.Equal(t, "turn 1 · model gpt-5: HTTP 429, trying again in 2 s (2 of 5) · 0s · 0 tokens, $0.00",
		p.Line(start))
	require.Contains(t, p.Line(start.Add(1500*time.Millisecond)), "trying again in 0.5 s", "what is left")
	require.Contains(t, p.Line(start.Add(2*time.Second)), "turn 1 · waiting for the model · 2s")

	p.Add(trajectory.Event{Time: start.Add(3 * time.Second), Turn: 1, Data: trajectory.CellStarted{Cell: 1}})
	slow.Cell = 1
	p.Add(trajectory.Event{Time: start.Add(3 * time.Second), Turn: 1, Data: slow})
	require.Contains(t, p.Line(start.Add(3*time.Second)),
		"turn 1 · running cell 1 · model gpt-5: HTTP 429, trying again in 2 s (2 of 5) · 3s")
}

func TestRetryInWords(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		0: "trying again at once", 430 * time.Millisecond: "again in 0.4 s", time.Second: "again in 1 s",
		22*time.Second + 300*time.Millisecond: "again in 22 s",
	} {
		require.Contains(t, Retry(trajectory.CallRetried{Attempt: 3, Tries: 5}, wait), want)
	}
	require.Equal(t, "model m: the endpoint asked all calls to wait, trying in 1.5 s (1 of 5)",
		Retry(trajectory.CallRetried{Model: "m", Reason: "the endpoint asked all calls to wait", Attempt: 1, Tries: 5},
			1500*time.Millisecond))
}

func TestAPersonsOwnCellIsOfNoTurn(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var p Progress
	p.Add(trajectory.Event{Time: start, Data: trajectory.CellStarted{Cell: 5, Own: true}})
	require.Equal(t, "running your cell 5 · 1s", p.Line(start.Add(time.Second)))
	p.Add(trajectory.Event{Time: start, Turn: 1, Data: trajectory.TurnStarted{}})
	require.Equal(t, "turn 1 · waiting for the model · 1s · 0 tokens, $0.00", p.Line(start.Add(time.Second)))
}

func TestARunThatGoesOnHasNotEnded(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var p Progress
	for _, d := range []trajectory.Data{
		trajectory.RunStarted{}, trajectory.TurnStarted{}, trajectory.RunEnded{Status: "error"},
	} {
		p.Add(trajectory.Event{Time: start, Turn: 1, Data: d})
	}
	require.Contains(t, p.Line(start), "turn 1 · waiting for the model")
}
