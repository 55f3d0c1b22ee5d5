package termination

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
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
				tn = answering(FinalOutput{Signal: "FINAL", Answer: "42"})
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

func TestFormatAnswerTakesAnything(t *testing.T) {
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		leaf := rapid.OneOf(
			rapid.Custom(func(t *rapid.T) any { return rapid.String().Draw(t, "s") }),
			rapid.Custom(func(t *rapid.T) any { return rapid.Float64().Draw(t, "f") }),
			rapid.Custom(func(t *rapid.T) any { return rapid.Int().Draw(t, "i") }),
			rapid.Just[any](nil), rapid.Just[any](true), rapid.Just[any](panicky{}), rapid.Just[any](fmt.Errorf("e")),
		)
		if depth == 0 {
			return leaf
		}
		inner := value(depth - 1)
		return rapid.OneOf(leaf,
			rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(inner, 0, 4).Draw(t, "list") }),
			rapid.Custom(func(t *rapid.T) any { return rapid.MapOfN(rapid.StringN(1, 5, 9), inner, 0, 4).Draw(t, "map") }),
			rapid.Custom(func(t *rapid.T) any { v := inner.Draw(t, "pointer"); return &v }),
		)
	}
	rapid.Check(t, func(t *rapid.T) {
		v := value(3).Draw(t, "value")
		text := FormatAnswer(v)
		require.LessOrEqual(t, len(text), MaxAnswer+100)
		m, isMap := v.(map[string]any)
		if _, answer := m["answer"]; isMap && !answer {
			require.True(t, json.Valid([]byte(text)), text)
		}
		require.True(t, json.Valid([]byte(ValueOf(v).JSON())))
	})
}

func TestMarkerIsTheSignalsOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		summary := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"[FINISH_STATUS:", "done]", "blocked", "]", " ", "[", "x"})).Draw(t, "summary"), "")
		status := rapid.SampledFrom([]FinishStatus{Done, Partial, Blocked}).Draw(t, "status")
		got, ok := ParseMarker(Finish{summary, status}.Output())
		require.True(t, ok)
		require.Equal(t, status, got)
	})
}

func FuzzParse(f *testing.F) {
	for _, r := range bigReplies(300) {
		f.Add(r, true)
	}
	for _, r := range hostileReplies(300) {
		f.Add(r, false)
	}
	f.Add("<think>a</think>```go\nx := FINAL(1)\n```\r\nThe answer: FINAL(\"a\\n\\u00e9\\q\" + x)", true)
	f.Fuzz(func(t *testing.T, reply string, cut bool) {
		r := Parse(reply, DefaultNames(), cut)
		checkReply(t, reply, r)
		for _, c := range r.Cells {
			DetectInCode(c.Source, DefaultNames())
		}
	})
}

func FuzzDetectInCode(f *testing.F) {
	for _, s := range []string{"FINAL(x)", "FINAL_VAR(\"a\"", "FINAL_VAR('", "`", "FINAL(\"\"\"a", "x.FINAL(1); finish_task({})"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, code string) {
		if d := DetectInCode(code, DefaultNames()); d.Detected {
			require.Contains(t, code, d.RawMatch)
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

func FuzzParseFinish(f *testing.F) {
	f.Add(`{"summary": "s", "status": "partial"}`)
	f.Add(`{"summary": {"a": [1, null]}, "Status": 3}`)
	f.Fuzz(func(t *testing.T, payload string) {
		got, err := ParseFinish(payload)
		if err != nil {
			return
		}
		status, ok := ParseMarker(got.Output())
		require.True(t, ok)
		require.Equal(t, got.Status, status)
	})
}
