package reply

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDoubtedCallsDoNotCount(t *testing.T) {
	for _, text := range []string{
		"If the count is zero: FINAL(0)",
		"If the count is zero, FINAL(0); otherwise FINAL(1)",
		"Otherwise: FINAL(1)",
		"Maybe FINAL(41)",
		"Perhaps FINAL(41)",
		"Tentatively: FINAL(41)",
		"Do not answer FINAL(41)",
		"Don't answer FINAL(41)",
		"[THINK]\nFINAL(41)\n[/THINK]\nI look.",
		"◁think▷\nFINAL(41)\n◁/think▷\nI look.",
		"<seed:think>\nFINAL(41)\n</seed:think>\nI look.",
		"<analysis>\nFINAL(41)\n</analysis>\nI look.",
		"<|begin_of_thought|>\nFINAL(41)\n<|end_of_thought|>\nI look.",
		"FINAL(41)\n<|end_of_thought|>\nI look.",
	} {
		for _, s := range Parse(text, DefaultNames(), false).Signals {
			require.False(t, s.Counts(false), text)
		}
	}
	for _, text := range []string{
		"If we count only errors, the answer is 42: FINAL(42)",
		"[THINK]Hm.[/THINK]\n\nFINAL(42)",
		"<|begin_of_thought|>Hm.<|end_of_thought|>\n\nThe answer: FINAL(42)",
		"See [think](a.md).\n\nFINAL(42)",
	} {
		signals := Parse(text, DefaultNames(), false).Signals
		require.Len(t, signals, 1, text)
		require.True(t, signals[0].Counts(false), text)
	}
}
