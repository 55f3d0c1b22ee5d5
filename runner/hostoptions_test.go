package runner_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// counting answers with cells that print, and never ends on its own.
func counting(name string) llm.Model {
	return llm.ScriptedFunc(name, func(context.Context, llm.Request, int) (llm.Response, error) {
		return llm.Response{Content: "```go\nn++\nfmt.Println(n)\n```"}, nil
	})
}

// Options in a context apply only to operations with that context; afterwards the session's own options apply
// again, including budgets without a bound.
func TestWithin(t *testing.T) {
	t.Parallel()
	free := runner.Budgets{
		Iterations: 3, Cost: -1, Tokens: -1, Time: -1, SubCalls: -1, Depth: -1, Errors: -1,
		Recorded: -1,
	}
	s, err := newRunner(t, counting("own"), runner.WithBudgets(free)).NewSession(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	_, err = s.Exec(t.Context(), "n := 0")
	require.NoError(t, err)
	own := s.Budgets()
	turns := func(ctx context.Context) int {
		res, err := s.Answer(ctx, "how many?")
		require.NoError(t, err)
		require.Equal(t, own, s.Budgets())
		require.Equal(t, "own", s.Model().Name())
		return res.Turns
	}
	require.Equal(t, 3, turns(t.Context()))

	lowered := s.Budgets()
	lowered.Iterations = 1
	ctx := host.Within(t.Context(), runner.WithBudgets(lowered.Unbounded()))
	ctx = host.Within(ctx, runner.WithModel(counting("other")))
	require.Equal(t, 1, turns(ctx))
	require.Equal(t, 3, turns(t.Context()))

	stopped := host.Within(t.Context(), runner.WithStop(func(runner.State) (string, bool) { return "enough", true }))
	res, err := s.Answer(stopped, "how many?")
	require.NoError(t, err)
	require.Equal(t, termination.Stopped, res.Status)
	require.Equal(t, 1, res.Turns)
	cell, err := s.Exec(stopped, "n")
	require.NoError(t, err)
	require.Nil(t, cell.Error)

	_, err = s.Answer(host.Within(t.Context(), runner.WithConcurrency(0)), "how many?")
	require.ErrorContains(t, err, "concurrency")
	require.Equal(t, 3, turns(t.Context()))
}

// Budgets that a session reports can be set again with Unbounded, and are then the same.
func TestUnbounded(t *testing.T) {
	t.Parallel()
	s, err := newRunner(t, counting("m")).NewSession(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	for _, b := range []runner.Budgets{
		{},
		{Cost: -1, Time: -1, Recorded: -1},
		{Iterations: -1, Tokens: 7, Completion: 5, Depth: -1, Errors: -1, SubCalls: -1},
	} {
		require.NoError(t, s.Set(runner.WithBudgets(b)))
		want := s.Budgets()
		require.NoError(t, s.Set(runner.WithBudgets(want.Unbounded())))
		require.Equal(t, want, s.Budgets())
		require.Equal(t, want.Unbounded(), want.Unbounded().Unbounded())
	}
}

// A run begins once, continues where it was cut off, and is only read when it is over.
func TestContinue(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	model := llm.ScriptedFunc("m", func(_ context.Context, _ llm.Request, _ int) (llm.Response, error) {
		if calls.Add(1) == 1 {
			return llm.Response{}, &llm.Error{Kind: llm.ErrAuth, Message: "not yet"}
		}
		return llm.Response{Content: "```go\nFINAL(42)\n```"}, nil
	})
	id := "20260301T120000-abcdef"
	r := newRunner(t, model, runner.WithRunID(id))
	failed := func(res runner.Result) bool { return res.Err != nil }
	look := func() host.RunRecord {
		past, err := host.Look(filepath.Join(r.RunsDir(), id), failed)
		require.NoError(t, err)
		return past
	}
	past := look()
	require.False(t, past.Over() || past.GoesOn())
	res, err := runner.Collect(past.Continue(t.Context(), r, "how much?"))
	require.NoError(t, err)
	require.Error(t, res.Err)
	require.Equal(t, id, res.RunID)

	past = look()
	require.True(t, past.GoesOn())
	require.False(t, past.Over())
	res, err = runner.Collect(past.Continue(t.Context(), r, "how much?"))
	require.NoError(t, err)
	require.Equal(t, "42", res.Answer)
	require.EqualValues(t, 2, calls.Load())

	past = look()
	require.True(t, past.Over())
	require.Equal(t, "42", past.Answer)
	res, err = runner.Collect(past.Continue(t.Context(), r, "how much?"))
	require.NoError(t, err)
	require.Equal(t, "42", res.Answer)
	require.EqualValues(t, 2, calls.Load(), "it is only read")
	require.NoError(t, trajectory.Remove(filepath.Join(r.RunsDir(), id)))
	past = look()
	require.False(t, past.Over() || past.GoesOn())
}
