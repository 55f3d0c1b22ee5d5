package sandbox_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox"
)

// computed are cells like those that models write; SIZE is replaced by a size.
var computed = map[string]string{
	"sum":         "s := 0\nfor i := 0; i < 2_000_000*SIZE; i++ { s += i % 7 }\nfmt.Println(s)",
	"sort":        "v := make([]int, 20_000*SIZE)\nfor i := range v { v[i] = i * 7919 % 100_003 }\nsort.Slice(v, func(i, j int) bool { return v[i] < v[j] })\nfmt.Println(v[0])",
	"words":       "m := map[string]int{}\nfor _, w := range strings.Fields(strings.Repeat(\"the cat and the dog \", 20_000*SIZE)) { m[w]++ }\nfmt.Println(len(m))",
	"levenshtein": "a, b := strings.Repeat(\"kitten\", 60), strings.Repeat(\"sitting\", 20*SIZE)\nold := make([]int, len(b)+1)\nfor j := range old { old[j] = j }\nfor i := range a { now := make([]int, len(b)+1)\nnow[0] = i + 1\nfor j := range b { c := 1\nif a[i] == b[j] { c = 0 }\nnow[j+1] = min(old[j]+c, old[j+1]+1, now[j]+1) }\nold = now }\nfmt.Println(old[len(b)])",
	"matrix":      "n := 20\nx, y, z := make([][]float64, n), make([][]float64, n), make([][]float64, n)\nfor i := range n { x[i], y[i], z[i] = make([]float64, n), make([]float64, n), make([]float64, n) }\nfor range SIZE { for i := range n { for j := range n { for k := range n { z[i][j] += x[i][k] * y[k][j] } } } }\nfmt.Println(z[0][0])",
	"lines":       "n := 0\nfor _, l := range strings.Split(strings.Repeat(\"2026-11-22 ERROR it failed\\n\", 20_000*SIZE), \"\\n\") { if strings.Contains(l, \"ERROR\") && len(strings.Fields(l)) > 3 { n++ } }\nfmt.Println(n)",
}

// BenchmarkMoveAfter finds the best MoveAfter for a cell that computes. It runs cells of several lengths in each
// engine and calculates what each bound costs: how much longer a cell takes than in the engine that was better in
// hindsight, on average and at worst, in seconds. The cost of a move is measured in a session with ten earlier
// cells.
func BenchmarkMoveAfter(b *testing.B) {
	bounds := []time.Duration{
		100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second,
	}
	for range b.N {
		moving := costOfMoving(b)
		lost, worst := make([]time.Duration, len(bounds)), make([]time.Duration, len(bounds))
		runs := 0
		for name, body := range computed {
			for _, size := range []int{1, 3, 10} {
				source := strings.ReplaceAll(body, "SIZE", fmt.Sprint(size))
				inYaegi, inExact := took(b, repl.Yaegi, source), took(b, repl.Exact, source)
				b.Logf("%s %d: yaegi %s, exact %s", name, size, inYaegi.Round(time.Millisecond),
					inExact.Round(time.Millisecond))
				runs++
				for i, bound := range bounds {
					cost := inYaegi
					if inYaegi > bound {
						cost = bound + moving + inExact
					}
					over := cost - min(inYaegi, moving+inExact)
					lost[i] += over
					worst[i] = max(worst[i], over)
				}
			}
		}
		for i, bound := range bounds {
			b.ReportMetric((lost[i] / time.Duration(runs)).Seconds(), fmt.Sprintf("s-lost-%s", bound))
			b.ReportMetric(worst[i].Seconds(), fmt.Sprintf("s-worst-%s", bound))
		}
		b.ReportMetric(moving.Seconds(), "s/move")
	}
}

// took returns a cell's time in an engine.
func took(b *testing.B, engine repl.Engine, source string) time.Duration {
	s := start(b, sandbox.Config{Engine: engine})
	defer func() { require.NoError(b, s.Close()) }()
	good(b, s, "1 + 1")
	return good(b, s, source).Duration
}

// costOfMoving returns the time that a move adds to a cell, in a session of ten earlier cells with calls.
func costOfMoving(b *testing.B) time.Duration {
	var move sandbox.Move
	s := start(b, sandbox.Config{Moved: func(m sandbox.Move) error { move = m; return nil }})
	defer func() { require.NoError(b, s.Close()) }()
	for i := range 10 {
		good(b, s, fmt.Sprintf("x%d := llm_query_batched([]string{\"a\", \"b\"})\nm%d := map[string]int{}\nfor i := range 1000 { m%d[fmt.Sprint(i)] += i }", i, i, i))
	}
	good(b, s, onlyExact)
	require.NotZero(b, move.Took)
	return move.Took
}
