package yaegi

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/traefik/yaegi/interp"

	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/enginetest"
	"github.com/gorlm/rlm/repl/internal/stdlib/symbols"

	"github.com/stretchr/testify/require"
)

// ratioPrograms are the same computations in Go and in Python.
var ratioPrograms = []struct{ name, imports, source, python string }{
	{"loop", ``, `s := 0
	for i := 0; i < 3000000; i++ { s += i & 3 }
	if s == 0 { panic("s") }`, `
s = 0
for i in range(3000000): s += i & 3`},
	{"maps", ``, `m := map[int]int{}
	for i := 0; i < 500000; i++ { m[i%1000] += i }
	if len(m) != 1000 { panic("m") }`, `
m = {}
for i in range(500000):
  k = i % 1000
  m[k] = m.get(k, 0) + i`},
	{"strings", `import "strings"`, `var sb strings.Builder
	for i := 0; i < 300000; i++ { sb.WriteString("ab"); sb.WriteByte('c') }
	if sb.Len() != 900000 { panic("sb") }`, `
b = []
for i in range(300000):
  b.append("ab"); b.append("c")
s = "".join(b)`},
	{"sort", `import "sort"`, `xs := make([]int, 50000)
	x := 12345
	for i := range xs { x = (x*1103515245 + 12345) & 0x7fffffff; xs[i] = x }
	sort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] })
	if xs[0] > xs[1] { panic("xs") }`, `
import functools
xs = []
x = 12345
for i in range(50000):
  x = (x*1103515245 + 12345) & 0x7fffffff
  xs.append(x)
xs.sort(key=functools.cmp_to_key(lambda a, b: a - b))`},
	{"index", ``, `xs := make([]int, 1000)
	s := 0
	for r := 0; r < 1000; r++ {
		for i := 0; i < 1000; i++ { xs[i] = xs[(i*7)%1000] + i; s += xs[i] & 1 }
	}
	if s < 0 { panic("s") }`, `
xs = [0]*1000
s = 0
for r in range(1000):
  for i in range(1000):
    xs[i] = (xs[(i*7)%1000] + i) & 0xffffffffffff
    s += xs[i] & 1`},
	{"words", `import "strings"`, `text := strings.Repeat("the quick brown fox jumps over the lazy dog again and again\n", 850000)
	m := map[string]int{}
	for _, w := range strings.Fields(text) { m[w]++ }
	if m["fox"] != 850000 { panic("m") }`, `
text = "the quick brown fox jumps over the lazy dog again and again\n" * 850000
m = {}
for w in text.split():
  m[w] = m.get(w, 0) + 1`},
	{"regexp", `import ( "regexp"; "strings" )`, `text := strings.Repeat("the quick brown fox jumps over the lazy dog 2024-01-02 again\n", 820000)
	n := len(regexp.MustCompile("\\d{4}-\\d{2}-\\d{2}").FindAllStringIndex(text, -1))
	if n != 820000 { panic("n") }`, `
import re
text = "the quick brown fox jumps over the lazy dog 2024-01-02 again\n" * 820000
n = len(re.findall(r"\d{4}-\d{2}-\d{2}", text))`},
}

// BenchmarkRatio compares the engine with plain yaegi and, if it is installed, CPython: ns/op is the engine's
// time, x-yaegi and x-python are its ratio to the others' times.
func BenchmarkRatio(b *testing.B) {
	for _, p := range ratioPrograms {
		b.Run(p.name, func(b *testing.B) {
			src := "package main\n" + p.imports + "\nfunc main() {\n\t" + p.source + "\n}\n"
			for b.Loop() {
				if r := enginetest.RunProgram(newEngine, src, time.Minute); r.Err != nil || r.Refused != nil ||
					r.Outcome.Panic != nil {
					b.Fatal(r.String())
				}
			}
			ours := b.Elapsed().Seconds() / float64(b.N)
			b.ReportMetric(ours/timed(func() { plainYaegi(b, src) }), "x-yaegi")
			if python, err := exec.LookPath("python3"); err == nil {
				start := timed(func() { _ = exec.Command(python, "-c", "pass").Run() })
				took := timed(func() {
					out, err := exec.Command(python, "-c", p.python).CombinedOutput()
					require.NoError(b, err, "%s", out)
				})
				b.ReportMetric(ours/(took-start), "x-python")
			}
		})
	}
}

func timed(f func()) float64 {
	start := time.Now()
	f()
	return time.Since(start).Seconds()
}

// plainYaegi runs a program with the unmodified interpreter.
func plainYaegi(b *testing.B, src string) {
	i := interp.New(interp.Options{GoPath: "/nonexistent", SourcecodeFilesystem: noFiles{}})
	for _, path := range []string{"strings", "sort", "regexp"} {
		if err := i.Use(interp.Exports{path + "/" + path: symbols.Table(path)}); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := i.Eval(src); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCell measures the engine's overhead for a small cell: lowering, compiling and running it.
func BenchmarkCell(b *testing.B) {
	nb := newNotebook(b)
	n := 0
	for b.Loop() {
		n++
		checked, err := nb.front.Check(n,
			"total := 0\nfor i, w := range strings.Fields(\"a b c\") {\n\ttotal += i * len(w)\n}\nfmt.Println(total)")
		if err != nil {
			b.Fatal(err)
		}
		p, err := nb.engine.Load(checked.Unit)
		if err != nil {
			b.Fatal(err)
		}
		nb.front.Commit(checked.Change)
		if out := nb.engine.Run(context.Background(), p, engine.Conditions{}); out.Panic != nil {
			b.Fatal(out.Panic)
		}
	}
}

// BenchmarkStart measures a new engine up to the end of its first cell.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		nb := newNotebook(b)
		if _, err := nb.run(1, "fmt.Println(strings.ToUpper(\"x\"))"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTakeOneByOne runs a loop that repeatedly ranges over a map and stops after one entry: it must not be
// quadratic.
func BenchmarkTakeOneByOne(b *testing.B) {
	for b.Loop() {
		nb := newNotebook(b)
		out, err := nb.run(1, `m := map[int]bool{}; seen := map[int]bool{}; for i := range 100_000 { m[i] = true }
for len(m) > 0 { for k := range m { delete(m, k); seen[k] = true; break } }; fmt.Println(len(seen))`)
		if err != nil || out.Panic != nil || strings.TrimSpace(nb.out.String()) != "100000" {
			b.Fatal(out, err, nb.out.String())
		}
	}
}
