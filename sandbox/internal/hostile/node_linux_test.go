package hostile_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// A job with a hostile worker ends with a readable error, or succeeds when its model tries again. The node runs the
// next job.
func TestANodeMeetsHostileWorkers(t *testing.T) {
	inOwnHost(t, func(t *testing.T, next func(act string)) {
		for i, act := range acts() {
			t.Run(act, func(t *testing.T) {
				dir := t.TempDir()
				q, err := fleet.Open(t.Context(), fleet.Dir(dir), nil)
				require.NoError(t, err)
				defer func() { require.NoError(t, q.Close()) }()
				batch := fmt.Sprintf("batch%d", i)
				jobs := []fleet.Job{{ID: "bad", Question: "one"}, {ID: "good", Question: "two"}}
				_, err = fleet.Submit(t.Context(), q, fleet.Batch{ID: batch}, jobs,
					fleet.Submission{RunsDir: trajectory.RunsDir(dir)})
				require.NoError(t, err)
				node := &fleet.Node{
					Queue: q, Batch: batch, Slots: 1, Alone: true,
					Setup: func(_ context.Context, job fleet.Job) (llm.Model, []runner.Option, error) {
						if job.ID == "bad" {
							next(act)
						}
						model := llm.ScriptedFunc(
							"m", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
								return llm.Response{Content: "```go\nFINAL(\"the answer\")\n```"}, nil
							})
						return model, []runner.Option{
							runner.WithDataDir(dir),
							runner.WithBudgets(runner.Budgets{Iterations: 1, SubCalls: 50}), brief,
						}, nil
					},
				}
				for _, err := range node.Work(t.Context(), t.Context(), 0) {
					require.NoError(t, err)
				}
				results, err := fleet.Latest(t.Context(), q, batch)
				require.NoError(t, err)
				require.Len(t, results, 2)
				for _, r := range results {
					t.Log(r.ID, r.State, r.Status, r.Answer, r.Reason)
					if r.ID == "good" {
						require.Equal(t, "the answer", r.Answer)
					}
					require.NotEmpty(t, r.Status+r.Reason)
				}
			})
		}
	})
}
