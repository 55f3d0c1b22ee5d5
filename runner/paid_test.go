package runner_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/termination"
)

// thinksOnly returns a paid reply that contains only thoughts, which no retry changes.
func thinksOnly() fakeapi.Reply {
	cost := 0.5
	return fakeapi.Reply{
		Fault: fakeapi.NullContent, Reasoning: "thinking", PromptTokens: 1000, CompletionTokens: 500,
		Cost: &cost,
	}
}

// askedInVain is a cell that makes three sub-calls that fail, and reads the text.
const askedInVain = `for i := range 3 {
	func() {
		defer func() { recover() }()
		llm_query(fmt.Sprint("question ", i))
	}()
}
n := strings.Count(context, "cart")
fmt.Println(n)`

// Tries without a reply count in the result and in the budget, even if all tries of a call fail.
func TestCallsThatFailAreCounted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		budget   float64
		requests int // number of requests for sub-calls
		status   termination.Status
	}{
		"no budget": {0, 6, termination.Completed},
		"less":      {0.9, 2, termination.CostLimit},
	} {
		t.Run(name, func(t *testing.T) {
			free := 0.0
			s := fakeapi.StartFunc(func(req fakeapi.Request) fakeapi.Reply {
				if strings.HasPrefix(req.Last(), "question") {
					return thinksOnly()
				}
				if len(req.Messages) > 2 {
					return fakeapi.Reply{Content: fence("FINAL(n)"), Cost: &free}
				}
				return fakeapi.Reply{Content: fence(askedInVain), Cost: &free}
			})
			opts := []runner.Option{runner.WithBudgets(runner.Budgets{Cost: c.budget})}
			res, err := newRunner(t, served(t, s, func(*llm.Config) {}), opts...).Answer(
				timeout(t), whichCart, runner.Text("app.log", errorLog))
			require.NoError(t, err)
			asked := 0
			for _, req := range s.Requests() {
				if strings.HasPrefix(req.Last(), "question") {
					asked++
				}
			}
			require.Equal(t, c.requests, asked)
			require.NotNil(t, res.Cost)
			require.InDelta(t, 0.5*float64(asked), *res.Cost, 1e-9)
			require.EqualValues(t, 1500*asked, res.Usage["m"].Wasted)
			require.Equal(t, c.status, res.Status)
		})
	}
}

// A turn that finally fails is paid for too, and so is the usage of a model that another one replaced.
func TestTurnsThatFailAreCounted(t *testing.T) {
	t.Parallel()
	bad := func() *llm.Client {
		return served(t, fakeapi.StartFunc(func(fakeapi.Request) fakeapi.Reply { return thinksOnly() }),
			func(*llm.Config) {})
	}
	res, err := newRunner(t, bad()).Answer(timeout(t), whichCart, runner.Text("app.log", errorLog))
	require.NoError(t, err)
	require.Equal(t, termination.EmptyResponseError, res.Status, "thoughts alone are empty replies")
	require.InDelta(t, 3*1.0, *res.Cost, 1e-9, "three turns of two tries")

	free := 0.0
	good := served(t, fakeapi.StartFunc(func(fakeapi.Request) fakeapi.Reply {
		return fakeapi.Reply{Content: fence(`FINAL("cart 301")`), Cost: &free}
	}), func(cfg *llm.Config) { cfg.Name = "good" })
	both := llm.NewFallback(bad(), good)
	res, err = newRunner(t, both).Answer(timeout(t), whichCart, runner.Text("app.log", errorLog))
	require.NoError(t, err)
	require.InDelta(t, 1.0, *res.Cost, 1e-9)
	require.EqualValues(t, 3000, res.Usage["m"].Wasted)
}
