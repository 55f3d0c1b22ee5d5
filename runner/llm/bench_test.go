package llm_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

// BenchmarkCall measures one call to an instant endpoint over HTTP, including the endpoint's part.
func BenchmarkCall(b *testing.B) {
	for name, prompt := range map[string]string{"small": "hi", "100KB": strings.Repeat("0123456789", 10_000)} {
		b.Run(name, func(b *testing.B) {
			s := fakeapi.StartFunc(func(fakeapi.Request) fakeapi.Reply { return fakeapi.Reply{Content: "ok"} })
			c := client(b, s)
			for b.Loop() {
				_, err := c.Generate(b.Context(), ask(prompt), nil)
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkManyCalls measures 5 000 calls of 20 ms, 64 at a time, against the ideal of 1 580 ms ("x-ideal" is the
// ratio).
func BenchmarkManyCalls(b *testing.B) {
	const calls, atOnce, each = 5000, 64, 20 * time.Millisecond
	s := fakeapi.StartFunc(func(fakeapi.Request) fakeapi.Reply { return fakeapi.Reply{Content: "ok", Delay: each} })
	c := client(b, s, func(cfg *llm.Config) { cfg.Concurrency = atOnce })
	for b.Loop() {
		start := time.Now()
		var wg sync.WaitGroup
		for range calls {
			wg.Go(func() {
				if _, err := c.Generate(b.Context(), ask("hi"), nil); err != nil {
					b.Error(err)
				}
			})
		}
		wg.Wait()
		ideal := time.Duration((calls+atOnce-1)/atOnce) * each
		b.ReportMetric(float64(time.Since(start))/float64(ideal), "x-ideal")
	}
}
