package runner_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// slow answers turns from a list immediately, and sub-calls after a delay.
func slow(replies []string, took time.Duration) llm.Model {
	return root(replies, func(prompt string) (string, error) {
		time.Sleep(took)
		return "re:" + prompt[:min(len(prompt), 20)], nil
	})
}

// BenchmarkTenIterations measures a question of ten turns with an instant model in an open session: the cost of
// the loop, the notebook and the log.
func BenchmarkTenIterations(b *testing.B) {
	var replies []string
	for i := range 9 {
		replies = append(replies, fence(fmt.Sprintf("step%d := %d\nfmt.Println(step%d)", i, i, i)))
	}
	replies = append(replies, fence(`FINAL("done")`))
	for b.Loop() {
		b.StopTimer()
		r := newRunner(b, root(replies, nil), locked)
		b.StartTimer() // a worker starts with the session, or with the question
		s, err := r.NewSession(b.Context(), runner.Text("t", "some text"))
		require.NoError(b, err)
		res, err := runner.Collect(s.Ask(b.Context(), "question"))
		b.StopTimer()
		require.NoError(b, err)
		require.Equal(b, 10, res.Turns)
		b.ReportMetric(float64(res.CellTime.Microseconds())/1000, "cell-ms")
		require.NoError(b, s.Close())
		b.StartTimer()
	}
}

// BenchmarkWholeRun measures a run of one turn with an instant model, including all setup.
func BenchmarkWholeRun(b *testing.B) {
	r := newRunner(b, root([]string{fence(`FINAL(len(context))`)}, nil), locked)
	for b.Loop() {
		res, err := r.Answer(b.Context(), "question", runner.Text("t", "some text"))
		require.NoError(b, err)
		require.Equal(b, "9", res.Answer)
	}
}

// BenchmarkChildren measures twenty child runs of one turn each, in one batch.
func BenchmarkChildren(b *testing.B) {
	model := llm.ScriptedFunc("m", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		if req.Key.Path != "" {
			return llm.Response{Content: fence(`FINAL(len(context))`)}, nil
		}
		return llm.Response{Content: fence(`prompts := make([]string, 20)
for i := range prompts { prompts[i] = fmt.Sprint("part ", i) }
FINAL(len(rlm_query_batched(prompts, context)))`)}, nil
	})
	for b.Loop() {
		b.StopTimer()
		s, err := newRunner(b, model, locked).NewSession(b.Context(), runner.Text("t", "some text"))
		require.NoError(b, err)
		b.StartTimer()
		res, err := runner.Collect(s.Ask(b.Context(), "question"))
		b.StopTimer()
		require.NoError(b, err)
		require.Equal(b, "20", res.Answer)
		require.Equal(b, 20, res.SubCalls)
		require.NoError(b, s.Close())
		b.StartTimer()
	}
}

// BenchmarkSubCalls reports how much longer a batch takes than the model alone.
func BenchmarkSubCalls(b *testing.B) {
	for _, c := range []struct{ n, concurrency int }{{200, 16}, {5000, 64}} {
		b.Run(fmt.Sprintf("%d/%d", c.n, c.concurrency), func(b *testing.B) {
			const took = 20 * time.Millisecond
			model := slow([]string{fence(fmt.Sprintf(`prompts := make([]string, %d)
for i := range prompts { prompts[i] = fmt.Sprint("prompt ", i) }
FINAL(len(llm_query_batched(prompts)))`, c.n))}, took)
			for b.Loop() {
				b.StopTimer()
				r := newRunner(b, model, locked, runner.WithConcurrency(c.concurrency),
					runner.WithBudgets(runner.Budgets{SubCalls: 10_000}))
				s, err := r.NewSession(b.Context())
				require.NoError(b, err)
				b.StartTimer()
				began := time.Now()
				res, err := runner.Collect(s.Ask(b.Context(), "question"))
				ideal := took * time.Duration((c.n+c.concurrency-1)/c.concurrency)
				b.ReportMetric(float64(time.Since(began))/float64(ideal), "×ideal")
				b.StopTimer()
				require.NoError(b, err)
				require.Equal(b, fmt.Sprint(c.n), res.Answer)
				require.NoError(b, s.Close())
				b.StartTimer()
			}
		})
	}
}

// BenchmarkLargeContext reports what a context of 100 MB adds to the time of a one-turn run and to the heap of
// this process.
func BenchmarkLargeContext(b *testing.B) {
	file := filepath.Join(b.TempDir(), "large.txt")
	require.NoError(b, os.WriteFile(
		file, []byte(strings.Repeat("a line of text that is repeated many times over\n", 100<<20/48)), 0o600))
	r := newRunner(b, root([]string{fence(`FINAL(len(context))`)}, nil), locked)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		_, err := r.Answer(b.Context(), "question", runner.Path(file))
		require.NoError(b, err)
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapSys-before.HeapSys)/(1<<20), "heap-MB")
}

// BenchmarkLateTurns reports how much longer the last hundred of a thousand turns take than the first hundred.
func BenchmarkLateTurns(b *testing.B) {
	const turns = 1000
	for b.Loop() {
		var at []time.Time
		model := llm.ScriptedFunc("m", func(_ context.Context, req llm.Request, n int) (llm.Response, error) {
			at = append(at, time.Now())
			if n == turns-1 {
				return llm.Response{Content: fence(`FINAL("done")`), Usage: llm.Usage{Prompt: 1}}, nil
			}
			return llm.Response{Content: fence(fmt.Sprintf("n := %d\nfmt.Println(n)", n)), Usage: llm.Usage{Prompt: 1}},
				nil
		})
		r := newRunner(b, model, locked, runner.WithBudgets(runner.Budgets{Iterations: turns, Tokens: -1}))
		res, err := r.Answer(b.Context(), "question")
		require.NoError(b, err)
		require.Equal(b, "done", res.Answer, res.Reason)
		early, late := at[100].Sub(at[0]), at[turns-1].Sub(at[turns-101])
		b.ReportMetric(float64(late)/float64(early), "late/early")
	}
}
