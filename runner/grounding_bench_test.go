package runner_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// BenchmarkGroundingAtTheEnd measures the cost of tracing an answer: the time between the end of the last cell and
// the end of the run, after ten turns that print 10 kB each, and the time of the whole run. The case "nothing" has
// an answer without values to trace.
func BenchmarkGroundingAtTheEnd(b *testing.B) {
	text := strings.Repeat("2024-05-02T08:00:01Z INFO cart retry 3/9 took 37 ms on host-9\n", 5000)
	var replies []string
	for i := range 10 {
		replies = append(replies, fence(fmt.Sprintf("fmt.Println(%d, context[%d:%d])", i, i*10000, i*10000+10000)))
	}
	for name, answer := range map[string]string{
		"nothing": `FINAL("Fine")`,
		"prose":   `FINAL("On 2 May 2024 cart took 37 ms on host-9, 742 times in all, says Ada Lund: \"INFO cart retry\".")`,
	} {
		b.Run(name, func(b *testing.B) {
			var took, all time.Duration
			for b.Loop() {
				r, err := runner.New(root(append(replies[:10:10], fence(answer)), nil), runner.WithDataDir(b.TempDir()))
				require.NoError(b, err)
				began, ended := time.Now(), time.Time{}
				for ev, err := range r.Run(b.Context(), "What happened?", runner.Text("log.txt", text)) {
					require.NoError(b, err)
					switch ev.Data.(type) {
					case trajectory.CellEnded:
						ended = time.Now()
					case trajectory.RunEnded:
						took += time.Since(ended)
					}
				}
				all += time.Since(began)
			}
			b.ReportMetric(float64(took.Microseconds())/float64(b.N)/1000, "end-ms/op")
			b.ReportMetric(float64(all.Microseconds())/float64(b.N)/1000, "run-ms/op")
			b.ReportMetric(0, "ns/op")
		})
	}
}
