package batch_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/internal/front/batch"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// TestResultsThatComeUnseen: the output has the results of jobs that end on another node after the last read of
// results, but before the status says that all are done.
func TestResultsThatComeUnseen(t *testing.T) {
	dir := t.TempDir()
	q, err := fleet.Open(t.Context(), fleet.Dir(dir), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, q.Close()) })
	out := filepath.Join(dir, "out.jsonl")
	elsewhere := func(ctx context.Context, q *fleet.Queue, id string, _ *batch.View, _ uint64) iter.Seq2[fleet.Result,
		error] {
		node := &fleet.Node{
			Queue: q, Batch: id, Slots: 1, Alone: true,
			Setup: func(context.Context, fleet.Job) (llm.Model, []runner.Option, error) {
				return nil, nil, errors.New("no such model")
			},
		}
		return func(func(fleet.Result, error) bool) { // works, but yields no result
			for r, err := range node.Work(ctx, ctx, 0) {
				require.NoError(t, err)
				require.Equal(t, fleet.Dead, r.State)
			}
		}
	}
	var said bytes.Buffer
	screened := screen.NewOutput(&said)
	o := batch.Options{Out: screened, Err: screened, Output: out, Quiet: true}
	jobs := []fleet.Job{{ID: "one", Question: "q"}, {ID: "two", Question: "q"}}
	require.ErrorContains(t, batch.Run(t.Context(), q, fleet.Batch{ID: "b"}, jobs, o, elsewhere), "2 jobs are dead")
	lines, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Equal(t, 2, bytes.Count(lines, []byte("\n")), "%s", lines)
}
