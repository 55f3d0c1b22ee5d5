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

// BenchmarkMarksAtTheEnd measures the cost of an answer's marks after its cell: the time between the end of the
// cell and the end of the run, over 100 MB, without marks and with ten thousand.
func BenchmarkMarksAtTheEnd(b *testing.B) {
	line := "all quiet on the eastern dam and on the western dam too, said the keeper\n"
	all := strings.Repeat(line, 100_000_000/len(line))
	for _, marks := range []int{0, 10_000} {
		b.Run(fmt.Sprint(marks, "marks"), func(b *testing.B) {
			cell := fmt.Sprintf(`var b strings.Builder
for i := range %d { at := i * (len(context) / 10_000); b.WriteString("Quiet " + cite(context[at:at+60]) + ". ") }
b.WriteString("All was quiet.")
FINAL(b.String())`, marks)
			var took time.Duration
			for b.Loop() {
				r, err := runner.New(root([]string{fence(cell)}, nil), runner.WithDataDir(b.TempDir()))
				require.NoError(b, err)
				var ended time.Time
				for ev, err := range r.Run(b.Context(), "q", runner.Text("log.txt", all)) {
					require.NoError(b, err)
					switch d := ev.Data.(type) {
					case trajectory.CellEnded:
						require.Len(b, d.Marks, marks)
						ended = time.Now()
					case trajectory.RunEnded:
						require.Len(b, d.Evidence, marks)
						took += time.Since(ended)
					}
				}
			}
			b.ReportMetric(float64(took.Milliseconds())/float64(b.N), "end-ms/op")
			b.ReportMetric(0, "ns/op")
		})
	}
}
