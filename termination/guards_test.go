package termination

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/reply"
)

func guardsOf(v Verdict) []Guard {
	var out []Guard
	for _, n := range v.Nudges {
		out = append(out, n.Guard)
	}
	return out
}

func TestGuards(t *testing.T) {
	marks := func(p Policy) Policy { p.ObservationMarks = []string{"[output"}; return p }
	p := marks(DefaultPolicy(Response))
	many := func(n int, tn Turn) []Turn { return slices.Repeat([]Turn{tn}, n) }
	a, b, c := turn(cell("a()"), "1"), turn(cell("b()"), "2"), turn(cell("c()"), "3")
	for _, tc := range []struct {
		name   string
		turns  []Turn
		nudged []Guard // reminders of the turn before the last one
		want   End
	}{
		{"empty", many(3, turn(" \n", "")), []Guard{guardEmpty}, End{Status: EmptyResponseError, Name: "empty_reply"}},
		{
			"trivial", many(3, turn("OK.", "")),
			[]Guard{guardProse},
			End{Status: ImplicitCompletion, Name: "empty_reply", Answer: "OK.", HasAnswer: true, From: FromReply},
		},
		{
			"only thinking", many(3, turn("<think>hm hm hm hm</think>", "")),
			[]Guard{guardEmpty},
			End{Status: EmptyResponseError, Name: "empty_reply"},
		},
		{
			"echo",
			[]Turn{turn("[output of 1]\na", ""), turn("[output of 1]\nb", ""), turn("[output of 1]\nc", "")},
			[]Guard{guardEcho},
			End{Status: Failed, Name: "echoed_observation"},
		},
		{"repeated reply", many(3, a), []Guard{guardRepeatedReply}, End{Status: Failed, Name: "repeated_reply"}},
		{
			"repeated cell",
			[]Turn{turn(cell("a()"), "1"), turn("So "+cell("a()"), "1"), turn("Then "+cell("a()"), "1")},
			[]Guard{guardRepeatedCell},
			End{Status: Failed, Name: "repeated_cell"},
		},
		{"loop of two", []Turn{a, b, a, b, a, b}, []Guard{guardLoop}, End{Status: Failed, Name: "alternating_loop"}},
		{
			"loop of three",
			[]Turn{a, b, c, a, b, c, a, b, c},
			[]Guard{guardLoop},
			End{Status: Failed, Name: "alternating_loop"},
		},
		{
			"loop of four",
			[]Turn{a, b, c, b, a, b, c, b, a, b, c, b},
			[]Guard{guardLoop},
			End{Status: Failed, Name: "alternating_loop"},
		},
		{"prose", []Turn{
			turn("I think it is one.", ""), turn("I think it is two.", ""),
			turn("I think it is three.", ""),
		}, []Guard{guardProse}, End{
			Status: ImplicitCompletion, Name: "prose_only",
			Answer: "I think it is three.", HasAnswer: true, From: FromReply,
		}},
		{
			"words that lead to a call that does not count",
			[]Turn{
				a, turn("After careful analysis, the answer is:\n\nFINAL(billing)", ""),
				turn("**The answer is:**\n\n**FINAL(billing)**", ""), turn("Once more, my answer:\nFINAL(billing)", ""),
			},
			[]Guard{guardProse},
			End{Status: Failed, Name: "prose_only"},
		},
		{
			"prose, then a loop",
			[]Turn{turn("I think it is one.", ""), a, a, a},
			[]Guard{guardRepeatedReply},
			End{
				Status: ImplicitCompletion, Name: "repeated_reply", Answer: "I think it is one.", HasAnswer: true,
				From: FromPartial,
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			n := len(tc.turns)
			_, before := play(t, p, tc.turns[:n-1]...)
			require.Equal(t, Continue, before.Action)
			require.Equal(t, tc.nudged, guardsOf(before), "%+v", before)
			_, v := play(t, p, tc.turns...)
			require.Equal(t, Stop, v.Action, "%+v", v)
			tc.want.Fired, tc.want.Reason = byGuard, v.End.Reason
			require.Equal(t, tc.want, *v.End)
		})
	}
}

// A filtered or refused reply gets a notice; the second in a row ends the run. Neither is an answer.
func TestWithheldReplies(t *testing.T) {
	withheld := func(by Status, text string) Turn {
		out := turn(text, "")
		out.Withheld, out.Reply.Cut = by, true
		return out
	}
	filtered, refused := withheld(ContentFilter, "The first part of"), withheld(Refused, "I cannot help with that.")
	said := turn("It is most likely seven, as the log says.", "")
	partial := End{Answer: "It is most likely seven, as the log says.", HasAnswer: true, From: FromPartial}
	for name, c := range map[string]struct {
		turns []Turn
		want  End
		exit  int
	}{
		"filtered": {
			[]Turn{filtered, filtered}, End{Status: ContentFilter, Fired: byGuard}, exitcode.Endpoint,
		},
		"nothing of it left": {
			[]Turn{filtered, withheld(ContentFilter, "")},
			End{Status: ContentFilter, Fired: byGuard},
			exitcode.Endpoint,
		},
		"refused":                {[]Turn{refused, refused}, End{Status: Refused, Fired: byGuard}, exitcode.Limit},
		"filtered, then refused": {[]Turn{filtered, refused}, End{Status: Refused, Fired: byGuard}, exitcode.Limit},
		"behind an answer in prose": {
			[]Turn{said, refused, refused}, End{
				Status: Refused, Fired: byGuard, Answer: partial.Answer,
				HasAnswer: true, From: FromPartial,
			}, exitcode.Limit,
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := len(c.turns)
			s, before := play(t, DefaultPolicy(Response), c.turns[:n-1]...)
			require.Equal(t, Continue, before.Action)
			require.Empty(t, before.Nudges, "the observation says it")
			_, better := DefaultPolicy(Response).Next(s, turn(cell("x := 1"), "1"))
			require.Equal(t, Continue, better.Action)
			_, v := play(t, DefaultPolicy(Response), c.turns...)
			require.Equal(t, Stop, v.Action)
			require.Equal(t, c.exit, v.End.ExitCode())
			require.Equal(t, string(guardWithheld), v.End.Name)
			require.NotEmpty(t, v.End.Reason)
			v.End.Name, v.End.Reason = "", ""
			require.Equal(t, c.want, *v.End)
		})
	}
	for _, last := range []Turn{filtered, refused, {Reply: turn("look {}", "").Reply, CalledTool: true}} {
		p := DefaultPolicy(Response)
		p.MaxTurns = 1
		_, v := play(t, p, turn(cell("a()"), "1"), last)
		require.Equal(t, MaxIterations, v.End.Status)
		require.False(t, v.End.HasAnswer, "nor in the turn after a limit")
		p = DefaultPolicy(Response)
		p.SingleRound = true
		_, v = play(t, p, last)
		require.False(t, v.End.HasAnswer, "nor where one round is all there is")
	}
}

// A call of an unknown tool counts as a failing turn, so only several in a row end the run.
func TestImaginedTools(t *testing.T) {
	call := func(n int) Turn {
		out := turn(fmt.Sprintf("look {\"page\": %d}", n), "")
		out.CalledTool, out.Reply.Cut = true, true
		return out
	}
	p := DefaultPolicy(Response)
	var turns []Turn
	for n := range p.MaxErrors - 1 {
		turns = append(turns, call(n))
		_, v := play(t, p, turns...)
		require.Equal(t, Continue, v.Action)
	}
	_, v := play(t, p, append(turns, call(8))...)
	require.Equal(t, LastTurn, v.Action)
	require.Equal(t, ErrorLimit, v.Limit.Status)
	_, v = play(t, p, append(turns[:1], turn(cell("x := 1"), "1"), call(9), call(10))...)
	require.Equal(t, Continue, v.Action)
	require.Equal(t, []Guard{guardErrors}, guardsOf(v))
}

func TestLadderOfReminders(t *testing.T) {
	p := DefaultPolicy(Response)
	s, err := p.Begin("q")
	require.NoError(t, err)
	s, v := p.Next(s, turn("I should look at the context first.", ""))
	require.Contains(t, v.Nudges[0].Text, "```go on a line of its own")
	require.Contains(t, v.Nudges[0].Text, "FINAL(result)")
	s, v = p.Next(s, turn("I would say the answer is 42.", ""))
	require.Contains(t, v.Nudges[0].Text, "```go\nFINAL(\"…\")\n```")
	require.Contains(t, v.Nudges[0].Text, "taken as the answer")

	// A cell in between resets the ladder.
	s, v = p.Next(s, turn(cell("x := 1"), ""))
	require.Empty(t, v.Nudges)
	_, v = p.Next(s, turn("Now I am sure that it is 42.", ""))
	require.Contains(t, v.Nudges[0].Text, "```go on a line of its own")
}

func TestTheExactFormatIsACell(t *testing.T) {
	p := DefaultPolicy(Response)
	for _, names := range []reply.Names{reply.DefaultNames(), {FinalVar: "FINAL_VAR"}, {Signals: []string{"hand_in"}}} {
		p.Names = names
		s, err := p.Begin("q")
		require.NoError(t, err)
		s, _ = p.Next(s, turn("Some prose.", ""))
		_, v := p.Next(s, turn("Some other prose.", ""))
		cells := reply.Parse(v.Nudges[0].Text, names, false).Cells
		require.Len(t, cells, 2)
		require.Contains(t, cells[1].Source, counting(names, p.Mode)[0]+"(", "a call of a signal")
	}
}

func TestConsecutiveErrors(t *testing.T) {
	p := DefaultPolicy(Response)
	s, err := p.Begin("q")
	require.NoError(t, err)
	for i := range 5 {
		var v Verdict
		tn := failing("CompileError")
		tn.Cells[0].Output = fmt.Sprint("error ", i)
		s, v = p.Next(s, tn)
		switch i {
		case 0:
			require.Empty(t, v.Nudges)
		case 4:
			require.Equal(t, LastTurn, v.Action)
			require.Equal(t, ErrorLimit, v.Limit.Status)
		default:
			require.Equal(t, []Guard{guardErrors}, guardsOf(v))
		}
	}
	_, v := p.Next(s, failing("Panic"))
	require.Equal(t, ErrorLimit, v.End.Status)
	require.Equal(t, exitcode.Limit, v.End.ExitCode())
}

func TestCodeThatCouldNotRunIsAFailureNotAnAnswer(t *testing.T) {
	p := DefaultPolicy(Response)
	s, err := p.Begin("q")
	require.NoError(t, err)
	var v Verdict
	for i := range 4 {
		s, v = p.Next(s, turn(fmt.Sprintf("Try %d:\n```python\nprint(%d)\n```", i, i), ""))
		require.Equal(t, Continue, v.Action)
	}
	s, v = p.Next(s, turn("Try:\n```python\nprint()\n```", ""))
	require.Equal(t, ErrorLimit, v.Limit.Status)
	_, v = p.Next(s, turn("Try:\n```python\nprint(9)\n```", ""))
	require.Equal(t, ErrorLimit, v.End.Status)
}

func TestFailuresThatAreNoMistakesDoNotCount(t *testing.T) {
	p := DefaultPolicy(Response)
	for _, kind := range []string{budgetExceeded, cancelled} {
		s, _ := play(t, p, failing(kind))
		require.Zero(t, s.Errors)
	}
	s, _ := play(t, p, failing("Panic"), turn(cell("ok()"), ""))
	require.Zero(t, s.Errors)
}

func TestABlockThatIsNoCellIsProse(t *testing.T) {
	untagged := turn("So:\n```\nx = f(y) and z\n```", "NotACell")
	for i := range untagged.Cells {
		untagged.Cells[i].Error = notACell
	}
	s, v := play(t, DefaultPolicy(Response), untagged)
	require.Equal(t, 1, s.Prose)
	require.Equal(t, []Guard{guardProse}, guardsOf(v))
}

// A long run of turns that look alike but make progress must not trip a guard.
func TestProgressTripsNoGuard(t *testing.T) {
	for name, next := range map[string]func(i int) Turn{
		"the same cell prints something new": func(i int) Turn { return turn(cell("next()"), fmt.Sprint("batch ", i)) },
		"the same cell changes something": func(i int) Turn {
			tn := turn(cell("next()"), "ok")
			tn.Cells[0].Changed = fmt.Sprint("n=", i)
			return tn
		},
		"similar cells, same output": func(i int) Turn { return turn(cell(fmt.Sprintf("scan(%d)", i)), "no hits") },
		"a long common beginning": func(i int) Turn {
			return turn(strings.Repeat("The plan is as before. ", 17)+cell(fmt.Sprint("f(", i, ")")), "ok")
		},
		"alternating with other outputs": func(i int) Turn {
			return turn(cell([]string{"a()", "b()"}[i%2]), fmt.Sprint(i))
		},
		"a repeat now and then": func(i int) Turn { return turn(cell(fmt.Sprint("f(", i/2, ")")), "same") },
		"an echo beside a cell": func(i int) Turn {
			return turn(cell(fmt.Sprint("f(", i, ")"))+"\n[output]\n3", fmt.Sprint(i))
		},
		"errors with successes between them": func(i int) Turn {
			tn := turn(cell(fmt.Sprint("f(", i, ")")), fmt.Sprint(i))
			tn.Cells[0].Error = []string{"", "Panic", "Panic"}[i%3]
			return tn
		},
		"prose with cells between": func(i int) Turn {
			if i%2 == 0 {
				return turn(fmt.Sprint("Let me think about number ", i), "")
			}
			return turn(cell(fmt.Sprint("f(", i, ")")), "")
		},
		"empty replies with cells in between": func(i int) Turn {
			if i%3 < 2 {
				return turn("", "")
			}
			return turn(cell(fmt.Sprint("f(", i, ")")), "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := DefaultPolicy(Response)
			p.MaxTurns = 0
			p.ObservationMarks = []string{"[output"}
			s, err := p.Begin("q")
			require.NoError(t, err)
			for i := range 200 {
				var v Verdict
				s, v = p.Next(s, next(i))
				require.Equal(t, Continue, v.Action, "turn %d: %+v", i, v.End)
			}
		})
	}
}

func TestALoopHasAtLeastTwoTurns(t *testing.T) {
	p := DefaultPolicy(Response)
	p.SameReplies, p.SameCells, p.MaxTurns = 0, 0, 0
	s, err := p.Begin("q")
	require.NoError(t, err)
	for range 30 {
		var v Verdict
		s, v = p.Next(s, turn(cell("a()"), "1"))
		require.Equal(t, Continue, v.Action)
	}
}

func TestGuardsThatAreOff(t *testing.T) {
	p := Policy{Mode: Response, Names: reply.DefaultNames()}
	s, err := p.Begin("q")
	require.NoError(t, err)
	for i := range 50 {
		var v Verdict
		s, v = p.Next(s, []Turn{
			turn("", ""), turn("prose of some length", ""), turn(cell("a()"), "1"),
			failing("Panic"),
		}[i/13])
		require.Equal(t, Verdict{Action: Continue}, v)
	}
}
