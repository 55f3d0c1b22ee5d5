//go:build unix

package runner

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/llm"
)

// BenchmarkTracerShare reports which share of a run's processor time, including its sandbox, is spent on tracing
// the answer. The models are instant, so that they add nothing to the run's time.
func BenchmarkTracerShare(b *testing.B) {
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&text, "2024-05-%02dT08:%02d:%02dZ INFO service-%d retry %d/9 took %d ms, note %x by Ada Lund\n",
			i%28+1, i/60%60, i%60, i%40, i%9, i*37%9000, i*7919)
	}
	var ten []string
	for i := range 9 {
		ten = append(ten, fmt.Sprintf("fmt.Println(%d, context[%d:%d])", i, i*30_000, i*30_000+11_000))
	}
	ten = append(ten, `FINAL("On 2 May 2024 service-9 took 742 ms, 318 ms and 12 ms, says Ada Lund; 91,244 notes, `+
		`among them 1eef and \"retry 3/9\". Mira Holt was asked on 3 June.")`)
	batch := `prompts := make([]string, 5000)
for i := range prompts { prompts[i] = fmt.Sprint("Which service is slow, and when? ", context[i*200:i*200+%d]) }
n := 0
for _, r := range llm_query_batched(prompts) { if strings.Contains(r, "service-7") { n++ } }
fmt.Println(n)
FINAL(fmt.Sprintf("%%d replies name service-7, by Ada Lund", n))`
	for name, cells := range map[string][]string{
		"10-turns":                     ten,
		"5000-sub-calls":               {fmt.Sprintf(batch, 400)},
		"5000-sub-calls-short-prompts": {fmt.Sprintf(batch, 20)},
	} {
		b.Run(name, func(b *testing.B) {
			var run, tracer time.Duration
			for b.Loop() {
				dir := b.TempDir()
				r, err := New(scriptedCells(cells), WithDataDir(dir), WithBudgets(Budgets{SubCalls: 10_000}))
				require.NoError(b, err)
				before := processorTime(b)
				session, err := r.NewSession(b.Context(), Text("log.txt", text.String()))
				require.NoError(b, err)
				res, err := Collect(session.Ask(b.Context(), "Which service is slow?"))
				require.NoError(b, err)
				require.NoError(b, session.Close())
				run += processorTime(b) - before
				require.NotNil(b, res.Grounding)
				before = processorTime(b)
				for range 10 {
					shown, ok := session.shown.run("")
					require.True(b, ok)
					require.NotEmpty(b, traced(shown, res.Answer, false, nil).Values)
				}
				tracer += (processorTime(b) - before) / 10
			}
			b.ReportMetric(float64(run.Microseconds())/float64(b.N)/1000, "run-cpu-ms/op")
			b.ReportMetric(float64(tracer.Microseconds())/float64(b.N)/1000, "tracer-cpu-ms/op")
			b.ReportMetric(100*float64(tracer)/float64(run), "tracer-%")
		})
	}
}

// scriptedCells returns an instant model that sends cells and answers sub-calls.
func scriptedCells(cells []string) llm.Model {
	turn := 0
	return llm.ScriptedFunc("m", func(_ context.Context, req llm.Request, n int) (llm.Response, error) {
		if req.Key.Cell > 0 {
			return llm.Response{Content: fmt.Sprintf("service-%d was slow on 2 May: %d ms", n%40, n*31%9000)}, nil
		}
		turn++
		return llm.Response{Content: "```go\n" + cells[turn-1] + "\n```"}, nil
	})
}

// processorTime returns the processor time of this process and of the sandboxes that it waited for.
func processorTime(b *testing.B) (sum time.Duration) {
	b.Helper()
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		require.NoError(b, syscall.Getrusage(who, &u))
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}
