package termination

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/sequence"
)

func TestSequencesThatCanNeverMatch(t *testing.T) {
	tools := []string{"llm_query", "grep"}
	for text, why := range map[string]string{
		"A, A": "event 2, A", "T, T": "event 2, T", "T, L": "event 2, L", "A, U": "event 2, U", "U, U": "event 2, U",
		"L, A, A":      "event 3, A",
		"T[nosuch], A": "there is no tool nosuch; there are llm_query, grep", "T[llm_qurey]": "did you mean llm_query?",
		"T, C[x], A": "event 3, A",
	} {
		err := mustSequence(text).Check(tools)
		require.ErrorContains(t, err, "can never match", text)
		require.ErrorContains(t, err, why, text)
	}
	s, err := Sequence{Patterns: []sequence.Pattern{{Type: sequence.AgentEvent, Responder: sequence.User}}}.Compile()
	require.NoError(t, err)
	require.Error(t, s.Check(nil))
	for _, text := range []string{
		"T, A", "T[grep], A, T[llm_query], A", "U, L", "L, L, L", "L, A", "N, N", "C[a], C[b]", "A, C[done]",
		"L, C[complete|done]", "T", "U, T, A", "N, T",
	} {
		require.NoError(t, mustSequence(text).Check(tools), text)
	}
	require.NoError(t, mustSequence("T[anything]").Check(nil))

	p := DefaultPolicy(Response)
	p.Sequences = []Sequence{mustSequence("A, A")}
	_, err = p.Begin("q")
	require.ErrorContains(t, err, "can never match")
}
