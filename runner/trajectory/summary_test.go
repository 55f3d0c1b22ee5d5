package trajectory_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

// A summary counts the questions, turns, cells and costs of the root run, and the calls and costs below it.
func TestWhatASummaryCounts(t *testing.T) {
	cost := func(f float64) *float64 { return &f }
	child := func(d trajectory.Data) trajectory.Event { return trajectory.Event{Path: "1.1/1", Turn: 9, Data: d} }
	root := func(turn int, d trajectory.Data) trajectory.Event { return trajectory.Event{Turn: turn, Data: d} }
	paid := trajectory.Usage{Prompt: 1, Cost: cost(0.25)}
	started := trajectory.RunStarted{Question: "q?", Model: "m"}
	ended := trajectory.RunEnded{
		Status: "answered", Answer: "\xff" + strings.Repeat("y", 198) + "z\nmore", Cost: cost(1), Turns: 4, SubCalls: 5,
		Duration: 6 * time.Second,
	}
	shown := "\uFFFD" + strings.Repeat("y", 198) + "z"
	summarize := func(events ...trajectory.Event) trajectory.Summary {
		dir := t.TempDir()
		log, err := trajectory.Create(dir, nil)
		require.NoError(t, err)
		for _, e := range events {
			_, err := log.Append(e.Path, e.Turn, e.Data)
			require.NoError(t, err)
		}
		require.NoError(t, log.Close())
		s, err := trajectory.Summarize(dir)
		require.NoError(t, err)
		require.Equal(t, dir, s.Dir)
		require.EqualValues(t, len(events), s.Events)
		s.ID, s.Dir, s.Events, s.Started, s.Last = "", "", 0, time.Time{}, time.Time{}
		return s
	}
	run := trajectory.Summary{Kind: trajectory.KindRun, Question: "q?", Questions: 1, Model: "m"}
	with := func(change func(s *trajectory.Summary)) trajectory.Summary {
		s := run
		change(&s)
		return s
	}
	for what, c := range map[string]struct {
		events []trajectory.Event
		want   trajectory.Summary
	}{
		"events without a question": {
			[]trajectory.Event{
				root(2, trajectory.TurnStarted{}), root(0, trajectory.Reviewed{Approved: true}),
				root(0, trajectory.Undone{Runs: 1}), root(0, trajectory.RunEnded{Status: "answered", Cost: cost(0)}),
			},
			trajectory.Summary{Kind: trajectory.KindSession, Status: trajectory.StatusClosed, Cost: cost(0), Turns: 2},
		},
		"a question that did not end": {
			[]trajectory.Event{
				root(0, started), root(3, trajectory.TurnStarted{}), root(2, trajectory.TurnStarted{}),
				root(2, trajectory.CellStarted{}), root(2, trajectory.CellStarted{}),
				child(trajectory.RunStarted{Question: "child's"}),
				child(trajectory.TurnStarted{}), child(trajectory.CellStarted{}),
				child(trajectory.ReplyReceived{Usage: paid}), child(trajectory.RunEnded{Status: "stopped"}),
				root(2, trajectory.SubCallEnded{Usage: paid}), root(2, trajectory.SubCallEnded{}),
				root(2, trajectory.CallLost{Usage: paid}),
			},
			with(func(s *trajectory.Summary) {
				s.Status, s.Cost, s.Turns, s.Cells, s.SubCalls = trajectory.StatusInterrupted, cost(0.75), 3, 2, 2
			}),
		},
		"a question that ended, and was approved": {
			[]trajectory.Event{
				root(0, started), root(1, trajectory.TurnStarted{}), root(1, trajectory.SubCallEnded{Usage: paid}),
				root(0, ended), root(0, trajectory.Reviewed{}), root(0, trajectory.Reviewed{Approved: true}),
			},
			with(func(s *trajectory.Summary) {
				s.Status, s.Answer, s.Cost = trajectory.StatusApproved, shown, cost(1)
				s.Turns, s.SubCalls, s.Duration = 4, 5, 6*time.Second
			}),
		},
		"one that goes on after its end": {
			[]trajectory.Event{
				root(0, started), root(0, ended), root(5, trajectory.TurnStarted{}),
				root(0, trajectory.Reviewed{Approved: true}),
			},
			with(func(s *trajectory.Summary) {
				s.Status, s.Answer, s.Cost, s.Turns = trajectory.StatusInterrupted, shown, cost(0), 5
			}),
		},
		"two questions": {
			[]trajectory.Event{
				root(0, started), root(0, ended), root(0, trajectory.RunStarted{Question: "other?", Model: "other"}),
				root(0, trajectory.RunEnded{
					Status: "stopped", Cost: cost(2), Turns: 1, SubCalls: 1, Duration: time.Second,
				}),
			},
			with(func(s *trajectory.Summary) {
				s.Questions, s.Status, s.Cost = 2, "stopped", cost(3)
				s.Turns, s.SubCalls, s.Duration = 5, 6, 7*time.Second
			}),
		},
		"two questions that were taken back": {
			[]trajectory.Event{
				root(0, started), root(0, ended), root(0, trajectory.Undone{Runs: 1}),
				root(0, trajectory.RunStarted{Question: "other?", Model: "other"}), root(0, trajectory.Undone{Runs: 1}),
			},
			with(func(s *trajectory.Summary) {
				s.Questions, s.Status, s.Cost = 0, trajectory.StatusClosed, cost(1)
				s.Turns, s.SubCalls, s.Duration = 4, 5, 6*time.Second
			}),
		},
		"an unknown cost": {
			[]trajectory.Event{
				root(0, started), root(0, trajectory.RunEnded{Status: "stopped"}), root(0, started), root(0, ended),
			},
			with(func(s *trajectory.Summary) {
				s.Questions, s.Status, s.Answer = 2, "answered", shown
				s.Turns, s.SubCalls, s.Duration = 4, 5, 6*time.Second
			}),
		},
		"a job": {
			[]trajectory.Event{
				root(0, trajectory.RunStarted{Question: "q?", Model: "m", Batch: "b"}), root(0, started),
			},
			with(func(s *trajectory.Summary) {
				s.Kind, s.Batch, s.Questions = trajectory.KindJob, "b", 2
				s.Status, s.Cost = trajectory.StatusInterrupted, cost(0)
			}),
		},
		"a run that became a session, and has a name": {
			[]trajectory.Event{
				root(0, started), root(0, trajectory.Renamed{Name: "n"}),
				root(0, trajectory.RunStarted{Interactive: true}),
			},
			with(func(s *trajectory.Summary) {
				s.Kind, s.Name, s.Questions = trajectory.KindSession, "n", 2
				s.Status, s.Cost = trajectory.StatusInterrupted, cost(0)
			}),
		},
		"a run with a batch given late": {
			[]trajectory.Event{root(0, started), root(0, trajectory.RunStarted{Batch: "b"})},
			with(func(s *trajectory.Summary) {
				s.Questions, s.Status, s.Cost = 2, trajectory.StatusInterrupted, cost(0)
			}),
		},
	} {
		require.Equal(t, c.want, summarize(c.events...), what)
	}
}
