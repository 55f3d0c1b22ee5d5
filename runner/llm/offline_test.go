package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

func TestScripted(t *testing.T) {
	m := llm.NewScripted("script", "one", "zwei: äöü")
	resp, g := generate(t, m, ask("a"))
	require.Equal(t, "one", resp.Content)
	require.NotEmpty(t, g.deltas)
	require.True(t, resp.Usage.Estimated)
	require.Equal(t, "script", resp.Model)
	resp, _ = generate(t, m, ask("b"))
	require.Equal(t, "zwei: äöü", resp.Content)
	require.Equal(t, llm.ErrNotRecorded, failure(t, m, ask("c")).Kind)
	require.Equal(t, "b", m.Requests()[1].Messages[1].Content)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := m.Generate(ctx, ask("d"), nil)
	require.ErrorIs(t, err, context.Canceled)
}

func TestRecorded(t *testing.T) {
	key := llm.Key{Path: "1.3/2", Cell: 4, Hash: "abc", N: 1}
	live := llm.NewScripted("live", "fresh")
	replies := map[llm.Key]llm.Response{key: {Content: "kept", Usage: llm.Usage{Prompt: 5, Completion: 1}}}
	req := ask("q")
	req.Key = key
	for _, m := range []*llm.RecordedModel{llm.NewRecorded("m", replies, nil), llm.NewRecorded("m", replies, live)} {
		resp, _ := generate(t, m, req)
		require.Equal(t, "kept", resp.Content)
		require.Equal(t, llm.Usage{Prompt: 5, Completion: 1}, resp.Usage)
	}
	req.Key.N = 2
	e := failure(t, llm.NewRecorded("m", replies, nil), req)
	require.Equal(t, llm.ErrNotRecorded, e.Kind)
	require.Contains(t, e.Message, "sub-call of cell 4 of child run 1.3/2")
	resp, _ := generate(t, llm.NewRecorded("m", replies, live), req)
	require.Equal(t, "fresh", resp.Content)
}

func TestPrices(t *testing.T) {
	prices := llm.KnownPrices()
	for name, model := range map[string]string{
		"exact": "gpt-4o", "dated": "gpt-4o-2024-08-06", "served": "openai/gpt-4o", "both": "openai/gpt-4o-2024-08-06",
		"case": "GPT-4o",
	} {
		cost := prices.Cost(model, llm.Usage{Prompt: 1_000_000, Completion: 100_000, Cached: 500_000})
		require.NotNil(t, cost, name)
		require.InDelta(t, 0.5*2.5+0.5*1.25+0.1*10, *cost, 1e-9, name)
	}
	require.Nil(t, prices.Cost("gpt-4oh", llm.Usage{Prompt: 1}), "no guess by similarity")
	require.Nil(t, prices.Cost("llama3", llm.Usage{Prompt: 1}))

	require.Equal(t, llm.Prices{"a": {Input: 1}}, llm.Prices(nil).With(llm.Prices{"a": {Input: 1}}))
	mine := prices.With(llm.Prices{"llama3": {Input: 1, Output: 2}})
	require.InDelta(t, 3.0, *mine.Cost("llama3", llm.Usage{Prompt: 1_000_000, Completion: 1_000_000}), 1e-9)
	require.NotNil(t, mine.Cost("gpt-4o", llm.Usage{Prompt: 1}))
	_, ok := prices.Lookup("llama3")
	require.False(t, ok, "the table it was made from is unchanged")
	require.InDelta(t, 1.0, *mine.Cost("llama3", llm.Usage{Wasted: 1_000_000}), 1e-9)
}

func TestWindows(t *testing.T) {
	for model, want := range map[string]int64{
		"gpt-4o-mini": 128_000, "openai/gpt-4.1-2025-04-14": 1_047_576,
		"anthropic/claude-sonnet-4.5": 200_000, "gpt-5-mini": 400_000,
	} {
		require.Equal(t, want, llm.Known(model).Window, model)
	}
	require.Zero(t, llm.Known("my-model").Window)
}

func TestEstimates(t *testing.T) {
	require.Zero(t, llm.EstimateTokens(""))
	require.EqualValues(t, 1, llm.EstimateTokens("a"))
	require.InDelta(t, 200, llm.EstimateTokens(strings.Repeat("word ", 200)), 10)
	require.Greater(t, llm.EstimateTokens(strings.Repeat("漢字", 100)), int64(100))
}

func TestSecretsInJSON(t *testing.T) {
	out, err := json.Marshal(struct{ Key llm.Secret }{llm.NewSecret(testKey)})
	require.NoError(t, err)
	require.NotContains(t, string(out), testKey)
	require.True(t, llm.NewSecret("").Empty())
	require.Equal(t, testKey, llm.NewSecret(testKey).Reveal())
	require.NotContains(t, fmt.Sprintf("%x", llm.NewSecret(testKey)), fmt.Sprintf("%x", testKey))
}
