package budget

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/llm"
)

func TestNumbersThatCannotBeAreNotBelieved(t *testing.T) {
	req := llm.Request{Messages: []llm.Message{{Role: "user", Content: strings.Repeat("question ", 50)}}}
	reply := llm.Response{Content: strings.Repeat("answer ", 100), Reasoning: strings.Repeat("thought ", 300)}
	estimate := llm.Usage{
		Prompt:     llm.EstimateMessages(req.Messages),
		Completion: llm.EstimateTokens(reply.Content) + llm.EstimateTokens(reply.Reasoning), Estimated: true,
	}
	for _, n := range []int64{-1, mostTokens + 1} {
		reply.Usage = llm.Usage{Prompt: 1, Wasted: n}
		require.Equal(t, estimate, Plausible(reply, req).Usage)
		reply.Waste = llm.Waste{Usage: llm.Usage{Prompt: n}, Cost: new(1.0)}
		require.Zero(t, Plausible(reply, req).Waste)
	}
	for _, n := range []int64{0, 1, mostTokens} {
		reply.Usage = llm.Usage{Prompt: n, Completion: n}
		reply.Waste = llm.Waste{Usage: llm.Usage{Prompt: n}, Cost: new(1.0)}
		got := Plausible(reply, req)
		require.Equal(t, reply.Usage, got.Usage)
		require.Equal(t, reply.Waste, got.Waste)
	}
	for _, cost := range []float64{0, 1, math.MaxFloat32} {
		reply.Cost = &cost
		require.Equal(t, &cost, Plausible(reply, req).Cost)
	}
	for _, cost := range []float64{-1, 2 * math.MaxFloat32, math.Inf(1), math.NaN()} {
		reply.Cost, reply.Waste.Cost = &cost, &cost
		require.Nil(t, Plausible(reply, req).Cost)
		require.Nil(t, Plausible(reply, req).Waste.Cost)
	}
	reply.Attempts, reply.Duration = -1, -1
	got := Plausible(reply, req)
	require.Zero(t, got.Attempts)
	require.Zero(t, got.Duration)
}
