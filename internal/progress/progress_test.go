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
		{Turn: 1, Data: trajectory.ReplyReceived{Model: "m", Usage: trajectory.Usage{Prompt: 900, Completion: 100, Cost: &cost}}},
		{Turn: 1, Data: trajectory.CellStarted{Cell: 1}},
		{Turn: 1, Data: trajectory.SubCallStarted{Cell: 1, Batch: 1, Index: 0, Size: 3}},
		{Turn: 1, Data: trajectory.SubCallStarted{Cell: 1, Batch: 1, Index: 1, Size: 3}},
		{Turn: 1, Data: trajectory.SubCallEnded{Cell: 1, Model: "m", Usage: trajectory.Usage{Prompt: 500, Cost: &cost}}},
		{Turn: 1, Data: trajectory.SubCallEnded{Cell: 1, Error: "503"}},
		{Path: "1.1/1", Turn: 4, Data: trajectory.TurnStarted{}}, // a child's turn is not the run's
	} {
		ev.Time = start.Add(time.Duration(i) * time.Second)
		p.Add(ev)
	}
	require.Equal(t, "turn 1 · cell 1 runs · 10s · sub-calls 2/3 (1 failed) · 1.5k tokens, $0.0020", p.Line(start.Add(10*time.Second)))

	p.Add(trajectory.Event{Data: trajectory.SubCallStarted{Cell: 2}})
	require.Equal(t, 4, p.SubTotal)
	p.Add(trajectory.Event{Data: trajectory.SubCallEnded{Model: "unknown", Usage: trajectory.Usage{Prompt: 1}}})
	require.Contains(t, p.Spent(), "at least $0.0020")
}

func TestUnknownCostIsSaid(t *testing.T) {
	var p Progress
	p.Add(trajectory.Event{Data: trajectory.ReplyReceived{Model: "home-grown", Usage: trajectory.Usage{Prompt: 10}}})
	require.Equal(t, "10 tokens, cost unknown", p.Spent())
}
