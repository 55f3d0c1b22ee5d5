package termination

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gorlm/rlm/termination/answer"
)

// A sequence matches when its patterns match the latest events one by one: the definition, without any bits.
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
		e := Event{Type: rapid.SampledFrom([]EventType{ToolEvent, AgentEvent, LLMEvent, UserEvent, NoResponse}).Draw(t, "type")}
		if e.Type == ToolEvent {
			e.Tools = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 2, rapid.ID).Draw(t, "tools")
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
			seqs = append(seqs, mustSequence(text))
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

func TestSequenceNotationRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"T", "T[search]", "A", "L", "U", "N", `C[a|b]`, `C[[^\]]+]`, `C[\[x\]]`}), 1, 8).Draw(t, "parts")
		text := strings.Join(parts, ", ")
		s, err := ParseSequence(text)
		require.NoError(t, err)
		require.Equal(t, text, s.String())
		data, err := json.Marshal(s)
		require.NoError(t, err)
		var back Sequence
		require.NoError(t, json.Unmarshal(data, &back))
		require.Equal(t, s.String(), back.String())
	})
}

// Whatever a run brings, it ends: no mix of turns runs for ever, and the answer of a signal always wins.
func TestEveryRunEnds(t *testing.T) {
	kinds := []Turn{
		turn("", ""), turn("OK.", ""), turn("Some prose about it.", ""), turn(cell("a()"), "1"), turn(cell("b()"), "2"), failing("Panic"),
		turn("I will call FINAL(x) later.", ""), turn("```python\nx\n```", ""), turn(cell("c()")+"\nFINAL(", "3"),
	}
	rapid.Check(t, func(t *rapid.T) {
		p := DefaultPolicy(rapid.SampledFrom([]Mode{Response, Task}).Draw(t, "mode"))
		p.MaxTurns = rapid.IntRange(1, 20).Draw(t, "turns")
		s, err := p.Begin("q")
		require.NoError(t, err)
		for i := 0; ; i++ {
			require.LessOrEqual(t, i, p.MaxTurns, "a run has at most one turn after its limit")
			tn := rapid.SampledFrom(kinds).Draw(t, "turn")
			answers := rapid.IntRange(0, 9).Draw(t, "answers") == 0
			if answers {
				tn = answering(answer.FinalOutput{Signal: "FINAL", Answer: "42"})
			}
			var v Verdict
			s, v = p.Next(s, tn)
			require.Equal(t, v.Action == Stop, v.End != nil)
			require.Equal(t, v.Action == LastTurn, v.Limit != nil)
			if answers {
				require.Equal(t, "42", v.End.Answer)
			}
			if v.Action == Stop {
				require.NotEmpty(t, v.End.Status)
				require.NotEmpty(t, v.End.Name)
				require.Equal(t, v.End.HasAnswer, v.End.From != "", "%+v", v.End)
				require.False(t, p.Mode == Task && v.End.Status == Completed, "a task is never completed")
				return
			}
		}
	})
}

func FuzzParseSequence(f *testing.F) {
	for _, s := range []string{"T, A", "x: T[search], A, C[a|[b-c]\\]]", "L,C[(", "NO_RESPONSE"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		seq, err := ParseSequence(s)
		if err != nil {
			var e *SequenceError
			require.ErrorAs(t, err, &e)
			require.LessOrEqual(t, e.Offset, len(s))
			return
		}
		again, err := ParseSequence(seq.String())
		require.NoError(t, err)
		require.Equal(t, seq.String(), again.String())
	})
}
