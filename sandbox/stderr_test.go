package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Text that a program writes to stderr during startup is not a crash, whatever its size. The first part of later
// text is kept, up to a limit.
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

// A report of a crash counts as one even if it is read before this process learns that the worker was ready.
func TestACrashBeforeReadinessIsKnown(t *testing.T) {
	t.Parallel()
	var c capture
	require.False(t, c.read(strings.NewReader("deprecated\npanic: no\n\ngoroutine 7 [running]:\nmain.main()\n")))
	c.started()
	require.True(t, strings.HasPrefix(c.String(), "panic: no\n"))
	require.NotContains(t, c.ever(), "deprecated")
}
