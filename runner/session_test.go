package runner_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/termination"
)

func ask(t *testing.T, s *runner.Session, question string) runner.Result {
	t.Helper()
	res, err := runner.Collect(s.Ask(timeout(t), question))
	require.NoError(t, err)
	return res
}

func variables(t *testing.T, s *runner.Session) []string {
	t.Helper()
	vars, err := s.Vars(timeout(t))
	require.NoError(t, err)
	var names []string
	for _, v := range vars {
		if v.Name != "answer" {
			names = append(names, v.Name+"="+v.Preview)
		}
	}
	return names
}

func TestSessionKeepsItsPast(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	replies := []string{
		fence("x := 1 + llm_len()\nFINAL(x)"),
		"It is still that.",
		fence("y += x\nFINAL(y)"),
		fence("FINAL(x + y + len(history))"),
	}
	model := root(replies, nil)
	r := newRunner(t, model, runner.WithDataDir(dir), runner.WithTool("llm_len", "A number.", func() int { return 4 }))
	s, err := r.NewSession(timeout(t), runner.Text("t", "text"))
	require.NoError(t, err)

	require.Equal(t, "5", ask(t, s, "first").Answer)
	prose := ask(t, s, "second")
	require.Equal(t, "It is still that.", prose.Answer, "in a conversation prose is an answer")
	require.Equal(t, termination.Completed, prose.Status)

	own, err := s.Exec(timeout(t), "y := 10")
	require.NoError(t, err)
	require.Nil(t, own.Error)
	require.Equal(t, "15", ask(t, s, "third").Answer)
	last := model.Requests()[2].Messages
	require.Contains(t, last[len(last)-1].Content, "y := 10", "the model is told of a person's own cell")
	require.Contains(t, last[len(last)-1].Content, "Next question: third")
	require.Equal(t, []string{"x=5", "y=15"}, variables(t, s))
	spent := s.Totals()
	require.Positive(t, spent.Usage["scripted"].Prompt)
	require.NoError(t, s.Close())

	s, err = r.OpenSession(timeout(t), s.ID()[:6])
	require.NoError(t, err)
	defer s.Close()
	require.Equal(t, []string{"x=5", "y=15"}, variables(t, s), "the same variables")
	require.Equal(t, spent, s.Totals(), "the same cost, and nothing paid for opening")
	require.Len(t, model.Requests(), 3)
	require.Equal(t, "26", ask(t, s, "fourth").Answer, "history holds three questions with their answers")
	require.Equal(t, last[0], model.Requests()[3].Messages[0])
	require.Equal(t, last, model.Requests()[3].Messages[:len(last)], "the same conversation")
}

func TestSessionUndoAndFork(t *testing.T) {
	t.Parallel()
	model := root([]string{
		fence("n := 1\nFINAL(n)"), fence("n = 2\nFINAL(n)"), fence("n += 10\nFINAL(n)"), fence("n += 100\nFINAL(n)"),
	}, nil)
	r := newRunner(t, model)
	s, err := r.NewSession(timeout(t))
	require.NoError(t, err)
	defer s.Close()
	ask(t, s, "one")
	ask(t, s, "two")
	require.Equal(t, []string{"n=2"}, variables(t, s))
	fork, err := s.Fork(timeout(t))
	require.NoError(t, err)
	defer fork.Close()
	require.NoError(t, s.Undo(timeout(t)))
	require.Equal(t, []string{"n=1"}, variables(t, s))
	require.Equal(t, []string{"n=2"}, variables(t, fork))
	ask(t, s, "three")
	for _, m := range model.Requests()[len(model.Requests())-1].Messages {
		require.NotContains(t, m.Content, "Next question: two")
	}
}

// A fork has the session's configuration, even if that was changed after its last question.
func TestAForkIsSetAsItsSession(t *testing.T) {
	t.Parallel()
	s, err := newRunner(t, root([]string{fence("FINAL(1)")}, nil)).NewSession(timeout(t))
	require.NoError(t, err)
	defer s.Close()
	ask(t, s, "one")
	model, sub := llm.NewScripted("other", fence("FINAL(2)")), llm.NewScripted("sub")
	require.NoError(t, s.Set(runner.WithModel(model), runner.WithSubModel(sub),
		runner.WithBudgets(runner.Budgets{Iterations: 3, Cost: -1}), runner.WithMode(termination.Task)))
	fork, err := s.Fork(timeout(t))
	require.NoError(t, err)
	defer fork.Close()
	require.Equal(t, s.Budgets(), fork.Budgets())
	require.Equal(t, termination.Task, fork.Mode())
	require.Same(t, model, fork.Model())
	require.Same(t, sub, fork.SubModel())
	require.Equal(t, termination.PendingReview, ask(t, fork, "two").Status)
}

func TestSessionContextGrows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	model := root([]string{
		fence("before := len(context)\nFINAL(before)"),
		fence("FINAL(len(docs))"),
		fence("FINAL(strings.Contains(context, \"second text\"), before)"),
	}, nil)
	r := newRunner(t, model, runner.WithDataDir(dir))
	s, err := r.NewSession(timeout(t), runner.Text("one", "first text"))
	require.NoError(t, err)
	require.Equal(t, "10", ask(t, s, "q").Answer)
	require.NoError(t, s.AddContext(timeout(t), runner.Text("two", "second text")))
	require.Equal(t, "2", ask(t, s, "q").Answer)
	messages := model.Requests()[1].Messages
	require.Contains(t, messages[len(messages)-1].Content, "The context has changed")
	require.NoError(t, s.Close())

	s, err = r.OpenSession(timeout(t), s.ID())
	require.NoError(t, err)
	defer s.Close()
	require.Equal(t, []string{"before=10"}, variables(t, s), "cells run again over the context that they saw")
	require.Len(t, s.Documents(), 2)
	require.NoError(t, s.RemoveContext(timeout(t), "one"))
	require.Len(t, s.Documents(), 1)
	require.Error(t, s.RemoveContext(timeout(t), "none"))
}

func TestSessionIsBusy(t *testing.T) {
	t.Parallel()
	model := root([]string{fence(`FINAL(1)`)}, nil)
	s, err := newRunner(t, model).NewSession(timeout(t))
	require.NoError(t, err)
	for _, err := range s.Ask(timeout(t), "q") {
		require.NoError(t, err)
		_, err = s.Vars(timeout(t))
		require.ErrorIs(t, err, runner.ErrBusy)
	}
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	_, err = runner.Collect(s.Ask(timeout(t), "q"))
	require.ErrorContains(t, err, "closed")
}

func TestReview(t *testing.T) {
	t.Parallel()
	model := root([]string{
		fence(`finish_task("first try")`), fence(`finish_task("second try")`),
	}, nil)
	r := newRunner(t, model, runner.WithMode(termination.Task))
	res, err := r.Answer(timeout(t), "do it")
	require.NoError(t, err)
	require.Equal(t, termination.PendingReview, res.Status)
	require.True(t, res.NeedsReview)

	_, err = runner.Collect(r.Review(timeout(t), res.RunID, false, ""))
	require.ErrorContains(t, err, "note")
	again, err := runner.Collect(r.Review(timeout(t), res.RunID, false, "more of it"))
	require.NoError(t, err)
	require.Equal(t, "second try", again.Answer)
	messages := model.Requests()[1].Messages
	require.Contains(t, messages[len(messages)-1].Content, "sent it back with this note: more of it")

	_, err = runner.Collect(r.Review(timeout(t), res.RunID, true, "good"))
	require.NoError(t, err)
	_, err = runner.Collect(r.Review(timeout(t), res.RunID, true, "good"))
	require.ErrorContains(t, err, "not pending")
}

func TestCompaction(t *testing.T) {
	t.Parallel()
	long := func(i int) string {
		return fence(`fmt.Println(strings.Repeat("word ", 480), ` + string(rune('0'+i)) + `)`)
	}
	for name, summary := range map[string]string{"summarised": "the plan is to go on", "mechanical": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turns := []string{
				long(1), long(2), long(3), long(4), long(5), long(6), long(7),
				fence(`FINAL(len(history) > 0)`),
			}
			n := 0
			compacting := compactor(turns, summary, &n)
			r := newRunner(t, compacting, runner.WithWindows(5000, 0))
			res, err := r.Answer(timeout(t), "the question")
			require.NoError(t, err)
			require.Equal(t, "true", res.Answer, res.Reason)
			require.Positive(t, n, "a summary was asked for")
			last := compacting.Requests()[len(compacting.Requests())-1].Messages
			require.Less(t, llm.EstimateMessages(last), int64(5000))
			require.Contains(t, last[1].Content, "the question")
			if summary != "" {
				require.Contains(t, last[3].Content, summary)
			} else {
				require.Contains(t, last[3].Content, "no summary")
			}
		})
	}
}

// compactor answers turns in order, and requests for a summary with the summary; it counts the latter.
func compactor(turns []string, summary string, asked *int) *llm.ScriptedModel {
	next := 0
	return llm.ScriptedFunc("compactor", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		if strings.HasPrefix(req.Messages[len(req.Messages)-1].Content, "[summary]") {
			*asked++
			if summary == "" {
				return llm.Response{}, &llm.Error{Kind: llm.ErrUnavailable, Message: "no"}
			}
			return llm.Response{Content: summary}, nil
		}
		next++
		return llm.Response{Content: turns[next-1]}, nil
	})
}

func TestSessionAfterAnInterruptedQuestion(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(timeout(t))
	defer cancel()
	model := llm.ScriptedFunc("m", func(ctx context.Context, req llm.Request, n int) (llm.Response, error) {
		switch n {
		case 0:
			return llm.Response{Content: fence("kept := 1") + fence("llm_query(\"wait\")")}, nil
		case 1:
			cancel()
			<-ctx.Done()
			return llm.Response{}, ctx.Err()
		default:
			return llm.Response{Content: fence("FINAL(kept + 1)")}, nil
		}
	})
	r := newRunner(t, model)
	s, err := r.NewSession(timeout(t))
	require.NoError(t, err)
	res, err := runner.Collect(s.Ask(ctx, "first"))
	require.NoError(t, err)
	require.Equal(t, termination.ByInterrupt, res.EndedBy)
	require.NoError(t, s.Close())

	s, err = r.OpenSession(timeout(t), s.ID())
	require.NoError(t, err)
	defer s.Close()
	require.True(t, s.Pending())
	own, err := s.Exec(timeout(t), "more := kept")
	require.NoError(t, err)
	require.Nil(t, own.Error)
	require.Equal(t, 3, own.Cell, "numbers go on after the cell that was broken off")
	require.Equal(t, "2", ask(t, s, "second").Answer)
	require.Equal(t, []string{"kept=1", "more=1"}, variables(t, s))
	require.False(t, s.Pending())
}

func TestSessionChangesItsMode(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(file, []byte("from a file"), 0o600))
	model := root([]string{
		fence("n := len(context)\nFINAL(n)"), fence(`finish_task(fmt.Sprint("task with ", n, " of ", len(docs)))`),
		fence(`finish_response("back")`),
	}, nil)
	r := newRunner(t, model)
	s, err := r.NewSession(timeout(t), runner.Path(file))
	require.NoError(t, err)
	require.Equal(t, "11", ask(t, s, "one").Answer)
	require.NoError(t, s.AddContext(timeout(t), runner.Text("b", "more")))
	require.NoError(t, s.Set(runner.WithMode(termination.Task)))
	res := ask(t, s, "two")
	require.Equal(t, "task with 11 of 2", res.Answer, res.Reason)
	require.Equal(t, termination.PendingReview, res.Status)
	messages := model.Requests()[1].Messages
	require.Contains(t, messages[len(messages)-1].Content, "finish_task(summary any)",
		"the model is told of the other signals")
	require.NoError(t, s.Close())

	s, err = r.OpenSession(timeout(t), s.ID())
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Undo(timeout(t)))
	require.Equal(t, []string{"n=11"}, variables(t, s))
	require.NoError(t, s.Set(runner.WithMode(termination.Response)))
	require.Equal(t, "back", ask(t, s, "three").Answer)
}

func TestSmallWindowNeverStalls(t *testing.T) {
	t.Parallel()
	n := 0
	turns := []string{}
	for i := range 6 {
		turns = append(turns, fence(
			fmt.Sprintf("n%d := %d\nfmt.Println(strings.Repeat(\"words \", 1500), n%d)", i, i, i)))
	}
	model := compactor(append(turns, fence(`FINAL("done")`)), "short", &n)
	res, err := newRunner(t, model, runner.WithWindows(4000, 0)).Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "done", res.Answer, res.Reason)
	require.LessOrEqual(t, n, 6)
}

// TestAQuestionIsNoAnswer: in a conversation a question of the model is not blamed for lacking what answers must have,
// what it claims is, and cells of later questions see what was asked.
func TestAQuestionIsNoAnswer(t *testing.T) {
	t.Parallel()
	for name, demand := range map[string]func(*termination.Policy){
		"nothing":   func(*termination.Policy) {},
		"grounding": func(p *termination.Policy) { p.RequireGrounded = true },
		"evidence":  func(p *termination.Policy) { p.RequireEvidence = true },
	} {
		policy := termination.DefaultPolicy(termination.Response)
		demand(&policy)
		const asks, claims = "Which of the two do you mean?", "It is cart, 742 times. Shall I go on?"
		model := root([]string{asks, claims, claims, fence("FINAL(len(history))"), fence("FINAL(len(history))")}, nil)
		r := newRunner(t, model, runner.WithPolicy(policy))
		s, err := r.NewSession(timeout(t), runner.Text("app.log", errorLog))
		require.NoError(t, err, name)
		defer s.Close()
		res, err := s.Answer(timeout(t), whichCart)
		require.NoError(t, err, name)
		require.Equal(t, termination.NeedsInput, res.Status, res.Reason)
		require.Equal(t, asks, res.Reply)
		require.Equal(t, 1, res.Turns, "it is not sent back")
		res, err = s.Answer(timeout(t), whichCart)
		require.NoError(t, err, name)
		require.Equal(t, termination.Failed, res.Status)
		res, err = s.Answer(timeout(t), "What did you ask?")
		require.NoError(t, err, name)
		require.Equal(t, "2", res.Answer, "history has one question, and what was asked back")
	}
}

// TestAQuestionAfterALookIsNoAnswer: in a conversation too, whatever it names; what is stated beside an offer is one.
func TestAQuestionAfterALookIsNoAnswer(t *testing.T) {
	t.Parallel()
	for said, status := range map[string]termination.Status{
		"Do you mean the errors of cart, or those of mail?": termination.NeedsInput,
		"Bitte sag mir, welches Log du meinst.":             termination.NeedsInput,
		"cart fails most, 3 times. Shall I list them?":      termination.Completed,
	} {
		s, err := newRunner(t, root([]string{fence(countErrors), said}, nil)).NewSession(
			timeout(t), runner.Text("app.log", errorLog))
		require.NoError(t, err)
		defer s.Close()
		res, err := s.Answer(timeout(t), whichCart)
		require.NoError(t, err)
		require.Equal(t, status, res.Status, "%s %+v", said, res.Grounding)
	}
}
