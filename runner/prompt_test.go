package runner_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/reply"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/termination"
)

// firstPrompt returns the messages to the model at the start of a run.
func firstPrompt(t *testing.T, inputs []runner.Input, opts ...runner.Option) []llm.Message {
	t.Helper()
	model := root([]string{fence(`FINAL(1)`), fence(`FINAL(1)`)}, nil) // it repeats an answer that is sent back
	_, err := newRunner(t, model, opts...).Answer(timeout(t), "What is it?", inputs...)
	require.NoError(t, err)
	return model.Requests()[0].Messages
}

func TestWorkedExamplesRun(t *testing.T) {
	t.Parallel()
	system := firstPrompt(t, nil)[0].Content
	model := root(nil, func(prompt string) (string, error) { return "billing: \"too late\"", nil })
	r := newRunner(t, model)
	log := "2026-01-02 ERROR billing failed\n2026-01-02 INFO auth fine\n2026-01-03 ERROR auth failed\n2026-01-03 ERROR billing failed\n2026-01-04 WARN refund refused\n"
	s, err := r.NewSession(timeout(t), runner.Text("log", strings.Repeat(log, 3000)))
	require.NoError(t, err)
	defer s.Close()
	cells := reply.Parse(system, reply.Names{}, false).Cells
	require.GreaterOrEqual(t, len(cells), 4)
	answered := false
	for _, c := range cells {
		res, err := s.Exec(timeout(t), c.Source)
		require.NoError(t, err)
		require.Nil(t, res.Error, "%s\n%v", c.Source, res.Error)
		answered = answered || res.Final != nil
		if strings.Contains(c.Source, "failed[") {
			require.Contains(t, res.Output, "billing 6000\nauth 3000")
		}
	}
	require.True(t, answered)
}

// If a run cannot start child runs, none of its messages mentions rlm_query.
func TestWhereNoChildCanRunNobodyIsToldOfOne(t *testing.T) {
	t.Parallel()
	with, without := "", ""
	for depth, all := range map[int]*string{1: &with, -1: &without} {
		budgets := runner.DefaultBudgets()
		budgets.Depth = depth
		for _, m := range firstPrompt(t, []runner.Input{runner.Text("one.txt", "text")}, runner.WithBudgets(budgets)) {
			*all += m.Content
		}
	}
	require.Contains(t, with, "rlm_query")
	require.NotContains(t, without, "rlm_query")
}

func TestPromptSaysWhatThereIs(t *testing.T) {
	t.Parallel()
	messages := firstPrompt(t,
		[]runner.Input{runner.Text("one.txt", strings.Repeat("line\n", 100)), runner.Text("two.txt", "second")},
		runner.WithSystem("Answer in French."), runner.WithWindows(0, 10_000))
	system, question := messages[0].Content, messages[1].Content
	require.Equal(t, llm.System, messages[0].Role)
	require.Contains(t, system, "Answer in French.")
	require.Contains(t, system, "35k characters", "what one sub-call takes")
	require.Contains(t, system, "[COMPLETION SIGNAL]")
	general, _, _ := strings.Cut(system, "# Strategy")
	for _, name := range []string{"FINAL", "finish", "llm_query"} {
		require.NotContains(t, general, name, "how a turn goes is told without naming a function")
	}
	require.Contains(t, question, "What is it?")
	require.Contains(t, question, "2 documents")
	require.Contains(t, question, "one.txt (500 bytes); two.txt (6 bytes)")
	require.Less(t, len(system), 12_000, "short enough to be read on each turn")
}

func TestPromptNeverHoldsTheContext(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789 some words to fill a line\n", 50_000)
	messages := firstPrompt(t, []runner.Input{runner.Text("big", text)})
	require.Less(t, len(messages[1].Content), 10_000)
}

func TestPromptOfATask(t *testing.T) {
	t.Parallel()
	system := firstPrompt(t, nil, runner.WithMode(termination.Task))[0].Content
	require.Contains(t, system, "finish_task")
	require.NotContains(t, system, "finish_response")
	require.Contains(t, system, "a person reviews")
}

func TestPromptWithoutContext(t *testing.T) {
	t.Parallel()
	require.Contains(t, firstPrompt(t, nil)[1].Content, "There is no text")
}
