package termination

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/reply"
	"github.com/gorlm/rlm/internal/sequence"
)

// turn returns a turn whose cells all succeeded and printed out.
func turn(text, out string) Turn {
	t := Turn{Reply: reply.Parse(text, reply.DefaultNames(), false), Observation: out}
	for _, c := range t.Reply.Cells {
		t.Cells = append(t.Cells, CellOutcome{Source: c.Source, Output: out, Printed: out})
	}
	return t
}

func cell(src string) string { return "Now:\n```go\n" + src + "\n```" }

// answering returns a turn whose cell recorded an answer.
func answering(f answer.FinalOutput) Turn {
	t := turn(cell("x"), "")
	t.Cells[0].Final = &f
	return t
}

func failing(kind string) Turn {
	t := turn(cell("boom()"), "error: boom")
	t.Cells[0].Error = kind
	return t
}

// play runs turns until the run stops and returns the last state and verdict.
func play(t *testing.T, p Policy, turns ...Turn) (State, Verdict) {
	t.Helper()
	s, err := p.Begin("question")
	require.NoError(t, err)
	var v Verdict
	for i, turn := range turns {
		s, v = p.Next(s, turn)
		if v.Action == Stop {
			require.Equal(t, len(turns)-1, i, "stopped too early: %+v", v.End)
		}
	}
	return s, v
}

func TestAnswersEndARun(t *testing.T) {
	final := answer.FinalOutput{Type: answer.Direct, Answer: "42", Signal: "FINAL"}
	finalVar := answer.FinalOutput{Type: answer.Variable, Answer: "42", Var: "n", Signal: "FINAL_VAR"}
	for _, c := range []struct {
		name string
		mode Mode
		turn Turn
		want End
	}{
		{
			"FINAL", Response, answering(final),
			End{Status: Completed, Fired: ByFinal, Name: "FINAL", Answer: "42", From: fromFinal},
		},
		{
			"FINAL_VAR", Response, answering(finalVar),
			End{Status: Completed, Fired: ByFinal, Name: "FINAL_VAR", Answer: "42", From: fromVariable, Var: "n"},
		},
		{"FINAL in a task", Task, answering(final), End{
			Status: PendingReview, Fired: ByFinal, Name: "FINAL",
			Answer: "42", From: fromFinal, FinishStatus: answer.Done, RequiresReview: true,
		}},
		{
			"finish_response", Response, answering(answer.FinalOutput{Answer: "s", Signal: "finish_response"}),
			End{Status: Completed, Fired: BySignal, Name: "finish_response", Answer: "s", From: fromSignal},
		},
		{
			"finish_response without a summary", Response, answering(answer.FinalOutput{Signal: "finish_response"}),
			End{Status: Completed, Fired: BySignal, Name: "finish_response", Answer: "Now:", From: FromReply},
		},
		{
			"finish_task", Task,
			answering(answer.FinalOutput{Answer: "s", Signal: "finish_task", Status: answer.Blocked}),
			End{
				Status: PendingReview, Fired: BySignal, Name: "finish_task", Answer: "s", From: fromSignal,
				FinishStatus: answer.Blocked, RequiresReview: true,
			},
		},
		{
			"a tool", Response, answering(answer.FinalOutput{Answer: "s", Signal: "hand_in"}),
			End{Status: Completed, Fired: BySignal, Name: "hand_in", Answer: "s", From: fromSignal},
		},
		{
			"in prose", Response, turn("So the answer is FINAL(42)", ""),
			End{Status: Completed, Fired: ByFinal, Name: "FINAL", Answer: "42", From: FromText},
		},
		{
			"a variable in prose beside cells", Response, besideCell("FINAL(total)"),
			End{Status: Completed, Fired: ByFinal, Name: "FINAL", Answer: "42", From: FromText, Var: "total"},
		},
		{
			"a task in prose", Task, turn(`finish_task({"summary": "s", "status": "partial"})`, ""),
			End{
				Status: PendingReview, Fired: BySignal, Name: "finish_task", Answer: "s", From: FromText,
				FinishStatus: answer.Partial, RequiresReview: true,
			},
		},
		{"an alias in prose", Task, turn(`task_completed("s")`, ""), End{
			Status: PendingReview, Fired: BySignal,
			Name: "task_completed", Answer: "s", From: FromText, FinishStatus: answer.Done, RequiresReview: true,
		}},
		{
			"an object in prose", Response, turn(`FINAL({"answer": "Paris", "why": "b"})`, ""),
			End{Status: Completed, Fired: ByFinal, Name: "FINAL", Answer: "Paris", From: FromText},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := DefaultPolicy(c.mode)
			p.Names.Signals = []string{"hand_in"}
			_, v := play(t, p, c.turn)
			require.Equal(t, Stop, v.Action, "%+v", v)
			c.want.HasAnswer, c.want.Reason = true, v.End.Reason
			require.Equal(t, c.want, *v.End)
			require.NotEmpty(t, v.End.Reason)
		})
	}
}

// besideCell returns a turn with a cell that sets total, and a line of prose below it.
func besideCell(prose string) Turn {
	t := turn(cell("total := 42")+"\n\n"+prose, "")
	t.Names, t.Vars = []string{"total"}, map[string]string{"total": "42"}
	return t
}

func TestSignalsThatDoNotCount(t *testing.T) {
	failed := turn(cell("x := 1")+"\n\nFINAL(42)", "")
	failed.Cells[0].Error = "Panic"
	for _, c := range []struct {
		name string
		mode Mode
		turn Turn
		why  string
	}{
		{
			"the other mode's signal", Response, answering(answer.FinalOutput{Signal: "finish_task", Answer: "s"}),
			"no effect in a conversation",
		},
		{
			"the other mode's signal in a task", Task,
			answering(answer.FinalOutput{Signal: "finish_response", Answer: "s"}), "no effect in a task",
		},
		{"the other mode's signal in prose", Task, turn(`finish_response("s")`, ""), "no effect in a task"},
		{"talked about", Response, turn(`I will call FINAL("x") when done`, ""), "talked about"},
		{"in a sentence", Response, turn("FINAL(42) was my guess.", ""), "inside a sentence"},
		{
			"ends a line beside cells", Response, turn(cell("x := 1")+"\n\nThe answer: FINAL(42)", ""),
			"on a line of its own",
		},
		{"beside a cell that failed", Response, failed, "a cell of the same reply failed"},
		{"a literal beside a cell", Response, besideCell("FINAL(42)"), "what the cell shows was not seen yet"},
		{"a text beside a cell", Response, besideCell(`FINAL("cart 301")`), "what the cell shows was not seen yet"},
		{"a word beside a cell", Response, besideCell("FINAL(Paris)"), "what the cell shows was not seen yet"},
		{
			"a summary beside a cell", Task, besideCell(`finish_task("all of it")`),
			"what the cell shows was not seen yet",
		},
		{"malformed", Response, turn("FINAL(42", ""), "not closed"},
		{"without parentheses", Task, turn("finish_task\nAll is done.", ""), "without parentheses"},
		{"an expression", Response, turn("FINAL(str(len(r)))", ""), "only a cell can evaluate"},
		{"a placeholder", Response, turn("FINAL(answer)", ""), "stands for an answer and is none"},
		{"an unknown variable", Response, turn("FINAL_VAR(totl)", ""), `there is no variable "totl"`},
		{
			"an unknown status", Task, turn(`finish_task({"summary": "s", "status": "great"})`, ""),
			`unknown status "great"`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.turn.Names = []string{"a", "total"}
			_, v := play(t, DefaultPolicy(c.mode), c.turn)
			require.Equal(t, Continue, v.Action, "%+v", v.End)
			require.Len(t, v.Ignored, 1)
			require.Contains(t, v.Ignored[0].Reason, c.why)
		})
	}
}

func TestVariablesInProse(t *testing.T) {
	p := DefaultPolicy(Response)
	for reply, want := range map[string]string{
		"FINAL_VAR(total)": "total", `FINAL_VAR("total")`: "total",
		"FINAL(total)": "total", "FINAL(answer)": "answer",
	} {
		tn := turn(reply, "")
		name, ok := p.Wants(tn)
		require.True(t, ok, reply)
		require.Equal(t, want, name)
		tn.Vars = map[string]string{want: "the value"}
		_, v := play(t, p, tn)
		require.Equal(t, "the value", v.End.Answer)
		require.Equal(t, want, v.End.Var)
	}
	_, ok := p.Wants(turn(`FINAL("total")`, ""))
	require.False(t, ok)
	// A word that is not a variable is the answer.
	_, v := play(t, p, turn("FINAL(Paris)", ""))
	require.Equal(t, "Paris", v.End.Answer)
	// The error lists the closest variable first.
	missing := turn("FINAL_VAR(totl)", "")
	missing.Names = []string{"a", "counts", "total"}
	_, v = play(t, p, missing)
	require.Contains(t, v.Ignored[0].Reason, "The variables are: total, ")
}

func TestTheAnswerIsReadBeforeALimitIsChecked(t *testing.T) {
	p := DefaultPolicy(Response)
	p.MaxTurns = 1
	last := answering(answer.FinalOutput{Answer: "42", Signal: "FINAL"})
	last.Limits = []Limit{{Status: TokenLimit, Used: "10 tokens", Bound: "9"}}
	last.Stop = "enough"
	_, v := play(t, p, last)
	require.Equal(t, Completed, v.End.Status)
}

func TestALimitLeavesALastTurn(t *testing.T) {
	spent := turn(cell("x := 1"), "a")
	spent.Limits = []Limit{{Status: CostLimit, Used: "$1.02", Bound: "$1.00"}, {Status: TimeLimit}}
	p := DefaultPolicy(Response)
	s, v := play(t, p, spent)
	require.Equal(t, LastTurn, v.Action)
	require.Equal(t, CostLimit, v.Limit.Status)

	for _, c := range []struct {
		name string
		last Turn
		want End
		exit int
	}{
		{
			"FINAL", answering(answer.FinalOutput{Answer: "42", Signal: "FINAL"}),
			End{Status: CostLimit, Fired: ByLimit, Answer: "42", HasAnswer: true, From: fromFinal},
			0,
		},
		{"prose", turn("About 42, I think.", ""), End{
			Status: CostLimit, Fired: ByLimit, Answer: "About 42, I think.", HasAnswer: true, From: fromLastTurn,
		}, 0},
		{
			"a short answer", turn("42", ""),
			End{Status: CostLimit, Fired: ByLimit, Answer: "42", HasAnswer: true, From: fromLastTurn},
			0,
		},
		{"prose with code of another language", turn("Use:\n```python\nx\n```", ""), End{
			Status: CostLimit,
			Fired:  ByLimit, Answer: "Use:\n```python\nx\n```", HasAnswer: true, From: fromLastTurn,
		}, 0},
		{
			"half a cell",
			Turn{Reply: reply.Parse("Now:\n```go\nFINAL(", reply.DefaultNames(), true)},
			End{Status: CostLimit, Fired: ByLimit},
			3,
		},
		{"another cell", turn(cell("y := 1"), "b"), End{Status: CostLimit, Fired: ByLimit}, 3},
		{"nothing", turn("", ""), End{Status: CostLimit, Fired: ByLimit}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, v := p.Next(s, c.last)
			require.Equal(t, Stop, v.Action)
			require.Equal(t, c.want.Status, v.End.Status)
			require.Equal(t, c.want.Fired, v.End.Fired)
			require.Equal(t, c.want.Answer, v.End.Answer)
			require.Equal(t, c.want.HasAnswer, v.End.HasAnswer)
			require.Equal(t, c.want.From, v.End.From)
			require.Equal(t, c.exit, v.End.ExitCode())
		})
	}
}

// Code that could not run must not count as an answer.
func TestForeignCodeIsNoAnswer(t *testing.T) {
	p := DefaultPolicy(Response)
	s, err := p.Begin("q")
	require.NoError(t, err)
	var v Verdict
	for range 3 {
		s, v = p.Next(s, turn("I compute.\n```python\nprint(1)\n```", ""))
	}
	require.Equal(t, Stop, v.Action)
	require.Equal(t, Failed, v.End.Status)
	require.False(t, v.End.HasAnswer, v.End.Answer)
	require.Equal(t, exitcode.Limit, v.End.ExitCode())
}

func TestTurnLimit(t *testing.T) {
	for mode, want := range map[Mode]Status{Response: MaxIterations, Task: IterationsExceeded} {
		p := DefaultPolicy(mode)
		p.MaxTurns = 3
		s, err := p.Begin("q")
		require.NoError(t, err)
		var v Verdict
		for i := range 4 {
			s, v = p.Next(s, turn(cell(fmt.Sprint("f(", i, ")")), fmt.Sprint(i)))
			require.Equal(t, []Action{Continue, Continue, LastTurn, Stop}[i], v.Action)
		}
		require.Equal(t, want, v.End.Status)
		require.Equal(t, ByLimit, v.End.Fired)
		require.Equal(t, string(want), v.End.Name)
	}
}

func TestBestPartialAnswer(t *testing.T) {
	p := DefaultPolicy(Response)
	said := turn("I found that the total is 42 so far.", "")
	offered := turn(cell("x := 1")+"\n\nThe answer: FINAL(41)", "")
	drafted := turn(cell("y := 1"), "")
	drafted.Draft = "40"
	for _, c := range []struct {
		turns []Turn
		want  string
		ok    bool
	}{
		{nil, "", false},
		{[]Turn{turn(cell("x := 1"), "7")}, "", false},
		{[]Turn{said}, "I found that the total is 42 so far.", true},
		{[]Turn{said, offered}, "41", true},
		{[]Turn{said, drafted, offered}, "40", true},
		{[]Turn{turn("OK.", "")}, "", false},
	} {
		s, _ := play(t, p, c.turns...)
		v := p.Abort(s, ByInterrupt, Stopped, "interrupted")
		require.Equal(t, c.want, v.End.Answer)
		require.Equal(t, c.ok, v.End.HasAnswer)
		require.Equal(t, exitcode.Interrupted, v.End.ExitCode())
	}
}

func TestOutsideCondition(t *testing.T) {
	tn := turn(cell("x := 1"), "7")
	tn.Stop = "the file is gone"
	_, v := play(t, DefaultPolicy(Response), tn)
	require.Equal(t, Stopped, v.End.Status)
	require.Equal(t, byStop, v.End.Fired)
	require.Equal(t, "the file is gone", v.End.Reason)
	require.Equal(t, exitcode.Limit, v.End.ExitCode())
}

func TestConversation(t *testing.T) {
	p := DefaultPolicy(Response)
	p.Interactive = true
	p.ObservationMarks = []string{"[output"}
	_, v := play(t, p, turn("Yes.", ""))
	require.Equal(t, End{
		Status: Completed, Fired: ByProse, Name: "reply", Reason: v.End.Reason, Answer: "Yes.",
		HasAnswer: true, From: FromReply,
	}, *v.End)
	_, v = play(t, p, turn("In Python:\n```python\nprint(1)\n```", ""))
	require.Equal(t, "In Python:\n```python\nprint(1)\n```", v.End.Answer)

	for name, tn := range map[string]Turn{
		"cells":              turn(cell("x := 1"), "7"),
		"half a cell":        {Reply: reply.Parse("```go\nx := ", reply.DefaultNames(), true)},
		"an imitated result": turn("[output of cell 3]\n42", ""),
		"nothing":            turn("", ""),

		"a misspelt variable":       turn("FINAL(final_reprt)", ""),
		"an expression":             turn("The answer:\n\nFINAL(len(rows))", ""),
		"code without a fence":      turn("x := 3\nFINAL(x)", ""),
		"a block of Python":         turn("```python\ntotal = 3\n```\nFINAL(total)", ""),
		"a call that is not closed": turn("FINAL(\"42", ""),
		"an empty answer":           turn("FINAL(\"\")", ""),
		"a signal of task mode":     turn("finish_task(\"done\")", ""),
	} {
		_, v := play(t, p, tn)
		require.Equal(t, Continue, v.Action, name)
	}
	_, v = play(t, p, turn("A cell ends the run when you write FINAL(x) in it.", ""))
	require.Equal(t, Completed, v.End.Status, "a signal that is talked about")
	p = DefaultPolicy(Task)
	p.Interactive = true
	_, v = play(t, p, turn("Yes, it is so.", ""))
	require.Equal(t, Continue, v.Action, "a task has the ladder of reminders")
}

func TestPolicyRefusesToBegin(t *testing.T) {
	p := DefaultPolicy(Response)
	p.Names = reply.Names{FinishTask: []string{"finish_task"}}
	_, err := p.Begin("q")
	require.ErrorIs(t, err, errNoSignal)
	p.Mode = Task
	_, err = p.Begin("q")
	require.NoError(t, err)
	p.Mode = "chat"
	_, err = p.Begin("q")
	require.ErrorContains(t, err, `unknown mode "chat"`)
	p = DefaultPolicy(Response)
	p.DoneIfResponse = []Entity{"robot"}
	_, err = p.Begin("q")
	require.ErrorContains(t, err, `unknown entity "robot"`)
	p = DefaultPolicy(Response)
	p.Sequences = []Sequence{{Patterns: []sequence.Pattern{{Type: "X"}}}}
	_, err = p.Begin("q")
	require.ErrorContains(t, err, `unknown event "X"`)
}

func TestEverythingShownUsesTheRegisteredNames(t *testing.T) {
	for _, mode := range []Mode{Response, Task} {
		p := DefaultPolicy(mode)
		p.Names = reply.Names{
			Final: "SUBMIT", FinalVar: "SUBMIT_VAR", FinishResponse: "bye",
			FinishTask: []string{"hand_over"},
		}
		p.ObservationMarks = []string{"[output"}
		var shown strings.Builder
		say := func(v Verdict) {
			for _, n := range v.Nudges {
				shown.WriteString(n.Text + "\n")
			}
			for _, n := range v.Ignored {
				shown.WriteString(n.Reason + "\n")
			}
		}
		for _, replies := range [][]string{
			{"SUBMIT(x) is what I call", "Hm, still thinking."},
			{"", ""},
			{"[output\n1", "[output\n2"},
			{cell("f()"), cell("f()")},
			{cell("f()"), cell("g()"), cell("f()"), cell("g()")},
			{`bye("x")`, `hand_over("x"`, "SUBMIT_VAR(nothing)", "SUBMIT(answer)"},
		} {
			s, err := p.Begin("q")
			require.NoError(t, err)
			for _, r := range replies {
				var v Verdict
				tn := turn(r, "same")
				tn.Reply = reply.Parse(r, p.Names, false)
				s, v = p.Next(s, tn)
				say(v)
			}
		}
		require.NotEmpty(t, shown.String())
		for _, old := range []string{"FINAL", "finish_response", "finish_task", "task_completed"} {
			require.NotContains(t, shown.String(), old)
		}
		require.Contains(t, shown.String(), map[Mode]string{Response: "SUBMIT(", Task: "hand_over("}[mode])
	}
}

func TestStateIsSmallAndCanBeStored(t *testing.T) {
	p := DefaultPolicy(Task)
	p.Sequences = []Sequence{mustSequence("T, A, T"), mustSequence("C[never]")}
	run := func(store bool) []Verdict {
		s, err := p.Begin("q")
		require.NoError(t, err)
		var out []Verdict
		for i := range 12 {
			var v Verdict
			s, v = p.Next(s, turn(cell(fmt.Sprint("f(", i%4/2, ")")), "same"))
			out = append(out, v)
			data, err := json.Marshal(s)
			require.NoError(t, err)
			require.Less(t, len(data), 1000)
			if store {
				var back State
				require.NoError(t, json.Unmarshal(data, &back))
				s = back
			}
		}
		return out
	}
	require.Equal(t, run(false), run(true))
}

func TestStateIsAValue(t *testing.T) {
	p := DefaultPolicy(Response)
	p.Sequences = []Sequence{mustSequence("L, A, L, A")}
	s, err := p.Begin("q")
	require.NoError(t, err)
	s, _ = p.Next(s, turn(cell("a()"), "1"))
	before, err := json.Marshal(s)
	require.NoError(t, err)
	_, v := p.Next(s, turn(cell("b()"), "2"))
	require.Equal(t, bySequence, v.End.Fired)
	after, err := json.Marshal(s)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
	_, again := p.Next(s, turn(cell("b()"), "2"))
	require.Equal(t, v, again)
}

func mustSequence(text string) Sequence {
	s, err := ParseSequence(text)
	if err != nil {
		panic(err)
	}
	return s
}
