package runner_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// Templates of the user's own apply to every run of the tree, and a resumed run keeps them without naming them
// again.
func TestPromptsOfOnesOwn(t *testing.T) {
	t.Parallel()
	words := prompts.Variant{
		"system.tmpl": "OWN {{if .Child}}CHILD{{else}}ROOT{{end}} {{.Names.Final}}", "lastturn.tmpl": "OWN LAST",
	}
	var heard []string
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	m := llm.ScriptedFunc("m", func(_ context.Context, req llm.Request, n int) (llm.Response, error) {
		heard = append(heard, req.Messages[0].Content, req.Messages[len(req.Messages)-1].Content)
		switch n {
		case 0:
			return llm.Response{Content: fence(`part := rlm_query("Which?", "text")`)}, nil
		case 1:
			return llm.Response{Content: fence(`FINAL("that one")`)}, nil
		}
		stop()
		return llm.Response{}, &llm.Error{Kind: llm.ErrCancelled, Message: "stopped", Err: context.Canceled}
	})
	budgets := runner.DefaultBudgets()
	budgets.Iterations = 2
	r, err := runner.New(m, runner.WithDataDir(dir), runner.WithPrompts(words), runner.WithBudgets(budgets))
	require.NoError(t, err)
	res, err := r.Answer(ctx, "Why?", runner.Text("a", "text"))
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "OWN ROOT FINAL\n", heard[0])
	require.Equal(t, "OWN CHILD FINAL\n", heard[2])

	var later []llm.Message
	again := llm.ScriptedFunc("m", func(_ context.Context, req llm.Request, n int) (llm.Response, error) {
		later = req.Messages
		if n == 0 {
			return llm.Response{Content: fence(`x := 1`)}, nil
		}
		return llm.Response{Content: fence(`FINAL(part)`)}, nil
	})
	plain, err := runner.New(again, runner.WithDataDir(dir))
	require.NoError(t, err)
	res, err = runner.Collect(plain.Resume(t.Context(), res.RunID))
	require.NoError(t, err)
	require.Equal(t, "that one", res.Answer)
	require.Equal(t, "OWN ROOT FINAL\n", later[0].Content)
	require.Contains(t, later[len(later)-1].Content, "OWN LAST")

	_, err = runner.New(m, runner.WithPrompts(prompts.Variant{"system.tmpl": "{{.Nothing}}"}))
	require.ErrorContains(t, err, "Nothing")
}
