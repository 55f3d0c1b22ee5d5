package trajectory_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
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
						_, err := log.Append("1.1/1", 3, trajectory.SubCallEnded{
							Cell: 1, N: i,
							Reply: trajectory.T("yes"), Usage: trajectory.Usage{Prompt: 100, Completion: 1},
						})
						assert.NoError(b, err)
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
		_, err := log.Append("", 1,
			trajectory.SubCallStarted{Cell: 1, N: i, Impl: "llm_query", Prompt: trajectory.T(prompt)})
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
	read["skim and load"] = func(dir string) (n int, err error) {
		for e, err := range trajectory.Skim(dir) {
			if err != nil {
				return n, err
			}
			if d, ok := e.Data.(trajectory.SubCallStarted); ok {
				if _, err := d.Prompt.Load(); err != nil {
					return n, err
				}
			}
			n++
		}
		return n, nil
	}
	for _, name := range []string{"all", "skim", "skim and load"} {
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

// BenchmarkTurn appends the events of a turn with full output. The time and the disk space of a turn must not grow
// with the turns before it.
func BenchmarkTurn(b *testing.B) {
	log := create(b)
	output := func(i int) string {
		var s strings.Builder
		for n := 0; s.Len() < 20_000; n++ {
			fmt.Fprintf(&s, "line %d of turn %d: service=%x took %d ms\n", n, i, n*i*7919, n*i%977)
		}
		return s.String()
	}
	turns := 0
	for b.Loop() {
		turns++
		out := output(turns)
		for _, d := range []trajectory.Data{
			trajectory.TurnStarted{Messages: 2 * turns},
			trajectory.ReplyReceived{
				Content: trajectory.T("I will look at the next part.\n\n```go\n" + out[:2000] + "\n```"),
			},
			trajectory.CellStarted{Cell: turns, Source: out[:2000]},
			trajectory.CellEnded{Cell: turns, Output: out, Result: []byte(`{}`), OK: true},
			trajectory.MessageAdded{Role: "user", Kind: "observation", Content: trajectory.T("Cell printed:\n" + out)},
		} {
			_, err := log.Append("", turns, d)
			require.NoError(b, err)
		}
	}
	var size int64
	for _, name := range []string{"trajectory.jsonl", "texts.zst"} {
		info, err := os.Stat(filepath.Join(log.Dir(), name))
		require.NoError(b, err)
		size += info.Size()
	}
	b.ReportMetric(float64(size)/float64(turns)*100/1e6, "MB/100turns")
}

func BenchmarkList(b *testing.B) {
	runs := b.TempDir()
	for range 1000 {
		_, _, log, err := trajectory.New(runs)
		require.NoError(b, err)
		_, err = log.Append("", 0, trajectory.RunStarted{Question: "q"})
		require.NoError(b, err)
		require.NoError(b, log.Close())
	}
	for b.Loop() {
		list, err := trajectory.List(runs)
		require.NoError(b, err)
		require.Len(b, list, 1000)
	}
}
