package termination

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/reply"
	"github.com/gorlm/rlm/internal/sequence"
)

// Replies that differ only in the amount of white space are equal; replies with white space in other places are
// not.
func TestSpaceMakesNoOtherReply(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "ab": "ab", " \n": "", "a b": "a b", " a": "a", "\ta\n\n b ": "a b", "a\u00a0b": "a b",
	} {
		require.Equal(t, want, normalSpace(text), "%q", text)
	}
	s, _ := play(t, DefaultPolicy(Response), turn("  I think so.", ""), turn("I  think\nso.\n", ""))
	require.Equal(t, 2, s.SameReply)
	s, _ = play(t, DefaultPolicy(Response), turn("I think so.", ""), turn("It hink so.", ""))
	require.Equal(t, 1, s.SameReply)
}

func TestAnAnswerWithoutEvidenceIsSentBackOnce(t *testing.T) {
	answered := func(by Trigger) Verdict {
		return Verdict{
			Action: Stop, End: &End{Status: Completed, Fired: by, Answer: "42", HasAnswer: true},
			Nudges: []Reminder{{Guard: guardEcho}}, Ignored: []IgnoredSignal{{Signal: "FINAL"}},
		}
	}
	without := answered(ByFinal)
	without.End = &End{Status: Completed, Fired: ByFinal}
	for name, c := range map[string]struct {
		off     bool
		state   State
		turn    Turn
		verdict Verdict
		want    Action
	}{
		"by FINAL":            {verdict: answered(ByFinal), want: Continue},
		"by a signal":         {verdict: answered(BySignal), want: Continue},
		"by prose":            {verdict: answered(ByProse), want: Continue},
		"in the last but one": {state: State{Turns: 29}, verdict: answered(ByFinal), want: Continue},
		"with no turn left":   {state: State{Turns: 30}, verdict: answered(ByFinal), want: LastTurn},
		"with no budget left": {
			turn: Turn{Limits: []Limit{{Status: CostLimit}}}, verdict: answered(ByFinal), want: LastTurn,
		},
		"evidence is not needed": {off: true, verdict: answered(ByFinal), want: Stop},
		"a second time":          {state: State{SentBack: true}, verdict: answered(ByFinal), want: Stop},
		"in the last turn": {
			state: State{Limit: &Limit{Status: CostLimit}}, verdict: answered(ByFinal), want: Stop,
		},
		"without an answer": {verdict: without, want: Stop},
		"the run goes on":   {verdict: Verdict{Action: Continue}, want: Continue},
		"by a guard":        {verdict: answered(byGuard), want: Stop},
	} {
		t.Run(name, func(t *testing.T) {
			p := DefaultPolicy(Response)
			p.RequireEvidence = !c.off
			s, v := p.SendBack(c.state, c.turn, c.verdict, Lacks{Evidence: "nothing supports it", Cite: "cite"})
			if c.want == Stop || c.verdict.Action == Continue {
				require.Equal(t, c.state, s)
				require.Equal(t, c.verdict, v)
				return
			}
			require.Equal(t, c.want, v.Action)
			require.Equal(t, c.want == LastTurn, v.Limit != nil)
			require.Equal(t, v.Limit, s.Limit)
			require.True(t, s.SentBack)
			require.Equal(t, "42", s.Offered)
			require.Nil(t, v.End)
			require.Equal(t, c.verdict.Ignored, v.Ignored)
			require.Equal(t, []Guard{guardEcho, guardEvidence}, guardsOf(v))
			require.Contains(t, v.Nudges[1].Text, "nothing supports it. Mark what it says with cite(part)")
			require.Contains(t, v.Nudges[1].Text, "word for word; then give the answer again")
		})
	}
}

// An imitation of output next to cells gets a remark; one without a cell gets a reminder of how to act.
func TestEchoesAreRemarkedOn(t *testing.T) {
	p := DefaultPolicy(Response)
	p.ObservationMarks = []string{"[output"}
	_, v := play(t, p, turn("[output of 1]\na", ""))
	require.Len(t, v.Nudges, 1)
	require.Contains(t, v.Nudges[0].Text, "no cell ran: only the notebook writes output. You act by writing Go")
	_, v = play(t, p, turn(cell("f()")+"\n[output]\n3", "3"))
	require.Len(t, v.Nudges, 1)
	require.Contains(t, v.Nudges[0].Text, "what your cells really did is above")
}

func TestRepetitions(t *testing.T) {
	bare := turn("```go\na()\n```", "1")
	a, b := turn(cell("a()"), "1"), turn(cell("b()"), "2")
	python := turn("```python\nx\n```", "")
	for name, c := range map[string]struct {
		set   func(*Policy)
		turns []Turn
		name  string // name of the guard that stops the run; empty: the run continues
		guard []Guard
	}{
		"empty replies are no repetition": {
			func(p *Policy) { p.EmptyReplies = 0 }, slices.Repeat([]Turn{turn("", "")}, 3), "", nil,
		},
		"a cell without a word, twice": {func(*Policy) {}, []Turn{bare, bare}, "", []Guard{guardRepeatedReply}},
		"a cell without a word":        {func(*Policy) {}, []Turn{bare, bare, bare}, "repeated_reply", nil},
		"a loop of two rounds": {
			func(p *Policy) { p.LoopRounds = 2 }, []Turn{a, b, a, b}, "alternating_loop", nil,
		},
		"a loop of two rounds, before": {func(p *Policy) { p.LoopRounds = 2 }, []Turn{a, b, a}, "", nil},
		"a loop of one round":          {func(p *Policy) { p.LoopRounds = 1 }, []Turn{a, b, a, b, a, b}, "", nil},
		"the fourth error": {
			func(p *Policy) { p.SameReplies = 0 }, slices.Repeat([]Turn{python}, 4), "", []Guard{guardErrors},
		},
		"the error limit": {
			func(p *Policy) { p.SameReplies = 0 }, slices.Repeat([]Turn{python}, 5), "", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := DefaultPolicy(Response)
			c.set(&p)
			_, v := play(t, p, c.turns...)
			require.Equal(t, c.guard, guardsOf(v))
			require.Equal(t, c.name != "", v.End != nil)
			if v.End != nil {
				require.Equal(t, c.name, v.End.Name)
			}
		})
	}
}

func TestGuardsCount(t *testing.T) {
	a, b := turn(cell("a()"), "1"), turn(cell("b()"), "2")
	_, v := play(t, DefaultPolicy(Response), a, b, a, b, a, b)
	require.Equal(t, "the last 6 turns repeated every 2 turns, with the same results", v.End.Reason)
	p := DefaultPolicy(Response)
	p.SameReplies, p.SameCells = 0, 0
	_, v = play(t, p, failing("Panic"), failing("Panic"))
	require.Contains(t, v.Nudges[0].Text, "2 turns in a row have failed; after 3 more the run ends.")
}

// A state keeps as many of the latest turns as are in the longest loop that guards detect.
func TestTheTurnsThatAreKeptAreBounded(t *testing.T) {
	for rounds, want := range map[int]int{0: 1, 1: 10, 3: 30} {
		p := DefaultPolicy(Response)
		p.LoopRounds, p.MaxTurns = rounds, 0
		s, err := p.Begin("q")
		require.NoError(t, err)
		for i := range 40 {
			s, _ = p.Next(s, turn(cell(fmt.Sprint("f(", i, ")")), fmt.Sprint(i)))
		}
		require.Len(t, s.Recent, want)
	}
}

func TestTrivialRepliesAreNoAnswers(t *testing.T) {
	for text, want := range map[string]string{"12345678é": "", "123456789é": "123456789é"} {
		s, _ := play(t, DefaultPolicy(Response), turn(text, ""))
		require.Equal(t, want, s.Said)
		require.Equal(t, want == "", s.Empty > 0)
	}
}

// If the setting SingleRound ends a run, the answer is the last output, or else the prose of a reply.
func TestAnswersOfSwitches(t *testing.T) {
	cut := Turn{Reply: reply.Parse("The total of the first three quarters is", reply.DefaultNames(), true)}
	said := turn("I found that the total is 42 so far.", "")
	for name, c := range map[string]struct {
		turns []Turn
		want  string
		from  AnswerFrom
	}{
		"what the cell printed":  {[]Turn{turn(cell("x := 1"), "7")}, "7", FromOutput},
		"what was said":          {[]Turn{said}, "I found that the total is 42 so far.", FromReply},
		"what was said before":   {[]Turn{said, turn("", "")}, "I found that the total is 42 so far.", FromPartial},
		"half of what was said":  {[]Turn{cut}, "The total of the first three quarters is", FromPartial},
		"DONE beside a cell":     {[]Turn{turn(cell("x := 1")+"\n\nThe total is 42.\nDONE", "7")}, "7", FromOutput},
		"DONE behind the answer": {[]Turn{turn("The total is 42.\nDONE", "")}, "The total is 42.", FromReply},
	} {
		t.Run(name, func(t *testing.T) {
			p := DefaultPolicy(Response)
			p.StringSignals = []string{"DONE"}
			s, err := p.Begin("q")
			require.NoError(t, err)
			last := len(c.turns) - 1
			for _, tn := range c.turns[:last] {
				s, _ = p.Next(s, tn)
			}
			p.SingleRound = true
			_, v := p.Next(s, c.turns[last])
			require.Equal(t, Completed, v.End.Status)
			require.Equal(t, c.want, v.End.Answer)
			require.Equal(t, c.from, v.End.From)
		})
	}
}

// TestProseOfAnUnreadTextIsNoAnswerOfARound: it ends in failure, as it does without the setting.
func TestProseOfAnUnreadTextIsNoAnswerOfARound(t *testing.T) {
	p := DefaultPolicy(Response)
	p.SingleRound = true
	s, err := p.Begin("q")
	require.NoError(t, err)
	s.Unread = true
	_, v := p.Next(s, turn("It is surely cart.", ""))
	require.Equal(t, Failed, v.End.Status)
	require.False(t, v.End.HasAnswer)
	require.Contains(t, v.End.Reason, "none of the text was looked at")
}

func TestAbortNamesWhatEndedTheRun(t *testing.T) {
	p := DefaultPolicy(Task)
	require.Equal(t, End{Status: CostLimit, Fired: ByLimit, Name: "cost_limit", Reason: "spent"},
		*p.Abort(State{}, ByLimit, CostLimit, "spent").End)
	require.Equal(t, End{Status: Stopped, Fired: ByInterrupt, Name: "interrupt", Reason: "interrupted"},
		*p.Abort(State{}, ByInterrupt, Stopped, "interrupted").End)
}

// In a task, people review whatever was taken for an answer, and nothing else.
func TestWhatAPersonReviews(t *testing.T) {
	prose := []Turn{turn("I think it is one.", ""), turn("I think it is two.", ""), turn("I think it is three.", "")}
	for mode, review := range map[Mode]bool{Response: false, Task: true} {
		p := DefaultPolicy(mode)
		_, v := play(t, p, prose...)
		require.Equal(t, ImplicitCompletion, v.End.Status)
		require.Equal(t, review, v.End.RequiresReview)
		_, v = play(t, p, answering(answer.FinalOutput{Signal: "FINAL", Answer: "42"}))
		require.Equal(t, review, v.End.RequiresReview)
		require.False(t, p.Abort(State{Said: "a"}, byStop, Stopped, "enough").End.RequiresReview)
	}
}

func TestTheExampleOfFinalVarSetsItsVariable(t *testing.T) {
	p := DefaultPolicy(Response)
	for call, names := range map[string]reply.Names{
		"answer := \"…\"\nSUBMIT_VAR(\"answer\")\n": {FinalVar: "SUBMIT_VAR"},
		"```go\nSUBMIT(\"…\")\n":                    {Final: "SUBMIT", FinalVar: "SUBMIT_VAR"},
		"```go\nhand_in(\"…\")\n":                   {Signals: []string{"hand_in"}},
	} {
		p.Names = names
		_, v := play(t, p, turn("Some prose.", ""), turn("Some other prose.", ""))
		require.Contains(t, v.Nudges[0].Text, call)
		require.Equal(t, strings.Contains(call, ":="), strings.Contains(v.Nudges[0].Text, ":="))
	}
}

// The signal of a conversation does not end a task.
func TestEachModeHasItsOwnSignal(t *testing.T) {
	p := DefaultPolicy(Response)
	p.Names = reply.Names{FinishResponse: "bye"}
	_, err := p.Begin("q")
	require.NoError(t, err)
	p.Mode = Task
	_, err = p.Begin("q")
	require.ErrorIs(t, err, errNoSignal)
}

func TestSignalsInProse(t *testing.T) {
	for text, want := range map[string]string{
		`FINAL("  x ")`: "  x ", `finish_response("  x ")`: "x", `finish_response(nil)`: "", `FINAL(Answer="x")`: "x",
	} {
		_, v := play(t, DefaultPolicy(Response), turn(text, ""))
		require.Equal(t, Stop, v.Action, text)
		require.Equal(t, want, v.End.Answer, text)
	}
	_, v := play(t, DefaultPolicy(Task), turn("finish_task(\"The status is open\")\nstatus: blocked", ""))
	require.Equal(t, answer.Blocked, v.End.FinishStatus, "a text that speaks of a status has none")
	_, v = play(t, DefaultPolicy(Task), turn(`finish_task("x", "done", "y")`, ""))
	require.Equal(t, Continue, v.Action)
	require.Contains(t, v.Ignored[0].Reason, "it takes a summary and a status, and y is neither")
}

func TestWhySignalsDoNotCount(t *testing.T) {
	why := func(text string) (out []string) {
		_, v := play(t, DefaultPolicy(Response), turn(text, ""))
		require.Equal(t, Continue, v.Action, text)
		for _, in := range v.Ignored {
			out = append(out, in.Reason)
		}
		return out
	}
	const end = " Call FINAL(result) in a ```go cell, result being the variable that holds the answer."
	require.Equal(t, "FINAL in the text of the reply was not counted: it stands inside a sentence."+end,
		why("FINAL(42) was my guess.")[0])
	require.Equal(t, "FINAL in the text of the reply was not counted: an earlier one of the same reply came first."+end,
		why("FINAL(final_reprt)\n\nThe answer: FINAL(42)")[1])
	require.Len(t, why("FINAL(a\n\nFINAL(bb)\n\nFINAL(str(x))\n\nFINAL_VAR(c)\n\nfinish_task(\"x\")\n\nFINAL(x"),
		maxRemarks)
}

func TestTheLongestSequence(t *testing.T) {
	s := Sequence{Patterns: slices.Repeat([]sequence.Pattern{{Type: sequence.LLMEvent}}, 64)}
	_, err := s.Compile()
	require.NoError(t, err)
	m, err := sequence.NewMatcher([]Sequence{mustSequence(s.String())})
	require.NoError(t, err)
	for i := range 64 {
		_, done := m.Observe(sequence.Event{Type: sequence.LLMEvent})
		require.Equal(t, i == 63, done)
		require.Equal(t, sequence.Progress{Name: s.String(), Matched: i + 1, Best: i + 1, Of: 64}, m.Progress()[0])
	}
	s.Patterns = append(s.Patterns, s.Patterns[0])
	_, err = s.Compile()
	require.ErrorContains(t, err, "has 65 events; the maximum is 64")
}

func TestWordsOfTheNotation(t *testing.T) {
	for _, word := range []string{"Z", "z", "LZ", "a_z"} {
		_, err := ParseSequence("T, " + word)
		require.ErrorContains(t, err, fmt.Sprintf("unknown event %q", word))
	}
	for text, want := range map[string]string{
		`C[a\]b], T`: `C[a\]b], T`, `C[[a]b], T`: `C[[a]b], T`, `C[\\], T`: `C[\\], T`, `C[é[ü]ä],T`: `C[é[ü]ä], T`,
		"T[é],A": "T[é], A",
	} {
		s, err := ParseSequence(text)
		require.NoError(t, err, text)
		require.Equal(t, want, s.String())
	}
	for _, text := range []string{`C[a\]`, `C[a\`, `C[[a]`} {
		_, err := ParseSequence(text)
		require.ErrorContains(t, err, "expected ] after the regular expression")
	}
}
