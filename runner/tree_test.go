package runner_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// nesting makes two child runs at each level, over halves of the context, and adds up their counts.
func nesting() *llm.ScriptedModel {
	return llm.ScriptedFunc("nesting", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		if req.Key.Cell > 0 {
			return llm.Response{Content: "0"}, nil
		}
		return llm.Response{Content: fence(`if len(context) <= 2 { FINAL(strings.Count(context, "x")) }
half := len(context) / 2
sum := 0
for _, s := range rlm_query_batched([]string{"left", "right"}, context[:half], context[half:]) {
	n, _ := strconv.Atoi(s)
	sum += n
}
FINAL(sum)`)}, nil
	})
}

func TestDeepTrees(t *testing.T) {
	t.Parallel()
	r := newRunner(t, nesting(), runner.WithBudgets(runner.Budgets{Depth: 3}))
	ends := map[string]string{}
	var id string
	for ev, err := range r.Run(timeout(t), "count", runner.Text("t", "xoxoxxxoxooooxxx")) {
		require.NoError(t, err)
		switch d := ev.Data.(type) {
		case trajectory.RunStarted:
			id = d.Run
		case trajectory.CellEnded:
			require.True(t, d.OK, "%s: %s", ev.Path, d.Result)
		case trajectory.RunEnded:
			require.True(t, d.HasAnswer, d.Reason)
			ends[ev.Path] = d.Answer
		}
	}
	require.Len(t, ends, 1+2+4+8)
	require.Equal(t, "9", ends[""])
	require.Equal(t, "5", ends["1.1/1"])
	require.Equal(t, "3", ends["1.1/1.1/2"])
	require.Equal(t, "2", ends["1.1/1.1/2.1/1"])
	for c, err := range newRunnerAt(t, r).Replay(timeout(t), id) {
		require.NoError(t, err)
		require.True(t, c.Same, "%s: %s\n%s", c.Path, c.Before, c.After)
	}
}

// newRunnerAt returns a runner without a model over the runs of another runner.
func newRunnerAt(t *testing.T, r *runner.Runner) *runner.Runner {
	t.Helper()
	dir := strings.TrimSuffix(r.RunsDir(), "/rlm/runs")
	return newRunner(t, llm.NewScripted("none"), runner.WithDataDir(dir), runner.WithBudgets(runner.Budgets{Depth: 3}))
}

func TestTurnsOfChildrenCountExactly(t *testing.T) {
	t.Parallel()
	var below atomic.Int64
	model := llm.ScriptedFunc("m", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		if req.Key.Path == "" && req.Key.Cell == 0 {
			return llm.Response{Content: []string{
				fence(`prompts := make([]string, 12)
for i := range prompts { prompts[i] = fmt.Sprint("part ", i) }
for _, s := range rlm_query_batched(prompts, context) { fmt.Println(s) }`),
				fence(`FINAL("some")`),
			}[req.Key.N]}, nil
		}
		below.Add(1)
		return llm.Response{Content: fence(fmt.Sprintf(`v := llm_query("sub")
FINAL(v + " %s")`, req.Key.Path))}, nil
	})
	const bound = 9
	res, err := newRunner(t, model, runner.WithBudgets(runner.Budgets{SubCalls: bound})).Answer(
		timeout(t), "q", runner.Text("t", "text"))
	require.NoError(t, err)
	require.EqualValues(t, bound, below.Load(), "not one call more, at any depth")
	require.Equal(t, bound, res.SubCalls)
	require.Equal(t, "some", res.Answer)
}

func TestConcurrencyIsBounded(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int64
	ctx := timeout(t)
	var once sync.Once
	all := make(chan struct{}) // closed at the greatest number of concurrent calls
	model := root([]string{fence(`prompts := make([]string, 60)
for i := range prompts { prompts[i] = fmt.Sprint(i) }
done := make(chan bool)
go func() { llm_query_batched(prompts[:30]); done <- true }()
llm_query_batched(prompts[30:])
<-done
FINAL("ok")`)}, func(string) (string, error) {
		n := now.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			continue
		}
		if n == 7 {
			once.Do(func() { close(all) })
		}
		select {
		case <-all:
		case <-ctx.Done():
		}
		time.Sleep(5 * time.Millisecond) // time in which one more could arrive
		now.Add(-1)
		return "x", nil
	})
	res, err := newRunner(t, model, runner.WithConcurrency(7)).Answer(ctx, "q")
	require.NoError(t, err)
	require.Equal(t, "ok", res.Answer, res.Reason)
	require.EqualValues(t, 7, most.Load())
	require.Equal(t, 60, res.SubCalls)
}

func TestFullDiskStopsTheRun(t *testing.T) { // not parallel: other tests' processes would keep the mount busy
	dir := t.TempDir()
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", dir).Run(); err != nil {
		t.Skip("TestFullDiskStopsTheRun is skipped: a small file system cannot be mounted here: ", err)
	}
	defer func() { require.NoError(t, exec.Command("umount", "-l", dir).Run()) }()
	noise := func(n int) string {
		b := make([]byte, n)
		f, err := os.Open("/dev/urandom")
		require.NoError(t, err)
		defer f.Close()
		_, err = f.Read(b)
		require.NoError(t, err)
		return fmt.Sprintf("%x", b)
	}
	model := llm.ScriptedFunc("m", func(_ context.Context, req llm.Request, n int) (llm.Response, error) {
		return llm.Response{Content: fence(fmt.Sprintf("n := %d\nfmt.Println(n)\n// %s", n, noise(20_000)))}, nil
	})
	r := newRunner(t, model, runner.WithDataDir(dir))
	var last error
	for ev, err := range r.Run(timeout(t), "q") {
		last = err
		require.IsNotType(t, trajectory.RunEnded{}, ev.Data, "the run ended as if nothing was: %+v", ev.Data)
	}
	require.ErrorContains(t, last, "disk is full")
	require.Less(t, len(model.Requests()), 30, "nothing more is paid for")

	list, err := trajectory.List(r.RunsDir())
	require.NoError(t, err)
	require.Len(t, list, 1)
	events := 0
	for _, err := range trajectory.Read(list[0].Dir) {
		require.NoError(t, err, "the log still reads")
		events++
	}
	require.Greater(t, events, 5)
	require.NotEqual(t, string(termination.Completed), list[0].Status)
}

// A tool is available in the root run, in child runs or in both, as its options say. A cell may name an added
// model.
func TestToolsOfChildrenAndModelsByName(t *testing.T) {
	t.Parallel()
	model := llm.ScriptedFunc("main", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		switch {
		case req.Key.Path != "":
			return llm.Response{Content: fence(`FINAL(both() + " " + below())`)}, nil
		case req.Key.N == 0:
			return llm.Response{Content: fence(`below()`)}, nil
		default:
			return llm.Response{Content: fence(
				`FINAL(above() + ", " + both() + ", " + rlm_query("ask", "text") + ", " + llm_query("ask", Model("other")))`)}, nil
		}
	})
	says := func(text string) func() string { return func() string { return text } }
	r := newRunner(
		t, model, runner.WithModels(llm.NewScripted("other", "other")),
		runner.WithTool("above", "Is above.", says("above")),
		runner.WithTool("both", "Is in both.", says("both"), runner.InChildren()),
		runner.WithTool("below", "Is below.", says("below"), runner.OnlyInChildren()),
	)
	res, err := r.Answer(timeout(t), "Where?", runner.Text("t", "text"))
	require.NoError(t, err)
	require.Equal(t, "above, both, both below, other", res.Answer)
	require.Equal(t, 2, res.Turns, "the root has no tool of its children")
}
