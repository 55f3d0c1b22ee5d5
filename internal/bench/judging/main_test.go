package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func measured(t *testing.T, tasks []task, shared float64) (total outcome) {
	t.Helper()
	for _, task := range tasks {
		o, err := task.measure(10, shared)
		require.NoError(t, err)
		total = total.plus(o)
	}
	return total
}

func TestJudgeCountsBetterThanAskingOnce(t *testing.T) {
	t.Parallel()
	o := measured(t, usual, 0)
	require.GreaterOrEqual(t, o.ratio(), 4.0)
	require.LessOrEqual(t, o.priceRatio(), 2.2)
	require.InEpsilon(t, o.actual, o.estimated, 0.3, "the estimate of the errors is one")
	o = measured(t, rare, 0)
	require.GreaterOrEqual(t, o.ratio(), 4.0)
	require.LessOrEqual(t, o.priceRatio(), 1.4)
}

// Asking again cannot reveal errors that all replies share.
func TestJudgeFindsTheErrorsThatAreNotShared(t *testing.T) {
	t.Parallel()
	o := measured(t, usual, 0.5)
	require.GreaterOrEqual(t, o.ratio(), 1.5)
	require.LessOrEqual(t, o.priceRatio(), 2.2)
	o = measured(t, rare, 0.5)
	require.GreaterOrEqual(t, o.ratio(), 1.5)
	require.LessOrEqual(t, o.priceRatio(), 1.4)
}
