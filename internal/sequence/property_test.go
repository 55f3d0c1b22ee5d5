package sequence

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// matchesNaively is the definition of a match, without bit sets: a sequence matches if its patterns match the
// latest events one by one.
func matchesNaively(s Sequence, events []Event) bool {
	n := len(s.Patterns)
	if len(events) < n {
		return false
	}
	for i, e := range events[len(events)-n:] {
		if !s.Patterns[i].matches(e) {
			return false
		}
	}
	return true
}

func TestMatcherAgreesWithTheDefinition(t *testing.T) {
	element := rapid.SampledFrom([]string{"T", "T[a]", "T[b]", "A", "L", "U", "N", "C[x]", "C[.]"})
	event := rapid.Custom(func(t *rapid.T) Event {
		e := Event{Type: rapid.SampledFrom([]EventType{ToolEvent, AgentEvent, LLMEvent, UserEvent, NoResponse}).Draw(
			t, "type")}
		if e.Type == ToolEvent {
			e.Tools = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 2, rapid.ID).Draw(
				t, "tools")
		}
		if e.Type != NoResponse {
			e.Content = rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "content")
		}
		return e
	})
	rapid.Check(t, func(t *rapid.T) {
		var seqs []Sequence
		for range rapid.IntRange(1, 3).Draw(t, "sequences") {
			text := strings.Join(rapid.SliceOfN(element, 1, 4).Draw(t, "sequence"), ",")
			seq, err := Parse(text)
			require.NoError(t, err)
			seqs = append(seqs, seq)
		}
		m, err := NewMatcher(seqs)
		require.NoError(t, err)
		var seen []Event
		for _, e := range rapid.SliceOfN(event, 0, 30).Draw(t, "events") {
			seen = append(seen, e)
			got, done := m.Observe(e)
			i := slices.IndexFunc(seqs, func(s Sequence) bool { return matchesNaively(s, seen) })
			require.Equal(t, i >= 0, done)
			if done {
				require.Equal(t, seqs[i].Name, got.Name)
			}
		}
	})
}
