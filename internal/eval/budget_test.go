package eval_test

import (
	"context"
	"math"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/eval"
	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/runner/llm"
)

// priced returns an arm whose answers cost price dollars each, and which announces a maximum of most dollars.
func priced(name string, price, most float64, calls *atomic.Int64) eval.Arm {
	return eval.Arm{
		Name: name,
		Answer: func(context.Context, suite.Item, *eval.Attempt) eval.Reply {
			calls.Add(1)
			return eval.Reply{Answer: "x", Status: "completed", Cost: &price}
		},
		Most: func(int) (float64, bool) { return most, !math.IsNaN(most) },
	}
}

// TestABudgetIsNeverExceeded checks that answers begin only while their maximum cost fits into the budget, and
// that a higher budget continues from there.
func TestABudgetIsNeverExceeded(t *testing.T) {
	var calls atomic.Int64
	e := eval.Evaluation{
		Items:   items(t, "s-niah", 100, 1000),
		Arms:    []eval.Arm{priced("a", 0.25, 1, &calls), priced("b", 0.25, 1, &calls)},
		Results: filepath.Join(t.TempDir(), "r"), Parallel: 8, Budget: 10,
	}
	spent := 0.0
	e.Progress = func(p eval.Progress) { spent = p.Spent }
	results, err := e.Run(t.Context())
	var short *eval.BudgetError
	require.ErrorAs(t, err, &short)
	// 36 answers cost 9 dollars; the next one needs one dollar at most and fits: 37 answers.
	assert.LessOrEqual(t, spent, 10.0)
	assert.GreaterOrEqual(t, spent, 9.0)
	assert.EqualValues(t, calls.Load(), len(results), "a result for each call")
	assert.Equal(t, []int{len(results), 200}, []int{short.Done, short.Of}, "results that the error counts")
	e.Budget = 60
	results, err = e.Run(t.Context())
	require.NoError(t, err, "with a budget that suffices")
	assert.Equal(t, 200, len(results), "results with a budget that suffices")
	assert.EqualValues(t, 200, calls.Load(), "calls with a budget that suffices")
	assert.Equal(t, 50.0, spent)
}

func TestABudgetNeedsPrices(t *testing.T) {
	var calls atomic.Int64
	e := eval.Evaluation{
		Items: items(t, "s-niah", 1, 1000), Arms: []eval.Arm{priced("a", 1, math.NaN(), &calls)},
		Budget: 10,
	}
	_, err := e.Run(t.Context())
	assert.Error(t, err)
	assert.Zero(t, calls.Load(), "calls")
	e.Items.Length = func(int) int { return 1000 }
	assert.True(t, math.IsNaN(e.Most()[0]), "the most is %v", e.Most())
	assert.True(t, math.IsNaN(e.Dearest()), "the dearest is %v", e.Dearest())
}

// TestNoArmCostsMoreThanItsMost checks that the announced maximum is never less than the actual cost.
func TestNoArmCostsMoreThanItsMost(t *testing.T) {
	m := scripted("m", func(_ context.Context, req llm.Request) (string, error) { return "nothing", nil })
	counted := llm.ScriptedFunc("m", func(ctx context.Context, req llm.Request, n int) (llm.Response, error) {
		res, err := m.Generate(ctx, req, nil)
		// replies of maximum length
		res.Usage = llm.Usage{Prompt: llm.EstimateMessages(req.Messages), Completion: int64(req.MaxTokens)}
		return res, err
	})
	p := plain(counted, 8000)
	p.Prices, p.Call.MaxTokens = llm.Prices{"m": {Input: 1, Output: 10}}, 500
	for _, name := range []string{"s-niah", "tables", "hops", "code", "oolong"} {
		for _, length := range []int{2000, 8000, 40_000} {
			all := items(t, name, 2, length)
			all.Length = func(int) int { return length }
			e := eval.Evaluation{Items: all, Arms: []eval.Arm{eval.Direct(p), eval.RAG(p), eval.Summary(p)}}
			results, err := e.Run(t.Context())
			require.NoError(t, err)
			for i, r := range results {
				most, known := e.Arms[i%3].Most(length)
				require.True(t, known, "the most of %s", r.Arm)
				require.NotNil(t, r.Cost, "the cost of %s of %s", r.Arm, r.Item)
				assert.LessOrEqual(t, *r.Cost, most, "the cost of %s of %s", r.Arm, r.Item)
			}
		}
	}
}
