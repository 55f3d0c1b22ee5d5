package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a program writes while it starts is no crash, whatever its size. Afterwards the head counts, and there is a bound.
func TestStderrBeforeAndAfterTheStart(t *testing.T) {
	t.Parallel()
	var c capture
	require.False(t, c.read(strings.NewReader(strings.Repeat("deprecated\n", 30_000)+"the end")))
	require.True(t, strings.HasSuffix(c.String(), "deprecated\nthe end"))
	require.LessOrEqual(t, len(c.String()), maxStderr)
	require.Contains(t, c.last(), "the end")
	c.started()
	require.Empty(t, c.last())
	require.True(t, c.read(strings.NewReader("the beginning"+strings.Repeat("x", maxStderr))))
	require.True(t, strings.HasPrefix(c.String(), "the beginning"))
	require.Len(t, c.String(), maxStderr)
}
