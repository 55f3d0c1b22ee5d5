package runner_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/termination"
)

func TestSubCallBudgetIsExact(t *testing.T) {
	t.Parallel()
	model := root([]string{
		fence(`prompts := make([]string, 50)
for i := range prompts { prompts[i] = fmt.Sprint("p", i) }
got := llm_query_batched(prompts)
paid := 0
for _, g := range got { if g == "ok" { paid++ } }
fmt.Println("paid:", paid)
llm_query("one more")
fmt.Println("not reached")`),
		fence(`FINAL(paid)`),
	}, func(string) (string, error) { return "ok", nil })
	r := newRunner(t, model, runner.WithBudgets(runner.Budgets{SubCalls: 17}))
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "17", res.Answer, "a batch that crosses the budget returns what was paid for")
	require.Equal(t, 17, res.SubCalls)
	require.Len(t, model.Requests(), 17+2)
	require.NotContains(t, res.Cells[0].Output, "not reached")
	require.Contains(t, res.Cells[0].Output, "paid: 17")
}

func TestTimeLimitLeavesALastTurn(t *testing.T) {
	t.Parallel()
	model := llm.ScriptedFunc("m", func(ctx context.Context, req llm.Request, _ int) (llm.Response, error) {
		if req.Key.N == 0 {
			<-ctx.Done()
			return llm.Response{}, &llm.Error{Kind: llm.ErrCancelled, Message: "cut off", Err: ctx.Err()}
		}
		return llm.Response{Content: "As far as I know it is 7."}, nil
	})
	r := newRunner(t, model, runner.WithBudgets(runner.Budgets{Time: time.Second}))
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, termination.TimeLimit, res.Status, res.Reason)
	require.Equal(t, "As far as I know it is 7.", res.Answer)
	require.Equal(t, 0, res.ExitCode())
	require.Len(t, model.Requests(), 2)
}

func TestTimeLimitEndsACell(t *testing.T) {
	t.Parallel()
	model := root([]string{fence("x := 1\nfor { x++ }"), fence(`FINAL("in time")`)}, nil)
	r := newRunner(t, model, runner.WithBudgets(runner.Budgets{Time: time.Second}))
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "in time", res.Answer, res.Reason)
	require.Less(t, res.Duration, 20*time.Second)
}

func TestLimitsWithoutAnswer(t *testing.T) {
	t.Parallel()
	busy := func(ctx context.Context, req llm.Request, n int) (llm.Response, error) {
		return llm.Response{
			Content: fence(fmt.Sprintf("v%d := %d\nfmt.Println(v%d)", n, n, n)),
			Usage:   llm.Usage{Prompt: 100, Completion: 100},
		}, nil
	}
	for status, b := range map[termination.Status]runner.Budgets{
		termination.MaxIterations: {Iterations: 3},
		termination.TokenLimit:    {Tokens: 4000},
		termination.CostLimit:     {Cost: 0.5},
	} {
		t.Run(string(status), func(t *testing.T) {
			t.Parallel()
			model := llm.ScriptedFunc("m", busy)
			r := newRunner(t, model, runner.WithBudgets(b),
				runner.WithPrices(llm.Prices{"m": {Input: 100, Output: 400}}))
			res, err := r.Answer(timeout(t), "q")
			require.NoError(t, err)
			require.Equal(t, status, res.Status, res.Reason)
			require.Equal(t, termination.ByLimit, res.EndedBy)
			require.Equal(t, 3, res.ExitCode())
			last := model.Requests()[len(model.Requests())-1].Messages
			require.Contains(t, last[len(last)-1].Content, "This is your last reply")
			require.NotNil(t, res.Cost)
		})
	}
}

func TestUnfinishedAnswerIsKept(t *testing.T) {
	t.Parallel()
	model := root([]string{
		fence(`answer["content"] = "half of it"`), fence("fmt.Println(2)"), fence("fmt.Println(3)"),
	}, nil)
	res, err := newRunner(t, model, runner.WithBudgets(runner.Budgets{Iterations: 2})).Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, termination.MaxIterations, res.Status)
	require.True(t, res.HasAnswer)
	require.Equal(t, "half of it", res.Answer)
}

func TestAReplyRunsSoManyCells(t *testing.T) {
	t.Parallel()
	model := root([]string{"```go\nn := 0\n```\n" + strings.Repeat("```go\nn++\n```\n", 1000), fence("FINAL(n)")}, nil)
	res, err := newRunner(t, model).Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "49", res.Answer)
	require.Len(t, res.Cells, 51)
	require.Equal(t, 1002, res.Cells[50].Cell)
	seen := model.Requests()[1].Messages[3].Content
	require.Contains(t, seen, "[cell 50] ok")
	require.Contains(t, seen, "[cell 51] to [cell 1001] not run: at most 50 cells of a reply run\n")
}

// All cells of a reply share one time limit, even in the extra turn after a limit is reached.
func TestTheCellsOfTheLastTurnShareItsTime(t *testing.T) {
	t.Parallel()
	model := llm.ScriptedFunc("m", func(ctx context.Context, req llm.Request, _ int) (llm.Response, error) {
		if req.Key.N == 0 {
			<-ctx.Done()
			return llm.Response{}, &llm.Error{Kind: llm.ErrCancelled, Message: "cut off", Err: ctx.Err()}
		}
		return llm.Response{Content: strings.Repeat(fence("time.Sleep(6 * time.Second)"), 3) +
			fence(`FINAL("too late")`)}, nil
	})
	r := newRunner(t, model, runner.WithBudgets(runner.Budgets{Time: time.Second}))
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, termination.TimeLimit, res.Status, res.Reason)
	require.Empty(t, res.Answer)
	require.Less(t, len(res.Cells), 3)
}

// A budget that is too small for the first prompt is not reported as used up: the reason states what the prompt
// needs.
func TestABudgetWithoutRoomForTheFirstPrompt(t *testing.T) {
	t.Parallel()
	r := newRunner(t, root([]string{fence(`FINAL(1)`)}, nil), runner.WithBudgets(runner.Budgets{Tokens: 10}))
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, termination.TokenLimit, res.Status)
	require.Contains(t, res.Reason, "no room for the call: tokens (0 of 10, and the prompt alone takes about ")
}
