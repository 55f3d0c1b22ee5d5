package exact

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/enginetest"
)

// dyingProgram is a program, given by its declarations and the body of main.
type dyingProgram struct{ decls, body string }

// dying are programs whose values are dead early. N is the size of a large value; touch writes to all of its
// memory, and mark and touch measure the memory in use.
var dying = map[string]dyingProgram{
	"results that are added": {
		`func f0() int { b := make([]byte, N); touch(b); return len(b) }
func f1() int { b := make([]byte, N); touch(b); return len(b) }
func f2() int { b := make([]byte, N); touch(b); return len(b) }
func f3() int { b := make([]byte, N); touch(b); return len(b) }`, `fmt.Println(f0() + f1() + f2() + f3())`,
	},
	"a recursion that lets go": {`func down(n int) int {
	b := make([]byte, N/4)
	touch(b)
	k := int(b[1])
	b = nil
	if n == 0 {
		c := make([]byte, 2*N)
		touch(c)
		return len(c) + len(b)
	}
	return down(n-1) + k + len(b)
}`, `fmt.Println(down(12))`},
	"a block in a loop": {"", `n := 0
for i := range 6 {
	b := make([]byte, N)
	touch(b)
	n += int(b[i]) + len(b)
}
fmt.Println(n)`},
	"blocks in a row": {"", `n := 0
{ b := make([]byte, N); touch(b); n += len(b) }
{ b := make([]byte, N); touch(b); n += len(b) }
{ b := make([]byte, N); touch(b); n += len(b) }
{ b := make([]byte, N); touch(b); n += len(b) }
fmt.Println(n)`},
	"arguments that die in the callee": {`func use(b []byte) int { touch(b); n := len(b); b = nil; c := make([]byte, N); touch(c); return n + len(c) }
func twice(b []byte) int { return use(b) + use(make([]byte, N)) }`, `fmt.Println(twice(make([]byte, N)))`},
	"temporaries": {
		`func made() []byte { b := make([]byte, N); touch(b); return b }`,
		`fmt.Println(len(made()) + len(made()) + len(made()) + len(append(made(), made()[:10]...)))`,
	},
	"named results": {`func made(k int) (b []byte, err error) { b = make([]byte, N); touch(b); if k > 2 { err = io.EOF; b = nil }; return }`, `n := 0
for i := range 5 { b, err := made(i); if err == nil { n += len(b) } }
fmt.Println(n)`},
	"named results and defer": {`func made() (b []byte) { defer func() { if r := recover(); r != nil { b = nil } }(); b = make([]byte, N); touch(b); return b }`, `n := 0
for range 5 { n += len(made()) }
fmt.Println(n)`},
	"deferred functions": {`func work() (n int) { defer func() { c := make([]byte, N); touch(c); n += len(c) }(); b := make([]byte, N); touch(b); return len(b) }`, `fmt.Println(work() + work() + work())`},
	"closures": {`func counter() func() int { b := make([]byte, N); touch(b); return func() int { return len(b) } }`, `n := 0
for range 5 { f := counter(); n += f() }
func() { b := make([]byte, N); touch(b); n += len(b) }()
func() { b := make([]byte, N); touch(b); n += len(b) }()
fmt.Println(n)`},
	"a variable that a closure shares": {"", `b := make([]byte, N)
n := 0
set := func() { touch(b); n += len(b); b = nil }
set()
b = make([]byte, N)
set()
c := make([]byte, N)
touch(c)
fmt.Println(n + len(c))`},
	"a range over a large slice": {`func numbers() []int { xs := make([]int, N/8); for i := range xs { xs[i] = i & 1 }; mark(); return xs }`, `n := 0
for range 4 { for _, x := range numbers() { n += x } }
fmt.Println(n)`},
	"text of bytes": {"", `n := 0
for range 4 { b := make([]byte, N); touch(b); s := string(b); mark(); n += int(s[9]) }
fmt.Println(n)`},
	"bytes of text": {"", `n := 0
for range 4 { s := strings.Repeat("x", N); b := []byte(s); b[0] = 'y'; mark(); n += int(b[9]) + int(s[9]) }
fmt.Println(n)`},
	"text of the library": {
		`func long(i int) int { s := strings.Repeat("x", N); mark(); return int(s[i]) }`,
		`fmt.Println(long(1) + long(2) + long(3) + long(4) + len(strings.ToUpper(strings.Repeat("a", N))))`,
	},
	"text that grows": {"", `n := 0
for range 4 { s := "x"; for len(s) < N/2 { s += s }; mark(); n += int(s[9]) }
fmt.Println(n)`},
	"slices that grow": {"", `n := 0
for range 4 { var xs []int; for i := range N / 16 { xs = append(xs, i) }; mark(); n += xs[9] }
fmt.Println(n)`},
	"maps": {"", `n := 0
for range 4 { m := map[int]int{}; for i := range N / 128 { m[i] = i }; mark(); n += m[9] }
fmt.Println(n)`},
	"a list behind a large value": {`type node struct { next *node; a [6]int }
func chain(n int) *node { var l *node; for i := range n { l = &node{next: l}; l.a[0] = i }; mark(); return l }`, `b := make([]byte, N)
touch(b)
k := len(b)
n := 0
for l := chain(N / 64); l != nil; l = l.next { n++ }
for l := chain(N / 64); l != nil; l = l.next { n++ }
fmt.Println(n, k)`},
	"methods and interfaces": {`type box struct{ b []byte }
func (x box) size() int { touch(x.b); return len(x.b) }
type sized interface{ size() int }`, `n := 0
for range 4 { var s sized = box{make([]byte, N)}; n += s.size() }
var t sized = &box{make([]byte, N)}
fmt.Println(n + t.size())`},
	"structs and arrays": {`type pair struct { name string; b []byte; more [2][]byte }`, `n := 0
for i := range 4 { var p pair; p.b = make([]byte, N/2); p.more[i&1] = make([]byte, N/2); touch(p.b); touch(p.more[i&1]); n += len(p.b) + len(p.more[i&1]) }
fmt.Println(n)`},
	"goroutines that wait": {"", `var done, stop = make(chan int), make(chan bool)
n := 0
for range 4 { go func() { b := make([]byte, N); touch(b); k := len(b); done <- k; <-stop }(); n += <-done }
close(stop)
fmt.Println(n)`},
	"callbacks": {"", `n := 0
for range 3 { slices.SortFunc([]int{3, 1, 2}, func(a, b int) int { c := make([]byte, N/2); touch(c); n += len(c); return a - b }) }
for range 3 { sort.Slice([]int{3, 1, 2}, func(i, j int) bool { c := make([]byte, N/2); touch(c); n += len(c); return i < j }) }
for range 2 { strings.Map(func(r rune) rune { c := make([]byte, N/2); touch(c); n += len(c); return r }, "abc") }
fmt.Println(n > 0)`},
	"iterators": {`func pieces(k int) iter.Seq[[]byte] { return func(yield func([]byte) bool) { for range k { b := make([]byte, N); touch(b); if !yield(b) { return } } } }`, `n := 0
for b := range pieces(4) { n += len(b) }
fmt.Println(n)`},
	"a switch and labels": {"", `n := 0
outer:
for i := 0; ; i++ {
	b := make([]byte, N)
	touch(b)
	switch { case i > 4: break outer; case i%2 == 0: n += len(b); continue outer }
	n++
}
fmt.Println(n)`},
}

// source returns a program as a package; mark is the code that requests a measurement.
func (p dyingProgram) source(pkg, mark string) string {
	body := "const N = 12 << 20\nfunc touch(b []byte) { for i := 0; i < len(b); i += 4096 { b[i] = 1 }; mark(); b[len(b)-1] = 2 }\nfunc mark() { " + mark + " }\n" +
		p.decls + "\nfunc main() {\n" + p.body + "\n}\n"
	head := "package " + pkg + "\n"
	for _, name := range []string{"fmt", "io", "iter", "runtime", "slices", "sort", "strings"} {
		if strings.Contains(body, name+".") {
			head += "import \"" + name + "\"\n"
		}
	}
	return head + body
}

// Values that nobody will read keep no memory: each measurement finds at most one and a half times as much memory
// in use as in the compiled program. To measure is to collect garbage, so these tests run before those that leave
// much in memory: this file is the first by name.
func TestDeadValuesDie(t *testing.T) {
	names := slices.Sorted(maps.Keys(dying))
	compiled := compiledPeaks(t, names)
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			if name == "goroutines that wait" { // the wait comes before the collection is counted
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			}
			out := &markedOutput{}
			u, err := enginetest.CheckProgram(dying[name].source("main", `fmt.Print("\x01"); fmt.Print("\x00")`))
			require.NoError(t, err)
			e, err := New(engine.Host{Stdout: out})
			require.NoError(t, err)
			p, err := e.Load(u)
			require.NoError(t, err)
			out.collections = e.cycles.Load
			out.look()
			before := out.peak
			out.enough = before + compiled[i].peak*3/2
			outcome := e.Run(context.Background(), p, engine.Conditions{Seed: 1, Now: time.Now})
			require.Nil(t, outcome.Panic)
			require.Equal(t, compiled[i].out, out.text.String())
			peak := out.peak - before
			t.Logf("%d MB, compiled %d MB", peak>>20, compiled[i].peak>>20)
			require.LessOrEqual(t, peak, compiled[i].peak*3/2)
		})
	}
}

// markedOutput collects a program's output, and collects garbage when the output is a byte of one, and measures the
// memory in use when it is a byte of zero.
type markedOutput struct {
	mu     sync.Mutex
	text   strings.Builder
	peak   int
	enough int // a measurement ends when at most this many bytes are in use

	collections func() uint64 // how many garbage collections the engine has counted
}

func (o *markedOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch string(p) {
	case "\x01":
		o.collect()
	case "\x00":
		o.look()
	default:
		return o.text.Write(p)
	}
	return len(p), nil
}

// look measures repeatedly while too much memory is in use, because a goroutine may need some time to reach its
// wait on a busy machine. Before the program runs there is no limit, and a few measurements are enough.
func (o *markedOutput) look() {
	least, most := math.MaxInt, 4
	if o.enough > 0 {
		most = 10_000
	}
	for range most {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if least = min(least, int(m.HeapAlloc)); least <= o.enough {
			break
		}
		time.Sleep(time.Millisecond)
	}
	o.peak = max(o.peak, least)
}

// collect collects garbage, and waits until the engine has heard of it, so that its next sweep is due.
func (o *markedOutput) collect() {
	counted := o.collections()
	runtime.GC()
	for n := 0; n < 30_000 && o.collections() == counted; n++ {
		time.Sleep(time.Millisecond)
	}
}

type compiledPeak struct {
	out  string
	peak int
}

// compiledPeaks runs the compiled programs, all in one binary, and returns their outputs and peaks.
func compiledPeaks(t *testing.T, names []string) (peaks []compiledPeak) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: the programs cannot be compiled")
	}
	dir := t.TempDir()
	list := ""
	imports := ""
	for i, name := range names {
		pkg := "p" + strconv.Itoa(i)
		require.NoError(t, os.Mkdir(filepath.Join(dir, pkg), 0o700))
		text := dying[name].source(pkg, "Mark()") + "\nvar Mark func()\nfunc Run() { main() }\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, pkg, "p.go"), []byte(text), 0o600))
		imports += fmt.Sprintf("import %q\n", "dying/"+pkg)
		list += fmt.Sprintf("%[1]s.Mark = mark; run(%[1]s.Run)\n", pkg)
	}
	main := fmt.Sprintf(compiledMain, imports, list)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(main), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module dying\n\ngo 1.26\n"), 0o600))
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir // a new name each time; with -trimpath, packages come from the cache nevertheless
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -trimpath", "GOWORK=off", "CGO_ENABLED=0")
	out, err := cmd.Output()
	require.NoError(t, err)
	for part := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x01"), "\x01") {
		text, number, _ := strings.Cut(part, "\x00")
		peak, err := strconv.Atoi(number)
		require.NoError(t, err)
		peaks = append(peaks, compiledPeak{text, peak})
	}
	require.Len(t, peaks, len(names))
	return peaks
}

// compiledMain runs programs one after the other and reports the peak of each, above the memory in use before
// it.
const compiledMain = `package main

import "fmt"
import "runtime"
%s
var peak int

func mark() {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	peak = max(peak, int(m.HeapAlloc))
}

func run(program func()) {
	peak = 0
	mark()
	before := peak
	program()
	fmt.Printf("\x00%%d\x01", peak-before)
}

func main() {
%s}
`
