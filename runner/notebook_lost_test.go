package runner

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

func TestLostFunctionsAreTold(t *testing.T) {
	t.Parallel()
	var warned []trajectory.Data
	record := func(d trajectory.Data) error {
		warned = append(warned, d)
		return nil
	}
	text, err := tellRestore(
		"resume", sandbox.Restore{Why: "cell 1 could not be run again: it asked something else"}, record)
	require.NoError(t, err)
	require.Contains(t, text, "cell 1 could not be run again")
	require.Len(t, warned, 2)

	text, err = tellRestore("resume", sandbox.Restore{Cells: 2}, record)
	require.NoError(t, err)
	require.Empty(t, text)
}

// The person and the model are told which cell is left out, and the log keeps it from being run again.
func TestACellThatIsLeftOutIsTold(t *testing.T) {
	t.Parallel()
	var recorded []trajectory.Data
	why := "cell 2 was left out, because no cell runs after it: all goroutines of the cell wait for each other"
	text, err := tellRestore(
		"worker", sandbox.Restore{Cells: 1, LeftOut: []int{2}, Why: why}, func(d trajectory.Data) error {
			recorded = append(recorded, d)
			return nil
		})
	require.NoError(t, err)
	require.Contains(t, text, why)
	require.Equal(t, []int{2}, recorded[0].(trajectory.Restored).LeftOut)
	require.Contains(t, recorded[1].(trajectory.Warned).Text, why)

	events := []trajectory.Event{}
	for cell := 1; cell <= 3; cell++ {
		events = append(events, trajectory.Event{Data: trajectory.CellStarted{Cell: cell}},
			trajectory.Event{Data: trajectory.CellEnded{Cell: cell, OK: true, Result: []byte("{}")}})
	}
	events = append(events, trajectory.Event{Data: recorded[0]},
		trajectory.Event{Path: "1.1/1", Data: trajectory.Restored{LeftOut: []int{1}}})
	var cells []int
	for _, record := range journal.Cells(events)[""] {
		cells = append(cells, record.Cell)
	}
	require.Equal(t, []int{1, 3}, cells)
}
