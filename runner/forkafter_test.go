package runner_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// TestForkAfter: a fork after an earlier question has its answer and variables, nothing of the later questions,
// and runs independently while the session is busy.
func TestForkAfter(t *testing.T) {
	t.Parallel()
	r := newRunner(t, root([]string{fence(`x := 1; FINAL("one")`), fence(`x = 2; y := 3; FINAL("two")`)}, nil))
	s, err := r.NewSession(timeout(t))
	require.NoError(t, err)
	defer s.Close()
	require.Equal(t, "one", ask(t, s, "first").Answer)
	require.Equal(t, "two", ask(t, s, "second").Answer)

	other := root([]string{"", fence(`FINAL(fmt.Sprint(x, len(history)))`)}, nil)
	fork, err := r.ForkAfter(timeout(t), s.ID(), 1, runner.WithModel(other))
	require.NoError(t, err)
	defer fork.Close()
	require.Equal(t, []string{"x=1"}, variables(t, fork))
	require.Equal(t, "1 2", ask(t, fork, "third").Answer)
	require.Contains(t, variables(t, s), "y=3", "the session is as it was")

	for _, run := range []int{0, 3} {
		_, err := r.ForkAfter(timeout(t), s.ID(), run)
		require.ErrorContains(t, err, "there is no question")
	}
}

// TestForkOfAnEarlierQuestion: an id with a number refers to that question; without such a question it is refused.
func TestForkOfAnEarlierQuestion(t *testing.T) {
	t.Parallel()
	var script []string
	for _, v := range []string{"one", "two", "three"} {
		script = append(script, fence(`v := "`+v+`"; fmt.Println(v)`), fence("FINAL(v)"))
	}
	r := newRunner(t, root(script, nil))
	s, err := r.NewSession(timeout(t))
	require.NoError(t, err)
	for _, question := range []string{"first", "second", "third"} {
		ask(t, s, question)
	}
	require.NoError(t, s.Close())

	goOn := runner.WithModel(llm.ScriptedFunc("on", func(context.Context, llm.Request, int) (llm.Response, error) {
		return llm.Response{Content: fence("FINAL(v)")}, nil
	}))
	for id, want := range map[string]string{s.ID() + ".1": "one", s.ID() + ".2": "two", s.ID(): "three"} {
		var answer string
		for ev, err := range r.Fork(timeout(t), id, 1, goOn) {
			require.NoError(t, err)
			if end, ok := ev.Data.(trajectory.RunEnded); ok {
				answer = end.Answer
			}
		}
		require.Equal(t, want, answer, id)
	}
	for _, err := range r.Fork(timeout(t), s.ID()+".9", 1, goOn) {
		require.ErrorContains(t, err, "there is no question 9; the last one is 3")
	}
}

// TestBudgetOfReplies: when the models' replies have used up their budget, one turn is left.
func TestBudgetOfReplies(t *testing.T) {
	t.Parallel()
	replies := []string{fence("x := 1"), fence("x = 2"), fence("FINAL(x)"), fence("x = 4")}
	model := llm.ScriptedFunc("scripted", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		return llm.Response{Content: replies[req.Key.N], Usage: llm.Usage{Prompt: 1000, Completion: 10}}, nil
	})
	res, err := newRunner(t, model, runner.WithBudgets(runner.Budgets{Completion: 15})).Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "2", res.Answer, "the turn after the limit is the last")
	require.Equal(t, termination.TokenLimit, res.Status)
	require.Equal(t, 2, res.Turns)
}

// TestASchemaIsSet: a session without a schema declares the type of its answers when it gets one.
func TestASchemaIsSet(t *testing.T) {
	t.Parallel()
	r := newRunner(t, root([]string{fence(`FINAL(Answer{N: 1})`)}, nil))
	s, err := r.NewSession(timeout(t))
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Set(runner.WithSchema("n int")))
	require.Equal(t, `{"n":1}`, ask(t, s, "first").Answer)
}
