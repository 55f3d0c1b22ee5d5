package runner_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// known returns a runner that knows how its workers are isolated, because it has had a session.
func known(t *testing.T, model llm.Model, opts ...runner.Option) *runner.Runner {
	t.Helper()
	r := newRunner(t, model, append(opts, alone)...)
	s, err := r.NewSession(t.Context())
	require.NoError(t, err)
	require.NoError(t, s.Close())
	return r
}

// From the second run on, a worker starts while the reply with a cell arrives. Concurrent runs do not share workers.
func TestRunsThatBeginAtOnceHaveTheirOwnNotebooks(t *testing.T) {
	t.Parallel()
	r := known(t, root([]string{fence("n := context\nn"), fence("FINAL(n)")}, nil), locked)
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			text := fmt.Sprint("text ", i)
			res, err := r.Answer(timeout(t), "question", runner.Text("t", text))
			assert.NoError(t, err)
			assert.Equal(t, text, res.Answer)
		})
	}
	all.Wait()
}

// A log names a sandbox level that a worker has measured, even if the run's own worker has not started yet.
func TestTheLevelIsKnownBeforeTheWorkerStarts(t *testing.T) {
	t.Parallel()
	for _, level := range []sandbox.Level{sandbox.Basic, sandbox.Best} {
		r := newRunner(t, root([]string{fence("FINAL(1)")}, nil), runner.WithSandbox(level, sandbox.Limits{}), alone)
		var levels []string
		var warned [][]string
		for range 2 {
			var about []string
			for ev, err := range r.Run(timeout(t), "question") {
				require.NoError(t, err)
				switch d := ev.Data.(type) {
				case trajectory.RunStarted:
					levels = append(levels, d.Sandbox)
				case trajectory.Warned:
					about = append(about, d.About)
				}
			}
			warned = append(warned, about)
		}
		require.NotEmpty(t, levels[0])
		require.Equal(t, levels[0], levels[1])
		require.Equal(t, warned[0], warned[1])
	}
}

// The first cell sees a context that was added after an answer in prose, although its worker started without it.
func TestAContextThatIsAddedWhileNoCellHasRun(t *testing.T) {
	t.Parallel()
	r := known(t, root([]string{"Prose with `code`.", fence("FINAL(fmt.Sprint(context, len(history)))")}, nil))
	s, err := r.NewSession(timeout(t), runner.Text("t", "before"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	_, err = s.Answer(timeout(t), "first")
	require.NoError(t, err)
	require.NoError(t, s.AddContext(timeout(t), runner.Text("u", " after")))
	res, err := s.Answer(timeout(t), "second")
	require.NoError(t, err)
	require.Contains(t, res.Answer, "before")
	require.Contains(t, res.Answer, "after")
	require.Contains(t, res.Answer, "2", "the history has the question and its answer")
}

// A run that needs no cell, or is cancelled, leaks nothing of its worker. The test counts descriptors, so it is
// not parallel.
func TestAWorkerThatIsNotNeededEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(timeout(t))
	asked := 0
	model := llm.ScriptedFunc("scripted", func(context.Context, llm.Request, int) (llm.Response, error) {
		if asked++; asked > 3 {
			cancel()
			return llm.Response{}, ctx.Err()
		}
		return llm.Response{Content: "Prose."}, nil
	})
	ignore := goleak.IgnoreCurrent()
	descriptors, children := open(t), processes(t)
	r := known(t, model)
	for range 3 {
		s, err := r.NewSession(ctx)
		require.NoError(t, err)
		_, err = s.Answer(ctx, "question")
		require.NoError(t, err)
		require.NoError(t, s.Close())
	}
	_, err := r.Answer(ctx, "question")
	require.ErrorIs(t, err, context.Canceled)
	r.Close()
	goleak.VerifyNone(t, ignore)
	require.LessOrEqual(t, open(t), descriptors, "descriptors")
	require.LessOrEqual(t, processes(t), children, "processes")
}
