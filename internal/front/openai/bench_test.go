package openai_test

import (
	"bufio"
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

const oneTurn = "do: FINAL(1)"

// BenchmarkRunner measures a run of one turn without the endpoint, to compare with BenchmarkChat.
func BenchmarkRunner(b *testing.B) {
	model := fakeapi.StartFunc(obedient)
	defer model.Close()
	m, err := llm.New(llm.Config{Model: "fake", BaseURL: model.URL(), APIKey: llm.NewSecret("sk-test")})
	require.NoError(b, err)
	r, err := runner.New(m, runner.WithDataDir(b.TempDir()))
	require.NoError(b, err)
	for b.Loop() {
		res, err := r.Answer(context.Background(), oneTurn)
		require.NoError(b, err)
		require.Equal(b, "1", res.Answer)
	}
}

// BenchmarkChat measures a run of one turn over the endpoint.
func BenchmarkChat(b *testing.B) {
	s := start(b, obedient)
	for b.Loop() {
		require.Equal(b, "1", s.chat(object{"messages": says(oneTurn)}).answer())
	}
}

// BenchmarkChatWithKey adds an idempotency key, which is on disk before the run begins.
func BenchmarkChatWithKey(b *testing.B) {
	s := start(b, obedient)
	for b.Loop() {
		require.Equal(b, "1", s.chat(object{"messages": says(oneTurn)}, key(time.Now().String())).answer())
	}
}

// BenchmarkFirstByte measures the time to the first progress of a stream.
func BenchmarkFirstByte(b *testing.B) {
	s := start(b, obedient)
	for b.Loop() {
		res := s.open(context.Background(), "POST", "v1/chat/completions",
			object{"model": "rlm", "messages": says(oneTurn), "stream": true})
		_, err := bufio.NewReader(res.Body).ReadString('\n')
		require.NoError(b, err)
		b.StopTimer()
		events(b, res.Body)
		require.NoError(b, res.Body.Close())
		b.StartTimer()
	}
}

// Benchmark200AtOnce measures 200 concurrent runs of one turn.
func Benchmark200AtOnce(b *testing.B) {
	s := start(b, obedient, func(cfg *api.Config) { cfg.MaxRuns = 16 })
	for b.Loop() {
		var all sync.WaitGroup
		for range 200 {
			all.Go(func() {
				assert.Equal(b, "1", s.chat(object{"messages": says(oneTurn)}).answer())
			})
		}
		all.Wait()
	}
}
