package runner_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// waiting is a model that reports a wait in each call before it answers.
type waiting struct{ *llm.ScriptedModel }

func (w waiting) Generate(ctx context.Context, req llm.Request, on func(llm.Delta)) (llm.Response, error) {
	on(llm.Delta{Retry: &llm.Retry{Reason: "HTTP 429", Attempt: 2, Tries: 5, Wait: time.Second}})
	return w.ScriptedModel.Generate(ctx, req, on)
}

// Each wait of a turn is reported; of the waits of concurrent sub-calls, one a second is.
func TestRetriesAreTold(t *testing.T) {
	t.Parallel()
	model := waiting{root([]string{
		fence(`out := llm_query_batched(strings.Split("a b c d e f g h", " "))`),
		fence(`FINAL(len(out))`),
	}, func(prompt string) (string, error) { return prompt, nil })}
	began := time.Now()
	turns, calls := 0, 0
	for ev, err := range newRunner(t, model).Run(timeout(t), "q") {
		require.NoError(t, err)
		d, ok := ev.Data.(trajectory.CallRetried)
		if !ok {
			continue
		}
		require.Equal(t, trajectory.CallRetried{
			Cell: d.Cell, Model: "scripted", Reason: "HTTP 429", Attempt: 2, Tries: 5, Wait: time.Second,
		}, d)
		if d.Cell > 0 {
			calls++
		} else {
			turns++
		}
	}
	require.Equal(t, 2, turns)
	require.Positive(t, calls)
	require.LessOrEqual(t, calls, 1+int(time.Since(began)/time.Second))
}
