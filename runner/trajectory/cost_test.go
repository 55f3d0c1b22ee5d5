package trajectory_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

// A sum is known in full, in part or not at all; an unknown cost never counts as nothing.
func TestCost(t *testing.T) {
	half := 0.5
	var c trajectory.Cost
	c.Add(trajectory.Usage{})
	require.Zero(t, *c.Full())
	require.Nil(t, c.Part())
	c.Add(trajectory.Usage{Prompt: 10, Cost: &half})
	c.Add(trajectory.Usage{Cost: &half})
	require.Equal(t, 1.0, *c.Full())
	require.Equal(t, 1.0, *c.Part())
	c.Add(trajectory.Usage{Completion: 1})
	require.Nil(t, c.Full())
	require.Equal(t, 1.0, *c.Part())
	var none trajectory.Cost
	none.Add(trajectory.Usage{Wasted: 1})
	require.Nil(t, none.Full())
	require.Nil(t, none.Part())
	require.Equal(t, 0.5, half)
}
