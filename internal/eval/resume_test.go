package eval_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/eval"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
)

// TestARunUnderWayIsResumed checks that an evaluation stopped in the middle of a run continues that run, and
// repeats no call.
func TestARunUnderWayIsResumed(t *testing.T) {
	dir := t.TempDir()
	results := filepath.Join(dir, "r")
	var calls atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	evaluate := func(ctx context.Context, second func() (llm.Response, error)) ([]eval.Result, error) {
		m := llm.ScriptedFunc("m", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
			calls.Add(1)
			if len(req.Messages) == 2 {
				return llm.Response{Content: "```go\nfound := 6 * 7\n```"}, nil
			}
			return second()
		})
		r, err := runner.New(m, runner.WithDataDir(dir), host.Starter(starter))
		require.NoError(t, err)
		return eval.Evaluation{
			Items: items(t, "s-niah", 1, 1000), Arms: []eval.Arm{eval.RLM("rlm", "", r, nil)},
			Results: results,
		}.Run(ctx)
	}
	_, err := evaluate(ctx, func() (llm.Response, error) {
		stop()
		return llm.Response{}, &llm.Error{Kind: llm.ErrCancelled, Message: "stopped", Err: context.Canceled}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.EqualValues(t, 2, calls.Load(), "calls")
	kept, err := eval.ReadResults(results)
	require.NoError(t, err)
	require.Empty(t, kept)
	got, err := evaluate(t.Context(), func() (llm.Response, error) {
		return llm.Response{Content: "```go\nFINAL(found)\n```"}, nil
	})
	require.NoError(t, err)
	require.Len(t, got, 1)
	assert.Equal(t, "42", got[0].Answer)
	assert.Equal(t, 2, got[0].Turns, "turns")
	assert.Equal(t, 2, got[0].Cells, "cells")
	assert.EqualValues(t, 3, calls.Load(), "calls")
	again, err := evaluate(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, got[0].Run, again[0].Run)
	assert.EqualValues(t, 3, calls.Load(), "calls of both")
}

// TestFailuresAreAskedAgain checks that failed answers, and only these, are requested again, and only with Retry.
func TestFailuresAreAskedAgain(t *testing.T) {
	results := filepath.Join(t.TempDir(), "r")
	var calls atomic.Int64
	run := func(fails, retry bool) eval.Report {
		m := scripted("m", func(_ context.Context, req llm.Request) (string, error) {
			if calls.Add(1)%2 == 0 && fails {
				return "", errors.New("overloaded")
			}
			return "x", nil
		})
		got, err := eval.Evaluation{
			Items: items(t, "s-niah", 10, 1000), Arms: []eval.Arm{eval.Direct(plain(m, 8000))},
			Results: results, Retry: retry,
		}.Run(t.Context())
		require.NoError(t, err)
		return eval.NewReport(got, 1)
	}
	assert.Len(t, run(true, false).Failures, 5)
	assert.EqualValues(t, 10, calls.Load(), "calls")
	assert.Len(t, run(false, false).Failures, 5, "kept")
	assert.EqualValues(t, 10, calls.Load(), "calls when all is kept")
	assert.Empty(t, run(false, true).Failures, "again")
	assert.EqualValues(t, 15, calls.Load(), "calls when failures are asked again")
	kept, err := eval.ReadResults(results)
	require.NoError(t, err)
	assert.Len(t, kept, 10)
}
