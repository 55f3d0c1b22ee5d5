package runner_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/patience"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// fence makes a reply of one cell.
func fence(source string) string { return "Next step.\n\n```go\n" + source + "\n```\n" }

// wanted returns a text as a sub-call wants it: as it is, or as a JSON value.
func wanted(prompt, text string) string {
	if strings.Contains(prompt, "JSON schema") {
		return strconv.Quote(text)
	}
	return text
}

// root answers turns from a list; sub-calls, which have a cell in their key, are answered by sub.
func root(replies []string, sub func(prompt string) (string, error)) *llm.ScriptedModel {
	return llm.ScriptedFunc("scripted", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		if req.Key.Cell > 0 {
			text, err := sub(req.Messages[len(req.Messages)-1].Content)
			return llm.Response{Content: text}, err
		}
		if req.Key.N >= len(replies) {
			return llm.Response{}, &llm.Error{Kind: llm.ErrNotRecorded, Message: "the script is at its end"}
		}
		return llm.Response{Content: replies[req.Key.N]}, nil
	})
}

// starter is shared by all runners that newRunner makes, so that a runner can use the spare worker of an earlier
// one.
var starter = sandbox.NewStarter()

// alone gives a runner its own starter, for tests of how workers start and of what they leave behind.
var alone = host.Starter(nil)

// newRunner returns a runner over a new folder. Its workers are not isolated, which saves a third of their start:
// tests that depend on isolation add locked.
func newRunner(t testing.TB, model llm.Model, opts ...runner.Option) *runner.Runner {
	t.Helper()
	usual := []runner.Option{
		runner.WithDataDir(t.TempDir()), runner.WithSandbox(sandbox.Basic, sandbox.Limits{}), host.Starter(starter),
	}
	r, err := runner.New(model, append(usual, opts...)...)
	require.NoError(t, err)
	t.Cleanup(r.Close)
	return r
}

// timeout returns a context for tests. In it, cells that diverge from their record are soon abandoned.
func timeout(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	waits := patience.Default()
	waits.Reply, waits.End = 3*time.Second, time.Second
	return patience.With(ctx, waits)
}

// locked isolates workers, as is the default outside tests.
var locked = runner.WithSandbox(sandbox.Best, sandbox.Limits{})

func TestQuestionOverText(t *testing.T) {
	t.Parallel()
	model := root([]string{
		fence(`n := strings.Count(context, "needle")
fmt.Println("needles:", n)`),
		fence(`FINAL(fmt.Sprintf("%d needles", n))`),
	}, nil)
	r := newRunner(t, model, locked)
	res, err := r.Answer(timeout(t), "How many needles?", runner.Text("hay", strings.Repeat("hay needle hay\n", 500)))
	require.NoError(t, err)
	require.Equal(t, "500 needles", res.Answer)
	require.Equal(t, termination.Completed, res.Status)
	require.Equal(t, termination.ByFinal, res.EndedBy)
	require.Equal(t, 0, res.ExitCode())
	require.Equal(t, 2, res.Turns)
	require.Len(t, res.Cells, 2)
	require.Equal(t, "needles: 500\n", res.Cells[0].Output)

	first := model.Requests()[0].Messages
	require.Len(t, first, 2, "system prompt and question")
	require.Contains(t, first[1].Content, "How many needles?")
	require.Contains(t, first[1].Content, "7500", "the size of the text")
	second := model.Requests()[1].Messages
	require.Equal(t, first, second[:2], "messages are only ever appended")
	require.Contains(t, second[3].Content, "needles: 500")
	require.Contains(t, second[3].Content, "[left] turns 29 of 30")
}

func TestCellsOfOneReply(t *testing.T) {
	t.Parallel()
	model := root([]string{
		fence("fmt.Println(1)") + fence("panic(\"no\")") + fence("fmt.Println(3)") + "```python\nprint(4)\n```",
		fence(`FINAL("first")`) + fence(`FINAL("second")`),
	}, nil)
	res, err := newRunner(t, model).Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "first", res.Answer)
	require.Len(t, res.Cells, 3, "what stands after a failure or an answer does not run")
	seen := model.Requests()[1].Messages[3].Content
	require.Contains(t, seen, "[cell 1] ok")
	require.Contains(t, seen, "[cell 2] Panic")
	require.Contains(t, seen, "[cell 3] not run")
	require.Contains(t, seen, "python")
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	look := fence("fmt.Println(len(context))")
	progress := func(n int) []string {
		var out []string
		for i := range n {
			out = append(out, fence(fmt.Sprintf("step%d := %d\nfmt.Println(step%d)", i, i, i)))
		}
		return out
	}
	for name, c := range map[string]struct {
		replies []string
		opts    []runner.Option
		status  termination.Status
		by      termination.Trigger
		answer  string
		exit    int
	}{
		"answer": {[]string{fence(`FINAL(42)`)}, nil, termination.Completed, termination.ByFinal, "42", 0},
		"variable": {
			[]string{fence("total := 7\nFINAL_VAR(\"total\")")},
			nil, termination.Completed,
			termination.ByFinal, "7", 0,
		},
		"finish": {
			[]string{fence(`finish_response("done it")`)},
			nil, termination.Completed,
			termination.BySignal, "done it", 0,
		},
		"answer map": {
			[]string{fence(`answer["content"] = "built"` + "\n" + `answer["ready"] = true`)},
			nil,
			termination.Completed, "", "built", 0,
		},
		"text final": {
			[]string{look, "FINAL(forty two)"},
			nil, termination.Completed, termination.ByFinal,
			"forty two", 0,
		},
		"text variable": {
			[]string{fence("best := \"x9\"\nfmt.Println(best)"), "FINAL_VAR(best)"},
			nil,
			termination.Completed, termination.ByFinal, "x9", 0,
		},
		"prose": {
			[]string{"It is surely a text.", "It is surely any text.", "It is some text."},
			nil,
			termination.ImplicitCompletion, "guard", "It is some text.", 0,
		},
		"prose that rests on nothing": {
			[]string{"It is surely blue.", "It is surely green.", "It is surely Red 4."},
			nil,
			termination.Failed, "guard", "", 3,
		},
		"empty":      {[]string{"", "", "", "", "", ""}, nil, termination.EmptyResponseError, "guard", "", 3},
		"same reply": {[]string{look, look, look, look}, nil, termination.Failed, "guard", "", 3},
		"out of turns": {append(progress(2), fence(`FINAL("late")`)), []runner.Option{runner.WithBudgets(
			runner.Budgets{Iterations: 2})}, termination.MaxIterations, termination.ByLimit, "late", 0},
		"limit": {append(progress(2), "I think it is 5."), []runner.Option{runner.WithBudgets(
			runner.Budgets{Iterations: 2})}, termination.MaxIterations, termination.ByLimit, "I think it is 5.", 0},
		"endpoint": {progress(1), nil, termination.Failed, termination.ByEndpoint, "", 4},
		"task": {
			[]string{fence(`finish_task(map[string]any{"summary": "half", "status": "partial"})`)},
			[]runner.Option{runner.WithMode(termination.Task)},
			termination.PendingReview, termination.BySignal, "half", 0,
		},
		"task final": {
			[]string{fence(`FINAL("all")`)},
			[]runner.Option{runner.WithMode(termination.Task)},
			termination.PendingReview, termination.ByFinal, "all", 0,
		},
		"stop": {progress(3), []runner.Option{runner.WithStop(
			func(s runner.State) (string, bool) { return "enough", s.Turn == 2 })}, termination.Stopped, "stop", "", 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRunner(t, root(c.replies, nil), c.opts...)
			res, err := r.Answer(timeout(t), "q", runner.Text("t", "some text"))
			require.Equal(t, c.by == termination.ByEndpoint, err != nil, "%v", err)
			require.True(t, res.Ended)
			require.Equal(t, c.status, res.Status, res.Reason)
			if c.by != "" {
				require.Equal(t, c.by, res.EndedBy)
			}
			if c.answer != "" {
				require.True(t, res.HasAnswer)
				require.Equal(t, c.answer, res.Answer)
			}
			if c.exit == 0 || !res.HasAnswer {
				require.Equal(t, c.exit, res.ExitCode())
			}
		})
	}
}

func TestSubCalls(t *testing.T) {
	t.Parallel()
	model := root([]string{
		fence(`out := llm_query_batched([]string{"a", "bad", "c"})
for _, o := range out { fmt.Println(o) }
one := llm_query("single")`),
		fence(`FINAL(one)`),
	}, func(prompt string) (string, error) {
		if prompt == "bad" {
			return "", &llm.Error{Kind: llm.ErrContentFilter, Message: "the endpoint refused this prompt"}
		}
		return "re:" + prompt, nil
	})
	res, err := newRunner(t, model).Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "re:single", res.Answer)
	require.Equal(t, 4, res.SubCalls)
	seen := model.Requests()[len(model.Requests())-1].Messages[3].Content
	require.Contains(t, seen, "re:a")
	require.Contains(t, seen, "re:c", "one failure does not take the others along")
	require.Contains(t, seen, "1 of 3 prompts failed")
	require.Contains(t, seen, "refused this prompt")
}

func TestChildRuns(t *testing.T) {
	t.Parallel()
	var child []llm.Request
	model := llm.ScriptedFunc("m", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		switch {
		case req.Key.Cell > 0:
			return llm.Response{Content: "sub:" + req.Messages[0].Content}, nil
		case req.Key.Path == "" && req.Key.N == 0:
			return llm.Response{Content: fence(`part := rlm_query("count the b", context[2:6])
FINAL(part)`)}, nil
		case req.Key.Path == "1.1/1" && req.Key.N == 0:
			child = append(child, req)
			return llm.Response{Content: fence(`fmt.Println(context, rlm_query("deeper", context))`)}, nil
		case req.Key.Path == "1.1/1" && req.Key.N == 1:
			child = append(child, req)
			return llm.Response{Content: fence(`FINAL(strings.Count(context, "b"))`)}, nil
		}
		return llm.Response{}, errors.New("unexpected call")
	})
	r := newRunner(t, model, locked)
	var paths []string
	var res runner.Result
	for ev, err := range r.Run(timeout(t), "q", runner.Text("t", "aabbbbcc")) {
		require.NoError(t, err)
		res.Add(ev)
		if d, ok := ev.Data.(trajectory.RunEnded); ok {
			paths = append(paths, ev.Path+"="+d.Answer)
		}
	}
	require.Equal(t, "4", res.Answer)
	require.Equal(t, []string{"1.1/1=4", "=4"}, paths, "events of a child stand in the same stream")
	require.Equal(t, 3, res.SubCalls, "two turns of the child and the call at the bottom")
	seen := child[1].Messages[3].Content
	require.Contains(t, seen, "bbbb sub:deeper\n\nbbbb", "at the bottom a plain call answers")
	require.Contains(t, seen, "may not nest deeper")
}

func TestBreakCancels(t *testing.T) {
	t.Parallel()
	started := make(chan struct{})
	model := root([]string{fence(`llm_query("wait")`)}, nil)
	blocking := llm.ScriptedFunc("blocking", func(ctx context.Context, _ llm.Request, _ int) (llm.Response, error) {
		close(started)
		<-ctx.Done()
		return llm.Response{}, ctx.Err()
	})
	r := newRunner(t, model, runner.WithSubModel(blocking))
	events := r.Run(timeout(t), "q")
	for ev, err := range events {
		require.NoError(t, err)
		if _, ok := ev.Data.(trajectory.SubCallStarted); ok {
			<-started
			break
		}
	}
	for _, err := range events {
		require.ErrorContains(t, err, "once")
	}
}

func TestInterruptedRunSaysSo(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(timeout(t))
	model := llm.ScriptedFunc("m", func(ctx context.Context, _ llm.Request, _ int) (llm.Response, error) {
		cancel()
		<-ctx.Done()
		return llm.Response{}, &llm.Error{Kind: llm.ErrCancelled, Message: "cancelled", Err: ctx.Err()}
	})
	res, err := newRunner(t, model).Answer(ctx, "q")
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, termination.ByInterrupt, res.EndedBy)
	require.Equal(t, 130, res.ExitCode())
}

func TestTools(t *testing.T) {
	t.Parallel()
	type Hit struct {
		Name  string `json:"name"`
		Score float64
	}
	lookup := func(_ context.Context, query string, limit int) ([]Hit, error) {
		if query == "" {
			return nil, errors.New("an empty query")
		}
		return []Hit{{query, float64(limit)}}, nil
	}
	model := root([]string{
		fence(`hits := lookup("x", 3)
fmt.Println(hits[0].Name, hits[0].Score)
lookup("", 1)`),
		fence(`hand_in(hits[0].Name + "!")`),
	}, nil)
	r := newRunner(t, model,
		runner.WithTool("lookup", "Finds things.", lookup, runner.Params("query", "limit")),
		runner.WithTool("hand_in", "Hands in the result.", func(string) {}, runner.AsSignal()))
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "x!", res.Answer)
	require.Equal(t, "hand_in", res.Name)
	system := model.Requests()[0].Messages[0].Content
	require.Contains(t, system, "lookup(query string, limit int) []Hit")
	require.Contains(t, system, "Finds things.")
	require.Contains(t, model.Requests()[1].Messages[3].Content, "x 3")
	require.Contains(t, model.Requests()[1].Messages[3].Content, "an empty query")
}

// A completion tool that is called in the text of a reply is really called: it may have effects, or refuse.
func TestACompletionToolInTheTextIsCalled(t *testing.T) {
	t.Parallel()
	var handed []string
	handIn := func(text string) (string, error) {
		handed = append(handed, text)
		if text == "too short" {
			return "", errors.New("more detail is wanted")
		}
		return "accepted: " + text, nil
	}
	model := root([]string{`hand_in("too short")`, fence(`total := "forty-two"`), "I am sure now.\n\nhand_in(total)"},
		nil)
	r := newRunner(t, model, runner.WithTool("hand_in", "Hands in the result.", handIn, runner.AsSignal()))
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, []string{"too short", "forty-two"}, handed)
	require.Equal(t, "accepted: forty-two", res.Answer)
	require.Equal(t, termination.Completed, res.Status)
	require.Contains(t, model.Requests()[1].Messages[3].Content, "more detail is wanted")
}

func TestRefusedConfigurations(t *testing.T) {
	t.Parallel()
	model := llm.NewScripted("m")
	all := map[string]string{"FINAL": "", "FINAL_VAR": "", "finish_response": "", "answer": ""}
	_, err := runner.New(model, runner.WithRename(all))
	require.ErrorContains(t, err, "completion signal")
	_, err = runner.New(model, runner.WithRename(map[string]string{"nothing": "x"}))
	require.ErrorContains(t, err, "nothing")
	_, err = runner.New(model, runner.WithTool("f", "", func(chan int) {}))
	require.ErrorContains(t, err, "chan int")
	_, err = runner.New(model, runner.WithTool("FINAL", "", func() {}))
	require.ErrorContains(t, err, "FINAL")
	_, err = runner.New(nil)
	require.Error(t, err)
}

func TestRenamedBuiltinIsNowhere(t *testing.T) {
	t.Parallel()
	model := root([]string{"prose about it.", "more prose about it.", fence(`deliver("x")`)}, nil)
	r := newRunner(t, model, runner.WithRename(map[string]string{"FINAL": "deliver", "llm_query": "consult"}))
	res, err := r.Answer(timeout(t), "q", runner.Text("t", "text"))
	require.NoError(t, err)
	require.Equal(t, "x", res.Answer)
	for _, req := range model.Requests() {
		for _, m := range req.Messages {
			require.NotRegexp(t, `\bFINAL\b`, m.Content)
			require.NotRegexp(t, `\bllm_query\b`, m.Content)
		}
	}
}

func TestMemo(t *testing.T) {
	t.Parallel()
	model := root([]string{
		fence(`a := llm_query_batched([]string{"same", "same", "same"})
b := llm_query("same")
FINAL(strings.Join(append(a, b), " "))`),
	}, func(string) (string, error) { return "r", nil })
	res, err := newRunner(t, model, runner.WithMemo(true)).Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "r r r r", res.Answer)
	require.Equal(t, 1, res.SubCalls)
	require.Len(t, model.Requests(), 2)
}

func TestPromptTooLongIsRefusedBeforeSending(t *testing.T) {
	t.Parallel()
	model := root([]string{
		fence(`llm_query(strings.Repeat("word ", 10000))`),
		fence(`FINAL("ok")`),
	}, func(string) (string, error) { return "", errors.New("must not be asked") })
	r := newRunner(t, model, runner.WithWindows(0, 2000))
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, 0, res.SubCalls)
	seen := model.Requests()[1].Messages[3].Content
	require.Contains(t, seen, "50000 characters")
	require.Contains(t, seen, "2000 tokens")
}

func TestSignalsOfTheOtherMode(t *testing.T) {
	t.Parallel()
	model := root([]string{
		fence(`finish_task("not here")`),
		"I am done: finish_task(\"really\")\n" + fence("fmt.Println(1)"), fence(`FINAL("answer")`),
	}, nil)
	var ignored []string
	var res runner.Result
	for ev, err := range newRunner(t, model).Run(timeout(t), "q") {
		require.NoError(t, err)
		res.Add(ev)
		if d, ok := ev.Data.(trajectory.SignalIgnored); ok {
			ignored = append(ignored, fmt.Sprint(ev.Turn, " ", d.Signal))
		}
	}
	require.Equal(t, "answer", res.Answer)
	require.Equal(t, []string{"1 finish_task", "2 finish_task"}, ignored)
	require.Contains(t, model.Requests()[1].Messages[3].Content, "finish_task", "the model is told")
	require.Contains(t, model.Requests()[2].Messages[5].Content, "finish_task")
}

func TestLogStaysSmall(t *testing.T) {
	t.Parallel()
	const turns = 100
	file := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(file, []byte(strings.Repeat("a line of text\n", 1<<18)), 0o600))
	model := llm.ScriptedFunc("m", func(_ context.Context, req llm.Request, n int) (llm.Response, error) {
		if n == turns-1 {
			return llm.Response{Content: fence("FINAL(n)")}, nil
		}
		return llm.Response{Content: fence(
			fmt.Sprintf("n := %d\nfmt.Println(context[:6], strings.Repeat(fmt.Sprint(n, \" \"), 1000))", n))}, nil
	})
	r := newRunner(t, model, runner.WithBudgets(runner.Budgets{Iterations: turns}))
	res, err := r.Answer(timeout(t), "q", runner.Path(file))
	require.NoError(t, err)
	require.Equal(t, "98", res.Answer, res.Reason)
	size := int64(0)
	require.NoError(t, filepath.WalkDir(filepath.Dir(res.Trajectory), func(_ string, d fs.DirEntry, err error) error {
		if info, e := d.Info(); e == nil && !d.IsDir() {
			size += info.Size()
		}
		return err
	}))
	require.Less(t, size, int64(5<<20))
}
