package termination

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/reply"
)

// A wrong answer is worse than one more turn: none of these replies ends a run.
func TestWhatIsNoAnswer(t *testing.T) {
	for name, text := range map[string]string{
		"a cell without a fence":              "report := strings.ToUpper(context)\nFINAL(report)",
		"a fence inside a line":               "Here is the code: ```go\nreport := f()\nFINAL(report)\n```",
		"a fence inside a line, a literal":    "Here is the code: ```go\nreport := f()\nFINAL(\"report\")\n```",
		"a cell in HTML":                      "<div>\n```go\nreport := f()\nFINAL(report)\n```\n</div>",
		"a cell between apostrophes":          "'''go\nreport := f()\nFINAL(\"report\")\n'''",
		"Python, then its variable":           "```python\ntotal = sum(xs)\n```\nFINAL(total)",
		"Python, then an invented result":     "```python\ntotal = sum(xs)\n```\nFINAL(2)",
		"Python without a tag":                "```\ndef f(x):\n    return x\n\nprint(f(2))\n```\nFINAL(2)",
		"Python without a fence":              "total = sum(xs)\nprint(total)\n\nFINAL(\"42\")",
		"a condition without a fence":         "if ok {\n\tFINAL(\"a\")\n}",
		"a branch without a fence":            "if ok {\n} else {\n\tFINAL(\"a\")\n}",
		"a choice without a fence":            "switch {\ncase ok:\n\tFINAL(\"a\")\n}",
		"Python in an element":                "<python>\nx = 1\n</python>\nFINAL(9)",
		"code in an element":                  "<code>\nx = 1\n</code>\n\nFINAL(9)",
		"Python in an element, on a line":     "<python>x = 1</python>\n\nFINAL(9)",
		"SQL without a tag":                   "```\nSELECT count(*) FROM t;\n```\nFINAL(99)",
		"SQL on lines":                        "```\nselect count(*)\n  from t\n where x > 3;\n```\nFINAL(99)",
		"commands without a tag":              "```\n$ wc -l context.txt\n```\nFINAL(99)",
		"commands without a prompt":           "```\ngrep -c ERROR context.txt\n```\nFINAL(99)",
		"code between backticks":              "`x := f()`\nFINAL(9)",
		"Python between backticks":            "`total = sum(xs)`\n\nFINAL(9)",
		"a variable that was never set":       "FINAL(final_report)",
		"a typing error":                      "FINAL(totl)",
		"a typing error in case":              "FINAL(Total)",
		"names that are no variables":         "FINAL(count, sum)",
		"an invented observation":             "[cell 1] ok\n99\n\nFINAL(99)",
		"an invented observation in a cell's": cell("fmt.Println(len(context))") + "\n[cell 1] ok\n99\n\nFINAL(99)",
		"thinking inside a line":              "Okay <think>maybe\n\nFINAL(41)\n\nno, wrong</think> I will look.",
		"thinking with a capital":             "<Think>\nFINAL(41)\n</Think>\nHm.",
		"thinking with a space":               "<think >\nFINAL(41)\n</think >\nHm.",
		"reasoning":                           "<reasoning>\nFINAL(41)\n</reasoning>\nHm.",
		"a scratchpad":                        "<scratchpad>\nFINAL(41)\n</scratchpad>\nHm.",
		"thinking between bars":               "<|thinking|>\nFINAL(41)\n<|/thinking|>\nHm",
		"thinking with a prefix":              "<antThinking>\nFINAL(41)\n</antThinking>\nHm",
		"a monologue":                         "<internal_monologue>\nFINAL(41)\n</internal_monologue>\nHm",
		"thinking with an attribute":          "<think type=\"deep\">\nFINAL(41)\n</think>\nHm",
		"thinking in thinking":                "<think>\n<think>\nx\n</think>\nFINAL(41)\n</think>\nHm",
		"thinking that never ends":            "Okay <think>maybe\n\nFINAL(41)",
		"what comes then":                     "Then: FINAL(42)",
		"what comes next":                     "Next: FINAL(42)",
		"what comes soon":                     "Soon: FINAL(42)",
		"what comes at the end":               "At the end: FINAL(42)",
		"what comes at the end, a comma":      "At the very end, FINAL(42)",
		"what is expected":                    "Expected: FINAL(42)",
		"a guess":                             "My guess: FINAL(42)",
		"the best guess":                      "My best guess: FINAL(42)",
		"a guess on a line":                   "My guess:\n\nFINAL(42)",
		"a guess in words":                    "I guess FINAL(42)",
		"a hypothesis":                        "Hypothetically: FINAL(42)",
		"an assumption":                       "Assuming it is right: FINAL(42)",
		"a supposition":                       "Suppose so: FINAL(42)",
		"the call that would be":              "The call would be FINAL(42)",
		"the call that would be, a colon":     "The call would then be: FINAL(42)",
		"the answer that might be":            "The answer might be FINAL(42)",
		"what is announced on a line":         "I will finish with\nFINAL(42)",
		"what is to be called":                "I am going to call\n\nFINAL(42)",
		"what is to be done":                  "Todo: FINAL(42)",
		"not yet":                             `Not yet FINAL("unknown")`,
		"a plan on a line":                    `Plan: read, count, FINAL("count")`,
		"nothing":                             "FINAL(None)",
		"two arguments":                       `FINAL("a", "b")`,
		"an argument that it does not have":   `FINAL(confidence=0.3)`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, mode := range []Mode{Response, Task} {
				p := DefaultPolicy(mode)
				p.ObservationMarks = []string{"[cell "}
				tn := turn(text, "14")
				tn.Names = []string{"context", "total"}
				_, v := play(t, p, tn)
				require.Equal(t, Continue, v.Action, "%+v", v.End)
			}
		})
	}
}

// Only cells evaluate expressions: an expression of any language is not an answer.
func TestExpressionsAreNoAnswers(t *testing.T) {
	long := "strings.Join([]string{" + strings.Repeat(`"a long piece of text", `, 100) + "}, sep)"
	for _, expression := range []string{
		"context[:10]", "results[0].Name", "x.(string)", "*p", "[]int{1, 2}", "n / 2", "results[0]['name']",
		"json.dumps(result, indent=2)", "[x for x in y]",
		`{"a": len(x)}`, `"yes" if total > 3 else "no"`, `strings.Join(parts, ")")`, `fmt.Sprintf("Total: %d", n)`,
		`"Total: " + str(n)`, `"Total: %d", n`,
		`f"Total {n}"`, "`Total ${n}`", "a and b", "not x", "lambda x: x", "a ? b : c", "&x", "!ok", "a == b",
		`map[string]int{"a": 1}`,
		`func(s string) string { return s }("x")`, "new Foo()", "1 + 2", "len(x) > 3", "<-ch", "best.Name", `"x"[0]`,
		`"a".upper()`, `"%d" % n`, "total or 0",
		"{k: v for k, v in x}", "{k: v}", "[a, b]", "(a, b)", "The total is {total}",
		"sum(1 for l in lines if \"x y\" in l)", "answer: total", "total=total",
		"await f()", "a => a", "x.y.z()", "str(total)", "-n", "^x", "xs...", long, "int(\"3\")", "a if b else c",
		"[total]", "{'a': total}", "x[1:][0]",
		"count // the number of lines", "count # the number of lines", "42 // 5", "42 // n", "total // n",
		"/* the total */ 42", "// the total\n42", "42 /* a */ + 1",
		`"%s"`, "'%d'", `"%.2f%%"`, `"%s: %v"`, "`%s`", `"{total}"`, `"${total}"`, `"{{ total }}"`,
		`os.environ["KEY"]`, "$total", "@x", "x!", "count++", "len(docs) docs",
	} {
		tn := turn("FINAL("+expression+")", "")
		_, v := play(t, DefaultPolicy(Response), tn)
		require.Equal(t, Continue, v.Action, "%s: %+v", expression, v.End)
		require.Len(t, v.Ignored, 1, expression)
	}
}

// Literals and plain text are answers, unchanged.
func TestLiteralsAndTextAreAnswers(t *testing.T) {
	for argument, want := range map[string]string{
		"42": "42", "-5": "-5", "1,234": "1,234", "42%": "42%", "$5.20": "$5.20", "2024-11-21": "2024-11-21",
		"10:30": "10:30", "3/4": "3/4", "5km": "5km",
		`"yes"`: "yes", "'no'": "no", "yes": "yes", "true": "true", "Paris": "Paris", "Paris, France": "Paris, France",
		"Paris and London": "Paris and London",
		"It's 42":          "It's 42", "The answer is 42": "The answer is 42",
		"The function f(x) = 2x has roots": "The function f(x) = 2x has roots",
		`{"a": [1, 2.5, null]}`:            "{\n  \"a\": [\n    1,\n    2.5,\n    null\n  ]\n}", "[1, 2, 3]": "[1, 2, 3]",
		"{'a': True}":    "{\n  \"a\": true\n}",
		`answer="Paris"`: "Paris", "四十二": "四十二", "count (approx)": "count (approx)",
		"https://example.com/a?b=1": "https://example.com/a?b=1",
		`He said "hi :)" to me`:     `He said "hi :)" to me`, `"""a` + "\n" + `b"""`: "a\nb",
		"`Write:\n\nif ok {\n\treturn\n}`": "Write:\n\nif ok {\n\treturn\n}",
		"42 // the total":                  "42", "42 # the total": "42", "42, // the total": "42",
		"42 /* total */": "42", `"http://a.b" // the address`: "http://a.b",
		"Paris // the capital": "Paris // the capital", "Issue # 3 is open": "Issue # 3 is open",
		`"see // there"`: "see // there", "100%": "100%", `"5% s"`: "5% s",
		`"{}"`: "{}", "3 item(s) found": "3 item(s) found",
	} {
		_, v := play(t, DefaultPolicy(Response), turn("FINAL("+argument+")", ""))
		require.Equal(t, Stop, v.Action, "%s: %+v", argument, v.Ignored)
		require.Equal(t, want, v.End.Answer, argument)
	}
}

func TestACommentIsNoPartOfAVariable(t *testing.T) {
	tn := turn("FINAL(total // the total)", "")
	name, ok := DefaultPolicy(Response).Wants(tn)
	require.True(t, ok)
	require.Equal(t, "total", name)
	tn.Vars = map[string]string{"total": "42"}
	_, v := play(t, DefaultPolicy(Response), tn)
	require.Equal(t, "42", v.End.Answer)
}

func TestWhatLooksTalkedAboutAndIsNot(t *testing.T) {
	for _, text := range []string{
		"The total must be 42. FINAL(42)", "- a\n- b\nFINAL(42)",
		"If we count only errors, the answer is 42: FINAL(42)", "> a\nFINAL(42)",
		"FINAL(42)\u00a0", "FINAL（42）", "Therefore: FINAL(42)", "To conclude: FINAL(42)", "Answer: FINAL(42)",
		"So the result is: FINAL(42)",
		"Done. FINAL(42)", "FINAL(42)", "The answer would be: FINAL(42)", "In the end: FINAL(42)",
		"Assuming that only errors count, the answer is 42: FINAL(42)",
		"The expected count is 42: FINAL(42)", "I finish with the number that I expected\nFINAL(42)",
		"I will now give the final answer\nFINAL(42)", "I guessed. FINAL(42)",
		"The functions are\n- `main()`\n- `run()`\n\nFINAL(42)", "`x := 1` is what I used.\nFINAL(42)",
		"```\na 40\nb 2\n```\nFINAL(42)", "<answer>\nFINAL(42)\n</answer>",
		"<think>a <think> b</think>\nFINAL(42)", "<think>\na\n</think>\nFINAL(42)\n<think>\nb\n</think>",
		"```\nSelect a row from the list\n```\nFINAL(42)",
		"In {braces} there are 42.\n\nFINAL(42)", "a = 5\nb = 7\n\nFINAL(42)",
	} {
		_, v := play(t, DefaultPolicy(Response), turn(text, ""))
		require.Equal(t, Stop, v.Action, text)
		require.Equal(t, "42", v.End.Answer, text)
	}
}

func TestATypingErrorNamesTheVariables(t *testing.T) {
	tn := turn("FINAL(final_reprt)", "")
	tn.Names = []string{"a", "final_report"}
	_, v := play(t, DefaultPolicy(Response), tn)
	require.Contains(t, v.Ignored[0].Reason, `there is no variable "final_reprt"`)
	require.Contains(t, v.Ignored[0].Reason, "The variables are: final_report, a")
}

// A tool that is a completion signal has effects, and may refuse: it is always called, not just parsed.
func TestACompletionToolInProseIsCalled(t *testing.T) {
	p := DefaultPolicy(Response)
	p.Names.Signals = []string{"hand_in"}
	for text, want := range map[string]string{
		`hand_in("fail")`: `hand_in("fail")`, `hand_in('a', 3)`: `hand_in("a", 3)`,
		"hand_in(The total is 42)": `hand_in("The total is 42")`,
		"hand_in()":                "hand_in()", "hand_in(total)": "hand_in(total)",
		"hand_in(-1.5, true)": "hand_in(-1.5, true)",
	} {
		tn := Turn{Reply: reply.Parse(text, p.Names, false), Names: []string{"total"}}
		source, ok := p.Calls(tn)
		require.True(t, ok, text)
		require.Equal(t, want, source)

		_, v := play(t, p, tn)
		require.Equal(t, Continue, v.Action, "it was not called")
		tn.Handed = &CellOutcome{Output: "panic: not good enough", Error: "Panic"}
		_, v = play(t, p, tn)
		require.Equal(t, Continue, v.Action)
		require.Contains(t, v.Ignored[0].Reason, "not good enough")
		tn.Handed = &CellOutcome{Final: &answer.FinalOutput{Signal: "hand_in", Answer: "accepted"}}
		_, v = play(t, p, tn)
		require.Equal(t, "accepted", v.End.Answer)
		require.Equal(t, FromText, v.End.From)
	}
	for _, text := range []string{
		`hand_in(totl)`, `hand_in([1, 2])`, `hand_in(text="a")`, `hand_in(f(x))`, `I will call hand_in("x") later.`,
	} {
		tn := Turn{Reply: reply.Parse(text, p.Names, false)}
		_, ok := p.Calls(tn)
		require.False(t, ok, text)
		_, v := play(t, p, tn)
		require.Equal(t, Continue, v.Action, text)
	}
}

func TestArgumentsOfFinishTask(t *testing.T) {
	for text, want := range map[string]answer.Finish{
		`finish_task(summary="could not open the file", status="blocked")`: {
			Summary: "could not open the file", Status: answer.Blocked,
		},
		`finish_task(status="partial", summary='half')`:         {Summary: "half", Status: answer.Partial},
		`finish_task("half", "partial")`:                        {Summary: "half", Status: answer.Partial},
		`finish_task(summary: "half", status: "partial")`:       {Summary: "half", Status: answer.Partial},
		`finish_task({'summary': 'half', 'status': 'partial'})`: {Summary: "half", Status: answer.Partial},
		`finish_task("   x   ")`:                                {Summary: "x", Status: answer.Done},
		`finish_task(All of it works now)`: {
			Summary: "All of it works now", Status: answer.Done,
		},
		"finish_task(\"x\")\nstatus: blocked":                             {Summary: "x", Status: answer.Blocked},
		"It works so far.\n\nfinish_task(\"x\")\n\n**Status:** Partial\n": {Summary: "x", Status: answer.Partial},
		"finish_task(summary=\"x\")\r\n- status = \"partial\"":            {Summary: "x", Status: answer.Partial},
		"finish_task(\"a\nb\")\nfinish status: blocked.":                  {Summary: "a\nb", Status: answer.Blocked},
		"finish_task(\"x\")\nstatus: blocked by the firewall":             {Summary: "x", Status: answer.Done},
		"finish_task(\"x\")\nThe rest.\nstatus: blocked":                  {Summary: "x", Status: answer.Done},
		"finish_task(\"x\", \"done\")\nstatus: blocked":                   {Summary: "x", Status: answer.Done},
		"finish_task({\"summary\": \"x\"})\nstatus: blocked":              {Summary: "x", Status: answer.Blocked},
	} {
		_, v := play(t, DefaultPolicy(Task), turn(text, ""))
		require.Equal(t, Stop, v.Action, "%s: %+v", text, v.Ignored)
		require.Equal(t, want, answer.Finish{Summary: v.End.Answer, Status: v.End.FinishStatus}, text)
	}
	for _, text := range []string{
		`finish_task("x", "great")`, `finish_task("x", mood="good")`, `finish_task(summary=report, status="done")`,
	} {
		_, v := play(t, DefaultPolicy(Task), turn(text, ""))
		require.Equal(t, Continue, v.Action, text)
	}
}

func TestFinishingWithoutASummary(t *testing.T) {
	said := turn("I found that the total is 42 so far.", "")
	drafted := turn(cell("y := 1"), "")
	drafted.Draft = "40"
	for _, c := range []struct {
		name  string
		turns []Turn
		want  string
	}{
		{"what the reply says", []Turn{turn("The total is 42.\n\nfinish_response()", "")}, "The total is 42."},
		{"on the same line", []Turn{turn("The total is 42. finish_response()", "")}, "The total is 42."},
		{"what was said before", []Turn{said, turn("finish_response()", "")}, "I found that the total is 42 so far."},
		{"said before, in a cell", []Turn{said, answering(answer.FinalOutput{Signal: "finish_response"})}, "Now:"},
		{"the draft", []Turn{drafted, turn(`finish_response("")`, "")}, "40"},
		{"None", []Turn{said, turn("finish_response(None)", "")}, "I found that the total is 42 so far."},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, v := play(t, DefaultPolicy(Response), c.turns...)
			require.Equal(t, Completed, v.End.Status)
			require.Equal(t, c.want, v.End.Answer)
			require.Equal(t, exitcode.Answered, v.End.ExitCode())
		})
	}
	_, v := play(t, DefaultPolicy(Response), turn("finish_response()", ""))
	require.False(t, v.End.HasAnswer, v.End.Answer)
	require.Equal(t, exitcode.Limit, v.End.ExitCode())
	_, v = play(t, DefaultPolicy(Task), turn("finish_task()", ""))
	require.False(t, v.End.HasAnswer, v.End.Answer)
	require.Equal(t, exitcode.Limit, v.End.ExitCode())
}

func TestCodeThatDidNotRunIsNoAnswerOfARound(t *testing.T) {
	foreign := turn("```python\nprint(1)\n```", "")
	p := DefaultPolicy(Response)
	p.SingleRound = true
	_, v := play(t, p, foreign)
	require.False(t, v.End.HasAnswer, v.End.Answer)
	require.Equal(t, exitcode.Limit, v.End.ExitCode())

	p = DefaultPolicy(Response)
	p.MaxErrors, p.EmptyReplies, p.SameReplies = 1, 0, 0
	_, v = play(t, p, foreign, foreign)
	require.Equal(t, ErrorLimit, v.End.Status)
	require.False(t, v.End.HasAnswer, v.End.Answer)
}

func TestHalfAReplyIsNoAnswer(t *testing.T) {
	half := Turn{Reply: reply.Parse("The total of the first three quarters is", reply.DefaultNames(), true)}
	p := DefaultPolicy(Response)
	p.Interactive = true
	s, v := play(t, p, half)
	require.Equal(t, Continue, v.Action)
	require.Contains(t, v.Nudges[0].Text, "cut off by the token limit")
	_, v = p.Next(s, turn("It is 42.", ""))
	require.Equal(t, "It is 42.", v.End.Answer)

	p = DefaultPolicy(Response)
	p.SameReplies = 0
	_, v = play(t, p, half, half, half)
	require.Equal(t, Failed, v.End.Status)
	require.Equal(t, FromPartial, v.End.From, "it is kept, and not passed off as the answer")
	_, v = play(t, DefaultPolicy(Response), half, half, half)
	require.Equal(t, string(guardRepeatedReply), v.End.Name)
	require.Equal(t, Failed, v.End.Status)
}

func TestSignalsThatDoNotCountLeaveNoEmptyAnswer(t *testing.T) {
	_, v := play(t, DefaultPolicy(Response), turn("FINAL(final_reprt)", ""), turn("FINAL(final_text)", ""),
		turn("FINAL(len(final))", ""))
	require.Equal(t, string(guardProse), v.End.Name)
	require.Equal(t, Failed, v.End.Status)
	require.False(t, v.End.HasAnswer)
}

func TestStringSignals(t *testing.T) {
	p := DefaultPolicy(Response)
	p.StringSignals, p.ObservationMarks = []string{"DONE"}, []string{"[cell "}
	said := turn("The total of all the rows is 42.", "")
	for _, c := range []struct {
		turns []Turn
		want  string
	}{
		{[]Turn{said, turn("DONE __PASS__", "")}, "The total of all the rows is 42."},
		{[]Turn{said, turn("DONE PASS", "")}, "The total of all the rows is 42."},
		{[]Turn{said, turn("- DONE", "")}, "The total of all the rows is 42."},
		{[]Turn{turn("It is 42.\n\n- DONE", "")}, "It is 42."},
		{[]Turn{turn("DONE: it is __42__", "")}, "it is __42__"},
	} {
		_, v := play(t, p, c.turns...)
		require.Equal(t, "DONE", v.End.Name)
		require.Equal(t, c.want, v.End.Answer)
	}
	for _, text := range []string{
		"```python\nx = 1\n```\nDONE", "[cell 1] ok\n99\n\nDONE", "**[cell 1] ok**\n99\n\nDONE",
	} {
		_, v := play(t, p, turn(text, ""))
		require.Equal(t, Continue, v.Action, text)
	}
}

func TestLongCyclesAreFound(t *testing.T) {
	for _, period := range []int{5, 7, 10} {
		p := DefaultPolicy(Response)
		p.MaxTurns = 0
		s, err := p.Begin("q")
		require.NoError(t, err)
		var v Verdict
		for i := 0; v.Action != Stop && i < 100; i++ {
			s, v = p.Next(s, turn(cell("f("+strings.Repeat("x", i%period)+")"), "same"))
		}
		require.Equal(t, string(guardLoop), v.End.Name)
		require.Equal(t, 3*period, s.Turns)
	}
}

func TestAnswersByProseDoNotHoldTheirSignals(t *testing.T) {
	p := DefaultPolicy(Response)
	p.Interactive = true
	_, v := play(t, p, turn("The total is 42.\n\n`FINAL(42)`", ""))
	require.Equal(t, "The total is 42.", v.End.Answer)
}

func TestReasonsReadWell(t *testing.T) {
	for _, status := range []Status{MaxIterations, IterationsExceeded} {
		require.Equal(t, "the turn limit was reached: 3 turns of 3",
			Limit{Status: status, Used: "3 turns", Bound: "3"}.reached())
	}
	require.Equal(t, "the cost limit was reached: $2 of $1",
		Limit{Status: CostLimit, Used: "$2", Bound: "$1"}.reached())
}

func TestASignalInASentenceOfAConversation(t *testing.T) {
	p := DefaultPolicy(Response)
	p.Interactive = true
	for said, action := range map[string]Action{
		"The result is FINAL(42), which fits.":          Stop,
		"The result is FINAL(len(rows)), which we have": Continue,
	} {
		_, v := play(t, p, turn(said, ""))
		require.Equal(t, action, v.Action, said)
	}
}
