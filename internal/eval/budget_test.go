package eval_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/gorlm/rlm/internal/eval"
	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/runner/llm"
)

// priced answers for a price, and can cost up to most.
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

// TestABudgetIsNeverExceeded: answers begin only while the most that they can cost is left, and a higher budget goes on from there.
func TestABudgetIsNeverExceeded(t *testing.T) {
	var calls atomic.Int64
	e := eval.Evaluation{
		Items: items(t, "s-niah", 100, 1000), Arms: []eval.Arm{priced("a", 0.25, 1, &calls), priced("b", 0.25, 1, &calls)},
		Results: filepath.Join(t.TempDir(), "r"), Parallel: 8, Budget: 10,
	}
	spent := 0.0
	e.Progress = func(p eval.Progress) { spent = p.Spent }
	results, err := e.Run(t.Context())
	var short *eval.BudgetError
	if !errors.As(err, &short) {
		t.Fatalf("the error is %v", err)
	}
	// 9 dollars are spent by 36 answers; the next one needs one dollar, and fits: 37 answers.
	if spent > 10 || spent < 9 || len(results) != int(calls.Load()) || short.Done != len(results) || short.Of != 200 {
		t.Errorf("$%v spent on %d results of %d calls; %+v", spent, len(results), calls.Load(), short)
	}
	e.Budget = 60
	results, err = e.Run(t.Context())
	if err != nil || len(results) != 200 || calls.Load() != 200 || spent != 50 {
		t.Errorf("with a budget that suffices: %v, %d results of %d calls, $%v", err, len(results), calls.Load(), spent)
	}
}

func TestABudgetNeedsPrices(t *testing.T) {
	var calls atomic.Int64
	e := eval.Evaluation{Items: items(t, "s-niah", 1, 1000), Arms: []eval.Arm{priced("a", 1, math.NaN(), &calls)}, Budget: 10}
	if _, err := e.Run(t.Context()); err == nil || calls.Load() != 0 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
	e.Items.Length = func(int) int { return 1000 }
	if most := e.Most(); !math.IsNaN(most[0]) || !math.IsNaN(e.Dearest()) {
		t.Errorf("the most is %v", most)
	}
}

// TestNoArmCostsMoreThanItsMost: what is said before is never less than what is paid.
func TestNoArmCostsMoreThanItsMost(t *testing.T) {
	m := scripted("m", func(_ context.Context, req llm.Request) (string, error) { return "nothing", nil })
	counted := llm.ScriptedFunc("m", func(ctx context.Context, req llm.Request, n int) (llm.Response, error) {
		res, err := m.Generate(ctx, req, nil)
		res.Usage = llm.Usage{Prompt: llm.EstimateMessages(req.Messages), Completion: int64(req.MaxTokens)} // replies as long as they may be
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
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range results {
				if most, known := e.Arms[i%3].Most(length); !known || r.Cost == nil || *r.Cost > most {
					t.Errorf("%s of %s cost %v, more than %v", r.Arm, r.Item, *r.Cost, most)
				}
			}
		}
	}
}
