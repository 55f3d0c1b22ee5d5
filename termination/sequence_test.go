package termination

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/sequence"
)

// observeAll sends events written as letters ("U T[search] A L(text)") and returns the position, from 1, of the
// event that completed a sequence, and the sequence's name.
func observeAll(t *testing.T, m *sequence.Matcher, events string) (at int, name string) {
	t.Helper()
	for i, word := range strings.Fields(events) {
		e := sequence.Event{Type: sequence.EventType(word[:1])}
		if arg := strings.Trim(word[1:], "[]()"); strings.Contains(word, "[") {
			e.Tools = strings.Split(arg, "+")
		} else {
			e.Content = arg
		}
		if seq, done := m.Observe(e); done {
			return i + 1, seq.Name
		}
	}
	return 0, ""
}

func TestSequencesMatch(t *testing.T) {
	for _, c := range []struct {
		sequences, events string // several sequences are separated by ;
		at                int
		name              string
	}{
		{"T, A", "U T[search] A", 3, "T, A"},
		{"T, A", "U T[search] U A", 0, ""}, // no match: the events must follow each other directly
		{"T, A", "U L A T[x] A", 5, "T, A"},
		{"T[calculator], A", "U T[search] A T[calculator] A", 5, "T[calculator], A"},
		{"T[calculator], A", "U T[search+calculator] A", 3, "T[calculator], A"},
		{"T[search], A, T[search], A", "U T[search] A T[search] A", 5, "T[search], A, T[search], A"},
		{"T[search], A, T[search], A", "U T[search] A L T[search] A", 0, ""},
		{
			"T[search], A, T[search], A", "U T[search] A T[other] A T[search] A T[search] A", 9,
			"T[search], A, T[search], A",
		},
		{"T[search], A, T[calculator], A", "T[search] A T[calculator] A", 4, "T[search], A, T[calculator], A"},
		{"L, T, A, L", "U L T[x] A L", 5, "L, T, A, L"},
		{"L, T[calculator], A, L", "U L T[calculator] A L", 5, "L, T[calculator], A, L"},
		{"U, L, A", "U L A", 3, "U, L, A"},
		{"U, L, A", "L A U L A", 5, "U, L, A"},
		{"C[quit|exit|bye]", "U(question) L(hello) U(Bye)", 3, "C[quit|exit|bye]"},
		{"L, C[complete|done|finished]", "U L(working) A(done)", 3, "L, C[complete|done|finished]"},
		{"L, C[complete|done|finished]", "U L(working) L(answer.Done.)", 3, "L, C[complete|done|finished]"},
		{"L, C[complete|done|finished]", "U L(done)", 0, ""}, // no match: C is a separate event
		{"L, L, L", "L L T[x] L L L", 6, "L, L, L"},
		{"N, N", "L N L N N", 5, "N, N"},
		{"TOOL, AGENT", "T[x] A", 2, "TOOL, AGENT"},
		{"T, A; T[x], A", "T[x] A", 2, "T, A"},
		{"T[x], A; T, A", "T[x] A", 2, "T[x], A"},
		{"T, A, L; T", "T[x] A L", 1, "T"},
		{"handled: T, A", "T[x] A", 2, "handled"},
		{"A, A", "A", 0, ""},
	} {
		t.Run(c.sequences+" / "+c.events, func(t *testing.T) {
			var seqs []Sequence
			for text := range strings.SplitSeq(c.sequences, ";") {
				seqs = append(seqs, mustSequence(text))
			}
			m, err := sequence.NewMatcher(seqs)
			require.NoError(t, err)
			at, name := observeAll(t, m, c.events)
			require.Equal(t, c.at, at)
			require.Equal(t, c.name, name)
		})
	}
}

func TestSequenceErrorsPointAtTheMistake(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		want   string
	}{
		{"", 0, "expected an event"},
		{"T,", 2, "expected an event"},
		{"T, X", 3, `unknown event "X"`},
		{"T A", 2, "expected a comma"},
		{"T[search, A", 11, "expected ]"},
		{"T[], A", 2, "expected the name"},
		{"T[a b]", 2, "expected the name"},
		{"C", 1, "expected ["},
		{"C[]", 2, "expected the regular expression"},
		{"L, C[a(b]", 5, "the regular expression is wrong"},
		{"L, C[a|+]", 7, "missing argument to repetition"},
		{"C[a", 3, "expected ]"},
		{"A[x]", 1, "only T and C take brackets"},
		{"é, T", 0, "expected an event"},
		{strings.Repeat("T,", 64) + "T", 128, "at most 64"},
	} {
		t.Run(c.text, func(t *testing.T) {
			_, err := ParseSequence(c.text)
			var e *sequence.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, c.offset, e.Offset, err)
			require.ErrorContains(t, err, c.want)
			lines := strings.Split(err.Error(), "\n")
			require.Len(t, lines, 3)
			require.Equal(t, c.offset, strings.Index(lines[2], "^")-2)
		})
	}
}

func TestSequenceNotation(t *testing.T) {
	for text, want := range map[string]string{
		"t,a": "T, A", " TOOL [ search ] , agent_response ": "T[search], A", "C[[a-c]\\]]": "C[[a-c]\\]]",
		"llm, CONTENT[a,b: c], NO_RESPONSE, user": "L, C[a,b: c], N, U", "bye: C[x]": "C[x]",
	} {
		s, err := ParseSequence(text)
		require.NoError(t, err, text)
		require.Equal(t, want, s.String())
	}
}

func TestSequencesAsObjects(t *testing.T) {
	var seqs []Sequence
	require.NoError(t, json.Unmarshal([]byte(`[
		"T, A",
		{"name": "by hand", "patterns": [{"event": "tool", "tool": "db"}, {"event": "C", "content": "ok", "responder": "agent"}]},
		{"patterns": [{"event": "no_response"}]}
	]`), &seqs))
	m, err := sequence.NewMatcher(seqs)
	require.NoError(t, err)
	at, name := observeAll(t, m, "T[db] L(ok) T[db] T[db] A(OK)")
	require.Equal(t, 5, at)
	require.Equal(t, "T, A", name, "the first listed wins")
	require.Equal(t, []sequence.Progress{
		{Name: "T, A", Matched: 2, Best: 2, Of: 2}, {Name: "by hand", Matched: 2, Best: 2, Of: 2}, {Name: "N", Of: 1},
	}, m.Progress())

	for text, want := range map[string]string{
		`[{"name": "x", "patterns": []}]`:                                        "no events",
		`[{"patterns": [{"event": "Q"}]}]`:                                       `unknown event "Q"`,
		`[{"patterns": [{"event": "C"}]}]`:                                       "needs the regular expression",
		`[{"patterns": [{"event": "C", "content": "("}]}]`:                       "missing closing )",
		`[{"patterns": [{"event": "A", "tool": "x"}]}]`:                          "only T may name a tool",
		`[{"patterns": [{"event": "L", "content": "x"}]}]`:                       "only C may have content",
		`[{"patterns": [{"event": "T"}, {"event": "A", "responder": "robot"}]}]`: `event 2: unknown responder "robot"`,
		`["T, X"]`: `unknown event "X"`,
	} {
		require.ErrorContains(t, json.Unmarshal([]byte(text), &seqs), want, text)
	}
}

func TestEventsOfATurn(t *testing.T) {
	letters := func(tn Turn) string {
		var out string
		for _, e := range tn.Events() {
			out += e.Letter()
		}
		return out
	}
	called := turn(cell("llm_query(x)"), "out")
	called.Cells[0].Called = []string{"llm_query"}
	require.Equal(t, "TA", letters(called))
	require.Equal(t, "LA", letters(turn(cell("x := 1"), "out")))
	require.Equal(t, "L", letters(turn("Hello.", "")))
	require.Equal(t, "L", letters(turn("```python\nx\n```", "")))
	require.Equal(t, "N", letters(turn(" ", "")))
}

func TestSequencesEndARun(t *testing.T) {
	p := DefaultPolicy(Response)
	p.Sequences = []Sequence{mustSequence("T[llm_query_batched], A"), mustSequence("U, L, L")}
	called := turn("I ask.\n"+cell("llm_query_batched(x)"), "three replies")
	called.Cells[0].Called = []string{"llm_query_batched"}
	_, v := play(t, p, turn(cell("x := 1"), "7"), called)
	require.Equal(t, End{
		Status: Completed, Fired: bySequence, Name: "T[llm_query_batched], A", Reason: v.End.Reason,
		Answer: "three replies", HasAnswer: true, From: FromOutput,
	}, *v.End)

	// The question is the first event; a nudge is not an event.
	_, v = play(t, p, turn("First some prose.", ""), turn("Then some more prose.", ""))
	require.Equal(t, "U, L, L", v.End.Name)
	require.Equal(t, "Then some more prose.", v.End.Answer)

	p.Mode = Task
	_, v = play(t, p, called)
	require.Equal(t, PendingReview, v.End.Status)
	require.True(t, v.End.RequiresReview)

	// An answer takes precedence over a sequence.
	called.Cells[0].Final = &answer.FinalOutput{Signal: "FINAL", Answer: "42"}
	_, v = play(t, p, called)
	require.Equal(t, ByFinal, v.End.Fired)
}

func TestSwitches(t *testing.T) {
	called := turn(cell("llm_query(x)"), "out")
	called.Cells[0].Called = []string{"llm_query"}
	for name, c := range map[string]struct {
		set  func(*Policy)
		turn Turn
		want string // the name of what fired; empty: the run continues
	}{
		"single round": {
			func(p *Policy) { p.SingleRound = true }, turn(cell("x := 1"), "7"), "single_round",
		},
		"tool":    {func(p *Policy) { p.DoneIfTool = true }, called, "done_if_tool"},
		"no tool": {func(p *Policy) { p.DoneIfTool = true }, turn(cell("x := 1"), "7"), ""},
		"the model responds": {
			func(p *Policy) { p.DoneIfResponse = []Entity{LLM} }, turn("Some words.", ""), "done_if_response",
		},
		"the notebook responds": {
			func(p *Policy) { p.DoneIfResponse = []Entity{Agent} }, turn(cell("x := 1"), "7"), "done_if_response",
		},
		"the user does not": {
			func(p *Policy) { p.DoneIfResponse = []Entity{sequence.User} }, turn("Some words.", ""), "",
		},
		"the model is silent": {
			func(p *Policy) { p.DoneIfNoResponse = []Entity{LLM} }, turn("", ""), "done_if_no_response",
		},
		"the notebook is silent": {
			func(p *Policy) { p.DoneIfNoResponse = []Entity{Agent} }, turn(cell("x := 1"), ""), "done_if_no_response",
		},
		"the notebook is not": {
			func(p *Policy) { p.DoneIfNoResponse = []Entity{Agent} }, turn(cell("x := 1"), "7"), "",
		},
		"a sequence goes first": {func(p *Policy) {
			p.SingleRound = true
			p.Sequences = []Sequence{mustSequence("L")}
		}, turn("Some words.", ""), "L"},
		"string signal": {
			func(p *Policy) { p.StringSignals = []string{"DONE"} }, turn("The total is 42.\nDONE", ""), "DONE",
		},
		"string signal is off": {func(p *Policy) {}, turn("The total is 42.\nDONE", ""), ""},
		"string signal in a word": {
			func(p *Policy) { p.StringSignals = []string{"DONE"} }, turn("ABANDONED or DONENESS", ""), "",
		},
		"string signal in a line": {
			func(p *Policy) { p.StringSignals = []string{"DONE"} }, turn("Say DONE when it is.", ""), "",
		},
		"string signal beside a failure": {func(p *Policy) { p.StringSignals = []string{"DONE"} }, func() Turn {
			tn := turn(cell("boom()")+"\n\nDONE", "boom")
			tn.Cells[0].Error = "Panic"
			return tn
		}(), ""},
		"string signal in code": {
			func(p *Policy) { p.StringSignals = []string{"DONE"} }, turn("So:\n```text\nDONE\n```", ""), "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := DefaultPolicy(Response)
			c.set(&p)
			_, v := play(t, p, c.turn)
			if c.want == "" {
				require.Equal(t, Continue, v.Action)
				return
			}
			require.Equal(t, c.want, v.End.Name)
			require.Equal(t, Completed, v.End.Status)
		})
	}
	p := DefaultPolicy(Response)
	p.StringSignals = []string{"DONE", "PASS"}
	_, v := play(t, p, turn("The total is **42**. DONE.\n\nIndeed.", ""))
	require.Equal(t, "The total is **42**.\n\nIndeed.", v.End.Answer)
}
