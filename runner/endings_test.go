package runner_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// endings are the ways in which the reply to a sub-call can end, with the messages to the model about them.
var endings = map[string]struct {
	reply fakeapi.Reply
	ends  trajectory.Ending
	note  string
}{
	"whole": {fakeapi.Reply{Content: "half"}, trajectory.Whole, ""},
	"cut":   {fakeapi.Reply{Content: "half", Finish: "length"}, trajectory.Cut, "ended at the token limit"},
	"thoughts": {
		fakeapi.Reply{Reasoning: "half", Finish: "length"},
		trajectory.ThoughtOnly,
		"thinking used up the token limit",
	},
	"filtered": {fakeapi.Reply{Content: "half", Finish: "SAFETY"}, trajectory.Filtered, "ended early at the endpoint's content filter"},
	"refused": {
		fakeapi.Reply{
			Body: `{"choices":[{"message":{"content":null,"refusal":"I cannot."},"finish_reason":"stop"}]}`,
		},
		trajectory.Refused, "held a refusal",
	},
	"tool": {
		fakeapi.Reply{Content: "half", Fault: fakeapi.ToolCalls, Finish: "tool_calls"},
		trajectory.CalledTool,
		"held a tool call",
	},
	"unclear": {fakeapi.Reply{Content: "half", Finish: "because"}, trajectory.Unclear, "an unknown reason"},
}

// An incomplete reply is reported: to the model before its next turn, and to people if the cell itself gives the
// answer.
func TestRepliesThatAreNotWhole(t *testing.T) {
	t.Parallel()
	for name, c := range endings {
		for _, handsIn := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				told := ""
				s := fakeapi.StartFunc(func(req fakeapi.Request) fakeapi.Reply {
					switch last := req.Last(); {
					case strings.HasPrefix(last, "question"):
						return c.reply
					case len(req.Messages) > 2:
						told = last
						return fakeapi.Reply{Content: fence(`FINAL("seen")`)}
					case handsIn:
						return fakeapi.Reply{Content: fence(`FINAL("got " + llm_query("question"))`)}
					}
					return fakeapi.Reply{Content: fence(
						`rs := llm_query_batched([]string{"question 1", "question 2"})` + "\nfmt.Println(len(rs))")}
				})
				var ended []trajectory.Ending
				var res runner.Result
				for ev, err := range newRunner(t, served(t, s, func(*llm.Config) {})).Run(timeout(t), "q") {
					require.NoError(t, err)
					res.Add(ev)
					if d, ok := ev.Data.(trajectory.SubCallEnded); ok {
						ended = append(ended, d.Ending())
					}
				}
				require.NotEmpty(t, ended)
				for _, e := range ended {
					require.Equal(t, c.ends, e)
				}
				warned := strings.Join(res.Warnings, "\n")
				if c.ends == trajectory.Whole {
					require.NotContains(t, told+warned, "of sub-calls")
					return
				}
				if handsIn {
					require.Contains(t, warned, c.note)
					require.Equal(t, 1, res.CutReplies)
				} else {
					require.Contains(t, told, c.note)
					require.Contains(t, told, "2 sub-call replies")
					require.NotContains(t, warned, c.note)
				}
			})
		}
	}
}

// A run continues after one of its own replies is cut by a filter, refuses, or calls a tool; none of these becomes
// its answer.
func TestOwnRepliesThatAreNotWhole(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply fakeapi.Reply
		told  string
		never bool // it never becomes an answer, however often it is repeated
		ends  termination.Status
		exit  int
		calls int
	}{
		"filtered": {
			fakeapi.Reply{Content: "par", Finish: "content_filter"},
			"content filter", true,
			termination.ContentFilter, 4, 2,
		},
		"withheld": {fakeapi.Reply{Finish: "content_filter"}, "content filter", true, termination.ContentFilter, 4, 2},
		"refused": {
			fakeapi.Reply{Body: `{"choices":[{"message":{"content":null,"refusal":"I cannot help with that."},"finish_reason":"stop"}]}`},
			"refusal", true, termination.Refused, 3, 2,
		},
		"a call": {
			fakeapi.Reply{Fault: fakeapi.ToolCalls, Finish: "tool_calls"},
			"there are no tools", true,
			termination.Failed, 3, 3,
		},
		"unknown reason": {
			fakeapi.Reply{Content: fence(`fmt.Println("here")`), Finish: "because"},
			"an unknown reason (because)", false, "", 0, 0,
		},
		"a call and text": {
			fakeapi.Reply{Content: "so", Fault: fakeapi.ToolCalls, Finish: "tool_calls"},
			"there are no tools", true, termination.Failed, 3, 3,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := ""
			s := fakeapi.StartFunc(func(req fakeapi.Request) fakeapi.Reply {
				if req.N == 0 {
					return c.reply
				}
				told = req.Last()
				return fakeapi.Reply{Content: fence(`FINAL("done")`)}
			})
			res, err := newRunner(t, served(t, s, func(*llm.Config) {})).Answer(timeout(t), "q")
			require.NoError(t, err)
			require.Equal(t, "done", res.Answer)
			require.Contains(t, told, c.told)
			require.Len(t, s.Requests(), 2)
			if !c.never {
				return
			}
			s = fakeapi.StartFunc(func(fakeapi.Request) fakeapi.Reply { return c.reply })
			res, err = newRunner(t, served(t, s, func(*llm.Config) {})).Answer(timeout(t), "q")
			require.NoError(t, err)
			require.NotContains(t, []termination.Status{termination.Completed, termination.ImplicitCompletion},
				res.Status, res.Reason)
			require.Equal(t, c.ends, res.Status, res.Reason)
			require.Equal(t, c.exit, res.ExitCode())
			require.False(t, res.HasAnswer)
			require.Len(t, s.Requests(), c.calls)
		})
	}
}

// An answer from a reply that may be incomplete is reported as such, and a partial cell is not run, whatever the
// reason for the ending.
func TestAnAnswerInAReplyThatIsNotWhole(t *testing.T) {
	t.Parallel()
	const closed, open = "```go\nFINAL(\"first\")\n```", "```go\nFINAL(\"first\")\n"
	for name, c := range map[string]struct {
		reply          fakeapi.Reply
		answer, warned string
	}{
		"whole":                 {fakeapi.Reply{Content: closed}, "first", ""},
		"whole, and not closed": {fakeapi.Reply{Content: open}, "first", ""},
		"unknown": {
			fakeapi.Reply{Content: closed, Finish: "because"}, "first", "ended for an unknown reason",
		},
		"unknown, and not closed": {fakeapi.Reply{Content: open, Finish: "because"}, "second", ""},
		"cut": {
			fakeapi.Reply{Content: closed, Finish: "length"}, "first", "ended at the token limit",
		},
		"cut, and not closed": {fakeapi.Reply{Content: open, Finish: "length"}, "second", ""},
		"filtered": {
			fakeapi.Reply{Content: closed, Finish: "content_filter"}, "first", "ended early at the endpoint's content filter",
		},
		"filtered, and not closed": {fakeapi.Reply{Content: open, Finish: "content_filter"}, "second", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fakeapi.Start(fakeapi.Rule{Reply: c.reply},
				fakeapi.Rule{Reply: fakeapi.Reply{Content: fence(`FINAL("second")`)}})
			res, err := newRunner(t, served(t, s, func(*llm.Config) {})).Answer(timeout(t), "q")
			require.NoError(t, err)
			require.Equal(t, c.answer, res.Answer)
			if c.warned == "" {
				require.NotContains(t, strings.Join(res.Warnings, "\n"), "comes from a reply")
				require.Zero(t, res.CutReplies)
			} else {
				require.Equal(t, 1, res.CutReplies)
				require.Contains(t, strings.Join(res.Warnings, "\n"), "the answer comes from a reply that "+c.warned)
			}
		})
	}
}

// TestHalfAnAnswerIsNone: a call that the model never closes is no answer, and neither is a draft of a text that was
// not looked at, whether a guard or a limit ends the run.
func TestHalfAnAnswerIsNone(t *testing.T) {
	t.Parallel()
	look := fence(countErrors)
	for name, c := range map[string]struct {
		replies []string
		finish  string
		answer  bool
	}{
		"cut":         {[]string{look, `FINAL("cart 4000, and then`}, "length", false},
		"not closed":  {[]string{look, `FINAL("cart 4000, and then`}, "stop", false},
		"no quotes":   {[]string{look, "FINAL(cart 4000, and then"}, "because", false},
		"in a line":   {[]string{look, `The answer is FINAL("cart 4000, and`}, "stop", false},
		"cut words":   {[]string{look, "The service that fails most is"}, "length", true},
		"only a plan": {[]string{fence(`answer["content"] = "cart 301"`), fence("x := 1")}, "stop", true},
	} {
		for _, most := range []int{1, 30} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := fakeapi.StartFunc(func(req fakeapi.Request) fakeapi.Reply {
					if req.N == 0 {
						return fakeapi.Reply{Content: c.replies[0]}
					}
					return fakeapi.Reply{Content: c.replies[1], Finish: c.finish}
				})
				budgets := runner.WithBudgets(runner.Budgets{Iterations: most})
				r := newRunner(t, served(t, s, func(*llm.Config) {}), budgets)
				res, err := r.Answer(timeout(t), whichCart, runner.Text("app.log", errorLog))
				require.NoError(t, err)
				if !c.answer {
					require.NotContains(t, res.Answer, "FINAL")
				}
				require.Equal(t, c.finish != "stop", res.CutReplies == 1, "a cut reply has its sign, answer or not")
				require.True(t, res.ExitCode() == 3 || most == 1 && res.CutReplies == 1, "%s, %d, %q", res.Status,
					res.CutReplies, res.Answer)
			})
		}
	}
}
