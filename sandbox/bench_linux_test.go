package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gorlm/rlm/sandbox"
)

// best keeps the shortest time, which is more meaningful than the mean on a shared machine.
type best struct{ d time.Duration }

func (m *best) took(began time.Time) {
	if d := time.Since(began); m.d == 0 || d < m.d {
		m.d = d
	}
}

func (m *best) report(b *testing.B) { b.ReportMetric(float64(m.d.Microseconds())/1000, "ms-best") }

// BenchmarkSpawn measures the time until a new session is ready for its first cell, without a spare, and the
// processor time of worker and host.
func BenchmarkSpawn(b *testing.B) {
	best := best{}
	defer best.report(b)
	host, workers := processorTime(b, unix.RUSAGE_SELF), processorTime(b, unix.RUSAGE_CHILDREN)
	for b.Loop() {
		began := time.Now()
		s := start(b, sandbox.Config{})
		best.took(began)
		b.StopTimer()
		require.NoError(b, s.Close())
		b.StartTimer()
	}
	b.ReportMetric((processorTime(b, unix.RUSAGE_CHILDREN)-workers)/float64(b.N), "cpu-ms/worker")
	b.ReportMetric((processorTime(b, unix.RUSAGE_SELF)-host)/float64(b.N), "cpu-ms/host")
}

// processorTime returns the processor time of this process, or of its children that have ended, in ms.
func processorTime(b *testing.B, who int) float64 {
	var used unix.Rusage
	require.NoError(b, unix.Getrusage(who, &used))
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e6
}

// BenchmarkCell measures one small cell on a ready worker.
func BenchmarkCell(b *testing.B) {
	s := start(b, sandbox.Config{})
	good(b, s, "n := 0")
	for b.Loop() {
		good(b, s, "n++")
	}
}

// BenchmarkKillRespawnReplay kills the worker of a session of 20 small cells and measures the time until the state
// is restored.
func BenchmarkKillRespawnReplay(b *testing.B) {
	s := start(b, sandbox.Config{})
	for i := range 20 {
		good(b, s, fmt.Sprintf("v%d := []int{%d}\nv%d = append(v%d, len(v%d))", i, i, i, i, i))
	}
	best := best{}
	defer best.report(b)
	for b.Loop() {
		b.StopTimer()
		pid := workerOf(b)
		s.BeginRun()
		b.StartTimer()
		began := time.Now()
		require.NoError(b, pid.Kill())
		_, err := s.Vars(b.Context()) // finds the worker dead, and returns once it is replaced
		require.NoError(b, err)
		best.took(began)
	}
}

// BenchmarkCall measures one call of a host function that answers immediately.
func BenchmarkCall(b *testing.B) {
	s := start(b, sandbox.Config{Limits: sandbox.Limits{CellTime: time.Hour, CellCPU: time.Hour}})
	const calls = 1000
	for b.Loop() {
		good(b, s, fmt.Sprintf("for i := 0; i < %d; i++ { llm_query(\"a prompt of about the length of a short question\") }", calls))
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/calls, "µs/call")
}

// BenchmarkConcurrentCalls makes 10 000 calls from as many goroutines.
func BenchmarkConcurrentCalls(b *testing.B) {
	s := start(b, sandbox.Config{})
	good(b, s, "var wg sync.WaitGroup")
	peak := int64(0)
	for b.Loop() {
		stop := watchMemory(b, &peak)
		good(b, s, `for i := 0; i < 10000; i++ { wg.Add(1); go func() { defer wg.Done(); llm_query("a prompt of about the length of a short question") }() }
wg.Wait()`)
		stop()
	}
	b.ReportMetric(float64(peak>>20), "MB-worker")
}

// BenchmarkContext1GiB measures the time until a session over 1 GiB is ready, with a warm spare; the text is
// copied before.
func BenchmarkContext1GiB(b *testing.B) {
	f, err := os.CreateTemp(b.TempDir(), "context")
	require.NoError(b, err)
	defer func() { _ = f.Close() }()
	block := []byte(strings.Repeat("all work and no play makes jack a dull boy\n", 1<<20/43+1)[:1<<20])
	for range 1 << 10 {
		_, err = f.Write(block)
		require.NoError(b, err)
	}
	w := sandbox.NewWorkers(3, 0)
	defer func() { require.NoError(b, w.Close()) }()
	first := start(b, sandbox.Config{Workers: w}) // makes the pool start a spare
	defer func() { require.NoError(b, first.Close()) }()
	for b.Loop() {
		b.StopTimer()
		time.Sleep(60 * time.Millisecond) // the spare warms up
		b.StartTimer()
		s := start(b, sandbox.Config{Workers: w, Context: sandbox.Context{File: f, Size: 1 << 30}})
		b.StopTimer()
		require.Equal(b, "1073741824\n", good(b, s, "fmt.Println(len(context))").Output)
		require.NoError(b, s.Close())
		b.StartTimer()
	}
}

// BenchmarkWorkerMemory reports the resident set of a worker that is ready.
func BenchmarkWorkerMemory(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("the resident set of another process is read on Linux only")
	}
	s := start(b, sandbox.Config{})
	good(b, s, "x := 1")
	for b.Loop() {
		_, err := s.Vars(context.Background())
		require.NoError(b, err)
	}
	total, private := resident(b, workerOf(b).Pid)
	b.ReportMetric(float64(total)/(1<<20), "MB-resident")
	b.ReportMetric(float64(private)/(1<<20), "MB-private")
}
