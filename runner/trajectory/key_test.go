package trajectory_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

func TestCallsInTheOrderOfTheirPrompts(t *testing.T) {
	type call struct{ batch, index, seq int }
	calls := []call{{0, 0, 1}, {2, 1, 2}, {2, 0, 3}, {0, 0, 4}, {1, 2, 5}, {2, 2, 6}, {1, 0, 7}, {1, 1, 8}}
	trajectory.InOrder(calls, func(c call) (int, int) { return c.batch, c.index })
	require.Equal(t,
		[]call{{0, 0, 1}, {2, 0, 3}, {2, 1, 2}, {2, 2, 6}, {0, 0, 4}, {1, 0, 7}, {1, 1, 8}, {1, 2, 5}}, calls)
}
