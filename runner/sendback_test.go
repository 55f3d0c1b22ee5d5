package runner_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/testing/nothing"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

const (
	lookFirst  = "it came before any output showed something of the text"
	whichCart  = "Which service fails most, and how often?"
	wholeStory = "10:01 ERROR cart\n10:02 ERROR cart\n10:03 ERROR mail\n"
)

// sentBack counts the messages of a run that send back an answer.
func sentBack(t *testing.T, r *runner.Runner, id string) (n int) {
	t.Helper()
	for ev, err := range trajectory.Read(r.RunsDir() + "/" + id) {
		require.NoError(t, err)
		if d, ok := ev.Data.(trajectory.Nudged); ok {
			switch termination.Guard(d.Guard) {
			case "look_first", "required_evidence", "grounding":
				n++
			}
		}
	}
	return n
}

// TestInventionsAreNoPlainAnswers: an answer without a basis is sent back once, and marked when it is repeated.
func TestInventionsAreNoPlainAnswers(t *testing.T) {
	t.Parallel()
	failing := fence("var m map[string]int\nm[\"a\"] = 1")
	failingOtherwise := fence("undefined_name()")
	look := fence("for i, d := range docs {\n\tfmt.Println(i, d.Name, len(d.Text))\n\tfmt.Println(d.Text[:200])\n}")
	for name, c := range map[string]struct {
		replies []string
		status  termination.Status
		guess   bool
		exit    int
	}{
		"in prose":         {[]string{"FINAL(cart 301)"}, termination.Completed, true, 0},
		"a text in a cell": {[]string{fence(`FINAL("cart 301")`)}, termination.Completed, true, 0},
		"a number":         {[]string{fence(`FINAL(301)`)}, termination.Completed, true, 0},
		"formatted":        {[]string{fence(`FINAL(fmt.Sprint(42))`)}, termination.Completed, true, 0},
		"in a variable":    {[]string{fence(`x := "42"` + "\nFINAL(x)")}, termination.Completed, true, 0},
		"by name": {
			[]string{fence(`x := "42"` + "\n" + `FINAL_VAR("x")`)}, termination.Completed, true, 0,
		},
		"in two turns, nothing shown": {
			[]string{fence(`x := "cart 42"`), fence("FINAL(x)")}, termination.Completed, true, 0,
		},
		"dressed up": {[]string{fence("n := 300 + 1\nFINAL(n)")}, termination.Completed, true, 0},
		"a placeholder": {
			[]string{fence(`FINAL("your answer here")`)}, termination.Completed, true, 0,
		},
		"the form of the answer": {[]string{fence(`FINAL("service N")`)}, termination.Completed, true, 0},
		"by the mode's signal": {
			[]string{fence(`finish_response("cart 301")`)}, termination.Completed, true, 0,
		},
		"the answer map": {[]string{
			fence(`answer["content"] = "cart 301"` + "\n" + `answer["ready"] = true`),
		}, termination.Completed, true, 0},
		"beside a cell that counts": {
			[]string{fence(countErrors) + fence(`FINAL("mail 301")`)}, termination.Completed, false, 0,
		},
		"the text is named, not used": {
			[]string{fence("_ = len(context)\n" + `FINAL("cart 301")`)}, termination.Completed, true, 0,
		},
		"a loop that reads nothing": {
			[]string{fence("n := 0\nfor i := 0; i < 301; i++ {\n\tn++\n}\nFINAL(n)")}, termination.Completed, true, 0,
		},
		"lines of its own": {
			[]string{
				fence("lines := []string{\"ERROR shop\", \"WARN shop\"}\nfmt.Println(len(lines))"),
				fence(`FINAL("shop 2")`),
			}, termination.Completed, true, 0,
		},
		"a table of its own": {
			[]string{
				fence("m := map[string]int{\"cart\": 301, \"mail\": 7}\nfmt.Println(m)"),
				fence(`FINAL("cart 301")`),
			}, termination.Completed, true, 0,
		},
		"at random": {
			[]string{fence("FINAL(rand.Intn(900) + 100)")}, termination.Completed, true, 0,
		},
		"another model's memory": {
			[]string{fence("FINAL(llm_query(\"Which service fails most? Guess.\"))")}, termination.Completed, true, 0,
		},
		"another model's memory, typed": {
			[]string{fence("var s string\nllm_query_json(\"Which service fails most? Guess.\", &s)\nFINAL(s)")},
			termination.Completed, true, 0,
		},
		"memory that was printed": {
			[]string{
				fence("r := llm_query(\"Which service fails most?\")\nfmt.Println(r)"),
				fence(`FINAL("shop 301")`),
			}, termination.Completed, false, 0,
		},
		"after a look at the size": {
			[]string{fence(`fmt.Println("length:", len(context))`), fence(`FINAL("mail")`)},
			termination.Completed, true, 0,
		},
		"after a sum of its own": {
			[]string{fence("fmt.Println(1 + 1)"), fence(`FINAL("mail")`)}, termination.Completed, true, 0,
		},
		"after its own words": {
			[]string{fence("s := \"Looking for mail in the context\"\nfmt.Println(s)"), fence(`FINAL("mail")`)},
			termination.Completed, true, 0,
		},
		"after a search for nothing": {[]string{
			fence("fmt.Println(strings.Count(context, \"ERROR shop\"))"),
			fence(`FINAL("shop 301")`),
		}, termination.Completed, false, 0},
		"after the first lines": {
			[]string{fence("fmt.Println(context[:60])"), fence(`FINAL("shop 301")`)}, termination.Completed, false, 0,
		},
		"a date of its own numbers": {[]string{
			look, fence(`FINAL(time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC).Format("2 January 2006"))`),
		}, termination.Completed, false, 0},
		"a count of its own lines": {[]string{
			look, fence("var all []string\nfor _, s := range []string{\"ERROR shop 1\", \"ERROR shop 2\"} {\n\tall = append(all, s)\n}\n" +
				`FINAL(fmt.Sprintf("%d errors of shop", len(all)))`),
		}, termination.Completed, false, 0},
		"a size of its own in a map": {[]string{
			look, fence(`FINAL(map[string]int{"shop": len("xxxxxxxxxx")*4 + len(docs)*7})`),
		}, termination.Completed, false, 0},
		"what a prompt told": {[]string{
			fence("fmt.Println(llm_query(context[:100] + \"\\nIt is shop, 301 times. Confirm.\"))"),
			fence(`FINAL("301 times")`),
		}, termination.Completed, false, 0},
		"a yes after names, sizes and beginnings": {[]string{look, fence(`FINAL("Yes")`)}, termination.Completed, false, 0},
		"JSON of its own": {
			[]string{fence("b, _ := json.Marshal(map[string]any{\"service\": \"shop\", \"errors\": 301})\nFINAL(string(b))")}, termination.Completed, true, 0,
		},
		"prose, then prose with a value": {
			[]string{"I would say it is cart.", "FINAL(cart 212)"}, termination.Completed, true, 0,
		},
		"after cells that all failed": {[]string{
			failing, failingOtherwise, failing, failingOtherwise,
			fence(`FINAL("auth 200")`),
		}, termination.ErrorLimit, true, 3},
		"as the last reply": {[]string{
			failing, failingOtherwise, failing, failingOtherwise, failing,
			fence(`FINAL("auth 200")`),
		}, termination.ErrorLimit, true, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			memory := func(prompt string) (string, error) { return wanted(prompt, "It is shop, 301 times."), nil }
			r := newRunner(t, root(append(c.replies, c.replies[len(c.replies)-1]), memory))
			res, err := r.Answer(timeout(t), whichCart, runner.Text("app.log", errorLog))
			require.NoError(t, err)
			assert.Equal(t, c.status, res.Status, res.Reason)
			assert.Equal(t, c.guess, res.Guess)
			assert.Equal(t, c.exit, res.ExitCode())
			if res.Status == termination.Completed {
				assert.NotEqual(t, "grounded", res.Grounding.Verdict, "%+v", res.Grounding)
			}
			assert.LessOrEqual(t, sentBack(t, r, res.RunID), 1)
		})
	}
}

// TestAnAnswerThatRestsOnTheRunIsTakenAtOnce: an answer costs no extra turn if something was read or computed.
func TestAnAnswerThatRestsOnTheRunIsTakenAtOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		replies []string
		text    string
	}{
		"computed at once": {[]string{fence(`FINAL(strings.Count(context, "ERROR cart"))`)}, errorLog},
		"computed and formatted": {[]string{
			fence("n := strings.Count(context, \"ERROR cart\")\nFINAL(fmt.Sprintf(\"%d errors\", n))"),
		}, errorLog},
		"computed before, nothing shown": {
			[]string{fence(`n := strings.Count(context, "ERROR cart")`), fence("FINAL(n)")}, errorLog,
		},
		"a variable in prose": {
			[]string{fence(`n := strings.Count(context, "ERROR cart")`) + "\n\nFINAL(n)"}, errorLog,
		},
		"by another model": {
			[]string{fence("FINAL(llm_query(\"Which one?\" + context[:100]))")}, errorLog,
		},
		"typed, by another model": {
			[]string{fence("var s string\nllm_query_json(\"Which one?\"+context[:100], &s)\nFINAL(s)")}, errorLog,
		},
		"a literal after output":          {[]string{fence(countErrors), fence(`FINAL("cart 3")`)}, errorLog},
		"a literal in prose after output": {[]string{fence(countErrors), "FINAL(cart 3)"}, errorLog},
		"the whole text was shown":        {[]string{fence(`FINAL("cart 2")`)}, wholeStory},
		"the whole text, another value":   {[]string{fence(`FINAL("shop 7")`)}, wholeStory},
		"no text":                         {[]string{fence(`FINAL("cart 301")`)}, ""},
		"printed by a cell that failed": {[]string{
			fence(`fmt.Println(context[len(context)-68:]); panic("no")`),
			fence(`FINAL("10:03 ERROR mail")`),
		}, errorLog},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cart := func(prompt string) (string, error) { return wanted(prompt, "cart"), nil }
			r := newRunner(t, root(c.replies, cart))
			var inputs []runner.Input
			if c.text != "" {
				inputs = append(inputs, runner.Text("app.log", c.text))
			}
			res, err := r.Answer(timeout(t), whichCart, inputs...)
			require.NoError(t, err)
			require.Equal(t, termination.Completed, res.Status)
			require.False(t, res.Guess)
			require.Zero(t, sentBack(t, r, res.RunID))
			require.Equal(t, len(c.replies), res.Turns)
		})
	}
}

// TestAGuessIsSentBackWithItsReason: the model reads the reason, with a cell to send, and an answer that it then
// computes is not marked.
func TestAGuessIsSentBackWithItsReason(t *testing.T) {
	t.Parallel()
	model := root([]string{fence(`FINAL("cart 301")`), fence(countErrors), fence(`FINAL("cart 3")`)}, nil)
	res, err := newRunner(t, model).Answer(timeout(t), whichCart, runner.Text("app.log", errorLog))
	require.NoError(t, err)
	require.Equal(t, "cart 3", res.Answer)
	require.False(t, res.Guess)
	told := model.Requests()[1].Messages[3].Content
	require.Contains(t, told, lookFirst)
	require.Contains(t, told, "```go\nfmt.Println(len(context))\n")
	require.NotContains(t, told, "FINAL(answer)")
}

// TestAllThatAnAnswerLacksIsAskedForOnce: a guess without evidence, then an ungrounded one, is not sent back
// twice.
func TestAllThatAnAnswerLacksIsAskedForOnce(t *testing.T) {
	t.Parallel()
	policy := termination.DefaultPolicy(termination.Response)
	policy.RequireEvidence = true
	model := root([]string{fence(`FINAL("cart 301")`), fence(`fmt.Println("so it is")`), fence(`FINAL("cart 302")`)},
		nil)
	r := newRunner(t, model, runner.WithPolicy(policy))
	res, err := r.Answer(timeout(t), whichCart, runner.Text("app.log", errorLog))
	require.NoError(t, err)
	require.Equal(t, termination.EvidenceMissing, res.Status)
	require.Equal(t, 1, sentBack(t, r, res.RunID))
	told := model.Requests()[1].Messages[3].Content
	require.Contains(t, told, lookFirst)
	require.Contains(t, told, "cite(part)")
}

// TestAFollowUpRestsOnWhatWasShownBefore: the cells of earlier questions count.
func TestAFollowUpRestsOnWhatWasShownBefore(t *testing.T) {
	t.Parallel()
	model := root([]string{fence(countErrors), fence(`FINAL("cart 3")`), fence(`FINAL("mail 1")`)}, nil)
	s, err := newRunner(t, model).NewSession(timeout(t), runner.Text("app.log", errorLog))
	require.NoError(t, err)
	defer s.Close()
	_, err = s.Answer(timeout(t), whichCart)
	require.NoError(t, err)
	res, err := s.Answer(timeout(t), "And which one least?")
	require.NoError(t, err)
	require.Equal(t, 1, res.Turns)
	require.False(t, res.Guess)
}

// TestASendBackIsResumed: a run that is killed at any event after an answer was sent back, or accepted, ends the
// same.
func TestASendBackIsResumed(t *testing.T) {
	t.Parallel()
	replies := []string{fence(`FINAL("cart 301")`), fence(countErrors), fence(`FINAL("cart 3")`)}
	r := newRunner(t, root(replies, nil))
	res, err := r.Answer(timeout(t), whichCart, runner.Text("app.log", errorLog))
	require.NoError(t, err)
	for name, kill := range map[string]func(trajectory.Event) bool{
		"checked": func(ev trajectory.Event) bool { d, ok := ev.Data.(trajectory.Checked); return ok && d.Guess },
		"nudged":  func(ev trajectory.Event) bool { _, ok := ev.Data.(trajectory.Nudged); return ok },
		"told": func(ev trajectory.Event) bool {
			d, ok := ev.Data.(trajectory.MessageAdded)
			return ok && strings.Contains(d.Content.String(), lookFirst)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := killedAfter(t, r, res.RunID, kill)
			again := newRunner(t, root(replies, nil), runner.WithDataDir(dir))
			done, err := runner.Collect(again.Resume(timeout(t), res.RunID))
			require.NoError(t, err)
			require.Equal(t, "cart 3", done.Answer)
			require.Equal(t, res.Turns, done.Turns)
			require.Equal(t, 1, sentBack(t, again, res.RunID))
		})
	}
}

// TestAllWaysToComeToNothingEndAlike: the call returns no error, and the result has the status, exit code 3, and
// the model's words, but not as the answer.
func TestAllWaysToComeToNothingEndAlike(t *testing.T) {
	t.Parallel()
	for name, c := range nothing.Ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res, err := newRunner(t, root(c.Replies(), nil)).Answer(
				timeout(t), nothing.Question, runner.Text("app.log", nothing.Text()))
			require.NoError(t, err)
			require.Equal(t, termination.Status(c.Status), res.Status, res.Reason)
			require.Equal(t, exitcode.Limit, res.ExitCode())
			require.Equal(t, c.Partial, res.Answer)
			require.Equal(t, c.Partial != "", res.HasAnswer)
			require.NotEmpty(t, res.Reason)
			if !res.HasAnswer {
				require.NotEmpty(t, res.Reply, "the words are there")
			}
			if c.Status == nothing.NeedsInput {
				require.Equal(t, "Which log do you mean? Please clarify.", res.Reply)
			}
		})
	}
}

// TestAModelThatSendsPythonIsToldBeforeItIsStopped, whatever form the Python code has.
func TestAModelThatSendsPythonIsToldBeforeItIsStopped(t *testing.T) {
	t.Parallel()
	for name, python := range map[string]string{
		"with a tag":    "```python\nprint(context.count('ERROR'))\n```",
		"tagged py":     "I count.\n```py\nfor line in context.split('\\n'):\n    print(line)\n```",
		"without a tag": "```\nimport re\nprint(len(re.findall('ERROR', context)))\n```",
		"that scans":    "```\nimport re\nprint(len(re.findall(\"ERROR\", context)))\n```",
		"no fence":      "import re\nprint(len(re.findall('ERROR', context)))",
		"repl":          "```repl\nn = context.count('ERROR')\nprint(n)\n```",
		"tagged Go":     "```go\nfor line in context.split('\\n'):\n    print(line)\n```",
		"a function":    "```go\ndef f(x):\n    return x\n```",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := root([]string{python, python, fence(`FINAL(strings.Count(context, "ERROR"))`)}, nil)
			res, err := newRunner(t, model).Answer(timeout(t), nothing.Question, runner.Text("app.log", nothing.Text()))
			require.NoError(t, err)
			require.Equal(t, "4000", res.Answer)
			told := model.Requests()[1].Messages[3].Content
			require.Regexp(t, "[iI]n Go", told)
		})
	}
}

// TestProseIsNoAnswerByPatience: prose about a text that the model has not read is no answer, however often it is
// repeated.
func TestProseIsNoAnswerByPatience(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		replies []string
		status  termination.Status
	}{
		"prose": {
			[]string{"It is surely cart.", "It is surely mail.", "It is surely auth."},
			termination.Failed,
		},
		"the same prose": {
			[]string{"It is surely cart.", "It is surely cart.", "It is surely cart."},
			termination.Failed,
		},
		"an excuse": {[]string{
			"I'm sorry, I cannot access files.", "I'm sorry, I cannot access any files.",
			"I'm sorry, I cannot access files.",
		}, termination.Failed},
		"a question": {[]string{
			"Which log do you mean? Please clarify.", "Which log do you mean? Please clarify.",
			"Which log do you mean? Please clarify.",
		}, termination.NeedsInput},
		"several questions": {[]string{
			"Which log do you mean?", "Is it the one of today?",
			"Please tell me which log you mean.",
		}, termination.NeedsInput},
		"silent cells": {[]string{
			fence("x := 1"), "It is surely cart.", "It is surely mail.", "It is surely auth.",
		}, termination.Failed},
		"trivial words": {[]string{"ok", "ok.", "OK"}, termination.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res, err := newRunner(t, root(c.replies, nil)).Answer(
				timeout(t), whichCart, runner.Text("app.log", errorLog))
			require.NoError(t, err)
			require.Equal(t, c.status, res.Status, res.Reason)
			require.False(t, res.HasAnswer, res.Answer)
			require.Equal(t, exitcode.Limit, res.ExitCode())
			require.Equal(t, c.replies[len(c.replies)-1], res.Reply, "the words are there")
			s, err := newRunner(t, root(c.replies, nil)).NewSession(timeout(t), runner.Text("app.log", errorLog))
			require.NoError(t, err)
			defer s.Close()
			talked, err := s.Answer(timeout(t), whichCart)
			require.NoError(t, err)
			require.Equal(t, c.status, talked.Status, "a conversation ends alike")
			require.False(t, talked.HasAnswer, talked.Answer)
			if c.status == termination.Failed {
				require.Equal(t, res.Turns, talked.Turns)
				require.Equal(t, res.Reply, talked.Reply)
			}
		})
	}
}

// TestAChildIsHeldToTheSame: a child's literal answer about a long text is sent back once.
func TestAChildIsHeldToTheSame(t *testing.T) {
	t.Parallel()
	var child int
	model := llm.ScriptedFunc("m", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		if req.Key.Path != "" {
			child++
			return llm.Response{Content: fence(`FINAL("cart 301")`)}, nil
		}
		if slices.ContainsFunc(req.Messages, func(m llm.Message) bool {
			return strings.Contains(m.Content, "[cell 1] ok")
		}) {
			return llm.Response{Content: fence("FINAL(r)")}, nil
		}
		return llm.Response{Content: fence("r := rlm_query(\"Which service?\", context)\nfmt.Println(r)")}, nil
	})
	res, err := newRunner(t, model).Answer(timeout(t), whichCart, runner.Text("app.log", errorLog))
	require.NoError(t, err)
	require.Equal(t, "cart 301", res.Answer)
	require.Equal(t, 2, child)
	require.NotEqual(t, "grounded", res.Grounding.Verdict, "what the child made up supports nothing")
}

// TestACutReplyShowsInTheResult: if a cell answers with a reply directly, there is no turn in which the model could
// be told that the reply was cut.
func TestACutReplyShowsInTheResult(t *testing.T) {
	t.Parallel()
	model := llm.ScriptedFunc("m", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		if req.Key.Cell > 0 {
			return llm.Response{Content: "The first half of", FinishReason: "length"}, nil
		}
		return llm.Response{Content: fence("FINAL(llm_query(\"Sum it up: \" + context[:100]))")}, nil
	})
	res, err := newRunner(t, model).Answer(timeout(t), whichCart, runner.Text("app.log", errorLog))
	require.NoError(t, err)
	require.Equal(t, "The first half of", res.Answer)
	require.Equal(t, 1, res.CutReplies)
}

// TestAQuestionHandedInIsNoAnswer: after a look too, a question about what is meant ends as needs_input, with the
// question. One that the text holds is an answer.
func TestAQuestionHandedInIsNoAnswer(t *testing.T) {
	t.Parallel()
	text := errorLog + "10:05 INFO Should I restart the cart?\n"
	for answer, status := range map[string]termination.Status{
		"Which log do you mean? Please clarify.":    termination.NeedsInput,
		"Do you mean the cart or the mail service?": termination.NeedsInput,
		"Should I restart the cart?":                termination.Completed,
		"Why not?":                                  termination.Completed,
	} {
		model := root([]string{fence(countErrors), fence("FINAL(" + strconv.Quote(answer) + ")")}, nil)
		res, err := newRunner(t, model).Answer(timeout(t), "What is asked last?", runner.Text("app.log", text))
		require.NoError(t, err)
		require.Equal(t, status, res.Status, "%s %+v", answer, res.Grounding)
		if status == termination.NeedsInput {
			require.Equal(t, answer, res.Reply)
			require.Equal(t, exitcode.Limit, res.ExitCode())
		}
	}
}

// TestAPlaceholderIsNoAnswer: a model that sends the cell of a reminder as it stands has not answered.
func TestAPlaceholderIsNoAnswer(t *testing.T) {
	t.Parallel()
	replies := []string{fence(countErrors)}
	for range 8 {
		replies = append(replies, fence("FINAL(\"…\")"))
	}
	res, err := newRunner(t, root(replies, nil)).Answer(timeout(t), whichCart, runner.Text("app.log", errorLog))
	require.NoError(t, err)
	require.False(t, res.HasAnswer, res.Answer)
	require.Equal(t, exitcode.Limit, res.ExitCode(), res.Status)
	require.Contains(t, res.Cells[1].Error.Message, "put the answer in its place")
}
