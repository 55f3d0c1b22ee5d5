package repl

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// typicalCell is a cell as models write them.
const typicalCell = `
type entry struct {
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
top := entries[:min(3, len(entries))]
fmt.Printf("%d words, most often %v\n", len(entries), top)
`

// BenchmarkFrontEnd measures the time from a typical cell's text to a checked unit.
func BenchmarkFrontEnd(b *testing.B) {
	s := newSession(b, Config{Context: scriptContext, Builtins: scriptBuiltins()})
	_, err := s.nb.front.Check(1, typicalCell)
	require.NoError(b, err)
	for b.Loop() {
		if _, err := s.nb.front.Check(1, typicalCell); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCell measures a typical cell from its text to its result, repeated in one session.
func BenchmarkCell(b *testing.B) {
	s := newSession(b, Config{Context: scriptContext, Builtins: scriptBuiltins()})
	for b.Loop() {
		if res, _ := s.run(typicalCell); res.Error != nil {
			b.Fatal(res.Error)
		}
	}
}

// BenchmarkSmallCell measures a cell of one line.
func BenchmarkSmallCell(b *testing.B) {
	s := newSession(b, Config{Context: scriptContext, Builtins: scriptBuiltins()})
	for b.Loop() {
		if res, _ := s.run("x := len(context) + 1\nfmt.Println(x)"); res.Error != nil {
			b.Fatal(res.Error)
		}
	}
}

// BenchmarkStart measures a new notebook up to the end of a first small cell, without Warm.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		s := newSession(b, Config{Context: scriptContext, Builtins: scriptBuiltins()})
		if res, _ := s.run("fmt.Println(strings.ToUpper(context[:5]))"); res.Error != nil {
			b.Fatal(res.Error)
		}
	}
}

// BenchmarkStartWarm is BenchmarkStart after Warm, which a waiting worker has called.
func BenchmarkStartWarm(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		Warm()
		b.StartTimer()
		s := newSession(b, Config{Context: scriptContext, Builtins: scriptBuiltins()})
		if res, _ := s.run("fmt.Println(strings.ToUpper(context[:5]))"); res.Error != nil {
			b.Fatal(res.Error)
		}
	}
}

// BenchmarkThousandCells reports the average time of the first and of the last hundred of a session's thousand
// cells, and the heap in use at the end.
func BenchmarkThousandCells(b *testing.B) {
	for b.Loop() {
		s := newSession(b, Config{Context: scriptContext, Builtins: scriptBuiltins()})
		var first, last float64
		for i := range 1000 {
			src := fmt.Sprintf("v%d := len(context) + %d\nfunc f%d(n int) int { return n + v%d }\nfmt.Println(f%d(1), v%d)", i, i, i, i, i, i/2)
			res, _ := s.run(src)
			if res.Error != nil {
				b.Fatal(res.Error)
			}
			switch ms := float64(res.Duration.Nanoseconds()) / 1e6; {
			case i < 100:
				first += ms / 100
			case i >= 900:
				last += ms / 100
			}
		}
		b.ReportMetric(first, "ms/first100")
		b.ReportMetric(last, "ms/last100")
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc)/1e6, "MB/heap")
		runtime.KeepAlive(s)
	}
}

// BenchmarkLargestSource checks a cell of nearly the maximum size.
func BenchmarkLargestSource(b *testing.B) {
	var src strings.Builder
	for i := 0; src.Len() < 250<<10; i++ {
		fmt.Fprintf(&src, "w%d := strings.Fields(context)[:%d]\nfmt.Println(w%d, len(w%d))\n", i, i%3, i, i)
	}
	s := newSession(b, Config{Context: scriptContext})
	for b.Loop() {
		if _, err := s.nb.front.Check(1, src.String()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkVars lists the variables of a session with large values.
func BenchmarkVars(b *testing.B) {
	s := newSession(b, Config{Context: strings.Repeat("alpha beta\n", 1e6)})
	res, _ := s.run("lines := strings.Split(context, \"\\n\")\nm := map[string][]int{}\nfor i := range 20000 {\n\tk := strconv.Itoa(i % 1000)\n\tm[k] = append(m[k], i)\n}")
	require.Nil(b, res.Error)
	for b.Loop() {
		s.nb.Vars()
	}
}

// BenchmarkFINAL measures a cell, up to its result, that calls FINAL below nested calls of a given depth, with and
// without deferred calls.
func BenchmarkFINAL(b *testing.B) {
	for _, engine := range []Engine{Yaegi, Exact} {
		for _, c := range []struct{ name, source string }{
			{"calls", "func down(n int) {\n\tif n == 0 {\n\t\tFINAL(n)\n\t}\n\tdown(n - 1)\n}"},
			{"deferring", "func down(n int) {\n\tdefer func() { recover() }()\n\tif n == 0 {\n\t\tFINAL(n)\n\t}\n\tdown(n - 1)\n}"},
		} {
			for _, depth := range []int{1, 100, 16_000} {
				b.Run(fmt.Sprintf("%s/%d_%s", engine, depth, c.name), func(b *testing.B) {
					s := newSession(b, Config{Engine: engine, Builtins: endings()})
					s.must(c.source)
					for b.Loop() {
						res, _ := s.run(fmt.Sprintf("down(%d)", depth))
						require.Nil(b, res.Error)
						require.Equal(b, "0", res.Final.Answer)
						if !s.nb.Sound() { // abandoned after the grace period
							s = newSession(b, s.nb.cfg)
							s.must(c.source)
						}
					}
				})
			}
		}
	}
}
