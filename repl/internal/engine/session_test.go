package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/engine/enginetest"
)

// typicalCell is a cell as models write them.
const typicalCell = `type entry struct {
	Word  string
	Count int
}
counts := map[string]int{}
for _, line := range strings.Split(context, "\n") {
	for _, word := range strings.Fields(strings.ToLower(line)) {
		counts[strings.Trim(word, ".,;")]++
	}
}
var entries []entry
for word, n := range counts {
	entries = append(entries, entry{word, n})
}
sort.Slice(entries, func(i, j int) bool {
	if entries[i].Count != entries[j].Count {
		return entries[i].Count > entries[j].Count
	}
	return entries[i].Word < entries[j].Word
})
fmt.Printf("%d words, most often %v\n", len(entries), entries[:min(3, len(entries))])`

// BenchmarkSession compares the engines' overhead: a new session with its first small cell, a typical cell from
// the checked unit to its end, and the memory that a session of fifty typical cells keeps.
func BenchmarkSession(b *testing.B) {
	for _, e := range engines {
		b.Run("start/"+e.name, func(b *testing.B) {
			for b.Loop() {
				run(b, enginetest.NewNotebook(b, e.make), 1, "fmt.Println(len(context))")
			}
		})
	}
	for _, e := range engines {
		b.Run("cell/"+e.name, func(b *testing.B) {
			nb, n := enginetest.NewNotebook(b, e.make), 0
			for b.Loop() {
				n++
				b.StopTimer()
				checked, err := nb.Front.Check(n, typicalCell)
				require.NoError(b, err)
				b.StartTimer()
				p, err := nb.Engine.Load(checked.Unit)
				require.NoError(b, err)
				out := nb.Engine.Run(context.Background(), p, nb.Conditions)
				b.StopTimer()
				require.Nil(b, out.Panic)
				nb.Front.Commit(checked.Change)
				b.StartTimer()
			}
		})
	}
	for _, e := range engines {
		b.Run("memory/"+e.name, func(b *testing.B) {
			run(b, enginetest.NewNotebook(b, e.make), 1, typicalCell) // allocates what all sessions of a process share
			var held float64
			for b.Loop() {
				before := heap()
				nb := enginetest.NewNotebook(b, e.make)
				for n := range 50 {
					run(b, nb, n+1, fmt.Sprintf(
						"%s\nf%d := func(x int) int { return x + %d }\nfmt.Println(f%d(1))", typicalCell, n, n, n))
				}
				held = heap() - before
				runtime.KeepAlive(nb)
			}
			b.ReportMetric(held/1e6, "MB/session")
		})
	}
}

// BenchmarkLongSession measures a session of a thousand cells: the processor time of the last hundred compared
// with the first hundred, and the memory that each cell leaves behind.
func BenchmarkLongSession(b *testing.B) {
	for _, e := range engines {
		b.Run(e.name, func(b *testing.B) {
			for b.Loop() {
				nb := enginetest.NewNotebook(b, e.make)
				cell := func(n int) {
					run(b, nb, n, fmt.Sprintf(
						"%s\nf%d := func(x int) int { return x + %d }\nfmt.Println(f%d(1))", typicalCell, n, n, n))
				}
				hundred := func(from int) float64 {
					start := enginetest.ProcessorTime()
					for n := range 100 {
						cell(from + n)
					}
					return (enginetest.ProcessorTime() - start) * 10
				}
				cell(1)
				before, first := heap(), hundred(2)
				for n := range 800 {
					cell(102 + n)
				}
				last := hundred(902)
				b.ReportMetric(first, "ms/first")
				b.ReportMetric(last, "ms/last")
				b.ReportMetric(last/first, "last/first")
				b.ReportMetric((heap()-before)/1000/1000, "KB/cell")
				runtime.KeepAlive(nb)
			}
		})
	}
}

func run(b *testing.B, nb *enginetest.Notebook, number int, source string) {
	out, err := nb.Run(number, source)
	require.NoError(b, err)
	require.Nil(b, out.Panic)
}

// heap returns the memory in use.
func heap() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
