package hostile_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/hijack"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// A cell that keeps later cells from running is left out of replays after two workers in a row have died of it.
// The model learns with the next question which cell that was, people from an event and on the terminal. The
// session continues, and when it is opened again the cell is still left out.
func TestARunLeavesOutACellAfterWhichNothingRuns(t *testing.T) {
	inOwnHost(t, func(t *testing.T, next func(act string)) {
		next(hijack.Every + "poison")
		defer next("")
		var asked []string
		replies := []string{
			"keep := 1", "poison := 2", "first := 3", "second := 4", "third := 5",
			`FINAL("the answer")`, "fourth := 6", `FINAL("another")`,
		}
		model := llm.ScriptedFunc("m", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
			asked = append(asked, req.Messages[len(req.Messages)-1].Content)
			return llm.Response{Content: "```go\n" + replies[len(asked)-1] + "\n```"}, nil
		})
		dir := t.TempDir()
		r, err := runner.New(model, runner.WithDataDir(dir), runner.WithSandbox(sandbox.Basic, sandbox.Limits{}))
		require.NoError(t, err)
		defer r.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		s, err := r.NewSession(ctx)
		require.NoError(t, err)
		const why = "cell 2 was left out, because no cell runs after it"

		var events []trajectory.Event
		var answer string
		for ev, err := range s.Ask(ctx, "q") {
			require.NoError(t, err)
			events = append(events, ev)
			if end, ok := ev.Data.(trajectory.RunEnded); ok {
				answer = end.Answer
			}
		}
		require.Equal(t, "the answer", answer)
		require.Len(t, asked, 6)
		require.NotContains(t, asked[3], why, "one death is no reason to suspect an earlier cell")
		require.Contains(t, asked[4], why)
		require.Contains(t, asked[4], "poison could not be restored")
		var left []int
		var warned string
		for _, ev := range events {
			switch d := ev.Data.(type) {
			case trajectory.Restored:
				left = append(left, d.LeftOut...)
			case trajectory.Warned:
				warned += d.Text + "\n"
			}
		}
		require.Equal(t, []int{2}, left)
		require.Contains(t, warned, why)
		require.NoError(t, s.Close())

		s, err = r.OpenSession(ctx, s.ID())
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close()) }()
		res, err := runner.Collect(s.Ask(ctx, "and now?"))
		require.NoError(t, err)
		require.Equal(t, "another", res.Answer)
		require.NotContains(t, asked[7], why, "it is out since then")
	})
}
