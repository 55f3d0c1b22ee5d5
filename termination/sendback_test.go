package termination

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/reply"
)

// given returns the verdict that ends a run with an answer of the model.
func given(by Trigger, from AnswerFrom) Verdict {
	return Verdict{Action: Stop, End: &End{
		Status: Completed, Fired: by, Name: "FINAL", From: from, Answer: "42", HasAnswer: true,
		Reason: "FINAL was called", RequiresReview: true,
	}}
}

// asking is a verdict whose answer asks for something.
func asking(by Trigger) Verdict {
	v := given(by, FromText)
	v.End.Answer = "Please provide the document so that I can answer."
	return v
}

// unread plays a run over a text that the model has not yet seen.
func unread(t *testing.T, turns ...Turn) (State, Verdict) {
	t.Helper()
	p := DefaultPolicy(Response)
	s, err := p.Begin("q")
	require.NoError(t, err)
	s.Unread, s.Look = true, "fmt.Println(context[:300])"
	var v Verdict
	for _, next := range turns {
		s, v = p.Next(s, next)
	}
	return s, v
}

// cells returns the cells in a message.
func cells(text string) []string {
	var sources []string
	for _, c := range reply.Parse(text, reply.DefaultNames(), false).Cells {
		sources = append(sources, c.Source)
	}
	return sources
}

// TestAMessageThatSendsBackSaysAllThatIsMissing checks the first message about a guess, and that it lists the
// values that were not found.
func TestAMessageThatSendsBackSaysAllThatIsMissing(t *testing.T) {
	p := DefaultPolicy(Response)
	s := State{Look: "fmt.Println(context[:300])"}
	many := strings.Split("a b c d e f g h i j k", " ")
	for name, c := range map[string]struct {
		lacks    Lacks
		required bool
		guard    Guard
		says     []string
		not      string
	}{
		"a guess": {
			Lacks{Look: true, Values: many},
			false, guardLook,
			[]string{
				"it came before any output showed something of the text, so it would be a guess. Look at the text first",
				"Then compute the answer and ", "if you are sure of it as it is, give it again.",
			},
			"Mark what",
		},
		"a guess without evidence": {
			Lacks{Look: true, Evidence: "no mark stands in it", Cite: "cite"},
			true, guardLook,
			[]string{"give it again. Mark what it says with cite(part)", "word for word."},
			"no mark",
		},
		"evidence that nobody asked for": {
			Lacks{Look: true, Evidence: "no mark stands in it", Cite: "cite"},
			false,
			guardLook,
			[]string{"a guess"},
			"Mark what",
		},
		"no evidence": {
			Lacks{Evidence: "no mark stands in it", Cite: "cite", Values: many},
			true,
			guardEvidence,
			[]string{"not accepted: no mark stands in it. Mark what"},
			"found",
		},
		"values without a place": {
			Lacks{Values: many},
			false, guardGrounding,
			[]string{"made of it (a, b, c, d, e, f, g, h, i, j). Print or compute"},
			"k)",
		},
		"one value": {
			Lacks{Values: many[:1]}, true, guardGrounding, []string{"made of it (a). Print"}, "(a,",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p.RequireEvidence = c.required
			after, v := p.SendBack(s, Turn{}, given(ByFinal, FromText), c.lacks)
			require.Equal(t, Continue, v.Action)
			require.True(t, after.SentBack)
			require.Equal(t, []Guard{c.guard}, guardsOf(v))
			for _, text := range c.says {
				require.Contains(t, v.Nudges[0].Text, text)
			}
			require.NotContains(t, strings.ReplaceAll(
				v.Nudges[0].Text, "yet: nothing in it rests on the text or on what cells made of it", ""), c.not)
			if c.lacks.Look {
				require.Equal(t, []string{s.Look + "\n"}, cells(v.Nudges[0].Text))
			}
		})
	}
	_, v := p.SendBack(s, Turn{}, given(ByFinal, FromText), Lacks{})
	require.Equal(t, given(ByFinal, FromText), v, "nothing is missing")
}

// TestAGuessThatComesAgain checks how a run ends if the model repeats a guess: the guess is accepted and marked,
// but after cells that all failed the status is that of a limit, and plain prose is no answer.
func TestAGuessThatComesAgain(t *testing.T) {
	p := DefaultPolicy(Response)
	for name, c := range map[string]struct {
		state   State
		verdict Verdict
		want    End
	}{
		"a literal": {
			State{},
			given(ByFinal, FromText),
			End{Status: Completed, Fired: ByFinal, Guess: true, HasAnswer: true},
		},
		"after a good cell": {
			State{Ran: true, Succeeded: true},
			given(ByFinal, FromText),
			End{Status: Completed, Fired: ByFinal, Guess: true, HasAnswer: true},
		},
		"after failing ones": {
			State{Ran: true},
			given(ByFinal, FromText),
			End{Status: ErrorLimit, Fired: ByLimit, Guess: true, HasAnswer: true},
		},
		"called in prose": {
			State{},
			given(ByProse, FromText),
			End{Status: Completed, Fired: ByProse, Guess: true, HasAnswer: true},
		},
		"a question":             {State{Ran: true}, asking(ByFinal), End{Status: NeedsInput, Fired: ByFinal}},
		"a question by a signal": {State{}, asking(BySignal), End{Status: NeedsInput, Fired: BySignal}},
		"a question in the last turn": {
			State{},
			asking(ByLimit),
			End{Status: Completed, Fired: ByLimit, Guess: true, HasAnswer: true},
		},
		"as prose": {State{Unread: true}, given(ByProse, FromReply), End{Status: Failed, Fired: byGuard}},
	} {
		t.Run(name, func(t *testing.T) {
			v := p.Guessed(c.state, c.verdict)
			require.Equal(t, c.want, End{
				Status: v.End.Status, Fired: v.End.Fired, Guess: v.End.Guess, HasAnswer: v.End.HasAnswer,
			})
			if v.End.Status == ErrorLimit {
				require.Equal(t, "every cell failed, and none of the text was looked at before FINAL was called",
					v.End.Reason)
				require.Equal(t, FromPartial, v.End.From)
				require.False(t, v.End.RequiresReview)
			}
		})
	}
	limit := given(ByLimit, fromLastTurn)
	limit.End.Status = CostLimit
	require.Equal(t, CostLimit, p.Guessed(State{Ran: true}, limit).End.Status, "the limit that ended it stays")
	require.Equal(t, Verdict{Action: Continue}, p.Guessed(State{}, Verdict{Action: Continue}))
	without := Verdict{Action: Stop, End: &End{Status: Stopped, Fired: byStop}}
	require.Equal(t, without, p.Guessed(State{Ran: true}, without))
}

// TestWhatWasSeen checks that the text counts as seen from the turn after a cell that succeeded, printed something
// and did not answer.
func TestWhatWasSeen(t *testing.T) {
	looks := turn(cell("fmt.Println(context[:9])"), "10:01 ERR")
	silent := turn(cell("x := 1"), " \n")
	after := turn(cell("y := 1"), "")
	for name, c := range map[string]struct {
		first                        Turn
		unread, shown, ran, succeeds bool
	}{
		"it showed something": {looks, false, true, true, true},
		"it showed nothing":   {silent, true, false, true, true},
		"only its own words": {
			turn(cell("s := \"Let me look at the context\"\nfmt.Println(s)"), "Let me look at the context\n"),
			true, false, true, true,
		},
		"only the size": {
			turn(cell("n := len(context)\nfmt.Printf(\"%d bytes in %d files\", n, len(docs))"), "4096 bytes in 7 files"),
			true, false, true, true,
		},
		"the names": {
			turn(cell("for _, d := range docs {\n\tfmt.Println(d.Name, len(d.Text), d.Pages)\n}\nfmt.Println(docs[0].Name)"),
				"a.log 512 0\na.log\n"), true, false, true, true,
		},
		"the names and beginnings": {
			turn(cell("for _, d := range docs {\n\tfmt.Println(d.Name, d.Text[:9])\n}"), "a.log 2026-12-0\n"),
			false, true, true, true,
		},
		"a sum of its own": {turn(cell("fmt.Println(1 + 1)"), "2\n"), true, false, true, true},
		"the date":         {turn(cell("fmt.Println(time.Now().Year())"), "2026\n"), true, false, true, true},
		"its own list": {
			turn(cell("for i, s := range []string{\"cart\", \"mail\"} {\n\tfmt.Println(i+1, s)\n}"), "1 cart\n2 mail\n"),
			true, false, true, true,
		},
		"its own function": {
			turn(cell("func top() string { return \"cart\" }\nfmt.Println(strings.ToUpper(top()))"), "CART\n"),
			true, false, true, true,
		},
		"a number beside the size": {
			turn(cell("fmt.Println(len(context), hits)"), "4096 3\n"), false, true, true, true,
		},
		"its own words, where they stand in the text": {
			turn(cell("for _, s := range []string{\"cart\"} {\n\tif strings.Contains(context, s) {\n\t\tfmt.Println(s)\n\t}\n}"),
				"cart\n"), false, true, true, true,
		},
		"a variable of an earlier cell": {
			turn(cell("cart := found\nfmt.Println(cart)"), "cart\n"), false, true, true, true,
		},
		"what a tool returns": {
			turn(cell("fmt.Println(\"cart\")\nsearch(\"cart\")"), "cart\n"), false, true, true, true,
		},
		"it failed": {failing("panic"), true, false, true, false},
		"it handed in": {
			answering(answer.FinalOutput{Type: answer.Direct, Answer: "1"}), true, false, false,
			false,
		},
		"words": {turn("I think so.", ""), true, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := unread(t, c.first)
			require.True(t, s.Unread, "the reply was written before")
			require.Equal(t, []bool{c.shown, c.ran, c.succeeds}, []bool{s.Shown, s.Ran, s.Succeeded})
			s, _ = unread(t, c.first, after)
			require.Equal(t, c.unread, s.Unread)
			require.False(t, s.Shown)
		})
	}
}

// TestRemindersOverAnUnreadText checks that reminders show a cell to send, and no answer to fill in, until the
// model has looked at something.
func TestRemindersOverAnUnreadText(t *testing.T) {
	first, second := turn("I should look.", ""), turn("It is surely 42.", "")
	_, v := unread(t, first)
	require.Contains(t, v.Nudges[0].Text,
		"what it prints comes back to you. Look at the text first; this cell can be sent as it is:\n\n```go\nfmt.Println(context[:300])\n```")
	require.NotContains(t, v.Nudges[0].Text, "FINAL")
	_, v = unread(t, first, second)
	require.Contains(t, v.Nudges[0].Text, "held no cell again. Look at the text first")
	require.Contains(t, v.Nudges[0].Text, "the run ends without an answer")
	require.Len(t, cells(v.Nudges[0].Text), 1)
}

// TestAQuestionOfTheModelEndsTheRun checks that the question is reported if nobody is there to answer; code or a
// call next to it takes precedence.
func TestAQuestionOfTheModelEndsTheRun(t *testing.T) {
	const asks = "Which log do you mean?"
	other := turn("Is it the one of today?", "")
	_, v := unread(t, turn(asks, ""), other, turn(asks, ""))
	require.Equal(t, NeedsInput, v.End.Status)
	require.Equal(t, "the model asks for something that it was not given: "+asks, v.End.Reason)
	require.False(t, v.End.HasAnswer)
	cut := turn(asks, "")
	cut.Reply.Cut = true
	_, v = unread(t, turn(asks, ""), other, cut)
	require.Equal(t, Failed, v.End.Status)
	python := turn("```python\nprint(1)\n```\n"+asks, "")
	_, v = unread(t, python, python, python)
	require.Equal(t, Failed, v.End.Status)
	words := turn("It is surely 42.", "")
	_, v = unread(t, turn(asks, ""), other, words)
	require.Equal(t, Failed, v.End.Status)
}

// TestCodeThatDoesNotRunIsNoReplyToAPerson checks that a script in another language does not end the run until the
// model has seen some of the text.
func TestCodeThatDoesNotRunIsNoReplyToAPerson(t *testing.T) {
	p := DefaultPolicy(Response)
	p.Interactive = true
	s, err := p.Begin("q")
	require.NoError(t, err)
	python := turn("```python\nprint(1)\n```", "")
	_, v := p.Next(s, python)
	require.Equal(t, Stop, v.Action, "a person may ask for a script")
	s.Unread = true
	_, v = p.Next(s, python)
	require.Equal(t, Continue, v.Action)
	_, v = p.Next(s, turn("It is a script: ask me for it.", ""))
	require.Equal(t, Stop, v.Action)
}

// An answer in a wrong form counts as a failing turn, so that a model that repeats it has a last turn.
func TestAnAnswerOfAWrongFormFails(t *testing.T) {
	p := DefaultPolicy(Response)
	p.MaxErrors = 3
	remind := Reminder{Guard: "schema", Text: "give it as JSON"}
	s := State{}
	for _, action := range []Action{Continue, Continue, LastTurn} {
		var v Verdict
		s, v = p.Unfit(s, Turn{}, given(ByFinal, FromText), remind)
		require.Equal(t, action, v.Action)
		require.Nil(t, v.End)
		require.Equal(t, []Reminder{remind}, v.Nudges)
	}
	require.Equal(t, ErrorLimit, s.Limit.Status)
}
