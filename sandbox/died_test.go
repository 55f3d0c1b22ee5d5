package sandbox

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/sandbox/internal/wire"
	"github.com/gorlm/rlm/sandbox/internal/worker"
)

// If a worker dies before its first cell, no cell is to blame, so the error allows another try.
func TestAWorkerThatDiesBeforeItsFirstCell(t *testing.T) {
	t.Parallel()
	w := NewWorkers(1, 0)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	p, err := launch(t.Context(), worker.Cells, nil, open, w.starter.run, true)
	require.NoError(t, err)
	require.NoError(t, p.cmd.Process.Kill())
	l := Limits{}.WithDefaults()
	p.gate.configure(l, w.roomAt(0))
	err = p.initialise(t.Context(), wire.InitMeta{Bounds: l.bounds()}, l, Context{})
	require.ErrorIs(t, err, syscall.EAGAIN)
	require.ErrorContains(t, err, "the worker died")
}
