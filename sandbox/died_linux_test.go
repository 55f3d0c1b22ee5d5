package sandbox

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/otherworker"
	"github.com/gorlm/rlm/sandbox/internal/wire"
	"github.com/gorlm/rlm/sandbox/internal/worker"
)

// Whichever step after the start meets a dead worker, its crash report is the error, not what the step met.
func TestEveryStepReportsHowAWorkerDied(t *testing.T) {
	t.Parallel()
	w := NewWorkers(1, 0)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	f, err := os.Create(filepath.Join(t.TempDir(), "context"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	for step, take := range map[string]func(p *process) error{
		"verify its layers": func(p *process) error { return p.verify() },
		"limit its memory and initialise it": func(p *process) error {
			err := p.initialise(t.Context(), wire.InitMeta{}, Limits{}.WithDefaults(), Context{})
			require.ErrorIs(t, err, syscall.EAGAIN, "no cell is to blame")
			return err
		},
		"hand it a notebook": func(p *process) error {
			return p.hand(t.Context(), wire.Init, Context{}, func(uint64) any { return wire.InitMeta{} })
		},
		"raise its limit and replace its context": func(p *process) error {
			return p.setContext(t.Context(), textState{context: Context{File: f, Size: 1}})
		},
		"ask it": func(p *process) error {
			_, err := p.ask(t.Context(), wire.Header{Op: wire.Vars}, nil, wire.Vars)
			return err
		},
		"limit the memory of one of another kind": func(p *process) error {
			other := &Worker{p: p}
			require.NoError(t, other.LimitMemory(1<<30), "its end is told by the next two")
			_, err := other.Receive(t.Context())
			require.ErrorIs(t, err, otherworker.ErrEnded)
			how, last := other.Close()
			require.Equal(t, otherworker.ByUnstated, how)
			require.Contains(t, last, "SIGQUIT: quit")
			return &diedError{how: last}
		},
	} {
		p, err := launch(t.Context(), worker.Cells, nil, plain, w.starter.run, false)
		require.NoError(t, err)
		require.NoError(t, p.cmd.Process.Signal(syscall.SIGQUIT), "it prints its goroutines and exits")
		<-p.exited
		require.ErrorContains(t, take(p), "the worker died: SIGQUIT: quit", step)
		p.end()
	}
}
