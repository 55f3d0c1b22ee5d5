package trajectory_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			log := create(b)
			next := make(chan int)
			var wg sync.WaitGroup
			for range writers {
				wg.Go(func() {
					for i := range next {
						_, err := log.Append("1.1/1", 3, trajectory.SubCallEnded{Cell: 1, N: i, Reply: trajectory.T("yes"), Usage: trajectory.Usage{Prompt: 100, Completion: 1}})
						require.NoError(b, err)
					}
				})
			}
			for i := 0; b.Loop(); i++ {
				next <- i
			}
			close(next)
			wg.Wait()
		})
	}
}

// BenchmarkRead reads a run of 5 000 sub-calls with prompts of 20 000 characters.
func BenchmarkRead(b *testing.B) {
	log := create(b)
	for i := range 5000 {
		prompt := strings.Repeat(fmt.Sprintf("document %d says something; ", i), 800)
		_, err := log.Append("", 1, trajectory.SubCallStarted{Cell: 1, N: i, Impl: "llm_query", Prompt: trajectory.T(prompt)})
		require.NoError(b, err)
		_, err = log.Append("", 1, trajectory.SubCallEnded{Cell: 1, N: i, Reply: trajectory.T("a reply")})
		require.NoError(b, err)
	}
	read := map[string]func(string) (int, error){
		"all": func(dir string) (n int, err error) {
			for _, err := range trajectory.Read(dir) {
				if err != nil {
					return n, err
				}
				n++
			}
			return n, nil
		},
		"skim": func(dir string) (n int, err error) {
			for _, err := range trajectory.Skim(dir) {
				if err != nil {
					return n, err
				}
				n++
			}
			return n, nil
		},
	}
	for _, name := range []string{"all", "skim"} {
		b.Run(name, func(b *testing.B) {
			var m runtime.MemStats
			var most uint64
			for b.Loop() {
				n, err := read[name](log.Dir())
				require.NoError(b, err)
				require.Equal(b, 10_000, n)
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapInuse)
			}
			b.ReportMetric(float64(most)/(1<<20), "MiB-heap")
		})
	}
}
