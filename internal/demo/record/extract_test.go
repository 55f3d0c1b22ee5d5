package main

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/demo"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// TestExtractAndReplay records a run, and answers the same question from the recording.
func TestExtractAndReplay(t *testing.T) {
	live := llm.ScriptedFunc("live", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		if req.Key.Cell > 0 {
			return llm.Response{Content: "42"}, nil
		}
		return llm.Response{Content: "```go\nFINAL(llm_query(\"how many? \" + context))\n```"}, nil
	})
	answer := func(model llm.Model) (runner.Result, string) {
		r, err := runner.New(model, runner.WithDataDir(t.TempDir()))
		require.NoError(t, err)
		result, err := r.Answer(context.Background(), "how many?", runner.Text("a", "sheep"))
		require.NoError(t, err)
		return result, filepath.Dir(r.Trajectory(result.RunID))
	}
	first, dir := answer(live)
	require.Equal(t, "42", first.Answer)

	var recording bytes.Buffer
	require.NoError(t, extract(dir, &recording))
	rec, err := demo.Load(&recording)
	require.NoError(t, err)
	require.Equal(t, "live", rec.Model)
	again, _ := answer(rec.Answers())
	require.Equal(t, "42", again.Answer)
	require.Equal(t, first.SubCalls, again.SubCalls)
}
