package runner_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// undecided is a cell that sets a variable to another value each time it runs.
const undecided = `rs := llm_query_batched([]string{"about a", "about b"})
here := fmt.Sprintf("%p", &rs)`

// told reports whether the last message of a request contains a text.
func told(req llm.Request, text string) bool {
	return strings.Contains(req.Messages[len(req.Messages)-1].Content, text)
}

// astray is a cell that makes another request each time it runs.
const astray = `early := 5
rs := []string{llm_query("steady")}
rs = append(rs, llm_query(fmt.Sprintf("at %p", &early)))
late := 6`

// otherwise is a cell that does something else when it runs again, with what is reported about that.
type otherwise struct {
	cell            string
	lost, differing []string
	told            string
}

var otherwises = map[string]otherwise{
	"other value": {undecided, nil, []string{"here"}, "not what they were: here"},
	"other call": {
		astray,
		[]string{"late"},
		[]string{"rs"},
		"late could not be restored and must be defined again; these variables are not what they were: rs (cell 1 asked something else",
	},
}

func TestEveryWayTellsOfOtherValues(t *testing.T) {
	t.Parallel()
	for name, o := range otherwises {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everyWayTells(t, o)
		})
	}
}

func everyWayTells(t *testing.T, o otherwise) {
	script := []string{
		fence(o.cell), fence(`x := len(rs[0])`),
		fence(`FINAL(fmt.Sprint("done ", x, len(recorded_calls(1))))`),
	}
	echo := func(p string) (string, error) { return "re:" + p, nil }
	r := newRunner(t, root(script, echo))
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	done := res.Answer
	require.Regexp(t, `^done \d+ 2$`, done, res.Reason)

	check := func(t *testing.T, events []trajectory.Event) {
		t.Helper()
		restored := dataOf[trajectory.Restored](events)
		require.NotEmpty(t, restored)
		last := restored[len(restored)-1]
		require.Equal(t, o.differing, last.Differing, last.Why)
		require.Equal(t, o.lost, last.Lost, last.Why)
		require.Contains(t, warnings(events, "notebook"), o.told)
	}
	t.Run("resume", func(t *testing.T) {
		dir := killedAfter(t, r, res.RunID, func(ev trajectory.Event) bool { return ev.Turn == 1 && isMessage(ev) })
		model := root(script, nil)
		again := newRunner(t, model, runner.WithDataDir(dir))
		res, err := runner.Collect(again.Resume(timeout(t), res.RunID))
		require.NoError(t, err)
		require.Equal(t, done, res.Answer, res.Reason)
		require.True(t, told(model.Requests()[1], o.told))
		require.True(t, told(model.Requests()[1], "recorded_calls(n)"))
		require.Len(t, dataOf[trajectory.Resumed](eventsOf(t, again, res.RunID)), 1)
		check(t, eventsOf(t, again, res.RunID))
	})
	t.Run("fork", func(t *testing.T) {
		model := root(script, nil)
		fork, err := runner.Collect(r.Fork(timeout(t), res.RunID, 1, runner.WithModel(model)))
		require.NoError(t, err)
		require.Equal(t, done, fork.Answer)
		require.True(t, told(model.Requests()[1], o.told))
		check(t, eventsOf(t, r, fork.RunID))
	})
	t.Run("open", func(t *testing.T) {
		model := llm.NewScripted("m", "an answer in prose")
		s, err := newRunner(t, model, runner.WithDataDir(dataDir(r))).OpenSession(timeout(t), res.RunID)
		require.NoError(t, err)
		defer s.Close()
		_, err = s.Answer(timeout(t), "and now?")
		require.NoError(t, err)
		require.True(t, told(model.Requests()[0], o.told))
		check(t, eventsOf(t, r, res.RunID))
	})
	t.Run("undo", func(t *testing.T) {
		model := llm.NewScripted("m", "an answer in prose", "another one")
		s, err := newRunner(t, model, runner.WithDataDir(dataDir(r))).OpenSession(timeout(t), res.RunID)
		require.NoError(t, err)
		defer s.Close()
		_, err = s.Answer(timeout(t), "and now?")
		require.NoError(t, err)
		require.NoError(t, s.Undo(timeout(t)))
		_, err = s.Answer(timeout(t), "and now?")
		require.NoError(t, err)
		require.True(t, told(model.Requests()[1], o.told))
	})
	for name, before := range map[string]string{
		"worker's death":              "",
		"worker's death after a move": computing, // or after a move that failed and was undone
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := root([]string{
				fence(o.cell), fence(`x := len(rs[0])`), fence(before + deadly),
				fence(`FINAL(fmt.Sprint("done ", x, len(recorded_calls(1))))`),
			}, echo)
			r := newRunner(t, model, movingOptions()...)
			res, err := r.Answer(timeout(t), "q")
			require.NoError(t, err)
			require.Equal(t, done, res.Answer, res.Reason)
			requests := model.Requests()
			require.True(t, told(requests[len(requests)-1], o.told), requests[len(requests)-1].Messages)
			check(t, eventsOf(t, r, res.RunID))
			require.Equal(t, 2, res.SubCalls, "nothing is asked again")
		})
	}
}

// warnings joins the texts of the warnings about a topic.
func warnings(events []trajectory.Event, about string) string {
	var out strings.Builder
	for _, w := range dataOf[trajectory.Warned](events) {
		if w.About == about {
			out.WriteString(w.Text + "\n")
		}
	}
	return out.String()
}

func isMessage(ev trajectory.Event) bool {
	_, ok := ev.Data.(trajectory.MessageAdded)
	return ok
}

func TestRecordedCallsOfACellThatCannotBeRestored(t *testing.T) {
	t.Parallel()
	script := []string{
		fence(undecided),
		fence(`for _, c := range recorded_calls(1) { fmt.Println(c.Prompt, c.Reply, c.Error) }
FINAL(recorded_calls(1)[1].Reply)`),
	}
	r := newRunner(t, root(script, func(p string) (string, error) { return "re:" + p, nil }))
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "re:about b", res.Answer, res.Reason)
	require.Contains(t, res.Cells[1].Output, "about a re:about a \nabout b re:about b \n")
	require.Equal(t, 2, res.SubCalls, "they are read from the log, and no model is asked")
	for c, err := range r.Replay(timeout(t), res.RunID) {
		require.NoError(t, err)
		require.True(t, c.Same || c.Cell == 1, "%s\n%s", c.Before, c.After)
	}
}

func TestAToolCallUnderWayIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opts   []runner.ToolOption
		calls  int64
		answer string
	}{
		"by default": {nil, 0, "nobody knows whether it took effect"},
		"where safe": {[]runner.ToolOption{runner.Repeatable()}, 1, "sent to bob"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int64
			send := func(to string) string { calls.Add(1); return "sent to " + to }
			script := []string{fence(`x := ""
func() {
	defer func() { if p := recover(); p != nil { x = fmt.Sprint(p) } }()
	x = send("bob")
}()
FINAL(x)`)}
			opts := []runner.Option{runner.WithTool("send", "sends", send, c.opts...)}
			r := newRunner(t, root(script, nil), opts...)
			res, err := r.Answer(timeout(t), "q")
			require.NoError(t, err)
			require.Equal(t, "sent to bob", res.Answer)

			dir := killedAfter(t, r, res.RunID, func(ev trajectory.Event) bool {
				_, ok := ev.Data.(trajectory.SubCallStarted)
				return ok
			})
			calls.Store(0)
			again, err := runner.Collect(
				newRunner(t, root(script, nil), append(opts, runner.WithDataDir(dir))...).Resume(timeout(t), res.RunID))
			require.NoError(t, err)
			require.Contains(t, again.Answer, c.answer)
			require.Equal(t, c.calls, calls.Load())
		})
	}
}

func TestARunThatCannotBeRestoredInTimeStaysResumable(t *testing.T) {
	t.Parallel()
	script := []string{
		fence("a := 0\nfor i := 0; i < 300_000; i++ { a = 1 }"), fence("b := a + 1"),
		fence("FINAL(a + b)"),
	}
	stays := runner.WithEngine(repl.Yaegi)
	r := newRunner(t, root(script, nil), stays)
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "3", res.Answer)
	dir := killedAfter(t, r, res.RunID, func(ev trajectory.Event) bool { return ev.Turn == 2 && isMessage(ev) })
	at := filepath.Join(dir, "rlm", "runs", res.RunID, "trajectory.jsonl")
	log, err := os.ReadFile(at)
	require.NoError(t, err)
	slow := regexp.MustCompile(`"duration":\d+`) // makes the log look as if the machine had been much faster
	require.NoError(t, os.WriteFile(at, slow.ReplaceAll(log, []byte(`"duration":1000`)), 0o600))
	model := root(script, nil)
	again := newRunner(t, model, runner.WithDataDir(dir), stays)
	short := runner.WithSandbox(sandbox.Best, sandbox.Limits{ReplayTime: 1}) // used up before the first cell ends
	stopped, err := runner.Collect(again.Resume(timeout(t), res.RunID, short))
	require.NoError(t, err)
	require.Equal(t, termination.ByError, stopped.EndedBy)
	require.Contains(t, stopped.Reason, "resume the run")
	require.Len(t, model.Requests(), 1, "the model is not asked over an empty notebook")

	var seen []trajectory.Restoring
	var done runner.Result
	for ev, err := range again.Resume(timeout(t), res.RunID, runner.WithSandbox(sandbox.Best, sandbox.Limits{})) {
		require.NoError(t, err)
		if d, ok := ev.Data.(trajectory.Restoring); ok {
			seen = append(seen, d)
		}
		done.Add(ev)
	}
	require.Equal(t, "3", done.Answer, done.Reason)
	require.Equal(t, []trajectory.Restoring{{Cells: 1, Of: 2}, {Cells: 2, Of: 2}}, seen)
	require.Len(t, model.Requests(), 1, "the reply that was paid for is used")
}

func TestARejectedReviewIsNotStuck(t *testing.T) {
	t.Parallel()
	first := []string{fence(`finish_task("half of it")`)}
	r := newRunner(t, root(append(first, fence(`finish_task("all of it")`)), nil), runner.WithMode("task"))
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	require.True(t, res.NeedsReview)
	_, err = runner.Collect(r.Review(timeout(t), res.RunID, false, "the other half"))
	require.NoError(t, err)

	dir := killedAfter(t, r, res.RunID, func(ev trajectory.Event) bool {
		_, ok := ev.Data.(trajectory.Reviewed)
		return ok
	})
	model := root(append(first, fence(`finish_task("all of it")`)), nil)
	again := newRunner(t, model, runner.WithDataDir(dir), runner.WithMode("task"))
	done, err := runner.Collect(again.Resume(timeout(t), res.RunID))
	require.NoError(t, err)
	require.Equal(t, "all of it", done.Answer)
	require.True(t, told(model.Requests()[0], "the other half"))
	require.Equal(t, "the other half", done.Question)
}

func TestAnImplicitCompletionCanBeReviewed(t *testing.T) {
	t.Parallel()
	r := newRunner(t, root([]string{
		"The answer is 42, as I said.", "The answer is 42, as I said before.",
		"The answer is 42, once more.",
	}, nil), runner.WithMode("task"))
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	require.True(t, res.NeedsReview, "%s %s", res.Status, res.Reason)
	_, err = runner.Collect(r.Review(timeout(t), res.RunID, true, "good"))
	require.NoError(t, err)
	sum, err := trajectory.Summarize(r.RunsDir() + "/" + res.RunID)
	require.NoError(t, err)
	require.NotContains(t, sum.Status, "pending")
}

func TestTheDeletedLogIsAnError(t *testing.T) {
	t.Parallel()
	var r *runner.Runner
	model := llm.ScriptedFunc("m", func(context.Context, llm.Request, int) (llm.Response, error) {
		return llm.Response{Content: fence("FINAL(1)")}, os.RemoveAll(r.RunsDir())
	})
	r = newRunner(t, model)
	_, err := r.Answer(timeout(t), "q")
	require.ErrorContains(t, err, "its log was deleted")
	require.Len(t, model.Requests(), 1, "nothing is paid for that would not be kept")
}

func TestWhatIsGoneAndWhatDiffersAreToldApart(t *testing.T) {
	script := []string{
		fence("here := 1\nkept := 2"),
		fence("type Pair struct{ A, B int }\ntype (\n\tName string\n\tSize int\n)\nfunc twice(n int) int { return 2 * n }\n" +
			"func (p Pair) Sum() int { return p.A + p.B }\ngone := 3\nhere = 4\nif context == \"after\\n\" { select {} }"),
		fence(`FINAL("done")`),
	}
	model := root(append(script, fence(`FINAL(fmt.Sprint(here, kept))`)), func(string) (string, error) {
		return "r", nil
	})
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("a.log", []byte("before\n"), 0o600))
	r := newRunner(t, model, runner.WithKeptContext(-1))
	id := asked(t, r, runner.Path("a.log"))
	require.NoError(t, os.WriteFile("a.log", []byte("after\n"), 0o600))

	s, err := r.OpenSession(timeout(t), id)
	require.NoError(t, err)
	defer s.Close()
	res, err := s.Answer(timeout(t), "and now?")
	require.NoError(t, err)
	require.Equal(t, "1 2", res.Answer)
	requests := model.Requests()
	require.True(t, told(requests[len(requests)-1],
		"Name, Pair, Size, gone, twice could not be restored and must be defined again; these variables are not what they were: here ("))
	restored := dataOf[trajectory.Restored](eventsOf(t, r, id))[0]
	require.Equal(t, []string{"Name", "Pair", "Size", "gone", "twice"}, restored.Lost)
	require.Equal(t, []string{"here"}, restored.Differing)
}

// Calls that were refused before a model was asked are refused again, without a model.
func TestRefusedCallsAreRecorded(t *testing.T) {
	t.Parallel()
	script := []string{
		fence(`failed := []string{}
try := func(name string, call func()) { defer func() { if p := recover(); p != nil { failed = append(failed, name+": "+fmt.Sprint(p)) } }(); call() }
long := strings.Repeat("many words ", 20_000)
try("long", func() { llm_query(long) })
try("model", func() { llm_query("a", Model("nobody")) })
try("cell", func() { recorded_calls(-7) })
try("log", func() { rlm_query("q", strings.Repeat("x", 2<<20)) })
rs := llm_query_batched([]string{"a", long, "b"})`),
		fence(`FINAL(fmt.Sprint(len(failed), rs[0], strings.Contains(rs[1], "too long"), rs[2]))`),
	}
	opts := []runner.Option{runner.WithWindows(0, 10_000), runner.WithBudgets(runner.Budgets{Recorded: 2 << 20})}
	r := newRunner(t, root(script, func(p string) (string, error) { return "re:" + p, nil }), opts...)
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "3re:atruere:b", res.Answer, res.Reason)
	require.Equal(t, 2, res.SubCalls)
	dir := killedAfter(t, r, res.RunID, func(ev trajectory.Event) bool { return ev.Turn == 1 && isMessage(ev) })
	again := newRunner(t, root(script, nil), append(opts, runner.WithDataDir(dir))...)
	res, err = runner.Collect(again.Resume(timeout(t), res.RunID))
	require.NoError(t, err)
	require.Equal(t, "3re:atruere:b", res.Answer, res.Reason)
	require.Empty(t, warnings(eventsOf(t, again, res.RunID), "notebook"))
}

// If a cell in progress at a kill takes another path when it runs again, only its new calls are made, and the model
// is told where the recorded replies are.
func TestTheCellUnderWayMayGoAnotherWay(t *testing.T) {
	t.Parallel()
	script := []string{
		fence(`a := llm_query("steady")
b := llm_query(fmt.Sprintf("at %p", &a))
c := llm_query("last")`),
		fence(`calls := recorded_calls(1)
FINAL(fmt.Sprint(a, c, len(calls), calls[1].Reply != ""))`),
	}
	echo := func(p string) (string, error) { return "re:" + p, nil }
	r := newRunner(t, root(script, echo))
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "re:steadyre:last3 true", res.Answer, res.Reason)
	ended := 0
	dir := killedAfter(t, r, res.RunID, func(ev trajectory.Event) bool {
		if _, ok := ev.Data.(trajectory.SubCallEnded); ok {
			ended++
		}
		return ended == 2
	})
	var mu sync.Mutex
	var prompts []string
	model := root(script, func(p string) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		prompts = append(prompts, p)
		return echo(p)
	})
	again := newRunner(t, model, runner.WithDataDir(dir))
	res, err = runner.Collect(again.Resume(timeout(t), res.RunID))
	require.NoError(t, err)
	require.Equal(t, "re:steadyre:last4 true", res.Answer, res.Reason)
	require.Len(t, prompts, 2, "the steady one is not asked again: %q", prompts)
	const text = "cell 1 went another way than before the run was interrupted: it did not ask for 1 reply that had come: recorded_calls(1) returns all there are"
	require.Contains(t, warnings(eventsOf(t, again, res.RunID), "notebook"), text)
	require.True(t, told(lastRequest(model), text))
}

func lastRequest(m *llm.ScriptedModel) llm.Request {
	requests := m.Requests()
	return requests[len(requests)-1]
}

// deadly is code that ends its worker's process in any engine.
const deadly = "func() { var mu sync.RWMutex; mu.Unlock() }()"

// The replies to the calls of a cell that killed its worker are kept.
func TestTheRepliesOfACellThatDied(t *testing.T) {
	t.Parallel()
	script := []string{
		fence("kept := 1"),
		fence("r := llm_query(\"dear\")\n" + deadly),
		fence(`FINAL(fmt.Sprint(kept, recorded_calls(2)[0].Reply))`),
	}
	model := root(script, func(p string) (string, error) { return "re:" + p, nil })
	res, err := newRunner(t, model).Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "1re:dear", res.Answer, res.Reason)
	requests := model.Requests()
	require.True(t, slices.ContainsFunc(requests, func(req llm.Request) bool {
		return told(req, "the replies to the sub-calls of cell 2 are still there: recorded_calls(2)")
	}))
}
