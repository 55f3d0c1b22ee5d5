package runner

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

func TestLostFunctionsAreTold(t *testing.T) {
	var warned []trajectory.Data
	record := func(d trajectory.Data) error {
		warned = append(warned, d)
		return nil
	}
	text, err := tellRestore("resume", sandbox.Restore{Why: "cell 1 could not be run again: it asked something else"}, record)
	require.NoError(t, err)
	require.Contains(t, text, "cell 1 could not be run again")
	require.Len(t, warned, 2)

	text, err = tellRestore("resume", sandbox.Restore{Cells: 2}, record)
	require.NoError(t, err)
	require.Empty(t, text)
}
