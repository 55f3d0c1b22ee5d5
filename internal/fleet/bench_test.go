package fleet_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/runner"
)

// BenchmarkSubmit puts 100 000 jobs into a queue and asks for the batch's status.
func BenchmarkSubmit(b *testing.B) {
	list := jobs(100_000)
	for b.Loop() {
		dir := b.TempDir()
		q, err := fleet.Open(b.Context(), fleet.Dir(dir), nil)
		require.NoError(b, err)
		start := time.Now()
		_, err = fleet.Submit(b.Context(), q, fleet.Batch{ID: "b"}, list, fleet.Submission{})
		require.NoError(b, err)
		b.ReportMetric(time.Since(start).Seconds(), "s/submit")
		require.NoError(b, q.Close())
		start = time.Now()
		q, err = fleet.Open(b.Context(), fleet.Dir(dir), nil)
		require.NoError(b, err)
		s, err := q.Status(b.Context(), "b")
		require.NoError(b, err)
		b.ReportMetric(time.Since(start).Seconds(), "s/status")
		require.Equal(b, len(list), s.Queued)
		b.ReportMetric(float64(resident())/1e6, "MB-resident")
		require.NoError(b, q.Close())
	}
}

// resident returns the resident memory of this process in bytes, if the system reports it.
func resident() int64 {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages int64
	_, _ = fmt.Sscan(string(data), &size, &pages)
	return pages * int64(os.Getpagesize())
}

// BenchmarkJobs compares jobs of one turn, whose model answers immediately, with the same runs in a loop. RLM_JOBS
// sets their number.
func BenchmarkJobs(b *testing.B) {
	n := 200
	if v, err := strconv.Atoi(os.Getenv("RLM_JOBS")); err == nil {
		n = v
	}
	slots := runtime.GOMAXPROCS(0)
	b.Run("loop", func(b *testing.B) {
		for b.Loop() {
			p := dataFolder{dir: b.TempDir()}
			m, opts, err := p.node(&model{}).Setup(b.Context(), fleet.Job{})
			require.NoError(b, err)
			r, err := runner.New(m, opts...)
			require.NoError(b, err)
			next := make(chan int)
			var all sync.WaitGroup
			start := time.Now()
			for range slots {
				all.Go(func() {
					for i := range next {
						_, err := r.Answer(b.Context(), fmt.Sprintf("job-%d", i))
						assert.NoError(b, err)
					}
				})
			}
			for i := range n {
				next <- i
			}
			close(next)
			all.Wait()
			b.ReportMetric(float64(n)/time.Since(start).Seconds(), "jobs/s")
		}
	})
	b.Run("batch", func(b *testing.B) {
		for b.Loop() {
			dir := b.TempDir()
			q, err := fleet.Open(b.Context(), fleet.Dir(dir), nil)
			require.NoError(b, err)
			p := dataFolder{dir, q, slots}
			start := time.Now()
			_, err = fleet.Submit(b.Context(), q, fleet.Batch{ID: "b"}, jobs(n), fleet.Submission{})
			require.NoError(b, err)
			node := p.node(&model{})
			node.Slots = slots
			done := 0
			for _, err := range node.Work(context.WithoutCancel(b.Context()), b.Context(), 0) {
				require.NoError(b, err)
				done++
			}
			require.Equal(b, n, done)
			b.ReportMetric(float64(n)/time.Since(start).Seconds(), "jobs/s")
			require.NoError(b, q.Close())
		}
	})
}
