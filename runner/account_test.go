package runner_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

func TestAChildHasItsOwnTotals(t *testing.T) {
	t.Parallel()
	model := llm.ScriptedFunc("m", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		u := llm.Usage{Prompt: 10, Completion: 1}
		switch {
		case req.Key.Cell > 0:
			return llm.Response{Content: "re", Usage: u}, nil
		case req.Key.Path != "":
			return llm.Response{Content: fence(`llm_query("a"); llm_query("b"); FINAL("child")`), Usage: u}, nil
		}
		return llm.Response{Content: fence(
			`llm_query("own"); rlm_query("one", "text"); rlm_query("two", "text"); FINAL("root")`), Usage: u}, nil
	})
	r := newRunner(t, model)
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "root", res.Answer, res.Reason)
	for _, ev := range eventsOf(t, r, res.RunID) {
		d, ok := ev.Data.(trajectory.RunEnded)
		if !ok {
			continue
		}
		calls, prompt := 7, int64(80) // one own call; for each of two children a turn and 2 calls
		if ev.Path != "" {
			calls, prompt = 2, 30
		}
		require.Equal(t, calls, d.SubCalls, ev.Path)
		require.Equal(t, prompt, d.Usage["m"].Prompt, ev.Path)
		require.LessOrEqual(t, d.ModelTime+d.CellTime, d.Duration, ev.Path)
	}
}

func TestAPauseDoesNotCount(t *testing.T) {
	t.Parallel()
	script := []string{fence("x := 1"), fence("FINAL(x)")}
	r := newRunner(t, root(script, nil))
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	dir := killedAfter(t, r, res.RunID, func(ev trajectory.Event) bool { return ev.Turn == 1 && isMessage(ev) })
	again := newRunner(t, root(script, nil), runner.WithDataDir(dir))
	const pause = 5 * time.Minute
	longAgo(t, filepath.Join(dir, "rlm", "runs", res.RunID, "trajectory.jsonl"), pause)
	began := time.Now()
	done, err := runner.Collect(again.Resume(timeout(t), res.RunID))
	require.NoError(t, err)
	require.Less(t, done.Duration, res.Duration+time.Since(began), "the pause is no part of it")
	require.Greater(t, dataOf[trajectory.Resumed](eventsOf(t, again, res.RunID))[0].Pause, pause)
}

// longAgo backdates the events of a log.
func longAgo(t *testing.T, log string, by time.Duration) {
	t.Helper()
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	at := regexp.MustCompile(`"time":"([^"]+)"`)
	require.Regexp(t, at, string(text))
	older := at.ReplaceAllStringFunc(string(text), func(s string) string {
		then, err := time.Parse(time.RFC3339Nano, at.FindStringSubmatch(s)[1])
		require.NoError(t, err)
		return `"time":"` + then.Add(-by).Format(time.RFC3339Nano) + `"`
	})
	require.NoError(t, os.WriteFile(log, []byte(older), 0o600))
}

func TestACellCannotRaiseTheUsersLimitOfAReply(t *testing.T) {
	t.Parallel()
	asked := map[string]int{}
	model := llm.ScriptedFunc("m", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		if req.Key.Cell > 0 {
			asked[req.Messages[0].Content] = req.MaxTokens
			return llm.Response{Content: "re"}, nil
		}
		return llm.Response{Content: fence(
				`llm_query("more", MaxTokens(1000000000)); llm_query("less", MaxTokens(7)); llm_query("none"); FINAL(1)`)},
			nil
	})
	res, err := newRunner(t, model,
		runner.WithCallSettings(runner.CallSettings{}, runner.CallSettings{MaxTokens: 500})).Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "1", res.Answer, res.Reason)
	require.Equal(t, map[string]int{"more": 500, "less": 7, "none": 500}, asked)

	clear(asked)
	res, err = newRunner(t, model, runner.WithBudgets(runner.Budgets{Tokens: 100_000})).Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "1", res.Answer, res.Reason)
	require.Less(t, asked["more"], 100_000)
	require.Greater(t, asked["more"], 90_000, "what is left")
	require.Equal(t, 7, asked["less"])
}

// A high limit on replies does not end a run whose replies are short: a call waits until the budget has room for
// its longest possible reply.
func TestCallsWaitForTheRepliesOfOthers(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int64
	model := llm.ScriptedFunc("m", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		if req.Key.Cell == 0 {
			return llm.Response{Content: fence(
				`FINAL(strings.Join(llm_query_batched(strings.Split("abcdefgh", ""), MaxTokens(32000)), ""))`)}, nil
		}
		held := now.Add(int64(req.MaxTokens))
		defer now.Add(-int64(req.MaxTokens))
		for old := most.Load(); held > old && !most.CompareAndSwap(old, held); old = most.Load() {
		}
		return llm.Response{Content: "x", Usage: llm.Usage{Prompt: 1, Completion: 1}}, nil
	})
	for budgets, price := range map[runner.Budgets]float64{{Tokens: 100_000}: 0, {Cost: 1, Tokens: -1}: 10} {
		now.Store(0)
		most.Store(0)
		prices := llm.Prices{"m": {Input: price, Output: price}} // per million tokens
		res, err := newRunner(t, model, runner.WithBudgets(budgets), runner.WithPrices(prices)).Answer(timeout(t), "q")
		require.NoError(t, err)
		require.Equal(t, "xxxxxxxx", res.Answer, res.Reason)
		require.LessOrEqual(t, most.Load(), int64(100_000))
	}
}

func TestRecordedTextsAreBounded(t *testing.T) {
	t.Parallel()
	model := root([]string{
		fence(`big := strings.Repeat("x", 6000)
told := ""
func() {
	defer func() { told = fmt.Sprint(recover()) }()
	for i := range 10 { llm_query(fmt.Sprint(i, big)) }
}()
fmt.Println(told)`), fence(`FINAL("done")`),
	}, func(string) (string, error) { return "re", nil })
	res, err := newRunner(t, model, runner.WithBudgets(runner.Budgets{Recorded: 20_000})).Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "done", res.Answer, res.Reason)
	require.Contains(t, res.Cells[0].Output, "of 20 kB at most")
	require.Equal(t, 3, res.SubCalls)
}

// TestTextsInFlightAreBounded makes concurrent calls with more text than a tree of runs may hold in memory, so some
// of the calls wait.
func TestTextsInFlightAreBounded(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int64
	model := llm.ScriptedFunc("m", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		if req.Key.Cell > 0 {
			size := int64(len(req.Messages[0].Content))
			most.Store(max(most.Load(), now.Add(size)))
			time.Sleep(20 * time.Millisecond)
			now.Add(-size)
			return llm.Response{Content: "re", Usage: llm.Usage{Prompt: 1, Completion: 1}}, nil
		}
		return llm.Response{Content: fence(`big := strings.Repeat("word ", 1600000)
var prompts []string
for i := range 12 { prompts = append(prompts, fmt.Sprint(i) + big[:7900000]) }
FINAL(len(llm_query_batched(prompts)))`)}, nil
	})
	r := newRunner(t, model, runner.WithWindows(100_000_000, 100_000_000),
		runner.WithBudgets(runner.Budgets{Tokens: -1}))
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "12", res.Answer, res.Reason)
	require.LessOrEqual(t, most.Load(), int64(64<<20))
}

func TestAnOversizedChildIsRefused(t *testing.T) {
	t.Parallel()
	model := root([]string{
		fence(`refused := ""
func() {
	defer func() { refused = fmt.Sprint(recover()); fmt.Println(refused) }()
	rlm_query("q", context, context, context)
}()`), fence(`FINAL(refused)`),
	}, nil)
	r := newRunner(t, model)
	res, err := r.Answer(timeout(t), "q", runner.Text("t", strings.Repeat("some text\n", 3<<20)))
	require.NoError(t, err)
	require.Contains(t, res.Answer, "more than 64 MiB", res.Reason)
	require.Contains(t, res.Cells[0].Output, "more than 64 MiB")
}

func TestTheStopConditionSeesTheTurn(t *testing.T) {
	t.Parallel()
	var last runner.State
	model := root([]string{fence("x := 41\nfmt.Println(x)"), fence(`answer["content"] = x + 1`), fence("FINAL(x)")},
		nil)
	r := newRunner(t, model, runner.WithStop(func(s runner.State) (string, bool) {
		last = s
		return "good enough", s.Partial == "42"
	}))
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "42", res.Answer, res.Reason)
	require.Equal(t, 2, last.Turn)
	require.Len(t, last.Cells, 1)
	require.Positive(t, last.Elapsed)
}

func TestTheTurnThatALimitGrantsIsNotCounted(t *testing.T) {
	t.Parallel()
	r := newRunner(t, root([]string{fence("x := 1"), fence("x++"), fence("FINAL(x)")}, nil),
		runner.WithBudgets(runner.Budgets{Iterations: 2}))
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, 2, res.Turns)
	require.Equal(t, "2", res.Answer)
}

func TestCellsThatDidNotRunKeepTheirNumbers(t *testing.T) {
	t.Parallel()
	model := root([]string{fence("panic(1)") + fence("x := 1"), fence("FINAL(2)")}, nil)
	res, err := newRunner(t, model).Answer(timeout(t), "q")
	require.NoError(t, err)
	require.True(t, told(model.Requests()[1], "[cell 2] not run"))
	require.Equal(t, 3, res.Cells[1].Cell)
}

func TestTwoMessagesOfTheUserNeverFollowEachOther(t *testing.T) {
	t.Parallel()
	model := root([]string{"", "", "", "prose", fence("FINAL(1)")}, nil)
	_, err := newRunner(t, model).Answer(timeout(t), "q")
	require.NoError(t, err)
	for _, req := range model.Requests() {
		for i := 1; i < len(req.Messages); i++ {
			require.NotEqual(t, req.Messages[i-1].Role, req.Messages[i].Role)
			require.NotEmpty(t, req.Messages[i].Content)
		}
	}
}

// TestChildrenAskWhileTheirParentsHoldTheirTexts fills the root's bound on texts in flight with the texts of child
// runs. These must be able to make calls nevertheless.
func TestChildrenAskWhileTheirParentsHoldTheirTexts(t *testing.T) {
	t.Parallel()
	model := llm.ScriptedFunc("m", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		u := llm.Usage{Prompt: 1, Completion: 1}
		switch {
		case req.Key.Cell > 0:
			return llm.Response{Content: "re", Usage: u}, nil
		case req.Key.Path != "":
			return llm.Response{Content: fence(`FINAL(llm_query(context[:4000000]))`), Usage: u}, nil
		}
		return llm.Response{Content: fence(`own := strings.Repeat("word ", 3000000)
FINAL(strings.Join(rlm_query_batched([]string{"1", "2", "3", "4", "5"}, own, own, own, own, own), " "))`), Usage: u}, nil
	})
	r := newRunner(t, model, runner.WithWindows(100_000_000, 100_000_000),
		runner.WithBudgets(runner.Budgets{Tokens: -1}))
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "re re re re re", res.Answer, res.Reason)
}
