package termination

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/sequence"
)

func TestSequenceNotationRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(
			[]string{"T", "T[search]", "A", "L", "U", "N", `C[a|b]`, `C[[^\]]+]`, `C[\[x\]]`}), 1, 8).Draw(t, "parts")
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

// Every run ends: no mix of turns runs for ever, and the answer of a signal always wins.
func TestEveryRunEnds(t *testing.T) {
	kinds := []Turn{
		turn("", ""), turn("OK.", ""), turn("Some prose about it.", ""), turn(cell("a()"), "1"), turn(cell("b()"), "2"),
		failing("Panic"),
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
			var e *sequence.Error
			require.ErrorAs(t, err, &e)
			require.LessOrEqual(t, e.Offset, len(s))
			return
		}
		again, err := ParseSequence(seq.String())
		require.NoError(t, err)
		require.Equal(t, seq.String(), again.String())
	})
}
