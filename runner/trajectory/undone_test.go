package trajectory_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

func TestKeptLeavesOutWhatWasTakenBack(t *testing.T) {
	ask := func(question string) []trajectory.Data {
		return []trajectory.Data{
			trajectory.RunStarted{Question: question},
			trajectory.CellStarted{Source: question},
			trajectory.RunEnded{Answer: question},
		}
	}
	undo := func(runs int) []trajectory.Data { return []trajectory.Data{trajectory.Undone{Runs: runs}} }
	join := func(parts ...[]trajectory.Data) []trajectory.Data { return slices.Concat(parts...) }
	context := func(hash string) []trajectory.Data { return []trajectory.Data{trajectory.ContextAdded{Hash: hash}} }
	name := []trajectory.Data{trajectory.Renamed{Name: "sheep"}}
	open := []trajectory.Data{trajectory.RunStarted{Question: "cut off"}, trajectory.TurnStarted{}}

	for what, c := range map[string]struct{ log, kept []trajectory.Data }{
		"nothing":           {nil, nil},
		"no undo":           {join(context("a"), ask("1")), join(context("a"), ask("1"))},
		"the last":          {join(ask("1"), ask("2"), undo(1)), ask("1")},
		"all":               {join(ask("1"), ask("2"), undo(2)), nil},
		"one after another": {join(ask("1"), ask("2"), undo(1), undo(1), ask("3")), ask("3")},
		"asked again": {
			join(ask("1"), undo(1), ask("2"), ask("3"), undo(1), ask("4")), join(ask("2"), ask("4")),
		},
		"a question that did not end":   {join(ask("1"), open, undo(1)), ask("1")},
		"what came before any question": {join(context("a"), ask("1"), undo(1)), context("a")},
		"a context added meanwhile stays": {
			join(ask("1"), context("a"), ask("2"), context("b"), undo(2)), join(context("a"), context("b")),
		},
		"so does a name":                 {join(ask("1"), name, undo(1), ask("2")), join(name, ask("2"))},
		"more than there are":            {join(ask("1"), undo(7), ask("2")), ask("2")},
		"as many as a number holds":      {join(ask("1"), undo(math.MaxInt), ask("2"), undo(math.MinInt)), ask("2")},
		"none, or fewer":                 {join(ask("1"), undo(0), undo(-1)), ask("1")},
		"where nothing is left":          {join(undo(1), ask("1"), undo(1), undo(1)), nil},
		"a context between two undoings": {join(ask("1"), undo(1), context("a"), ask("2"), undo(1)), context("a")},
		"a context that was kept long ago": {
			join(ask("1"), context("a"), undo(1), ask("2"), undo(1), ask("3")), join(context("a"), ask("3")),
		},
	} {
		var events []trajectory.Event
		for i, d := range c.log {
			events = append(events, trajectory.Event{Seq: int64(i + 1), Data: d})
		}
		before := slices.Clone(events)
		var kept []trajectory.Data
		for _, e := range trajectory.Kept(events) {
			kept = append(kept, e.Data)
		}
		require.Equal(t, c.kept, kept, what)
		require.Equal(t, before, events, "%s: the input is not changed", what)
	}
}

func TestKeptGoesByTheQuestionsOfTheRoot(t *testing.T) {
	events := []trajectory.Event{
		{Seq: 1, Data: trajectory.RunStarted{Question: "1"}},
		{Seq: 2, Path: "1.1/1", Data: trajectory.RunStarted{Question: "a child's"}},
		{Seq: 3, Path: "1.1/1", Data: trajectory.ContextAdded{Hash: "a child's"}},
		{Seq: 4, Data: trajectory.RunStarted{Question: "2"}},
		{Seq: 5, Path: "2.1/1", Data: trajectory.RunStarted{Question: "another child's"}},
		{Seq: 6, Path: "2.1/1", Data: trajectory.ContextAdded{Hash: "another child's"}},
		{Seq: 7, Data: trajectory.Undone{Runs: 1}},
	}
	require.Equal(t, events[:3], trajectory.Kept(events))
}

func TestWhatIsTakenBackIsReadAsFarAsItCanBe(t *testing.T) {
	events := []trajectory.Event{
		{Seq: 1, Data: trajectory.RunStarted{Question: "1"}},
		{Seq: 2, Data: trajectory.Undone{Runs: 1}},
		{Seq: 3, Data: trajectory.RunStarted{Question: "2"}},
		{Seq: 4, Data: trajectory.Undone{Runs: 1}},
	}
	damaged := errors.New("damaged")
	back, err := trajectory.ReadTakenBack(func(yield func(trajectory.Event, error) bool) {
		for _, e := range events[:3] {
			if !yield(e, nil) {
				return
			}
		}
		yield(trajectory.Event{}, damaged)
	})
	require.ErrorIs(t, err, damaged)
	held := func() (out []bool) {
		for _, e := range events {
			out = append(out, back.Holds(e))
		}
		return out
	}
	require.Equal(t, []bool{true, false, false, false}, held())
	back.Add(events[3])
	require.Equal(t, []bool{true, false, true, false}, held())
}
