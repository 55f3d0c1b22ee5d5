package exact

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/engine/enginetest"
)

func TestARecursionOfAMillionCalls(t *testing.T) {
	nb := enginetest.NewNotebook(t, newEngine)
	ctx := context.Background() // growing a stack takes long on a busy machine
	out, err := nb.RunContext(ctx, 1, "func depth(n int) int { if n == 0 { return 0 }; return 1 + depth(n-1) }\nfmt.Println(depth(1_000_000))")
	require.NoError(t, err)
	require.Nil(t, out.Panic)
	require.Equal(t, "1000000\n", nb.Out.Take())
	out, err = nb.RunContext(ctx, 2, "depth(1 << 40)")
	require.NoError(t, err)
	require.ErrorContains(t, out.Panic.(error), "stack overflow")
	require.True(t, out.Sound)
	_, err = nb.Run(3, "fmt.Println(depth(10))")
	require.NoError(t, err)
	require.Equal(t, "10\n", nb.Out.Take())
}
