package llm_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

func TestLimits(t *testing.T) {
	t.Run("concurrency", func(t *testing.T) {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "ok", Delay: 200 * time.Millisecond}})
		inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
			c := newClient(t, s, over, func(cfg *llm.Config) { cfg.Concurrency = 3 })
			askMany(t, c, 12)
			require.Equal(t, 3, s.MostInFlight())
		})
	})
	t.Run("requests a minute", func(t *testing.T) {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "ok"}})
		inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
			// 20 requests a second, in bursts of 20
			c := newClient(t, s, over, func(cfg *llm.Config) { cfg.RequestsPerMinute = 1200 })
			start := time.Now()
			askMany(t, c, 30)
			require.GreaterOrEqual(t, time.Since(start), 450*time.Millisecond)
		})
	})
	t.Run("tokens a minute", func(t *testing.T) {
		s := fakeapi.Start(fakeapi.Rule{
			Times: -1, Reply: fakeapi.Reply{Content: "ok", PromptTokens: 600, CompletionTokens: 400},
		})
		inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
			c := newClient(t, s, over, func(cfg *llm.Config) { cfg.TokensPerMinute = 60_000 }) // 1 000 a second
			for range 62 {
				generate(t, c, ask("hi"))
			}
			calls := s.Requests()
			require.GreaterOrEqual(t, calls[61].Time.Sub(calls[0].Time), 700*time.Millisecond,
				"what calls used beyond the estimate counts")
		})
	})
	t.Run("no room before the deadline", func(t *testing.T) {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "ok"}})
		c := client(t, s, func(cfg *llm.Config) { cfg.RequestsPerMinute, cfg.Timeout = 1, 20*time.Second })
		generate(t, c, ask("hi"))
		e := failure(t, c, ask("hi"))
		require.Contains(t, e.Message, "per minute")
		require.Len(t, s.Requests(), 1)
	})
}

func askMany(t *testing.T, c llm.Model, n int) {
	t.Helper()
	var wg sync.WaitGroup
	var failed atomic.Int32
	for range n {
		wg.Go(func() {
			if _, err := c.Generate(t.Context(), ask("hi"), nil); err != nil {
				failed.Add(1)
			}
		})
	}
	wg.Wait()
	require.Zero(t, failed.Load())
}
